"""The Microsoft paraphrase corpus as published: msr_paraphrase_SPLIT.txt, tab-separated, without quoting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attar.tasks.readers.delimited import read_tsv
from attar.tasks.readers.table import ColumnTable


@dataclass(frozen=True)
class MsrParaphrase:
    """Columns: Quality (1 for a paraphrase), #1 ID, #2 ID, #1 String, #2 String."""

    folders: tuple[str, ...] = ("MRPC", "MSRParaphraseCorpus", "")
    title: str = "MSR corpus"

    def files(self, split: str) -> tuple[str, ...]:
        return (f"msr_paraphrase_{split}.txt",)

    def read(self, paths: Sequence[Path], split: str) -> ColumnTable:
        table = read_tsv(paths[0])
        columns = {
            "subset": [f"{first}-{second}" for first, second in zip(table["#1 ID"], table["#2 ID"], strict=True)],
            "label": table["Quality"],
            "sentence1": table["#1 String"],
            "sentence2": table["#2 String"],
        }
        return ColumnTable(table.source, columns)
