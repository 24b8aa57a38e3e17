"""One embedder on one task, and what its shapers do there."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from attar import Embedder, scores
from attar.cli import attar
from attar.encoders.word_vectors import WordVectors
from attar.errors import InputError
from attar.evaluation import Result, evaluate
from attar.tasks.types import ClassifyTask, StsTask

RANDOM = np.random.default_rng(0)
WORDS = [f"w{i}" for i in range(120)]
LABELS = np.arange(120) % 2
# one strong dim that tells the classes, and nine of noise: all-but-the-top takes what matters
VECTORS = np.concatenate([5.0 * LABELS[:, None] - 2.5, RANDOM.normal(size=(120, 9))], axis=1)
CLASSES = ClassifyTask("classes", tuple(WORDS), (), LABELS, ("a", "b"))
PAIRS = StsTask("pairs", tuple(WORDS[:60]), tuple(WORDS[60:]), RANDOM.random(60))


@pytest.fixture
def words() -> WordVectors:
    return WordVectors.of(WORDS, VECTORS)


def test_shaping_that_hurts_is_told(words):
    found = evaluate(Embedder(words, shapers="abtt:1"), CLASSES)
    assert found.score < 65
    assert found.unshaped > 95
    assert found.gain_high < 0
    assert found.warning.startswith("classes: the shapers cost ")
    assert "(--shape none)" in found.warning


def test_shaping_that_does_nothing_is_not(words):
    found = evaluate(Embedder(words, shapers="unit"), PAIRS)
    assert found.unshaped == found.score
    assert found.gain_low == found.gain_high == 0
    assert found.warning is None


def test_shaping_that_hurts_on_few_texts_is_told_with_their_number(words, caplog):
    embedder = Embedder(words, shapers="abtt:3")  # 10 dims: from 50 texts
    few = ClassifyTask("few", tuple(WORDS[:49]), (), LABELS[np.arange(49)], ("a", "b"))
    found = evaluate(embedder, few)
    assert found.gain_high < 0
    assert found.warning is not None
    assert "AllButTheTop learns from 49 texts, and should have 50 or more" in caplog.text


@pytest.mark.parametrize("shapers", ["", "zscore,unit", "whiten", "abtt:1", "quantile"])
@pytest.mark.parametrize("weights", ["mean", "idf"])
def test_scores_are_those_of_the_embedders_vectors(words, weights, shapers):
    embedder = Embedder(words, weights=weights, shapers=shapers)
    expected = scores.score(Embedder(words, weights=weights, shapers=shapers).fit_transform(PAIRS.texts), PAIRS)
    found = evaluate(embedder, PAIRS)
    assert found.score == pytest.approx(100 * expected["score"], abs=0.01)
    assert not hasattr(embedder, "weights_") or not embedder.needs_fit
    fitted = Embedder(words, weights=weights, shapers=shapers).fit(PAIRS.texts)
    again = evaluate(fitted, PAIRS)
    assert (again.score, again.unshaped) == pytest.approx((found.score, found.unshaped), abs=0.01)


def test_shapers_of_a_background(words):
    embedder = Embedder(words, shapers="zscore@background")
    background = WORDS[:80]
    expected = Embedder(words, shapers="zscore@background").fit_transform(PAIRS.texts, background=background)
    found = evaluate(embedder, PAIRS, background)
    assert found.score == pytest.approx(100 * scores.score(expected, PAIRS)["score"], abs=0.01)
    with pytest.raises(InputError, match="background corpus"):
        evaluate(embedder, PAIRS)


def test_a_result_without_shapers_has_no_warning():
    assert Result("a", "accuracy", 1, 0, 2, None).warning is None
    assert Result("a", "accuracy", 50, 40, 60, None, 55, -7, 1).warning is None


def test_on_the_command_line(words, tmp_path, caplog):
    words.save(tmp_path / "words")
    rows = "".join(f"{label}\t{word}\n" for label, word in zip(LABELS, WORDS, strict=True))
    (tmp_path / "topics.tsv").write_text("label\ttext\n" + rows)
    task = f"classification:{tmp_path}/topics.tsv"
    options = ["score", str(tmp_path / "words"), "--shape", "abtt:1", "--tasks", task]
    done = CliRunner().invoke(attar, [*options, "--json"])
    assert done.exit_code == 0, done.output
    (found,) = json.loads(done.stdout.splitlines()[-1])
    assert found["unshaped"] > found["score"]
    caplog.clear()
    assert CliRunner().invoke(attar, options).exit_code == 0
    assert "topics: the shapers cost" in caplog.text


def test_ranks_instead_of_correlations(words):
    equal = StsTask("pairs", tuple(WORDS[:60]), tuple(WORDS[60:]), np.full(60, 5.0))
    found = evaluate(Embedder(words), equal, ranking=True)
    assert found.metric == "mrr"
    assert found.score == pytest.approx(100 * scores.rank(VECTORS, equal)["mrr"], abs=0.01)
    with pytest.raises(InputError, match="ranks are of pairs with scores; classes is a task of classification"):
        evaluate(Embedder(words), CLASSES, ranking=True)
