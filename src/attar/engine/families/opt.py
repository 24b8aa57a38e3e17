"""OPT."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attar.engine.decoder_block import Attention, DecoderBlock, Linear, Normalize, PlainFeed, Project
from attar.engine.decoder_kernels import Heads, decoder_kernels
from attar.engine.decoder_model import DecoderModel
from attar.engine.families.settings import NOTHING_RENAMED, Settings, count, expect
from attar.engine.parts import ArrayParts
from attar.engine.products import MakeProduct
from attar.types import Floats, Ints

_FIRST_PLACE = 2  # rows of the table of places before the first one
_EPSILON = 1e-5


@dataclass(frozen=True)
class Opt:
    """Learned places, layer norms before each half, relu. (The 350M one, which norms after, goes to transformers.)"""

    prefix: str = "model."
    own = frozenset({"decoder"})
    renamed = NOTHING_RENAMED
    weights_as_stored = True

    def build(self, settings: Settings, parts: ArrayParts, product: MakeProduct) -> DecoderModel:
        width, heads = count(settings, "hidden_size"), count(settings, "num_attention_heads")
        usual = {"do_layer_norm_before": True, "_remove_final_layer_norm": False, "layer_norm_elementwise_affine": True}
        expect(settings, usual | {"activation_function": "relu", "word_embed_proj_dim": width, "enable_bias": True})
        if width % heads:
            raise ValueError(f"{width} dims can't be shared by {heads} heads")
        wide, places = count(settings, "ffn_dim"), count(settings, "max_position_embeddings")
        parts, kernels = parts.below("decoder."), decoder_kernels()

        def norm(name: str) -> Normalize:
            gain, offset = parts.scaling(name, width)
            return lambda x: kernels.layer_norm(x, gain, offset, _EPSILON)

        table = parts.stored("embed_tokens.weight", (count(settings, "vocab_size"), width))
        rows = parts.array("embed_positions.weight", (places + _FIRST_PLACE, width))
        shape = Heads(heads, heads, width // heads, (width // heads) ** -0.5)
        blocks = []
        for n in range(count(settings, "num_hidden_layers")):
            below = parts.below(f"layers.{n}.")
            ways = [below.linear(f"self_attn.{name}_proj", width, width) for name in "qkv"]
            mix = below.linear("self_attn.out_proj", width, width)
            attention = Attention(_each(ways), mix, shape, kernels)
            feed = PlainFeed(below.linear("fc1", wide, width), below.linear("fc2", width, wide), _relu)
            before = norm(f"layers.{n}.self_attn_layer_norm"), norm(f"layers.{n}.final_layer_norm")
            blocks.append(DecoderBlock(before[0], attention, before[1], feed))

        def enter(ids: Ints, at: Ints) -> Floats:
            return table[ids] + rows[at + _FIRST_PLACE]

        return DecoderModel(table, enter, blocks, norm("final_layer_norm"), width, places)


def _each(ways: list[Linear]) -> Project:
    return lambda x: (ways[0](x), ways[1](x), ways[2](x))


def _relu(x: Floats) -> None:
    np.maximum(x, 0, out=x)
