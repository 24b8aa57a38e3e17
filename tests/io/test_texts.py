"""Holders of texts, and values that are not texts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.errors import InputError
from attar.io.texts import check_texts, chunks, iter_texts

TEXTS = ["one", "two", "", "vier"]
HOLDERS = {
    "list": TEXTS,
    "tuple": tuple(TEXTS),
    "generator": (text for text in TEXTS),
    "numpy str": np.array(TEXTS),
    "numpy object": np.array(TEXTS, dtype=object),
    "pandas": pd.Series(TEXTS, index=[9, 8, 7, 6]),
    "pandas string": pd.Series(TEXTS, dtype="string"),
    "pandas categorical": pd.Series(TEXTS, dtype="category"),
    "pandas index": pd.Index(TEXTS),
    "polars": pl.Series(TEXTS),
    "arrow": pa.array(TEXTS),
    "arrow large": pa.array(TEXTS, type=pa.large_string()),
    "arrow chunked": pa.chunked_array([TEXTS[:1], TEXTS[1:]]),
    "dict keys": dict.fromkeys(TEXTS).keys(),
}


@pytest.mark.parametrize("holder", HOLDERS.values(), ids=HOLDERS)
def test_every_holder_gives_plain_strings_in_order(holder):
    texts, replaced = check_texts(iter_texts(holder))
    assert texts == TEXTS
    assert replaced == 0
    assert {type(text) for text in texts} == {str}


@pytest.mark.parametrize(
    ("column", "told"),
    [
        ("a text", "str: 'a text'"),
        (b"bytes", "bytes"),
        ({"a": 1}, "dict"),
        (5, "int: 5"),
        (None, "NoneType: None"),
        (np.array([["a", "b"]]), "shape (1, 2)"),
        (np.array("a"), "shape ()"),
        (pd.DataFrame({"a": ["x"], "b": ["y"]}), "shape (1, 2)"),
        (pl.DataFrame({"a": ["x"], "b": ["y"]}), "shape (1, 2)"),
    ],
)
def test_what_is_not_one_column_is_refused(column, told):
    with pytest.raises(InputError) as raised:
        list(iter_texts(column))
    assert told in str(raised.value)


@pytest.mark.parametrize("value", [None, 3, 2.5, float("nan"), b"b", ["a"], pd.NA, True])
def test_a_value_that_is_not_a_string_is_named_with_its_place(value):
    with pytest.raises(InputError, match=r"text 1 is .*not a string"):
        check_texts(["fine", value])


def test_an_arrow_table_is_not_a_column():
    with pytest.raises(InputError, match="given Table") as raised:
        check_texts(iter_texts(pa.table({"a": ["x"]})))
    assert "\n" not in str(raised.value)


def test_a_long_value_is_shown_short():
    with pytest.raises(InputError) as raised:
        check_texts([["x" * 1000]])
    assert len(str(raised.value)) < 200


def test_lone_surrogates_become_the_replacement_character_and_are_counted():
    texts, replaced = check_texts(["fine", "a\ud800b", "\udfff\ud800", "\U0001f600"])
    assert texts == ["fine", "a\ufffdb", "\ufffd\ufffd", "\U0001f600"]
    assert replaced == 2


def test_chunks_are_as_long_as_asked_and_number_texts_throughout():
    assert [part for part, _ in chunks(iter("abcde"), 2)] == [["a", "b"], ["c", "d"], ["e"]]
    with pytest.raises(InputError, match="text 3 is None"):
        list(chunks(["a", "b", "c", None], 2))


@settings(max_examples=50)
@given(st.lists(st.text(st.characters(), max_size=5), max_size=10))
def test_checked_texts_can_be_encoded(values):
    texts, replaced = check_texts(values)
    assert len(texts) == len(values)
    assert replaced == sum(any("\ud800" <= c <= "\udfff" for c in value) for value in values)
    for new, old in zip(texts, values, strict=True):
        new.encode()
        assert len(new) == len(old)
