"""GPT-NeoX and Pythia."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from attar.engine.decoder_block import Attention, DecoderBlock, Linear, Normalize, PlainFeed, Project, split
from attar.engine.decoder_kernels import DecoderKernels, Heads, decoder_kernels
from attar.engine.decoder_model import DecoderModel
from attar.engine.families.rotary import turning
from attar.engine.families.settings import NOTHING_RENAMED, Settings, Unexpected, count, heeded, small
from attar.engine.kernels import compiled_kernels
from attar.engine.parts import ArrayParts
from attar.engine.products import MakeProduct
from attar.types import Floats


@dataclass(frozen=True)
class GptNeoX:
    """Rotary places on a part of each head; attention and feed-forward network read the same input."""

    prefix: str = "gpt_neox."
    own = frozenset({"embed_in", "layers", "final_layer_norm"})
    renamed = NOTHING_RENAMED
    weights_as_stored = True

    def build(self, settings: Settings, parts: ArrayParts, product: MakeProduct) -> DecoderModel:
        width, heads = count(settings, "hidden_size"), count(settings, "num_attention_heads")
        if width % heads:
            raise Unexpected
        kernels, epsilon, head = decoder_kernels(), small(settings, "layer_norm_eps", 1e-5), width // heads

        def norm(name: str) -> Normalize:
            gain, offset = parts.scaling(name, width)
            return lambda x: kernels.layer_norm(x, gain, offset, epsilon)

        table = parts.stored("embed_in.weight", (count(settings, "vocab_size"), width))
        turn = turning(heeded(settings, {"partial_rotary_factor"}), head, float(settings.get("rotary_pct", 0.25)))
        shape, wide = Heads(heads, heads, head, head**-0.5), count(settings, "intermediate_size")
        activate = _activation(settings.get("hidden_act", "gelu"), kernels)
        blocks = []
        for n in range(count(settings, "num_hidden_layers")):
            below = parts.below(f"layers.{n}.")
            together = below.linear("attention.query_key_value", 3 * width, width)
            project = _head_by_head(together, shape) if settings.get("heads_apart", True) else split(together, width)
            attention = Attention(project, below.linear("attention.dense", width, width), shape, kernels, turn)
            up = below.linear("mlp.dense_h_to_4h", wide, width)
            feed = PlainFeed(up, below.linear("mlp.dense_4h_to_h", width, wide), activate)
            before = norm(f"layers.{n}.input_layernorm"), norm(f"layers.{n}.post_attention_layernorm")
            parallel = settings.get("use_parallel_residual", True) is True
            blocks.append(DecoderBlock(before[0], attention, before[1], feed, parallel))
        most = count(settings, "max_position_embeddings")
        return DecoderModel(table, lambda ids, _: table[ids], blocks, norm("final_layer_norm"), width, most)


def _head_by_head(linear: Linear, heads: Heads) -> Project:
    """Each head has its queries, keys and values side by side."""

    def project(x: Floats) -> tuple[Floats, Floats, Floats]:
        parts = linear(x).reshape(len(x), heads.queries, 3, heads.dims)
        q, k, v = (np.ascontiguousarray(parts[:, :, i]).reshape(len(x), -1) for i in range(3))
        return q, k, v

    return project


def _activation(name: object, kernels: DecoderKernels) -> Callable[[Floats], None]:
    if name in ("gelu_new", "gelu_fast", "gelu_pytorch_tanh"):
        return partial(kernels.gate, factor=None, kind="gelu_tanh")
    if name != "gelu":
        raise Unexpected
    compiled = compiled_kernels()
    if compiled is None:
        return _gelu
    return lambda x: compiled.bias_gelu(x, np.zeros(x.shape[1], dtype=np.float32))


def _gelu(x: Floats) -> None:
    from scipy.special import ndtr

    x *= ndtr(x)
