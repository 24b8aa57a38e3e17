"""The STS benchmark as published: sts-SPLIT.csv, in truth tab-separated, without header or quoting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attar.errors import DataError
from attar.tasks.readers.table import ColumnTable
from attar.tasks.readers.textfile import read_lines


@dataclass(frozen=True)
class StsBenchmark:
    """Fields: genre, file, year, number, score, sentence, sentence; some rows go on with licence notes."""

    folders: tuple[str, ...] = ("STS/STSBenchmark", "STSBenchmark", "stsbenchmark", "")
    title: str = "STS benchmark"

    def files(self, split: str) -> tuple[str, ...]:
        return (f"sts-{split}.csv",)

    def read(self, paths: Sequence[Path], split: str) -> ColumnTable:
        columns: dict[str, list[str]] = {"subset": [], "score": [], "sentence1": [], "sentence2": []}
        for number, line in enumerate(read_lines(paths[0]), start=1):
            fields = line.split("\t")
            if len(fields) < 7:
                raise DataError(
                    f"{paths[0]}, line {number}: {len(fields)} tab-separated fields, 7 are needed "
                    f"(genre, file, year, number, score, sentence, sentence)"
                )
            columns["subset"].append("/".join(fields[:3]))
            columns["score"].append(fields[4])
            columns["sentence1"].append(fields[5])
            columns["sentence2"].append(fields[6])
        return ColumnTable(str(paths[0]), columns)
