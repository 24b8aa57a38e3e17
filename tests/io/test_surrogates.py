"""Halves of characters: refused where they are part of a name, replaced and counted where they are part of a text."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from attar import Template
from attar.errors import InputError, OutputError
from attar.io.atomic import new_file
from attar.jobs.documents import Documents


def test_what_can_not_be_written_is_told(tmp_path: Path) -> None:
    told = r"can't write .*page.html': '\\udcff' can't be written as utf-8"
    with pytest.raises(OutputError, match=told), new_file(tmp_path / "page.html") as aside:
        aside.write_text("a \udcff b", encoding="utf-8")
    assert list(tmp_path.iterdir()) == []


def test_a_template() -> None:
    with pytest.raises(InputError, match="is not UTF-8"):
        Template("\udcff [X]")


def test_rows_can_be_written_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"text": "a \\ud800", "more": "\\udfff", "n": 1}\n{"text": "b", "more": "é", "n": 2}\n')
    with caplog.at_level(logging.WARNING, logger="attar"):
        held = Documents.read(str(path))
    assert held.texts == ["a \ufffd", "b"]
    assert held.rows == [{"text": "a \ufffd", "more": "\ufffd", "n": 1}, {"text": "b", "more": "é", "n": 2}]
    assert "lone surrogates became U+FFFD in 1 text" in caplog.text
