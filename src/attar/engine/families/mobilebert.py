"""MobileBERT."""

from __future__ import annotations

from dataclasses import dataclass

from attar.engine import kernels as steps
from attar.engine.direct import DirectModel
from attar.engine.families.post_norm import RENAMED_NORMS, embeddings
from attar.engine.families.settings import Settings, Unexpected, count
from attar.engine.kernels import Norm
from attar.engine.mobilebert_block import MobileBertBlock
from attar.engine.parts import ArrayParts
from attar.engine.products import MakeProduct
from attar.engine.token_inputs import Places, TrigramInputs


@dataclass(frozen=True)
class MobileBert:
    """MobileBERT as it was published: trigrams, bottlenecks, scalings in place of norms."""

    prefix: str = "mobilebert."
    blocks: str = "encoder.layer"
    renamed = RENAMED_NORMS
    weights_as_stored = False
    own = frozenset({"embeddings", "encoder"})

    def build(self, settings: Settings, parts: ArrayParts, product: MakeProduct) -> DirectModel:
        kernels = steps.best_kernels()
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
        width, narrow = count(settings, "hidden_size"), count(settings, "intra_bottleneck_size")
        table_width = count(settings, "embedding_size")
        heads, feeds = count(settings, "num_attention_heads"), count(settings, "num_feedforward_networks") - 1
        table, places, segment = embeddings(settings, parts, table_width, width, True)
        wider = parts.dense("embeddings.embedding_transformation").checked(width, 3 * table_width)
        scaling = Norm(*parts.scaling("embeddings.LayerNorm", width))
        inputs = TrigramInputs(table, Places(places, 0), segment, scaling, kernels, wider)
        blocks = [
            MobileBertBlock(parts.below(f"{self.blocks}.{n}."), width, narrow, heads, feeds, kernels, product)
            for n in range(count(settings, "num_hidden_layers"))
        ]
        return DirectModel(inputs, blocks, width, len(places))
