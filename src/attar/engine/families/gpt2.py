"""GPT-2."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from attar.engine.decoder_block import Attention, DecoderBlock, Linear, Normalize, PlainFeed, split
from attar.engine.decoder_kernels import Heads, decoder_kernels
from attar.engine.decoder_model import DecoderModel
from attar.engine.families.settings import NOTHING_RENAMED, Settings, Unexpected, count, expect, small
from attar.engine.parts import ArrayParts
from attar.engine.products import MakeProduct
from attar.engine.stored import Stored
from attar.types import Floats, Ints


@dataclass(frozen=True)
class Gpt2:
    """Learned places, one product for queries, keys and values; its weights lie the other way round in safetensors."""

    prefix: str = "transformer."
    own = frozenset({"wte", "wpe", "h", "ln_f"})
    renamed = NOTHING_RENAMED
    weights_as_stored = True

    def build(self, settings: Settings, parts: ArrayParts, product: MakeProduct) -> DecoderModel:
        expect(settings, {"scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False})
        if settings.get("activation_function", "gelu_new") not in ("gelu_new", "gelu_pytorch_tanh"):
            raise Unexpected
        width, heads = count(settings, "n_embd"), count(settings, "n_head")
        wide, places = count(settings, "n_inner", 4 * width), count(settings, "n_positions")
        if width % heads:
            raise Unexpected
        kernels, epsilon = decoder_kernels(), small(settings, "layer_norm_epsilon", 1e-5)
        as_stored = bool(settings.get("weights_as_stored"))

        def norm(name: str) -> Normalize:
            gain, offset = parts.scaling(name, width)
            return lambda x: kernels.layer_norm(x, gain, offset, epsilon)

        def linear(name: str, n_out: int, n_in: int) -> Linear:
            if as_stored:
                return parts.linear(name, n_out, n_in)
            turned = np.ascontiguousarray(parts.array(f"{name}.weight", (n_in, n_out)).T)
            return Linear(Stored.of(turned), parts.array(f"{name}.bias", (n_out,)), parts.brief)

        table = parts.stored("wte.weight", (count(settings, "vocab_size"), width))
        rows = parts.array("wpe.weight", (places, width))
        shape = Heads(heads, heads, width // heads, (width // heads) ** -0.5)
        blocks = []
        for n in range(count(settings, "n_layer")):
            at = f"h.{n}."
            project = split(linear(f"{at}attn.c_attn", 3 * width, width), width)
            attention = Attention(project, linear(f"{at}attn.c_proj", width, width), shape, kernels)
            up, down = linear(f"{at}mlp.c_fc", wide, width), linear(f"{at}mlp.c_proj", width, wide)
            feed = PlainFeed(up, down, partial(kernels.gate, factor=None, kind="gelu_tanh"))
            blocks.append(DecoderBlock(norm(f"{at}ln_1"), attention, norm(f"{at}ln_2"), feed))

        def enter(ids: Ints, at: Ints) -> Floats:
            return table[ids] + rows[at]

        return DecoderModel(table, enter, blocks, norm("ln_f"), width, places)
