"""Avg. in shards: the counts and means of Table.average, merged by slices in a fixed order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpora import sentences, text_file
from inline_executor import Inline

from attar import Table, Transformer
from attar.corpus import average_corpus, averaging
from attar.corpus.averaging import MergeSlice, TokenRange
from attar.corpus.jobs.job_folder import JobFolder
from attar.corpus.jobs.partials import read_partial, write_partial
from attar.errors import DataError, InputError
from attar.tokens import sentences as wikitext


def average(encoder: Transformer, texts: Path, out: Path, executor: Any = None, **choices: Any) -> Table:
    return average_corpus(encoder, [str(texts)], out, executor or Inline(), layers=(1, 3), progress=False, **choices)


def test_the_same_as_in_one_go(tiny_bert: Transformer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(averaging, "SLICE_BYTES", 5000)  # 19 tokens a slice
    texts = text_file(tmp_path / "a.txt", 200)
    found = average(tiny_bert, texts, tmp_path / "out", shards=5)
    expected = Table.average(tiny_bert, sentences(200), (1, 3), progress=False)
    np.testing.assert_array_equal(found.counts, expected.counts)
    for layer in (1, 3):
        np.testing.assert_allclose(found.by_layer[layer], expected.by_layer[layer], atol=1e-5)
    assert (found.made["texts"], found.made["unseen"]) == (200, expected.made["unseen"])
    np.testing.assert_array_equal(Table.load(tmp_path / "out").by_layer[3], found.by_layer[3])
    assert not list(tmp_path.glob(".*"))


def test_paragraphs_are_split_as_without_shards(tiny_bert: Transformer, tmp_path: Path) -> None:
    paragraph = "The cat sat on the mat . The dog ran . A man walked in the light , seven years on ."
    texts = tmp_path / "a.txt"
    texts.write_text("".join(f"{line}\n" for line in [" = The river = ", "", *[paragraph] * 5, "no ."]))
    found = average(tiny_bert, texts, tmp_path / "out", shards=3, sentences=True)
    split = list(wikitext.sentences(texts))
    assert len(split) == 15
    expected = Table.average(tiny_bert, split, (1, 3), progress=False)
    np.testing.assert_array_equal(found.counts, expected.counts)
    np.testing.assert_allclose(found.by_layer[3], expected.by_layer[3], atol=1e-5)
    assert found.made["texts"] == 15
    texts.write_text(" = The river = \n")
    with pytest.raises(InputError, match="holds no sentence in 1 paragraphs"):
        average(tiny_bert, texts, tmp_path / "none", sentences=True)


def test_slices_add_up_in_order_by_hand(tmp_path: Path) -> None:
    folder = JobFolder(tmp_path)
    (tmp_path / "_done").mkdir()
    # (1e16 + 1) + -1e16 is 0 in float64; in another order it would be 1.
    for number, value in enumerate((1e16, 1.0, -1e16)):
        arrays = {"layer.1": np.full((3, 2), value), "counts": np.array([number, 1, 2])}
        write_partial(folder, f"sum-part-{number:05d}", arrays, {})
    MergeSlice(str(tmp_path), 3)(TokenRange("tokens-0", 1, 3))
    merged = read_partial(folder, "merge-tokens-0")
    np.testing.assert_array_equal(merged["layer.1"], np.zeros((2, 2)))
    np.testing.assert_array_equal(merged["counts"], [3, 6])


def test_a_stopped_average_goes_on(tiny_bert: Transformer, tmp_path: Path) -> None:
    texts = text_file(tmp_path / "a.txt", 60)
    with pytest.raises(DataError, match="1 of 3 shards failed"):
        average(tiny_bert, texts, tmp_path / "out", Inline(fail={"part-00001"}), shards=3)
    again = Inline()
    found = average(tiny_bert, texts, tmp_path / "out", again, shards=3)
    assert [unit.name for unit in again.seen] == ["part-00001", "tokens-0000000"]
    whole = average(tiny_bert, texts, tmp_path / "whole", shards=3)
    np.testing.assert_array_equal(found.by_layer[3], whole.by_layer[3])
