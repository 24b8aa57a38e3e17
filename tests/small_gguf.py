"""GGUF files small enough to write in a test: what a header may say, right or wrong."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np

import tiny_models

TYPES = {"F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q5_0": 6, "Q5_1": 7, "Q8_0": 8, "Q4_K": 12, "Q5_K": 13, "Q6_K": 14,
         "BF16": 30}  # fmt: skip
LLAMA_NAMES = {
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}  # fmt: skip
BEHIND = {"post_attention_layernorm": "post_attention_norm", "post_feedforward_layernorm": "post_ffw_norm"}
NAMES = {
    "gemma3": LLAMA_NAMES | BEHIND | {"pre_feedforward_layernorm": "ffn_norm"},
    "olmo2": LLAMA_NAMES | BEHIND,
    "phi3": LLAMA_NAMES | {"self_attn.qkv_proj": "attn_qkv", "mlp.gate_up_proj": "ffn_up"},
}


def text(value: str) -> bytes:
    raw = value.encode(errors="surrogatepass")
    return struct.pack("<Q", len(raw)) + raw


def value(given: Any) -> bytes:
    """With its type before it."""
    if isinstance(given, bool):
        return struct.pack("<I?", 7, given)
    if isinstance(given, int):
        return struct.pack("<II", 4, given)
    if isinstance(given, float):
        return struct.pack("<If", 6, given)
    if isinstance(given, str):
        return struct.pack("<I", 8) + text(given)
    form = struct.pack("<I", 5) if isinstance(given[0], int) else value(given[0])[:4]  # lists are of signed integers
    return struct.pack("<I", 9) + form + struct.pack("<Q", len(given)) + b"".join(value(one)[4:] for one in given)


def write(path: Path, metadata: dict[str, Any], arrays: dict[str, tuple[str, tuple[int, ...], bytes]]) -> Path:
    """Arrays by name: type, shape as numpy has it, bytes."""
    header = b"GGUF" + struct.pack("<IQQ", 3, len(arrays), len(metadata))
    header += b"".join(text(key) + value(given) for key, given in metadata.items())
    body = b""
    for name, (kind, shape, raw) in arrays.items():
        dims = struct.pack(f"<I{len(shape)}Q", len(shape), *shape[::-1])
        header += text(name) + dims + struct.pack("<IQ", TYPES.get(kind, 99), len(body))
        body += raw + b"\0" * (-len(raw) % 32)
    path.write_bytes(header + b"\0" * (-len(header) % 32) + body)
    return path


def tokenizer_metadata() -> dict[str, Any]:
    """GPT-2's kind over the words of tiny_models."""
    import json

    model = json.loads(tiny_models.without_frame().to_str())["model"]
    pieces = sorted(model["vocab"], key=model["vocab"].__getitem__)
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": pieces,
        "tokenizer.ggml.token_type": [1] * len(pieces),
        "tokenizer.ggml.merges": merges,
    }


def of_model(path: Path, model: Any, architecture: str, changes: dict[str, Any] | None = None) -> Path:
    """A Llama-like model of transformers in float32, as converters write it: for Llama with other rows of heads."""
    config = model.config
    heads, groups = config.num_attention_heads, config.num_key_value_heads
    metadata: dict[str, Any] = {
        "general.architecture": architecture,
        f"{architecture}.block_count": config.num_hidden_layers,
        f"{architecture}.context_length": config.max_position_embeddings,
        f"{architecture}.embedding_length": config.hidden_size,
        f"{architecture}.feed_forward_length": config.intermediate_size,
        f"{architecture}.attention.head_count": heads,
        f"{architecture}.attention.head_count_kv": groups,
        f"{architecture}.attention.layer_norm_rms_epsilon": config.rms_norm_eps,
        f"{architecture}.rope.freq_base": base_of(config),
        **tokenizer_metadata(),
        **(changes or {}),
    }
    if getattr(config, "head_dim", None):
        metadata[f"{architecture}.attention.key_length"] = config.head_dim
    arrays = {}
    for name, weight in model.state_dict().items():
        array = weight.numpy()
        if architecture in ("llama", "smollm3", "granite") and name.endswith(("q_proj.weight", "k_proj.weight")):
            array = neighbours(array, heads if "q_proj" in name else groups)
        if architecture == "gemma3" and name.endswith("norm.weight"):
            array = array + 1
        arrays[gguf_name(name, NAMES.get(architecture, LLAMA_NAMES))] = (
            "F32",
            array.shape,
            np.ascontiguousarray(array, dtype="<f4").tobytes(),
        )
    return write(path, {key: v for key, v in metadata.items() if v is not None}, arrays)


def neighbours(array: np.ndarray, heads: int) -> np.ndarray:
    """Rows (i, i + half) of each head beside each other."""
    return array.reshape(heads, 2, -1, array.shape[1]).swapaxes(1, 2).reshape(array.shape)


def base_of(config: Any) -> float:
    """Of the places of layers that see everything."""
    given = config.rope_parameters
    return float(given.get("full_attention", given)["rope_theta"])


def gguf_name(name: str, names: dict[str, str]) -> str:
    fixed = {"embed_tokens.weight": "token_embd.weight", "norm.weight": "output_norm.weight"}
    if name in fixed:
        return fixed[name]
    _, number, part = name.split(".", 2)
    stem, _, ending = part.rpartition(".")
    return f"blk.{number}.{names[stem]}.{ending}"
