"""The architectures that run straight from their arrays, and how each calls its settings and its parts.

Whatever is not just as expected here (a setting that is missing or asks for another computation; an array that is
missing, left over or of another shape) is left to transformers, which knows all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from attar.engine.direct import DirectModel
from attar.engine.kernels import Kernels, Norm
from attar.engine.mobilebert_block import MobileBertBlock
from attar.engine.parts import ArrayParts
from attar.engine.post_norm_block import BERT, DISTILBERT, Activate, Layout, PostNormBlock, in_place
from attar.engine.products import MakeProduct
from attar.engine.token_inputs import Places, TokenInputs, TrigramInputs
from attar.types import Floats

Settings = Mapping[str, Any]  # what config.json holds
_EPSILON = 1e-12  # of architectures that have no setting for it
_UNUSUAL = ("is_decoder", "add_cross_attention", "pruned_heads", "quantization_config", "is_encoder_decoder")
_BUFFERS = (".position_ids", ".token_type_ids")  # saved by older versions; they hold 0, 1, 2 ...


class Unexpected(Exception):
    """The model does not match a supported architecture exactly."""


@dataclass(frozen=True)
class _PostNorm:
    """BERT-like architectures."""

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

    def build(self, settings: Settings, parts: ArrayParts, kernels: Kernels, product: MakeProduct) -> DirectModel:
        epsilon = _EPSILON if self.epsilon is None else _real(settings, self.epsilon)
        width, heads = _count(settings, self.width), _count(settings, self.heads)
        table_width = _count(settings, "embedding_size") if "embedding_size" in settings else width
        first = _padding(settings) + 1 if self.behind_padding else 0
        table, places, segment = _embeddings(settings, parts, table_width, table_width, self.segments)
        wider = None
        if table_width != width:
            wider = parts.dense("embeddings_project").checked(width, table_width)
        norm = Norm(*parts.scaling("embeddings.LayerNorm", table_width), epsilon)
        inputs = TokenInputs(table, Places(places, first), segment, norm, kernels, wider)
        activate = _activation(settings, self.activation, kernels)
        blocks = [
            PostNormBlock(
                parts.below(f"{self.blocks}.{n}."), self.layout, width, heads, epsilon, activate, kernels, product
            )
            for n in range(_count(settings, self.n_layers))
        ]
        return DirectModel(inputs, blocks, width, len(places) - first)


@dataclass(frozen=True)
class _MobileBert:
    """MobileBERT as it was published: trigrams, bottlenecks, scalings in place of norms."""

    prefix: str = "mobilebert."
    blocks: str = "encoder.layer"

    def build(self, settings: Settings, parts: ArrayParts, kernels: Kernels, product: MakeProduct) -> DirectModel:
        usual = {
            "hidden_act": "relu",
            "normalization_type": "no_norm",
            "trigram_input": True,
            "use_bottleneck": True,
            "use_bottleneck_attention": False,
            "key_query_shared_bottleneck": True,
        }
        if any(settings.get(key) != value for key, value in usual.items()):
            raise Unexpected
        width, narrow = _count(settings, "hidden_size"), _count(settings, "intra_bottleneck_size")
        table_width = _count(settings, "embedding_size")
        heads, feeds = _count(settings, "num_attention_heads"), _count(settings, "num_feedforward_networks") - 1
        table, places, segment = _embeddings(settings, parts, table_width, width, True)
        wider = parts.dense("embeddings.embedding_transformation").checked(width, 3 * table_width)
        scaling = Norm(*parts.scaling("embeddings.LayerNorm", width))
        inputs = TrigramInputs(table, Places(places, 0), segment, scaling, kernels, wider)
        blocks = [
            MobileBertBlock(parts.below(f"{self.blocks}.{n}."), width, narrow, heads, feeds, kernels, product)
            for n in range(_count(settings, "num_hidden_layers"))
        ]
        return DirectModel(inputs, blocks, width, len(places))


_ROBERTA = _PostNorm("roberta.", behind_padding=True)
_FAMILIES: dict[str, _PostNorm | _MobileBert] = {
    "bert": _PostNorm("bert."),
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
    "camembert": _ROBERTA,
    "electra": _PostNorm("electra."),
    "distilbert": _PostNorm(
        "distilbert.",
        layout=DISTILBERT,
        blocks="transformer.layer",
        n_layers="n_layers",
        heads="n_heads",
        width="dim",
        activation="activation",
        epsilon=None,
        segments=False,
    ),
    "mobilebert": _MobileBert(),
}


def is_known(settings: Settings) -> bool:
    """Whether the architecture is one of these; that the model is as expected, `build_model` tells."""
    kind = settings.get("model_type")
    return isinstance(kind, str) and kind in _FAMILIES


def build_model(
    settings: Settings, arrays: Mapping[str, npt.NDArray[Any]], kernels: Kernels, product: MakeProduct
) -> DirectModel:
    """Raises Unexpected."""
    if not is_known(settings) or any(settings.get(key) for key in _UNUSUAL):
        raise Unexpected
    if settings.get("position_embedding_type", "absolute") != "absolute":
        raise Unexpected
    family = _FAMILIES[settings["model_type"]]
    named = _plain_names(arrays, family.prefix)
    parts = ArrayParts(named)
    try:
        model = family.build(settings, parts, kernels, product)
    except (LookupError, ValueError) as error:
        raise Unexpected from error
    own = {"embeddings", "embeddings_project", family.blocks.partition(".")[0]}
    left = {name for name in named.keys() - parts.used if name.partition(".")[0] in own}
    if any(not name.endswith(_BUFFERS) for name in left):
        raise Unexpected
    return model


def _plain_names(arrays: Mapping[str, npt.NDArray[Any]], prefix: str) -> dict[str, npt.NDArray[Any]]:
    """Without the prefix, and norms called as they are called today."""
    named: dict[str, npt.NDArray[Any]] = {}
    for name, array in arrays.items():
        plain = name.removeprefix(prefix)
        plain = plain.replace(".LayerNorm.gamma", ".LayerNorm.weight").replace(".LayerNorm.beta", ".LayerNorm.bias")
        if plain in named:
            raise Unexpected
        named[plain] = array
    return named


def _embeddings(
    settings: Settings, parts: ArrayParts, table_width: int, width: int, segments: bool
) -> tuple[Floats, Floats, Floats]:
    """Token table, places, and the segment that all tokens are of. Shape: (V, D of the table), (P, D), (D)"""
    below = parts.below("embeddings.")
    table = below.array("word_embeddings.weight", (_count(settings, "vocab_size"), table_width))
    places = below.array("position_embeddings.weight", (_count(settings, "max_position_embeddings"), width))
    if not segments:
        return table, places, np.zeros(width, dtype=np.float32)
    kinds = below.array("token_type_embeddings.weight", (_count(settings, "type_vocab_size"), width))
    return table, places, kinds[0]


def _activation(settings: Settings, key: str, kernels: Kernels) -> Activate:
    known: dict[str, Callable[[Floats, Floats], None]] = {"gelu": kernels.bias_gelu, "relu": kernels.bias_relu}
    name = settings.get(key)
    if not isinstance(name, str) or name not in known:
        raise Unexpected
    return in_place(known[name])


def _count(settings: Settings, key: str) -> int:
    value = settings.get(key)
    if type(value) is not int or value < 1:
        raise Unexpected
    return value


def _padding(settings: Settings) -> int:
    value = settings.get("pad_token_id")
    if type(value) is not int or value < 0:
        raise Unexpected
    return value


def _real(settings: Settings, key: str) -> float:
    value = settings.get(key)
    if type(value) is not float or not 0 <= value < 1:
        raise Unexpected
    return value
