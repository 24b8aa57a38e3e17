"""Llama-like models: SmolLM, Mistral, Qwen, Gemma, Phi-3, OLMo 2, Granite."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from attar.engine.decoder_block import (
    Attention,
    DecoderBlock,
    Feed,
    GatedFeed,
    JoinedFeed,
    Linear,
    Normalize,
    Project,
    split,
)
from attar.engine.decoder_kernels import DecoderKernels, Heads, decoder_kernels
from attar.engine.decoder_model import DecoderModel, Enter
from attar.engine.families.layer_kinds import Kind, layer_kinds
from attar.engine.families.rotary import turned_share
from attar.engine.families.settings import (
    NOTHING_RENAMED,
    Settings,
    Unexpected,
    count,
    expect,
    heeded,
    positive,
    small,
)
from attar.engine.parts import ArrayParts
from attar.engine.products import MakeProduct
from attar.engine.stored import Stored
from attar.types import Floats, Ints

_ACTIVATIONS = {"silu": "silu", "gelu_pytorch_tanh": "gelu_tanh"}
# Settings that some of these architectures know; the others leave them aside, also where config.json has them.
_WINDOWS = frozenset({"sliding_window"})
_CHOSEN_WINDOWS = _WINDOWS | {"use_sliding_window"}
_OF_SOME = _CHOSEN_WINDOWS | {
    "sliding_window_pattern", "_sliding_window_pattern", "no_rope_layers", "query_pre_attn_scalar",
    "rope_local_base_freq", "partial_rotary_factor",
}  # fmt: skip


@dataclass(frozen=True)
class BlockNorms:
    """What the norms of a block are called; None for those that it does not have."""

    before_attention: str | None = "input_layernorm"
    after_attention: str | None = None
    before_feed: str | None = "post_attention_layernorm"
    after_feed: str | None = None


AROUND = BlockNorms(
    "input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm"
)
BEHIND = BlockNorms(None, "post_attention_layernorm", None, "post_feedforward_layernorm")


@dataclass(frozen=True)
class Llama:
    """Root-mean-square norms, rotary places, heads that share keys and values, gated feed-forward networks."""

    norms: BlockNorms = BlockNorms()
    head_norms: bool = False  # queries and keys are normed head by head
    whole_norms: bool = False  # or all heads together
    gemma: bool = False  # inputs are scaled, and gains of norms are stored less 1
    joined: bool = False  # queries, keys and values in one array, and both halves of the feed-forward network
    multiplied: bool = False  # inputs, attention and what blocks add have factors of their own
    activation: str = "hidden_act"  # the setting that names it
    knows: frozenset[str] = frozenset()  # which of the settings that only some of these have
    defaults: Mapping[str, Any] = field(default_factory=dict)  # what settings are that config.json leaves out
    prefix: str = "model."
    own = frozenset({"embed_tokens", "layers", "norm"})
    renamed = NOTHING_RENAMED
    weights_as_stored = True

    def build(self, settings: Settings, parts: ArrayParts, product: MakeProduct) -> DecoderModel:
        if "partial_rotary_factor" not in self.knows and turned_share(settings) != 1:
            raise Unexpected
        settings = heeded({**self.defaults, **settings}, _OF_SOME - self.knows)
        kernels, shape = decoder_kernels(), _Shape.of(settings)
        gain_offset = 1.0 if self.gemma and not settings.get("norms_as_stored") else 0.0
        added = positive(settings, "residual_multiplier", 1.0) if self.multiplied else 1.0

        def norm(name: str, size: int = shape.width) -> Normalize:
            gain = parts.array(f"{name}.weight", (size,)) + np.float32(gain_offset)
            return lambda x: kernels.rms_norm(x, gain, shape.epsilon)

        def before(at: str, name: str | None) -> Normalize:
            return _as_it_is if name is None else norm(at + name)

        def after(at: str, name: str | None) -> Normalize | None:
            found = None if name is None else norm(at + name)
            return found if added == 1.0 else _scaled(found, np.float32(added))

        table = parts.stored("embed_tokens.weight", (count(settings, "vocab_size"), shape.width))
        blocks = []
        for n, kind in enumerate(layer_kinds(settings, count(settings, "num_hidden_layers"), shape.head)):
            at = f"layers.{n}."
            attention = self._attention(parts.below(f"{at}self_attn."), shape, self._scale(settings, shape), kind, norm)
            blocks.append(
                DecoderBlock(
                    before(at, self.norms.before_attention),
                    attention,
                    before(at, self.norms.before_feed),
                    self._feed(parts.below(f"{at}mlp."), shape, self._activation(settings), kernels),
                    after_attention=after(at, self.norms.after_attention),
                    after_feed=after(at, self.norms.after_feed),
                )
            )
        enter = _entering(table, self._entry(settings, shape))
        return DecoderModel(table, enter, blocks, norm("norm"), shape.width, shape.max_tokens)

    def _attention(
        self, parts: ArrayParts, shape: _Shape, scale: float, kind: Kind, norm: Callable[[str, int], Normalize]
    ) -> Attention:
        heads = Heads(shape.heads, shape.groups, shape.head, scale, kind.window)
        sizes = (shape.head, shape.head) if self.head_norms else (shape.heads * shape.head, shape.groups * shape.head)
        normed = self.head_norms or self.whole_norms
        names = [f"{parts.prefix}{part}_norm" for part in "qk"]
        norms = [norm(name, size) if normed else None for name, size in zip(names, sizes, strict=True)]
        project = _joined_projections(parts, shape) if self.joined else _projections(parts, shape)
        mix = parts.linear("o_proj", shape.width, shape.heads * shape.head)
        return Attention(project, mix, heads, decoder_kernels(), kind.turning, norms[0], norms[1])

    def _feed(self, parts: ArrayParts, shape: _Shape, activation: str, kernels: DecoderKernels) -> Feed:
        down = parts.linear("down_proj", shape.width, shape.wide)
        if self.joined:
            return JoinedFeed(parts.linear("gate_up_proj", 2 * shape.wide, shape.width), down, activation, kernels)
        gate, up = (parts.linear(f"{name}_proj", shape.wide, shape.width) for name in ("gate", "up"))
        return GatedFeed(gate, up, down, activation, kernels)

    def _activation(self, settings: Settings) -> str:
        given = settings.get(self.activation, "gelu_pytorch_tanh" if self.gemma else "silu")
        if self.activation == "hidden_act" and self.gemma and given == "gelu":  # written where the tanh form was meant
            given = "gelu_pytorch_tanh"
        if given not in _ACTIVATIONS:
            raise Unexpected
        return _ACTIVATIONS[given]

    def _scale(self, settings: Settings, shape: _Shape) -> float:
        """Of what queries and keys make together."""
        if self.multiplied:
            return positive(settings, "attention_multiplier")
        return 1 / math.sqrt(positive(settings, "query_pre_attn_scalar", shape.head))

    def _entry(self, settings: Settings, shape: _Shape) -> float:
        """Of the inputs."""
        if self.multiplied:
            return positive(settings, "embedding_multiplier", 1.0)
        return shape.width**0.5 if self.gemma else 1.0


MISTRAL = Llama(knows=_WINDOWS)
QWEN2 = Llama(knows=_CHOSEN_WINDOWS, defaults={"use_sliding_window": False})
QWEN3 = Llama(
    head_norms=True,
    knows=_CHOSEN_WINDOWS,
    defaults={"use_sliding_window": False, "head_dim": 128},
)
GEMMA = Llama(gemma=True, defaults={"head_dim": 256})
GEMMA3 = Llama(
    norms=AROUND,
    head_norms=True,
    gemma=True,
    activation="hidden_activation",
    knows=_OF_SOME - {"use_sliding_window", "no_rope_layers", "partial_rotary_factor"},
    defaults={
        "head_dim": 256,
        "query_pre_attn_scalar": 256,
        "rope_theta": 1e6,
        "rope_local_base_freq": 1e4,
        "sliding_window": 4096,
        "sliding_window_pattern": 6,
    },
)
PHI3 = Llama(joined=True, knows=_WINDOWS | {"partial_rotary_factor"})
SMOLLM3 = Llama(
    knows=_CHOSEN_WINDOWS | {"no_rope_layers"},
    defaults={"use_sliding_window": False, "rope_theta": 2e6, "no_rope_layers": None},
)
OLMO2 = Llama(norms=BEHIND, whole_norms=True)
GRANITE = Llama(multiplied=True)


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
        expect(settings, {"pretraining_tp": 1, "attn_logit_softcapping": None, "clip_qkv": None})
        if settings.get("use_bidirectional_attention"):
            raise Unexpected
        width, heads = count(settings, "hidden_size"), count(settings, "num_attention_heads")
        groups = count(settings, "num_key_value_heads", heads)
        head = count(settings, "head_dim", width // heads)
        most = count(settings, "max_position_embeddings")
        if heads % groups or head % 2:
            raise Unexpected
        wide, epsilon = count(settings, "intermediate_size"), small(settings, "rms_norm_eps")
        return cls(width, wide, heads, groups, head, epsilon, most)


def _projections(parts: ArrayParts, shape: _Shape) -> Project:
    query = parts.linear("q_proj", shape.heads * shape.head, shape.width)
    key, value = (parts.linear(f"{name}_proj", shape.groups * shape.head, shape.width) for name in "kv")

    def project(x: Floats) -> tuple[Floats, Floats, Floats]:
        return query(x), key(x), value(x)

    return project


def _joined_projections(parts: ArrayParts, shape: _Shape) -> Project:
    queries, keys = shape.heads * shape.head, shape.groups * shape.head
    together: Linear = parts.linear("qkv_proj", queries + 2 * keys, shape.width)
    return split(together, queries, keys)


def _as_it_is(x: Floats) -> Floats:
    return x


def _scaled(norm: Normalize | None, factor: np.float32) -> Normalize:
    return lambda x: (x if norm is None else norm(x)) * factor


def _entering(table: Stored, scale: float) -> Enter:
    factor = np.float32(scale)

    def enter(ids: Ints, places: Ints) -> Floats:
        rows = table[ids]
        return rows if factor == 1 else rows * factor

    return enter
