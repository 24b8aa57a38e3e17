"""Columns by name, and columns of numbers."""

from __future__ import annotations

import pytest

from attar.errors import DataError
from attar.tasks.readers.table import ColumnTable

TABLE = ColumnTable("some.tsv", {"score": ["1", "2.5", "5"], "text": ["a", "", "a"]})


def test_numbers() -> None:
    assert TABLE.numbers("score").tolist() == [1.0, 2.5, 5.0]
    assert len(TABLE) == 3


def test_a_missing_column_shows_those_there_are() -> None:
    with pytest.raises(DataError, match=r"some\.tsv has no column 'label'; it has: score, text"):
        TABLE["label"]


@pytest.mark.parametrize("value", ["high", "", "nan", "inf", "-0.1", "5.1"])
def test_what_is_no_number_of_the_scale_is_shown_with_its_row(value: str) -> None:
    table = ColumnTable("odd.tsv", {"score": ["0", value, "5"]})
    with pytest.raises(
        DataError, match=rf"odd\.tsv: the score of row 2 is '{value}', not a number from 0 to 5 \(1 of 3"
    ):
        table.numbers("score", (0, 5))


def test_without_a_scale_any_finite_number_will_do() -> None:
    assert ColumnTable("x", {"score": ["-7", "1e3"]}).numbers("score").tolist() == [-7.0, 1000.0]
    with pytest.raises(DataError, match="'nan', not a number"):
        ColumnTable("x", {"score": ["nan"]}).numbers("score")
