"""BERT-like models: a norm after attention and after the feed-forward network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attar.engine import kernels as steps
from attar.engine.direct import DirectModel
from attar.engine.families.settings import Settings, Unexpected, count, padding, small
from attar.engine.kernels import Activate, InPlace, Kernels, Norm
from attar.engine.parts import ArrayParts
from attar.engine.post_norm_block import BERT, DISTILBERT, Layout, PostNormBlock
from attar.engine.products import MakeProduct
from attar.engine.token_inputs import Places, TokenInputs
from attar.types import Floats

_EPSILON = 1e-12  # of architectures that have no setting for it
# Norms were once called otherwise.
RENAMED_NORMS = {".LayerNorm.gamma": ".LayerNorm.weight", ".LayerNorm.beta": ".LayerNorm.bias"}


@dataclass(frozen=True)
class PostNorm:
    """BERT-like models."""

    prefix: str  # what stands before the names in a file that holds more than the encoder
    layout: Layout = BERT
    blocks: str = "encoder.layer"
    n_layers: str = "num_hidden_layers"
    heads: str = "num_attention_heads"
    width: str = "hidden_size"
    activation: str = "hidden_act"
    epsilon: str | None = "layer_norm_eps"
    segments: bool = True
    behind_padding: bool = False  # places are numbered from behind the padding id
    renamed = RENAMED_NORMS
    weights_as_stored = False

    @property
    def own(self) -> set[str]:
        """What the names of its arrays begin with; others belong to a head."""
        return {"embeddings", "embeddings_project", self.blocks.partition(".")[0]}

    def build(self, settings: Settings, parts: ArrayParts, product: MakeProduct) -> DirectModel:
        kernels = steps.best_kernels()
        epsilon = _EPSILON if self.epsilon is None else small(settings, self.epsilon)
        width, heads = count(settings, self.width), count(settings, self.heads)
        table_width = count(settings, "embedding_size") if "embedding_size" in settings else width
        pad = padding(settings) if self.behind_padding else None
        first = 0 if pad is None else pad + 1
        table, places, segment = embeddings(settings, parts, table_width, table_width, self.segments)
        wider = None
        if table_width != width:
            wider = parts.dense("embeddings_project").checked(width, table_width)
        norm = Norm(*parts.scaling("embeddings.LayerNorm", table_width), epsilon)
        inputs = TokenInputs(table, Places(places, first, pad), segment, norm, kernels, wider)
        activate = _activation(settings, self.activation, kernels)
        blocks = [
            PostNormBlock(
                parts.below(f"{self.blocks}.{n}."), self.layout, width, heads, epsilon, activate, kernels, product
            )
            for n in range(count(settings, self.n_layers))
        ]
        return DirectModel(inputs, blocks, width, len(places) - first)


ROBERTA = PostNorm("roberta.", behind_padding=True)
DISTILBERT_FAMILY = PostNorm(
    "distilbert.",
    layout=DISTILBERT,
    blocks="transformer.layer",
    n_layers="n_layers",
    heads="n_heads",
    width="dim",
    activation="activation",
    epsilon=None,
    segments=False,
)


def embeddings(
    settings: Settings, parts: ArrayParts, table_width: int, width: int, segments: bool
) -> tuple[Floats, Floats, Floats]:
    """Token table, places, and the segment that all tokens are of. Shape: (V, D of the table), (P, D), (D)"""
    below = parts.below("embeddings.")
    table = below.array("word_embeddings.weight", (count(settings, "vocab_size"), table_width))
    places = below.array("position_embeddings.weight", (count(settings, "max_position_embeddings"), width))
    if not segments:
        return table, places, np.zeros(width, dtype=np.float32)
    kinds = below.array("token_type_embeddings.weight", (count(settings, "type_vocab_size"), width))
    return table, places, kinds[0]


def _activation(settings: Settings, key: str, kernels: Kernels) -> Activate:
    known: dict[str, Callable[[Floats, Floats], None]] = {"gelu": kernels.bias_gelu, "relu": kernels.bias_relu}
    name = settings.get(key)
    if not isinstance(name, str) or name not in known:
        raise Unexpected
    return InPlace(known[name])
