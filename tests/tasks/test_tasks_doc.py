"""The documentation says what the code does."""

from __future__ import annotations

from pathlib import Path

import pytest

from attar import tasks
from attar.tasks import own, published
from attar.tasks.catalogue import CATALOGUE

DOC = (Path(__file__).resolve().parents[2] / "docs" / "tasks.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("declared", CATALOGUE, ids=lambda d: d.name)
def test_the_table_of_tasks(declared: tasks.Declaration) -> None:
    rows = " / ".join(f"{n:,}" for n in declared.rows.values())
    (line,) = [
        line for line in DOC.splitlines() if line.startswith(f"| {declared.name} | {declared.family} | {rows} |")
    ]
    assert declared.licence in line
    assert all(source in line for source in declared.sources)


def test_every_original_file_is_listed() -> None:
    for declared in CATALOGUE:
        for form in declared.forms:
            for file in form.files(declared.splits[0]):
                if form.title in ("label and text lines", "STR csv", "text,label csv"):
                    assert file in DOC


def test_known_columns_and_published_names_are_listed() -> None:
    for columns in (own.LEFT, own.RIGHT, own.SCORE, own.TEXT, own.LABEL):
        assert f"`{' '.join(columns)}`" in DOC
    for name in (*published.AGGREGATIONS.values(), *published.POSTPROCESSES.values()):
        assert f"`{name}`" in DOC
