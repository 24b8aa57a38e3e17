"""One text and its label per line, no header: SST, TREC and the short texts for clustering."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from attar.errors import DataError
from attar.tasks.readers.table import ColumnTable
from attar.tasks.readers.textfile import Encoding, read_lines

Layout = Literal["label<TAB>text", "text<TAB>label", "label text", "label:detail text"]


@dataclass(frozen=True)
class LabelledLines:
    """A file per split, of lines in one layout."""

    names: Mapping[str, str] = field(hash=False)  # split: file
    layout: Layout
    folders: tuple[str, ...]
    title: str
    encoding: Encoding = "utf-8"

    def files(self, split: str) -> tuple[str, ...]:
        return (self.names[split],)

    def read(self, paths: Sequence[Path], split: str) -> ColumnTable:
        labels: list[str] = []
        texts: list[str] = []
        for number, line in enumerate(read_lines(paths[0], self.encoding), start=1):
            label, separator, text = _cut(line, self.layout)
            if not separator or not label:
                raise DataError(f"{paths[0]}, line {number}: {line[:60]!r} is not of the form {self.layout!r}")
            labels.append(label)
            texts.append(text)
        return ColumnTable(str(paths[0]), {"label": labels, "text": texts})


def _cut(line: str, layout: Layout) -> tuple[str, str, str]:
    """Label, separator ("" where the line has none) and text."""
    match layout:
        case "label<TAB>text":
            return line.partition("\t")
        case "text<TAB>label":
            text, separator, label = line.rpartition("\t")
            return label.strip(), separator, text
        case "label text":
            return line.partition(" ")
        case "label:detail text":
            labels, separator, text = line.partition(" ")
            label, colon, _ = labels.partition(":")
            return label, separator and colon, text
