"""Pairs scored by matching tokens: against published code's output, a reference solver, and values by hand."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from attar import Embedder, Transformer
from attar.cli import attar
from attar.encoders.word_vectors import WordVectors
from attar.errors import InputError
from attar.matched import match, pair_similarities
from attar.scores.matching import MATCHINGS, Side, bertscore, movers_distance, rotators_distance
from attar.tasks.types import ClusterTask, StsTask

LEFT = (
    "A girl is styling her hair.",
    "A group of men play soccer on the beach.",
    "One woman is measuring another woman's ankle.",
    "The cat sat.",
    "It rains, they say; nobody's sure.",
)
RIGHT = (
    "A girl is brushing her hair.",
    "A group of boys are playing soccer on the beach.",
    "A woman measures another woman's ankle.",
    "A dog ran away from the noisy street yesterday.",
    "They say that it's raining.",
)
# bert-score 0.3.13, model_type=mobilebert-uncased, in float32, batch_size=1: F by num_layers. (In larger batches its
# own numbers change by up to 0.012, as the first layer of MobileBERT sees the padding beside the last token.)
PACKAGE = {
    12: [0.9122653603553772, 0.8850448131561279, 0.8352785110473633, 0.5064168572425842, 0.6730818748474121],
    24: [0.8686400651931763, 0.9069968461990356, 0.8740915060043335, 0.6019265055656433, 0.7899641990661621],
}
WORDS = WordVectors.of(["east", "north", "west", "far"], [[1, 0], [0, 1], [-1, 0], [3, 0]])


@pytest.mark.parametrize("layer", PACKAGE)
def test_the_package_bert_score(layer, mobilebert_dir):
    found = pair_similarities(Embedder(Transformer(mobilebert_dir), layers=layer), LEFT, RIGHT)
    np.testing.assert_allclose(found, PACKAGE[layer], atol=2e-6)


def test_bertscore_by_hand():
    east_north, east = Side(np.eye(2), np.array([0.5, 0.5])), Side(np.eye(2)[:1], np.array([1.0]))
    # precision (1 + 0) / 2, recall 1: F = 2 * 0.5 / 1.5
    assert bertscore(east_north, east) == pytest.approx(2 / 3)


def test_distances_by_hand():
    # half of the weight stays, half goes from (0, 1) to (1, 0)
    found = pair_similarities(Embedder(WORDS), ["east north"], ["east east"], "wmd")
    assert found[0] == pytest.approx(-np.sqrt(2) / 2)
    # "far" is as long as three others: 3/4 of the weight is in place, 1/4 turns by a right angle
    found = pair_similarities(Embedder(WORDS), ["far north"], ["far"], "wrd")
    assert found[0] == pytest.approx(-0.25)
    assert pair_similarities(Embedder(WORDS), ["east"], ["far"], "wrd")[0] == pytest.approx(0)  # the same direction


@given(st.integers(2, 6), st.integers(0, 1000))
def test_even_weights_are_an_assignment(n, seed):
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, n, 3))
    even = np.full(n, 1 / n)
    distances = np.linalg.norm(a[:, None] - b[None], axis=2)
    best = distances[linear_sum_assignment(distances)].mean()
    assert movers_distance(Side(a, even), Side(b, even)) == pytest.approx(-best, abs=1e-7)


@pytest.mark.parametrize("name", MATCHINGS)
def test_a_text_is_most_like_itself_whichever_side_it_is_on(name):
    random = np.random.default_rng(0)
    similarity = MATCHINGS[name].similarity
    a, b = (Side(random.normal(size=(n, 4)), np.full(n, 1 / n)) for n in (3, 5))
    assert similarity(a, b) == pytest.approx(similarity(b, a))
    assert similarity(a, a) > similarity(a, b)
    assert similarity(a, a) == pytest.approx(1 if name == "bertscore" else 0, abs=1e-7)


def test_weights_tell_which_tokens_count():
    # idf: "east" is in all four documents and weighs nothing
    texts = ["east north", "east west"], ["east north", "east far"]
    found = pair_similarities(Embedder(WORDS, weights="idf"), *texts, "wmd")
    assert found.tolist() == pytest.approx([0, -4])  # west to far
    fitted = Embedder(WORDS, weights="idf").fit([*texts[0], *texts[1]])
    np.testing.assert_allclose(pair_similarities(fitted, *texts, "wmd"), found)


def test_texts_without_known_tokens():
    found = pair_similarities(Embedder(WORDS), ["zebra", "east"], ["east", "west"], "wmd")
    assert found.tolist() == [-2, -2]  # the first as unlike as the least alike
    assert pair_similarities(Embedder(WORDS), ["zebra"], ["east"], "bertscore").tolist() == [0]
    assert rotators_distance(Side(np.zeros((1, 2)), np.ones(1)), Side(np.ones((1, 2)), np.ones(1))) == -1


def test_an_unknown_word_matches_nothing():
    """East is 0.6 like "up" and south -0.8; a word without a vector is not nearer to south, with a cosine of 0."""
    words = WordVectors.of(["east", "south", "up"], [[1, 0], [0, -1], [0.6, 0.8]])
    precision, recall = (0.6 - 0.8) / 2, 0.6
    wanted = 2 * precision * recall / (precision + recall)
    for right in ("up", "up zebra", "zebra up lion"):
        for a, b in (("east south", right), (right, "east south")):
            assert pair_similarities(Embedder(words), [a], [b], "bertscore")[0] == pytest.approx(wanted)


def test_scores_of_a_task():
    task = StsTask("pairs", ("east", "east", "east"), ("east", "far north", "west"), np.array([5.0, 3.0, 1.0]))
    assert match(Embedder(WORDS), task, "bertscore", resamples=10)["spearman"] == pytest.approx(1)
    with pytest.raises(InputError, match="pairs with scores"):
        match(Embedder(WORDS), ClusterTask("groups", ("a",), np.array([0]), ("a",)))
    with pytest.raises(InputError, match="unknown matching 'wmt'"):
        match(Embedder(WORDS), task, "wmt")
    with pytest.raises(InputError, match="shapers are for vectors of texts"):
        match(Embedder(WORDS, shapers="unit"), task)


def test_on_the_command_line(tmp_path):
    WORDS.save(tmp_path / "words")
    (tmp_path / "pairs.tsv").write_text("score\ttext1\ttext2\n5\teast\teast\n3\teast\tfar north\n1\teast\twest\n")
    options = ["score", str(tmp_path / "words"), "--tasks", str(tmp_path / "pairs.tsv"), "--match", "wrd"]
    done = CliRunner().invoke(attar, options)
    assert done.exit_code == 0, done.output
    assert "wrd" in done.output
    assert "100.0" in done.output
