"""ShardPlan: the inputs cut into shards, fixed slices of rows. The same inputs give the same shards on any machine."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from attar.corpus.executors import Done, Executor
from attar.corpus.inputs.ids import common_type
from attar.corpus.inputs.index import IndexFile, times_of
from attar.corpus.inputs.input_file import InputFile, Slice, find_files
from attar.corpus.inputs.rows import Row, read_slice
from attar.errors import InputError

ROWS_A_SHARD = 100_000
FEW_ROWS = 1_000  # a small corpus is still cut, so that several workers have something to do
FEW_SHARDS = 16


@dataclass(frozen=True)
class Shard:
    """A shard to work on."""

    name: str
    first_row: int  # its number among all rows of all inputs
    rows: int
    slices: tuple[Slice, ...]

    @property
    def has_ids(self) -> bool:
        return self.slices[0].id_column is not None

    def read(self) -> Iterator[Row]:
        for part in self.slices:
            yield from read_slice(part)


@dataclass(frozen=True)
class ShardPlan:
    """All inputs in order, and into how many shards their rows are cut."""

    sources: tuple[InputFile, ...]
    n_shards: int

    @property
    def rows(self) -> int:
        return sum(source.rows for source in self.sources)

    @property
    def id_type(self) -> str:
        """Of the ids that are kept: the inputs' own, or the number of the row."""
        return common_type([source.id_type for source in self.sources]) or "int64"

    @property
    def has_ids(self) -> bool:
        """Whether ids are the inputs' own."""
        return common_type([source.id_type for source in self.sources]) is not None

    @property
    def sha256(self) -> str:
        """Of what the inputs hold and how they are read."""
        content = [source.content for source in self.sources]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def shards(self) -> Iterator[Shard]:
        """One after the other, so that a billion rows need no list."""
        at, start_of_source = 0, 0  # the source that the next row is in, and the row that it begins with
        rows, has_ids = self.rows, self.has_ids
        for number in range(self.n_shards):
            first, end = (k * rows // self.n_shards for k in (number, number + 1))
            slices, row = [], first
            while row < end:
                source = self.sources[at]
                stop = min(end - start_of_source, source.rows)
                if stop > row - start_of_source:
                    slices.append(Slice.of(source, row - start_of_source, stop, has_ids))
                row = start_of_source + stop
                if stop == source.rows:
                    at, start_of_source = at + 1, start_of_source + source.rows
            yield Shard(f"part-{number:05d}", first, end - first, tuple(slices))

    def to_json(self) -> dict[str, Any]:
        return {"shards": self.n_shards, "sources": [source.to_json() for source in self.sources]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(tuple(InputFile.from_json(source) for source in data["sources"]), data["shards"])


def make_plan(
    executor: Executor,
    patterns: Sequence[str],
    *,
    shards: int | None = None,
    column: str | None = None,
    id_column: str | None = None,
    known: Iterable[InputFile] = (),
    out: Path | None = None,
    rows_a_shard: int = ROWS_A_SHARD,
) -> ShardPlan:
    """Index the files that the patterns name, by the executor; files that are `known` and untouched are not read."""
    if shards is not None and shards < 1:
        raise InputError(f"shards={shards} is not allowed; give 1 or more")
    paths = find_files(patterns)
    if within := [path for path in paths if out is not None and out in Path(path).parents]:
        raise InputError(f"{within[0]!r} is in the output folder; give a pattern without it, or choose another folder")
    index = IndexFile(column, id_column)
    sources = {source.path: source for source in known if _untouched(source, index)}
    for outcome in executor.map(index, [path for path in paths if path not in sources]):
        if not isinstance(outcome, Done):
            raise InputError(f"can't plan {outcome.unit!r}: {outcome.reason.removeprefix('InputError: ')}")
        sources[outcome.result.path] = outcome.result
    chosen = [sources[path] for path in paths if sources[path].rows]
    rows = sum(source.rows for source in chosen)
    if not rows:
        raise InputError(f"no texts in {', '.join(map(repr, patterns))}: {len(paths)} files without a row")
    wanted = max(-(-rows // rows_a_shard), min(FEW_SHARDS, -(-rows // FEW_ROWS))) if shards is None else shards
    return ShardPlan(tuple(chosen), min(wanted, rows))


def _untouched(source: InputFile, index: IndexFile) -> bool:
    """The same size and times, and read in the same way."""
    try:
        now = times_of(os.stat(source.path))
    except OSError:
        return False
    same_file = now == (source.size, source.modified_ns, source.changed_ns)
    return same_file and source.asked == (index.column, index.id_column)
