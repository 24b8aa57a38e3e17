"""A year of the STS shared task: STS.input.SUBSET.txt with the pairs, STS.gs.SUBSET.txt with the gold scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attar.errors import DataError
from attar.tasks.readers.table import ColumnTable
from attar.tasks.readers.textfile import read_lines


@dataclass(frozen=True)
class SemEvalYear:
    """All subsets of a year, one after the other; a pair whose gold line is empty was never judged and is left out."""

    subsets: tuple[str, ...]
    folders: tuple[str, ...]
    prefix: str = "STS"  # 2016's own archive says STS2016
    title: str = "SemEval"

    def files(self, split: str) -> tuple[str, ...]:
        return tuple(f"{self.prefix}.{kind}.{subset}.txt" for subset in self.subsets for kind in ("input", "gs"))

    def read(self, paths: Sequence[Path], split: str) -> ColumnTable:
        columns: dict[str, list[str]] = {"subset": [], "score": [], "sentence1": [], "sentence2": []}
        for subset, pairs_path, gold_path in zip(self.subsets, paths[::2], paths[1::2], strict=True):
            pairs, gold = read_lines(pairs_path), read_lines(gold_path)
            if len(pairs) != len(gold):
                raise DataError(
                    f"{pairs_path} has {len(pairs)} pairs and {gold_path.name} {len(gold)} scores: "
                    f"they must match line by line. Fetch both again"
                )
            for number, (pair, score) in enumerate(zip(pairs, gold, strict=True), start=1):
                if not score.strip():
                    continue
                fields = pair.split("\t")  # 2016 adds where each sentence comes from
                if len(fields) < 2:
                    raise DataError(
                        f"{pairs_path}, line {number}: {pair[:60]!r} is not two sentences with a tab between"
                    )
                columns["subset"].append(subset)
                columns["score"].append(score.strip())
                columns["sentence1"].append(fields[0])
                columns["sentence2"].append(fields[1])
        return ColumnTable(str(paths[0].parent), columns)
