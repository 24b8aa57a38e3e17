"""SICK as published: one file per split of the shared task, or all of it in SICK.txt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attar.tasks.readers.delimited import read_tsv
from attar.tasks.readers.table import ColumnTable

_FOLDERS = ("SICK", "sick", "")


@dataclass(frozen=True)
class SickSplits:
    """SICK_train.txt, SICK_trial.txt and SICK_test_annotated.txt."""

    folders: tuple[str, ...] = _FOLDERS
    title: str = "SICK splits"

    def files(self, split: str) -> tuple[str, ...]:
        return ({"train": "SICK_train.txt", "dev": "SICK_trial.txt", "test": "SICK_test_annotated.txt"}[split],)

    def read(self, paths: Sequence[Path], split: str) -> ColumnTable:
        return _tidy(read_tsv(paths[0]), label="entailment_judgment")


@dataclass(frozen=True)
class SickWhole:
    """SICK.txt, whose column SemEval_set says TRAIN, TRIAL or TEST."""

    folders: tuple[str, ...] = _FOLDERS
    title: str = "SICK.txt"

    def files(self, split: str) -> tuple[str, ...]:
        return ("SICK.txt",)

    def read(self, paths: Sequence[Path], split: str) -> ColumnTable:
        whole = read_tsv(paths[0])
        wanted = {"train": "TRAIN", "dev": "TRIAL", "test": "TEST"}[split]
        rows = [row for row, name in enumerate(whole["SemEval_set"]) if name.strip() == wanted]
        kept = {name: [column[row] for row in rows] for name, column in whole.columns.items()}
        return _tidy(ColumnTable(f"{whole.source} ({wanted})", kept), label="entailment_label")


def _tidy(table: ColumnTable, label: str) -> ColumnTable:
    columns = {
        "subset": table["pair_ID"],
        "score": table["relatedness_score"],
        "label": [name.strip() for name in table[label]],
        "sentence1": table["sentence_A"],
        "sentence2": table["sentence_B"],
    }
    return ColumnTable(table.source, columns)
