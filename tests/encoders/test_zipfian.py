"""Zipfian whitening: rows of a table under the frequencies of their tokens."""

from __future__ import annotations

import numpy as np
import pytest

from attar import Embedder, Table, WordVectors
from attar.cli import main
from attar.encoders.zipfian import weighted_moments, zipfian
from attar.errors import InputError
from attar.shapers import Whiten
from encoders.small_tables import Knowing, few_vectors, few_words

TEXTS = ["the cat sat", "the dog ran", "the cat ran", "the the dog"]
WORDS = ["the", "cat", "sat", "dog", "ran", "never"]
COUNTS = np.array([5, 2, 1, 2, 2, 0])


def words(dims: int = 3) -> WordVectors:
    return WordVectors.of(WORDS, np.random.default_rng(1).normal(size=(len(WORDS), dims)))


def test_by_hand() -> None:
    """a = 0 three times and b = 4 once: mean 1, variance (3 + 9) / 3 = 4, so a is 1/2 below and b 3/2 above."""
    made = zipfian(WordVectors.of(["a", "b", "c"], [[0.0], [4.0], [7.0]]), ["a a b", "a"])
    found = made.vectors[:, 0] * np.sign(made.vectors[1, 0])
    assert found == pytest.approx([-0.5, 1.5, 3.0], abs=1e-6)


def test_rows_are_white_under_their_frequencies() -> None:
    made = zipfian(words(), TEXTS)
    assert np.average(made.vectors, axis=0, weights=COUNTS) == pytest.approx(np.zeros(3), abs=1e-6)
    assert np.cov(made.vectors, rowvar=False, fweights=COUNTS) == pytest.approx(np.eye(3), abs=1e-5)


def test_moments_are_those_of_repeated_rows() -> None:
    rows = words().vectors
    found, repeated = weighted_moments(rows, COUNTS), np.repeat(rows.astype(np.float64), COUNTS, axis=0)
    assert found.n == 12
    assert found.mean == pytest.approx(repeated.mean(axis=0))
    assert found.scatter / 11 == pytest.approx(np.cov(repeated, rowvar=False))


def test_equals_whitening_of_means_learned_from_tokens() -> None:
    plain, fresh = words(), ["cat never ran", "sat sat dog"]
    whiten = Whiten().fit(np.repeat(plain.vectors, COUNTS, axis=0))
    wanted = whiten.transform(Embedder(plain).fit_transform(fresh))
    assert Embedder(zipfian(plain, TEXTS)).fit_transform(fresh) == pytest.approx(wanted, abs=1e-5)


def test_unknown_words_do_not_count() -> None:
    made = zipfian(words(), [*TEXTS, "unheard of words"])
    assert made.vectors == pytest.approx(zipfian(words(), TEXTS).vectors)


def test_table_with_factors_and_layers_keeps_its_tokens() -> None:
    """Special tokens around a text do not count; factors go into the rows."""
    table = Table(np.stack([few_vectors(), few_vectors(seed=1)]), few_words(), weights=np.linspace(1, 2, 10))
    made = zipfian(table, TEXTS)
    assert made.weights is None
    assert made.layers == (1, 2)
    counts = np.array([0, 0, 0, 0, 0, 5, 2, 1, 2, 2])
    for layer in made.layers:
        assert np.cov(made.by_layer[layer], rowvar=False, fweights=counts) == pytest.approx(np.eye(2), abs=1e-4)


def test_other_shapers_of_moments() -> None:
    made = zipfian(words(), TEXTS, "center")
    wanted = words().vectors - np.average(words().vectors, axis=0, weights=COUNTS)
    assert made.vectors == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("shaper", ["quantile", "unit", "zscore,unit", "none"])
def test_other_shapers_are_refused(shaper: str) -> None:
    with pytest.raises(InputError, match="can't be shaped by"):
        zipfian(words(), TEXTS, shaper)


def test_refuses_what_has_no_rows_or_no_tokens() -> None:
    with pytest.raises(InputError, match="not a static table"):
        zipfian(Knowing(), TEXTS)
    with pytest.raises(InputError, match="0 known tokens"):
        zipfian(words(), ["nothing of it"])


def test_command(tmp_path, capsys) -> None:
    words().save(tmp_path / "words")
    (tmp_path / "corpus.txt").write_text("\n".join(TEXTS))
    told = ["--zipfian", "--model", str(tmp_path / "words"), "--on", str(tmp_path / "corpus.txt")]
    main(["static", *told, "-o", str(tmp_path / "white")])
    assert WordVectors.load(tmp_path / "white").vectors == pytest.approx(zipfian(words(), TEXTS).vectors)
    with pytest.raises(SystemExit):
        main(["static", "--zipfian", *told[3:], "-o", str(tmp_path / "no")])
    assert "--zipfian needs --model" in capsys.readouterr().err
