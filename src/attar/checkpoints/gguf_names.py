"""What GGUF files call settings and arrays, in the words of the models' own config.json and safetensors files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_BLOCK = re.compile(r"blk\.(\d+)\.(.+)")
_LLAMA = {
    "token_embd": "embed_tokens", "output_norm": "norm", "output": "lm_head",
    "attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm", "ffn_norm": "post_attention_layernorm", "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}  # fmt: skip
_BEHIND = {"post_attention_norm": "post_attention_layernorm", "post_ffw_norm": "post_feedforward_layernorm"}
_GEMMA3 = _LLAMA | _BEHIND | {"ffn_norm": "pre_feedforward_layernorm"}
_PHI3 = _LLAMA | {"attn_qkv": "self_attn.qkv_proj", "ffn_up": "mlp.gate_up_proj"}
_GPT2 = {
    "token_embd": "wte", "position_embd": "wpe", "output_norm": "ln_f", "output": "lm_head", "attn_norm": "ln_1",
    "attn_qkv": "attn.c_attn", "attn_output": "attn.c_proj", "ffn_norm": "ln_2", "ffn_up": "mlp.c_fc",
    "ffn_down": "mlp.c_proj",
}  # fmt: skip
_NEOX = {
    "token_embd": "embed_in", "output_norm": "final_layer_norm", "output": "embed_out", "attn_norm": "input_layernorm",
    "attn_qkv": "attention.query_key_value", "attn_output": "attention.dense", "ffn_norm": "post_attention_layernorm",
    "ffn_up": "mlp.dense_h_to_4h", "ffn_down": "mlp.dense_4h_to_h",
}  # fmt: skip


class Dialect(NamedTuple):
    """How one architecture is called here and there."""

    model_type: str
    blocks: str
    names: Mapping[str, str]
    fixed: Mapping[str, Any] = {}  # settings that follow from the architecture


DIALECTS = {
    "llama": Dialect("llama", "layers", _LLAMA, {"rope_neighbours": True}),
    "qwen2": Dialect("qwen2", "layers", _LLAMA),
    "qwen3": Dialect("qwen3", "layers", _LLAMA),
    "gemma": Dialect("gemma", "layers", _LLAMA, {"norms_as_stored": True}),
    "gemma3": Dialect(
        "gemma3_text",
        "layers",
        _GEMMA3,
        {"norms_as_stored": True, "sliding_window_pattern": 6, "rope_local_base_freq": 10000.0},
    ),
    "phi3": Dialect("phi3", "layers", _PHI3),
    "smollm3": Dialect("smollm3", "layers", _LLAMA, {"rope_neighbours": True}),
    "olmo2": Dialect("olmo2", "layers", _LLAMA | _BEHIND),
    "granite": Dialect("granite", "layers", _LLAMA, {"rope_neighbours": True}),
    "gpt2": Dialect("gpt2", "h", _GPT2, {"weights_as_stored": True, "activation_function": "gelu_new"}),
    "gptneox": Dialect("gpt_neox", "layers", _NEOX, {"heads_apart": False}),
}

# setting of config.json: what GGUF writes behind the name of the architecture
_LLAMA_SETTINGS = {
    "num_hidden_layers": "block_count", "max_position_embeddings": "context_length", "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length", "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv", "head_dim": "attention.key_length",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon", "layer_norm_eps": "attention.layer_norm_epsilon",
    "rope_theta": "rope.freq_base", "sliding_window": "attention.sliding_window",
    "use_parallel_residual": "use_parallel_residual", "embedding_multiplier": "embedding_scale",
    "residual_multiplier": "residual_scale", "attention_multiplier": "attention.scale",
    "rope_local_base_freq": "rope.freq_base_swa", "sliding_window_pattern": "attention.sliding_window_pattern",
}  # fmt: skip
_GPT2_SETTINGS = {
    "n_layer": "block_count", "n_positions": "context_length", "n_embd": "embedding_length",
    "n_inner": "feed_forward_length", "n_head": "attention.head_count",
    "layer_norm_epsilon": "attention.layer_norm_epsilon",
}  # fmt: skip


def settings_of(metadata: Mapping[str, Any], n_tokens: int) -> dict[str, Any]:
    """The settings as config.json would have them."""
    architecture = metadata["general.architecture"]
    dialect = DIALECTS[architecture]
    table = _GPT2_SETTINGS if dialect.model_type == "gpt2" else _LLAMA_SETTINGS
    found = {key: metadata.get(f"{architecture}.{name}") for key, name in table.items()}
    settings = {key: value for key, value in found.items() if value is not None}
    scaling = _scaling(metadata, architecture)
    if scaling:
        settings["rope_scaling"] = scaling
    head = settings.get("head_dim") or settings.get("hidden_size", 0) // max(1, settings.get("num_attention_heads", 1))
    if head:
        settings["head_dim"] = head
    turned = metadata.get(f"{architecture}.rope.dimension_count")
    if turned and head:
        settings["rope_share"] = turned / head
    follow = _FOLLOW.get(architecture, _nothing)(settings)
    return {"model_type": dialect.model_type, "vocab_size": n_tokens, **dialect.fixed, **settings, **follow}


def _gemma3(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Only the one of 27B, with 62 layers, does not scale by the dims of a head."""
    if settings.get("num_hidden_layers") == 62:
        return {"query_pre_attn_scalar": settings.get("hidden_size", 0) // settings.get("num_attention_heads", 1)}
    return {"query_pre_attn_scalar": settings.get("head_dim")}


def _smollm3(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Every fourth layer has no places; a header that lies about their number is told of elsewhere."""
    n_layers = settings.get("num_hidden_layers", 0)
    return {"no_rope_layers": [int((n + 1) % 4 > 0) for n in range(min(n_layers, 1 << 16))]}


def _nothing(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {}


_FOLLOW = {"gemma3": _gemma3, "smollm3": _smollm3}


def _scaling(metadata: Mapping[str, Any], architecture: str) -> dict[str, Any] | None:
    kind = metadata.get(f"{architecture}.rope.scaling.type", "none")
    factor = metadata.get(f"{architecture}.rope.scaling.factor")
    return None if kind == "none" else {"rope_type": kind, "factor": factor}


def is_known(name: str, architecture: str) -> bool:
    """Whether an array that is of no block belongs to such a model; those of blocks are checked one by one."""
    stem = name.rpartition(".")[0]
    return _BLOCK.fullmatch(stem) is not None or stem in DIALECTS[architecture].names


def plain_name(name: str, architecture: str) -> str:
    """blk.3.attn_q.weight to layers.3.self_attn.q_proj.weight; one that is not known stays, and is left over."""
    dialect = DIALECTS[architecture]
    stem, _, ending = name.rpartition(".")
    block = _BLOCK.fullmatch(stem)
    if block:
        number, part = block.groups()
        return f"{dialect.blocks}.{number}.{dialect.names.get(part, part)}.{ending}"
    return f"{dialect.names.get(stem, stem)}.{ending}"
