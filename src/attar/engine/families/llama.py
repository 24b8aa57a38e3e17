"""Llama-like models: SmolLM2, Mistral, Qwen 2, 2.5 and 3, Gemma (the first)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attar.engine.decoder_block import Attention, DecoderBlock, GatedFeed, Linear, Normalize, Project
from attar.engine.decoder_kernels import DecoderKernels, Heads, decoder_kernels
from attar.engine.decoder_model import DecoderModel, Enter
from attar.engine.families.rotary import turning
from attar.engine.families.settings import NOTHING_RENAMED, Settings, Unexpected, count, expect, small
from attar.engine.parts import ArrayParts
from attar.engine.products import MakeProduct
from attar.engine.stored import Stored
from attar.types import Floats, Ints

_ACTIVATIONS = {"silu": "silu", "gelu_pytorch_tanh": "gelu_tanh"}


@dataclass(frozen=True)
class Llama:
    """Root-mean-square norms, rotary places, heads that share keys and values, gated feed-forward networks."""

    head_norms: bool = False  # queries and keys are normed head by head
    gemma: bool = False  # inputs are scaled, and gains of norms are stored less 1
    prefix: str = "model."
    own = frozenset({"embed_tokens", "layers", "norm"})
    renamed = NOTHING_RENAMED
    weights_as_stored = True

    def build(self, settings: Settings, parts: ArrayParts, product: MakeProduct) -> DecoderModel:
        kernels, shape = decoder_kernels(), _Shape.of(settings)
        gain_offset = 1.0 if self.gemma and not settings.get("norms_as_stored") else 0.0

        def norm(name: str, size: int = shape.width) -> Normalize:
            gain = parts.array(f"{name}.weight", (size,)) + np.float32(gain_offset)
            return lambda x: kernels.rms_norm(x, gain, shape.epsilon)

        table = parts.stored("embed_tokens.weight", (count(settings, "vocab_size"), shape.width))
        turn = turning(settings, shape.head)
        heads = Heads(shape.heads, shape.groups, shape.head, shape.head**-0.5)
        blocks = []
        for n in range(count(settings, "num_hidden_layers")):
            at = f"layers.{n}."
            norms = [norm(f"{at}self_attn.{part}_norm", shape.head) if self.head_norms else None for part in "qk"]
            project, mix = _projections(parts.below(f"{at}self_attn."), shape)
            attention = Attention(project, mix, heads, kernels, turn, norms[0], norms[1])
            feed = _feed(parts.below(f"{at}mlp."), shape, self._activation(settings), kernels)
            before = norm(f"{at}input_layernorm"), norm(f"{at}post_attention_layernorm")
            blocks.append(DecoderBlock(before[0], attention, before[1], feed))
        scale = np.float32(shape.width**0.5) if self.gemma else None
        return DecoderModel(table, _entering(table, scale), blocks, norm("norm"), shape.width, shape.max_tokens)

    def _activation(self, settings: Settings) -> str:
        given = settings.get("hidden_act", "silu")
        if self.gemma:  # "gelu" was written in its settings where the tanh form was meant
            given = settings.get("hidden_activation") or "gelu_pytorch_tanh"
        if given not in _ACTIVATIONS:
            raise Unexpected
        return _ACTIVATIONS[given]


@dataclass(frozen=True)
class _Shape:
    width: int
    wide: int
    heads: int
    groups: int
    head: int
    epsilon: float
    max_tokens: int

    @classmethod
    def of(cls, settings: Settings) -> _Shape:
        expect(settings, {"pretraining_tp": 1, "use_sliding_window": False})
        kinds = settings.get("layer_types") or []
        if any(kind != "full_attention" for kind in kinds) and "use_sliding_window" in settings:
            raise Unexpected
        width, heads = count(settings, "hidden_size"), count(settings, "num_attention_heads")
        groups = count(settings, "num_key_value_heads", heads)
        head = count(settings, "head_dim", width // heads)
        most = count(settings, "max_position_embeddings")
        if heads % groups or head % 2:
            raise Unexpected
        window = None if "use_sliding_window" in settings else settings.get("sliding_window")
        if window is not None:  # texts are cut where a token would no longer see the first one
            most = min(most, count(settings, "sliding_window"))
        wide, epsilon = count(settings, "intermediate_size"), small(settings, "rms_norm_eps")
        return cls(width, wide, heads, groups, head, epsilon, most)


def _projections(parts: ArrayParts, shape: _Shape) -> tuple[Project, Linear]:
    query = parts.linear("q_proj", shape.heads * shape.head, shape.width)
    key, value = (parts.linear(f"{name}_proj", shape.groups * shape.head, shape.width) for name in "kv")
    mix = parts.linear("o_proj", shape.width, shape.heads * shape.head)

    def project(x: Floats) -> tuple[Floats, Floats, Floats]:
        return query(x), key(x), value(x)

    return project, mix


def _feed(parts: ArrayParts, shape: _Shape, activation: str, kernels: DecoderKernels) -> GatedFeed:
    gate, up = (parts.linear(f"{name}_proj", shape.wide, shape.width) for name in ("gate", "up"))
    return GatedFeed(gate, up, parts.linear("down_proj", shape.width, shape.wide), activation, kernels)


def _entering(table: Stored, scale: np.float32 | None) -> Enter:
    def enter(ids: Ints, places: Ints) -> Floats:
        rows = table[ids]
        return rows if scale is None else rows * scale

    return enter
