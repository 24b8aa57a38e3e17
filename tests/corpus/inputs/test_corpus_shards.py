"""Plans cut rows into shards that cover everything once, the same way everywhere."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from corpora import text_file
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_executor import Inline

from attar.corpus.executors import Failed
from attar.corpus.inputs.input_file import STEP, InputFile, find_files
from attar.corpus.inputs.shards import ShardPlan, make_plan
from attar.errors import InputError


def source(rows: int, name: str = "a.txt") -> InputFile:
    return InputFile(name, 0, 0, 0, "", rows, places=tuple(range(0, rows + 1, STEP)))


def test_shards_by_hand() -> None:
    units = list(ShardPlan((source(5, "a.txt"), source(2, "b.txt")), 3).shards())
    assert [(unit.name, unit.first_row, unit.rows) for unit in units] == [
        ("part-00000", 0, 2),
        ("part-00001", 2, 2),
        ("part-00002", 4, 3),
    ]
    assert [(part.path, part.first, part.rows) for part in units[2].slices] == [("a.txt", 4, 1), ("b.txt", 0, 2)]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(1, 30))
def test_every_row_is_in_one_shard(sizes: list[int], shards: int) -> None:
    plan = ShardPlan(tuple(source(n, f"{i}.txt") for i, n in enumerate(sizes)), min(shards, sum(sizes)))
    rows = [
        (part.path, row)
        for unit in plan.shards()
        for part in unit.slices
        for row in range(part.first, part.first + part.rows)
    ]
    assert rows == [(f"{i}.txt", row) for i, n in enumerate(sizes) for row in range(n)]
    counts = [unit.rows for unit in plan.shards()]
    assert max(counts) - min(counts) <= 1
    assert ShardPlan.from_json(plan.to_json()) == plan


def test_files_by_pattern_in_order(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.jsonl"):
        (tmp_path / name).write_text("x\n")
    found = find_files([str(tmp_path / "c.jsonl"), str(tmp_path / "*.txt"), str(tmp_path / "a.txt")])
    assert [Path(path).name for path in found] == ["c.jsonl", "a.txt", "b.txt"]
    with pytest.raises(InputError, match="no file of texts matches"):
        find_files([str(tmp_path / "*.csv")])
    with pytest.raises(InputError, match=r"it is a folder; give its files, such as '.*/\*\.txt'"):
        find_files([str(tmp_path)])
    (tmp_path / "d.pdf").write_text("x")
    with pytest.raises(InputError, match=r"d\.pdf.*allowed: \.txt"):
        find_files([str(tmp_path / "d.pdf")])


def test_default_and_given_shards(tmp_path: Path) -> None:
    path = str(text_file(tmp_path / "a.txt", 2500))
    assert make_plan(Inline(), [path]).n_shards == 3
    assert make_plan(Inline(), [path], shards=7).n_shards == 7
    assert make_plan(Inline(), [path], shards=9999).n_shards == 2500
    assert make_plan(Inline(), [path], rows_a_shard=100).n_shards == 25


def test_known_files_are_not_read_again_unless_touched(tmp_path: Path) -> None:
    path = text_file(tmp_path / "a.txt", 10)
    first = make_plan(Inline(), [str(path)])
    again = Inline()
    assert make_plan(again, [str(path)], known=first.sources) == first
    assert again.seen == []
    os.utime(path, ns=(first.sources[0].modified_ns,) * 2)  # as a file restored from elsewhere may have it
    touched = Inline()
    assert make_plan(touched, [str(path)], known=first.sources).sha256 == first.sha256
    assert touched.seen == [str(path)]
    text_file(path, 10, seed=1)
    assert make_plan(Inline(), [str(path)], known=first.sources).sha256 != first.sha256


def test_ids_of_different_types_give_way_to_row_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 1, "text": "x"}\n')
    (tmp_path / "b.jsonl").write_text('{"id": "one", "text": "x"}\n')
    plan = make_plan(Inline(), [str(tmp_path / "*.jsonl")])
    assert not plan.has_ids
    assert plan.id_type == "int64"
    assert make_plan(Inline(), [str(tmp_path / "b.jsonl")]).id_type == "string"


def test_known_files_are_read_again_for_other_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "k", "body": "x", "text": "y"}\n')
    first = make_plan(Inline(), [str(path)], column="body", id_column="body")
    again = make_plan(Inline(), [str(path)], known=first.sources)
    assert (again.sources[0].text_column, again.sources[0].id_column) == ("text", "id")
    assert again == make_plan(Inline(), [str(path)])


def test_empty_files_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n\n")
    (tmp_path / "b.jsonl").write_text('{"body": "x"}\n')
    plan = make_plan(Inline(), [str(tmp_path / "*.jsonl")], column="body")
    assert [Path(source.path).name for source in plan.sources] == ["b.jsonl"]


def test_the_output_is_no_input(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    text_file(tmp_path / "out" / "a.txt", 3)
    with pytest.raises(InputError, match=r"out/a\.txt' is in the output folder"):
        make_plan(Inline(), [str(tmp_path / "**/*.txt")], out=tmp_path / "out")


def test_why_a_file_can_not_be_planned_is_told(tmp_path: Path) -> None:
    class Dying(Inline):
        def map(self, work: Any, units: Any) -> Any:
            return (Failed(unit, "its worker died (signal 9)", 4) for unit in units)

    path = str(text_file(tmp_path / "a.txt", 3))
    with pytest.raises(InputError, match=r"can't plan '.*a\.txt': its worker died \(signal 9\)"):
        make_plan(Dying(), [path])


def test_nothing_to_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(InputError, match=r"no texts in .* 1 files without a row"):
        make_plan(Inline(), [str(tmp_path / "a.txt")])
    with pytest.raises(InputError, match="shards=0"):
        make_plan(Inline(), ["x"], shards=0)
