"""A GGUF file taken apart and put together again, however little sense its parts make."""

from __future__ import annotations

import struct
from typing import Any

import small_gguf
from attar.checkpoints.gguf_file import _Reader


def parts(whole: bytes) -> tuple[dict[str, Any], list[tuple[str, list[int], int, int]], bytes]:
    """Settings, entries of arrays (name, dims as written, type, offset) and the bytes behind them, of a sound file."""
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
    header += b"".join(small_gguf.text(key) + any_value(given) for key, given in metadata.items())
    for entry in entries:
        entry = entry if isinstance(entry, list) else [entry]
        name, dims, kind, offset = (*entry, 0, 0, 0, 0)[:4]
        dims = [whole_number(n) for n in dims] if isinstance(dims, list) else [whole_number(dims)]
        header += small_gguf.text(str(name)) + struct.pack(f"<I{len(dims)}Q", len(dims), *dims)
        header += struct.pack("<IQ", whole_number(kind) % 2**32, whole_number(offset))
    return header + b"\0" * (-len(header) % 32) + body


def any_value(given: Any) -> bytes:
    """A value with its type before it, also of types that no such file has."""
    if isinstance(given, int) and not isinstance(given, bool) and not 0 <= given < 2**31:
        return struct.pack("<IQ", 10, given % 2**64)
    if isinstance(given, float):
        return struct.pack("<Id", 12, given)
    if isinstance(given, (dict, type(None))):
        return struct.pack("<IQ", 77, 0)
    if isinstance(given, list):
        first = any_value(given[0])[:4] if given else struct.pack("<I", 8)
        alike = [one for one in map(any_value, given) if one[:4] == first]
        return struct.pack("<I", 9) + first + struct.pack("<Q", len(given)) + b"".join(one[4:] for one in alike)
    return small_gguf.value(given)


def whole_number(given: Any) -> int:
    return int(given) % 2**64 if isinstance(given, int) else _length(given)


def _length(given: Any) -> int:
    return min(len(given), 4) if isinstance(given, (list, str)) else 1
