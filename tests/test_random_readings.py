"""Readings of Wikitext-2 and how they are judged, on made-up data."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import tokenizers
from scipy.stats import spearmanr
from sklearn.preprocessing import StandardScaler
from tokenizers import models, pre_tokenizers

from attar import Random, Table, tasks, weights

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
LINES = [
    "",
    " = A Title = ",
    "",
    " The cat sat on the <unk> . It was a <unk> cat . Nobody saw it there . ",
    " The dog barked at the cat . ",
]


@pytest.fixture(scope="module")
def readings() -> ModuleType:
    sys.path.insert(0, str(EXAMPLES))
    try:
        import random_readings
    finally:
        sys.path.remove(str(EXAMPLES))
    return random_readings


def random_of(lines: list[str]) -> Random:
    words = ["[UNK]", *sorted({word for line in lines for word in line.split()})]
    tokenizer = tokenizers.Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return Random(tokenizer, dims=16, seed=1)


def test_documents_of_a_file(readings: ModuleType) -> None:
    found = readings.documents(LINES)
    assert {name: len(texts) for name, texts in found.items()} == {
        "sentences": 4,
        "two sentences": 2,
        "lines": 5,
        "lines that are not empty": 3,
        "lines of 10 characters": 3,
        "paragraphs": 2,
    }
    assert found["two sentences"][1] == "Nobody saw it there . The dog barked at the cat ."
    assert found["paragraphs"][0].startswith("The cat sat")


def test_words_that_the_lines_lack_stand_in_for_the_unknown(readings: ModuleType) -> None:
    found = readings.filled(LINES, ["The zebra saw the cat"])
    assert found[3] == " The cat sat on the zebra . It was a zebra cat . Nobody saw it there . "
    assert [found[i] for i in (0, 1, 2, 4)] == [LINES[i] for i in (0, 1, 2, 4)]
    often = readings.filled(["<unk>"] * 4000, ["zebra zebra zebra gnu"])
    assert 0.72 < np.mean([line == "zebra" for line in often]) < 0.78


def test_the_surprise_is_that_of_a_regression_worked_by_hand(readings: ModuleType) -> None:
    given = np.array([[-1.0], [0.0], [0.0], [1.0]])
    ours = np.array([[-2.0], [1.0], [-1.0], [2.0]])  # slope 2, rests 0, 1, -1, 0: variance 2 / (4 - 2) = 1
    off, covariance = readings.surprise(given, ours, np.array([1.0]), np.array([5.0]))
    assert off == pytest.approx([2 - 5])
    leverage = 1 / 4 + 1 / 2
    assert covariance == pytest.approx(np.array([[1 + leverage + 0.1**2 / 12]]))


def test_a_draw_of_our_own_is_no_surprise(readings: ModuleType) -> None:
    random = np.random.default_rng(0)
    given = 5 * random.normal(size=(400, 6))
    ours = given[:, :2] + random.normal(size=(400, 2))
    totals = readings.own_surprises(given, ours)
    assert np.median(totals) == pytest.approx(2 * np.log(2), abs=0.2)  # of chi2 with 2 degrees
    ours[7] += 6
    assert readings.own_surprises(given, ours).argmax() == 7


def test_formulas_of_idf(readings: ModuleType) -> None:
    random = random_of(["a b c"])
    counted = weights.Idf().fit(random.tokenize(["a b", "a", "a", "a"]), random.vocabulary)
    a, b, c = (random.vocabulary.pieces.index(word) for word in "abc")
    expected = {
        "a token never seen: 0": (0, np.log(4), 0),
        "a token never seen: ln(N / 0.5)": (0, np.log(4), np.log(8)),
        "a token never seen: ln(N / 0.05)": (0, np.log(4), np.log(80)),
        "ln(N / (df + 1))": (0, np.log(2), np.log(4)),  # never below 0
        "ln(N / df) + 1": (1, np.log(4) + 1, np.log(4) + 1),
        "ln((1 + N) / (1 + df)) + 1": (1, np.log(5 / 2) + 1, np.log(5) + 1),
        "ln(N / df) - 0.6": (0, np.log(4) - 0.6, np.log(4) - 0.6),
    }
    assert set(expected) == set(readings.FORMULAS)
    for name, values in expected.items():
        variant = readings.Variant()
        variant.formula = readings.FORMULAS[name]
        variant.set_state(counted.state())
        assert variant.idf_[[a, b, c]] == pytest.approx(values, abs=1e-6), name


def test_the_first_reading_is_that_of_the_report(readings: ModuleType) -> None:
    random = random_of([*LINES, "zebra"])
    found = readings.readings(random, LINES, ["The zebra saw the cat"])
    assert next(iter(found)) == "sentences"
    assert len(found) == 2 * (6 + len(readings.FORMULAS))
    zebra = random.vocabulary.pieces.index("zebra")
    assert found["sentences"].document_frequency_[zebra] == 0
    assert found["words for <unk>, sentences"].document_frequency_[zebra] == 2
    assert found["words for <unk>, paragraphs"].document_frequency_[zebra] == 1


def test_scores_are_plain_and_of_z_scores(readings: ModuleType) -> None:
    left, right = ("a b", "c d", "a d", "b c"), ("a c", "c d a", "b b", "d d b")
    task = tasks.StsTask("mine", left, right, np.array([1.0, 4.0, 2.0, 3.0]))
    random = random_of(["a b c d"])
    table = Table(random.vectors(np.arange(len(random.vocabulary))), random.tokenizer.backend)
    weighting = weights.parse("mean").fit(random.tokenize(left), random.vocabulary)
    [found] = readings.scores(table, task, [weighting])
    plain = random.encode(task.texts)
    for score, vectors in zip(found, (plain, StandardScaler().fit_transform(plain)), strict=True):
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        assert score == pytest.approx(100 * spearmanr((unit[:4] * unit[4:]).sum(axis=1), task.scores).statistic)
