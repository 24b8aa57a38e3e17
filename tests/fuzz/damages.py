"""How each kind of file is damaged: a strategy of what the files of a folder are to hold instead."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import gguf_parts
from hypothesis import strategies as st
from mutations import NASTY, as_json, damaged_bytes, damaged_documents

from attar.persist import RECIPE, STATE, _content_sha256
from attar.sweep.store import COLUMNS

Files = dict[str, bytes]  # by their path in the folder
Damage = Callable[[Path, str], st.SearchStrategy[Files]]  # of a folder and the path of a file in it
_RARELY = st.integers(0, 4).map(lambda n: n == 0)


def raw(folder: Path, name: str) -> st.SearchStrategy[Files]:
    """Bytes changed, cut or doubled."""
    return damaged_bytes((folder / name).read_bytes()).map(lambda content: {name: content})


def document(folder: Path, name: str) -> st.SearchStrategy[Files]:
    """Mostly sound JSON that says nonsense; sometimes none at all."""
    whole = (folder / name).read_bytes()
    told = damaged_documents(json.loads(whole)).map(lambda content: {name: as_json(content)})
    return _RARELY.flatmap(lambda rarely: raw(folder, name) if rarely else told)


def lines(folder: Path, name: str) -> st.SearchStrategy[Files]:
    """JSON lines, some of which say nonsense."""
    whole = [json.loads(line) for line in (folder / name).read_bytes().splitlines()]
    told = damaged_documents(whole).map(lambda rows: rows if isinstance(rows, list) else [rows])
    files = told.map(lambda rows: {name: b"".join(as_json(row) + b"\n" for row in rows)})
    return _RARELY.flatmap(lambda rarely: raw(folder, name) if rarely else files)


def header(folder: Path, name: str) -> st.SearchStrategy[Files]:
    """A safetensors file whose header says nonsense, of a length that may not be its own."""
    whole = (folder / name).read_bytes()
    length = int.from_bytes(whole[:8], "little")
    claimed = st.one_of(st.none(), st.none(), st.none(), st.sampled_from([0, 7, 2**40, 2**63, 10**8]))

    def joined(parts: tuple[Any, int | None]) -> Files:
        text = as_json(parts[0])
        size = len(text) if parts[1] is None else parts[1]
        return {name: size.to_bytes(8, "little") + text + whole[8 + length :]}

    told = st.tuples(damaged_documents(json.loads(whole[8 : 8 + length])), claimed).map(joined)
    return _RARELY.flatmap(lambda rarely: raw(folder, name) if rarely else told)


def signed_recipe(folder: Path, name: str) -> st.SearchStrategy[Files]:
    """A recipe whose checksum mostly fits what it says."""
    told = damaged_documents(json.loads((folder / name).read_text()))
    return st.tuples(told, _RARELY).map(lambda drawn: {name: as_json(drawn[0] if drawn[1] else _signed(drawn[0]))})


def signed_state(folder: Path, name: str) -> st.SearchStrategy[Files]:
    """The learned arrays of a recipe, whose checksum fits them."""
    about = str(Path(name).parent / RECIPE)
    assert Path(name).name == STATE

    def sign(files: Files) -> Files:
        told = json.loads((folder / about).read_text())
        told["state_sha256"] = hashlib.sha256(files[name]).hexdigest()
        return files | {about: as_json(_signed(told))}

    return header(folder, name).map(sign)


def _signed(told: Any) -> Any:
    if isinstance(told, dict):
        with suppress(UnicodeEncodeError):
            told["recipe_sha256"] = _content_sha256(told)
    return told


def store(folder: Path, name: str) -> st.SearchStrategy[Files]:
    """A store with values of other types in its cells; sometimes not even a store."""
    values = st.sampled_from(
        [*(v for v in NASTY if isinstance(v, (str, int, float, type(None)))), b"\xff\x00", "1+99", "[X]"]
    )
    changes = st.lists(st.tuples(st.sampled_from(COLUMNS), values), min_size=1, max_size=3)
    told = changes.map(lambda drawn: {name: _changed_store((folder / name).read_bytes(), drawn)})
    return _RARELY.flatmap(lambda rarely: raw(folder, name) if rarely else told)


def _changed_store(whole: bytes, changes: list[tuple[str, Any]]) -> bytes:
    with TemporaryDirectory() as place:
        path = Path(place) / "cells.sqlite"
        path.write_bytes(whole)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("PRAGMA ignore_check_constraints=ON")
            for column, value in changes:
                with suppress(sqlite3.Error, OverflowError, UnicodeEncodeError):  # what sqlite itself refuses
                    connection.execute(f"UPDATE OR IGNORE cells SET {column} = ? WHERE layers = '1'", (value,))
        return path.read_bytes()


def gguf(folder: Path, name: str) -> st.SearchStrategy[Files]:
    """Settings and entries of arrays that say nonsense; bytes of the header changed; the end lost."""
    whole = (folder / name).read_bytes()
    metadata, arrays, body = gguf_parts.parts(whole)
    said = damaged_documents(metadata).map(lambda told: gguf_parts.joined(told, arrays, body))
    told = damaged_documents([list(entry) for entry in arrays])
    entries = told.map(lambda told: gguf_parts.joined(metadata, told, body))
    start = len(whole) - len(body)
    head = damaged_bytes(whole[:start]).map(lambda begun: begun + body)
    numbers = st.tuples(st.integers(8, start - 8), st.sampled_from([0, 1, 2**31, 2**32 - 1, 2**62, 2**64 - 1]))
    number = numbers.map(lambda drawn: whole[: drawn[0]] + struct.pack("<Q", drawn[1]) + whole[drawn[0] + 8 :])
    cut = st.integers(0, len(whole)).map(lambda n: whole[:n])
    return st.one_of(said, entries, head, number, cut).map(lambda content: {name: content})
