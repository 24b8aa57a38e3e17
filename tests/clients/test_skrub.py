"""Columns of a table, which skrub hands over."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from attar import Embedder, Transformer

skrub = pytest.importorskip("skrub", reason="skrub is not installed: `make clients` installs it")

TEXTS = ["the cat", "a dog", "a dog ran"]


def test_one_column_at_a_time(tiny_bert: Transformer) -> None:
    table = pd.DataFrame({"title": TEXTS, "body": TEXTS[::-1], "n": range(3)})
    found = skrub.ApplyToCols(Embedder(tiny_bert), cols=["title", "body"]).fit_transform(table).to_numpy()
    plain = Embedder(tiny_bert).encode(TEXTS)
    np.testing.assert_array_equal(found, np.column_stack([plain, plain[::-1], table["n"]]))
