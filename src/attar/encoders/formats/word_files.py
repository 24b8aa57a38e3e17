"""Readers of word vector files: word2vec text and binary, GloVe text (no header), each plain or gzip.

The vectors go straight into one float32 array: memory is that array, the words, and a block of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from attar.errors import InputError, ModelError
from attar.io.unpacked import DAMAGE, open_unpacked
from attar.types import Floats

_BLOCK = 1 << 22  # bytes read at once
_TO_LINES = bytes.maketrans(b" \t\r", b"\n\n\n")
_LONGEST = 1 << 20  # bytes of a line or word; more means that it is another kind of file


@dataclass(frozen=True)
class WordFile:
    """What the beginning of a file tells."""

    path: Path
    n_words: int | None  # None: the file has no header
    dims: int
    binary: bool


def read_words(path: Path, limit: int | None = None) -> tuple[list[str], Floats]:
    """The words in the file's order, which is that of frequency, and their vectors. Shape: (V, D)"""
    about = inspect(path)
    n_words = about.n_words if about.n_words is not None else _count_lines(path)
    wanted = n_words if limit is None else min(limit, n_words)
    try:
        vectors = np.empty((wanted, about.dims), dtype=np.float32)
    except (MemoryError, ValueError):
        raise ModelError(
            f"{path} says it holds {n_words:,} words of {about.dims:,} dims, more than fits in memory"
        ) from None
    words: list[str] = []
    for new_words, rows in _blocks(about, wanted):
        vectors[len(words) : len(words) + len(rows)] = rows
        words += [word.decode("utf-8", "replace") for word in new_words]
        if not np.isfinite(rows).all():
            bad = len(words) - len(rows) + int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
            raise ModelError(f"{path}: the vector of word {bad} ({words[bad]!r}) is not finite")
    if len(words) != wanted:
        raise ModelError(f"{path} should hold {n_words:,} words, but ends after {len(words):,}: it is cut short")
    return words, vectors


def inspect(path: Path) -> WordFile:
    """Header or not, text or binary: from the first two lines."""
    with _open(path) as file:
        first, second = file.readline(_LONGEST), file.readline(_LONGEST)
    fields = first.split()
    if len(fields) == 2 and all(field.isdigit() for field in fields):
        n_words, dims = int(fields[0]), int(fields[1])
        if not n_words or not dims:
            raise ModelError(f"{path} says in its first line that it holds {n_words} words of {dims} dims")
        found = _parse(b" ".join(second.split()[1:]))
        if found is not None and len(found) and _numbers(second, dims) is None:
            raise ModelError(
                f"{path} declares {dims} numbers per word in its first line, but its second line has {len(found)}"
            )
        return WordFile(path, n_words, dims, binary=found is None or not len(found))
    dims = len(fields) - 1
    if dims < 1 or _numbers(first, dims) is None:
        raise ModelError(
            f"{path} is not a file of word vectors: its first line is neither 'words dims' nor a word and its numbers: "
            f"{first[:60]!r}"
        )
    return WordFile(path, None, dims, binary=False)


def _blocks(about: WordFile, wanted: int) -> Iterator[tuple[list[bytes], Floats]]:
    with _open(about.path) as file:
        if about.n_words is not None:
            file.readline()
        yield from (_binary_blocks if about.binary else _text_blocks)(file, about, wanted)


def _text_blocks(file: IO[bytes], about: WordFile, wanted: int) -> Iterator[tuple[list[bytes], Floats]]:
    done = 0
    while done < wanted and (lines := file.readlines(_BLOCK)):
        lines = lines[: wanted - done]
        parts = [line.split(None, 1) for line in lines]
        rows = _parse(b" ".join(part[1] for part in parts if len(part) == 2))
        if rows is None or any(len(part) != 2 for part in parts) or len(rows) != len(lines) * about.dims:
            yield _slow_lines(lines, about, done)
        else:
            yield [part[0] for part in parts], rows.reshape(-1, about.dims)
        done += len(lines)


def _slow_lines(lines: list[bytes], about: WordFile, done: int) -> tuple[list[bytes], Floats]:
    """Line by line, for words that hold spaces; names the line that can't be read."""
    words, rows = [], np.empty((len(lines), about.dims), dtype=np.float32)
    for i, line in enumerate(lines):
        word, *_ = line.rstrip().rsplit(None, about.dims)
        numbers = _numbers(line, about.dims)
        if numbers is None:
            number = done + i + 1 + (about.n_words is not None)
            raise ModelError(
                f"{about.path}, line {number}: expected a word and {about.dims} numbers; found {line[:60]!r}"
            )
        words.append(word)
        rows[i] = numbers
    return words, rows


def _binary_blocks(file: IO[bytes], about: WordFile, wanted: int) -> Iterator[tuple[list[bytes], Floats]]:
    """word2vec's binary form: word, space, float32s; some writers put a newline after each."""
    size = 4 * about.dims
    rest = b""
    done = 0
    while done < wanted and (block := file.read(_BLOCK)):
        data = rest + block
        words, starts, at = [], [], 0
        while done < wanted:
            space = data.find(b" ", at)
            if space < 0 or space + 1 + size > len(data):
                break
            words.append(data[at:space].lstrip(b"\n"))
            starts.append(space + 1)
            at = space + 1 + size
            done += 1
        rest = data[at:]
        if len(rest) > _LONGEST + size:
            raise ModelError(f"{about.path} is not a binary word vector file: word {done} has no end")
        rows = np.empty((len(starts), about.dims), dtype=np.float32)
        for row, start in zip(rows, starts, strict=True):
            row[:] = np.frombuffer(data, "<f4", about.dims, start)
        yield words, rows


def _numbers(line: bytes, dims: int) -> Floats | None:
    """The numbers of a line after its word, or None if they are not that many numbers."""
    fields = line.rstrip().rsplit(None, dims)
    if len(fields) != dims + 1:
        return None
    numbers = _parse(b" ".join(fields[1:]))
    return numbers if numbers is not None and len(numbers) == dims else None


def _parse(text: bytes) -> Floats | None:
    """The numbers of a text of nothing but numbers, or None if it is something else."""
    import pyarrow as pa
    from pyarrow import csv

    if not text.strip():
        return np.empty(0, dtype=np.float32)
    try:
        column = csv.read_csv(  # one number per line: its parser is several times faster than numpy's
            pa.py_buffer(text.translate(_TO_LINES)),
            csv.ReadOptions(column_names=["x"], use_threads=False),
            csv.ParseOptions(delimiter=",", quote_char=False),
            csv.ConvertOptions(column_types={"x": pa.float32()}, null_values=[]),
        )["x"]
    except pa.ArrowInvalid:
        return None
    numbers: Floats = column.to_numpy()
    return numbers


def _count_lines(path: Path) -> int:
    n_lines, last = 0, b"\n"
    with _open(path) as file:
        while block := file.read(_BLOCK):
            n_lines += block.count(b"\n")
            last = block[-1:]
    return n_lines + (last != b"\n")


@contextmanager
def _open(path: Path) -> Iterator[IO[bytes]]:
    """The file, unzipped if need be."""
    try:
        with open_unpacked(path) as file:
            yield file
    except DAMAGE as error:
        raise ModelError(f"{path} is damaged: {error}") from None
    except OSError as error:
        raise InputError(f"can't read the word vectors {str(path)!r}: {error.strerror or error}") from None
