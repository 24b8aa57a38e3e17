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


def text(value: str) -> bytes:
    raw = value.encode(errors="surrogatepass")
    return struct.pack("<Q", len(raw)) + raw


def value(given: Any) -> bytes:
    """With its type before it."""
    if isinstance(given, bool):
        return struct.pack("<I?", 7, given)
    if isinstance(given, int):
        return struct.pack("<Ii", 5, given)
    if isinstance(given, float):
        return struct.pack("<If", 6, given)
    if isinstance(given, str):
        return struct.pack("<I", 8) + text(given)
    kind = value(given[0])[:4]
    return struct.pack("<I", 9) + kind + struct.pack("<Q", len(given)) + b"".join(value(one)[4:] for one in given)


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
        f"{architecture}.rope.freq_base": float(config.rope_parameters["rope_theta"]),
        **tokenizer_metadata(),
        **(changes or {}),
    }
    if getattr(config, "head_dim", None):
        metadata[f"{architecture}.attention.key_length"] = config.head_dim
    arrays = {}
    for name, weight in model.state_dict().items():
        array = weight.numpy()
        if architecture == "llama" and name.endswith(("q_proj.weight", "k_proj.weight")):
            array = neighbours(array, heads if "q_proj" in name else groups)
        arrays[gguf_name(name)] = "F32", array.shape, np.ascontiguousarray(array, dtype="<f4").tobytes()
    return write(path, {key: v for key, v in metadata.items() if v is not None}, arrays)


def neighbours(array: np.ndarray, heads: int) -> np.ndarray:
    """Rows (i, i + half) of each head beside each other."""
    return array.reshape(heads, 2, -1, array.shape[1]).swapaxes(1, 2).reshape(array.shape)


def gguf_name(name: str) -> str:
    fixed = {"embed_tokens.weight": "token_embd.weight", "norm.weight": "output_norm.weight"}
    if name in fixed:
        return fixed[name]
    _, number, part = name.split(".", 2)
    stem, _, ending = part.rpartition(".")
    return f"blk.{number}.{LLAMA_NAMES[stem]}.{ending}"


def parts(whole: bytes) -> tuple[dict[str, Any], list[tuple[str, list[int], int, int]], bytes]:
    """Settings, entries of arrays (name, dims as written, type, offset) and the bytes behind them, of a sound file."""
    from attar.checkpoints.gguf_file import _Reader

    reader = _Reader(memoryview(whole))
    reader.take(8)
    n_arrays, n_settings = reader.number("<Q"), reader.number("<Q")
    metadata = {reader.text(): reader.value() for _ in range(n_settings)}
    entries = []
    for _ in range(n_arrays):
        name, n_dims = reader.text(), reader.number("<I")
        entries.append((name, [reader.number("<Q") for _ in range(n_dims)], reader.number("<I"), reader.number("<Q")))
    return metadata, entries, whole[-(-reader.at // 32) * 32 :]


def joined(metadata: Any, entries: Any, body: bytes) -> bytes:
    """A file of these, however little sense they make."""
    metadata = metadata if isinstance(metadata, dict) else {"x": metadata}
    entries = entries if isinstance(entries, list) else [entries]
    header = b"GGUF" + struct.pack("<IQQ", 3, len(entries), len(metadata))
    header += b"".join(text(key) + any_value(given) for key, given in metadata.items())
    for entry in entries:
        name, dims, kind, offset = (entry if isinstance(entry, list) else [entry]) + [0] * (4 - _length(entry))
        dims = [whole_number(n) for n in dims] if isinstance(dims, list) else [whole_number(dims)]
        header += text(str(name)) + struct.pack(f"<I{len(dims)}Q", len(dims), *dims)
        header += struct.pack("<IQ", whole_number(kind) % 2**32, whole_number(offset))
    return header + b"\0" * (-len(header) % 32) + body


def any_value(given: Any) -> bytes:
    """A value with its type before it, also of types that no such file has."""
    if isinstance(given, int) and not isinstance(given, bool) and not -(2**31) <= given < 2**31:
        return struct.pack("<IQ", 10, given % 2**64)
    if isinstance(given, float):
        return struct.pack("<Id", 12, given)
    if isinstance(given, (dict, type(None))):
        return struct.pack("<IQ", 77, 0)
    if isinstance(given, list):
        first = any_value(given[0])[:4] if given else struct.pack("<I", 8)
        alike = [one for one in map(any_value, given) if one[:4] == first]
        return struct.pack("<I", 9) + first + struct.pack("<Q", len(given)) + b"".join(one[4:] for one in alike)
    return value(given)


def whole_number(given: Any) -> int:
    return int(given) % 2**64 if isinstance(given, int) else _length(given)


def _length(given: Any) -> int:
    return min(len(given), 4) if isinstance(given, (list, str)) else 1
