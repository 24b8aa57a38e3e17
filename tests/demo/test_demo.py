"""`attar demo`: what it computes is right, and what it says is what it computed."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from attar.demo import recipes
from attar.demo import run as demo
from attar.demo.sample import Sample
from attar.demo.searched import Searched, gained_most, search
from attar.recipe import Recipe

SAMPLE = Sample(["a", "a?", "b", "b?", "c", "c?"], ["qa", "qb", "qc"])


def searched(*rows: list[float]) -> Searched:
    return Searched("by hand", np.array(rows, dtype=np.float32), SAMPLE)


def test_ranks_by_hand():
    found = searched([9, 1, 1, 1, 1, 1], [5, 1, 4, 3, 1, 1], [6, 5, 4, 3, 2, 1])
    assert found.ranks.tolist() == [1, 2, 5]
    assert found.first == 1
    assert [found.found(query) for query in range(3)] == ["a", "a", "a"]


def test_who_gained_most_by_hand():
    before = searched([1, 2, 3, 4, 5, 6], [9, 8, 7, 1, 1, 1], [9, 8, 7, 6, 5, 4])  # ranks 6, 3, 5
    after = searched([1, 2, 0, 0, 0, 0], [0, 0, 9, 0, 0, 0], [0, 0, 0, 0, 9, 0])  # ranks 2, 1, 1
    assert gained_most(before, after).tolist() == [2, 1, 0]  # 5 to 1, 3 to 1, then 6 to 2


def test_the_sample_is_whole():
    sample = Sample.read()
    assert (len(sample.documents), len(sample.queries)) == (80, 40)
    assert len({*sample.documents, *sample.queries}) == 120
    for query, text in enumerate(sample.queries):  # a near miss shares more words with its document than the query does
        right, near = sample.documents[sample.answer(query)], sample.documents[sample.answer(query) + 1]
        assert len(words(right) & words(near)) > len(words(right) & words(text)), text


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def test_recipes_parse():
    for shown in (recipes.CAUSAL, recipes.RAW, recipes.TUNED):
        assert [Recipe.parse(text) for text in shown.values()]


def test_a_search_is_that_of_an_embedder(tiny_bert):
    sample = Sample(["the cat sat", "a dog", "red light"] * 20, ["the cat sat"])
    found = search("mean", "default | none | last | mean", tiny_bert, sample)
    assert found.ranks.tolist() == [1]
    assert found.cosines.shape == (1, 60)
    np.testing.assert_allclose(found.cosines[0, 0], 1, atol=1e-6)


def test_what_is_said_is_what_was_computed(tiny_bert_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("matplotlib")
    kept: list[Searched] = []
    monkeypatch.setattr(demo, "search", lambda *given: kept.append(search(*given)) or kept[-1])
    told = demo.run(tmp_path / "out", str(tiny_bert_dir))
    for row in kept:
        assert re.search(rf"{re.escape(row.label)} +{row.first} of 40  #* +{(row.ranks <= 3).sum()} of 40\n", told), (
            told
        )
    assert (tmp_path / "out/demo.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "out/sentences.txt").read_text().splitlines() == Sample.read().documents
    assert re.search(rf"attar index your-texts.txt --model {tiny_bert_dir} -o", told), told
    assert demo.run(tmp_path / "out", str(tiny_bert_dir))  # again into the same folder


def test_the_next_command_is_one_that_works(tiny_bert_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    script = tmp_path / "environment/bin/attar"
    script.parent.mkdir(parents=True)
    script.touch(mode=0o755)
    monkeypatch.setattr(demo.sys, "executable", str(script.with_name("python")))
    monkeypatch.setattr(demo.default, "is_installed", lambda: False)  # then only the model of the demo is at hand
    monkeypatch.chdir(tmp_path)
    told = demo.run(tmp_path / "out", str(tiny_bert_dir))
    assert f"\n  environment/bin/attar index your-texts.txt --model {tiny_bert_dir} -o my-index\n" in told
    assert recipes.TUNED_MODEL not in told
    monkeypatch.setenv("PATH", str(script.parent))
    assert "\n  attar index your-texts.txt --model" in demo.run(tmp_path / "out", str(tiny_bert_dir))


def test_beside_a_raw_model_stands_a_tuned_one(tiny_bert_dir: Path, tmp_path: Path):
    if not demo.default.is_installed():
        pytest.skip("the embedded model is not installed")
    told = demo.run(tmp_path / "out", str(tiny_bert_dir))
    assert re.search(rf"{recipes.TUNED_MODEL} +\d+ of 40  #+ +\d+ of 40\n", told), told
    assert "attar index your-texts.txt -o my-index\n" in told


def test_without_matplotlib(tiny_bert_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(demo, "can_draw", lambda: False)
    assert demo.NO_PICTURE in demo.run(tmp_path / "out", str(tiny_bert_dir))
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["sentences.txt"]
