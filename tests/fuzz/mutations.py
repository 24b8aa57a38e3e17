"""Damage: documents with values that should not be there, and bytes that were changed, cut or doubled."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

NASTY: list[Any] = [
    None,
    True,
    0,
    1,
    -1,
    3,
    2**31,
    2**63,
    10**30,
    -0.5,
    0.5,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "x",
    "1",
    "\ud800",
    "a" * 10_000,
    "../../etc/passwd",
    "/etc/passwd",
    "<img onerror=x>",
    [],
    {},
    [[[]]],
    ["x", 1, None],
    {"a": {"b": []}},
]
DEEP = "@deep@"  # stands for lists in lists in lists
Place = tuple[Any, ...]


def places(document: Any, path: Place = ()) -> Iterator[Place]:
    """Where something stands in a document; of long lists the first few."""
    yield path
    if isinstance(document, dict):
        for key in list(document)[:40]:
            yield from places(document[key], (*path, key))
    elif isinstance(document, list):
        for i in range(min(len(document), 6)):
            yield from places(document[i], (*path, i))


@st.composite
def damaged_documents(draw: st.DrawFn, document: Any) -> Any:
    """The document with one to three things in it removed, doubled or exchanged for something nasty."""
    changed = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        found = [path for path in places(changed) if path]
        if not found:
            return draw(st.sampled_from(NASTY))
        path = draw(st.sampled_from(found))
        holder = changed
        for step in path[:-1]:
            holder = holder[step]
        deed = draw(st.sampled_from(["set", "set", "set", "remove", "deep", "more"]))
        if deed == "remove":
            del holder[path[-1]]
        elif deed == "deep":
            holder[path[-1]] = DEEP
        elif deed == "more" and isinstance(holder, dict):
            holder[draw(st.text(max_size=8))] = draw(st.sampled_from(NASTY))
        else:
            holder[path[-1]] = draw(st.sampled_from(NASTY))
    return changed


def as_json(document: Any) -> bytes:
    """With lists nested deeper than Python could write where the document says so."""
    depth = 20_000
    return json.dumps(document).encode().replace(f'"{DEEP}"'.encode(), b"[" * depth + b"]" * depth)


@st.composite
def damaged_bytes(draw: st.DrawFn, content: bytes) -> bytes:
    """One to four stretches of the content changed, cut out, doubled, or the end lost."""
    changed = bytearray(content)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(len(changed) - 1, 0)))
        length = draw(st.sampled_from([1, 1, 2, 4, 8, 64, 1000]))
        deed = draw(st.sampled_from(["set", "set", "cut", "double", "end", "insert"]))
        if deed == "set":
            changed[at : at + length] = draw(st.binary(min_size=1, max_size=8))
        elif deed == "cut":
            del changed[at : at + length]
        elif deed == "double":
            changed[at:at] = changed[at : at + length]
        elif deed == "insert":
            changed[at:at] = draw(
                st.sampled_from([b"\x00", b"\xff\xfe", b'"', b"{", b"\n", b"9" * 400, b"\xed\xa0\x80"])
            )
        else:
            del changed[at:]
    return bytes(changed)


@st.composite
def damaged_words(draw: st.DrawFn, words: tuple[str, ...]) -> str:
    """One of the words, or two, with characters of it changed, doubled or lost."""
    odd = ["", ":", ",", "+", "|", "-", "0", "99", "9" * 400, "1e999", "nan", "\ud800", "\u202e", "[X]", "x" * 5000]
    word = draw(st.sampled_from(words))
    for _ in range(draw(st.integers(1, 3))):
        at, end = sorted((draw(st.integers(0, len(word))), draw(st.integers(0, len(word)))))
        inserted = draw(st.one_of(st.sampled_from(odd), st.sampled_from(words), st.text(max_size=3)))
        word = word[:at] + inserted + word[draw(st.sampled_from([at, end])) :]
    return word.replace("\0", "0")  # no shell can pass it on
