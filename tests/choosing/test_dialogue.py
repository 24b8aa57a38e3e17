from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sample_evidence import N, sample_evidence, sample_truth, unit
from scipy.special import expit
from scipy.stats import rankdata

from attar.choosing.answers import PairAnswer, answers_of, read_answers, resume, write_answers
from attar.choosing.dialogue import SLIPS, STEEPNESS, Dialogue, entropy
from attar.choosing.questions import draw_questions
from attar.errors import InputError

TEXTS = [f"text {i}" for i in range(N)]


def dialogue(purpose: str = "similarity", noises: tuple[float, ...] = (2.0, 0.1, 0.2, 1.0, 1.5)) -> Dialogue:
    evidence = sample_evidence(noises)
    return Dialogue(evidence, draw_questions(evidence, purpose, 200))


def test_questions_are_of_different_pairs_each_once() -> None:
    questions = dialogue().questions
    assert len({frozenset(map(int, row)) for row in questions.columns}) == len(questions)
    assert (questions.columns[:, 0] != questions.columns[:, 1]).all()


@pytest.mark.parametrize("purpose", ["clustering", "search"])
def test_questions_for_clusters_are_about_one_text(purpose: str) -> None:
    questions = dialogue(purpose).questions
    np.testing.assert_array_equal(questions.left[:, 0], questions.right[:, 0])
    assert (questions.left[:, 1] != questions.right[:, 1]).all()


def test_questions_for_clusters_are_disputed() -> None:
    talk = dialogue("clustering")
    near = talk.evidence.neighbours
    for (a, b), c in zip(talk.questions.left, talk.questions.right[:, 1], strict=True):
        only = [(b in seen[a]) - (c in seen[a]) for seen in near]
        assert max(only) == 1
        assert min(only) == -1


def test_columns_are_those_of_the_texts() -> None:
    talk = dialogue()
    pairs = talk.evidence.pairs[talk.questions.columns]
    np.testing.assert_array_equal(pairs[:, 0], np.sort(talk.questions.left, axis=1))
    np.testing.assert_array_equal(pairs[:, 1], np.sort(talk.questions.right, axis=1))


def test_the_likelihood_of_an_answer_worked_out_by_hand() -> None:
    talk = dialogue()
    talk.answer(3, True)
    asked = np.unique(talk.questions.columns)
    ranks = rankdata(talk.evidence.cosines[1, asked]) / len(asked)
    left, right = (ranks[np.flatnonzero(asked == c)[0]] for c in talk.questions.columns[3])
    chance = SLIPS + (1 - 2 * SLIPS) * expit(STEEPNESS * (left - right))
    np.testing.assert_allclose(talk.log_likelihood[1], np.log(chance))
    talk.answer(3, False)
    np.testing.assert_allclose(talk.log_likelihood[1], np.log(1 - chance))
    talk.answer(3, None)
    np.testing.assert_array_equal(talk.log_likelihood, 0)


def test_entropy_by_hand() -> None:
    np.testing.assert_allclose(entropy(np.array([0.5, 0.0, 1.0])), [np.log(2), 0, 0], atol=1e-9)


def test_the_next_question_is_disputed_and_new() -> None:
    talk = dialogue()
    first = talk.next_question()
    assert first is not None
    belief = talk.verdict().belief
    spread = belief @ talk._left**2 - (belief @ talk._left) ** 2  # among the candidates as far as they are believed in
    assert spread[first] > 2 * np.median(spread)
    talk.answer(first, None)
    assert talk.next_question() != first


def test_truthful_answers_find_the_candidate_that_sees_the_truth() -> None:
    talk = dialogue(noises=(1.2, 1.0, 1.1, 0.05, 1.3))
    truth = unit(sample_truth())
    for _ in range(30):
        q = talk.next_question()
        assert q is not None
        close = [float(truth[side[q, 0]] @ truth[side[q, 1]]) for side in (talk.questions.left, talk.questions.right)]
        talk.answer(q, close[0] > close[1])
    assert talk.verdict().chosen == 3
    assert int(np.argmax(talk.verdict().belief)) == 3


def test_undo_takes_the_last_answer_back() -> None:
    talk = dialogue()
    talk.answer(1, True)
    talk.answer(2, False)
    assert talk.undo() == 2
    assert talk.answers == {1: True}
    assert talk.undo() == 1
    assert talk.undo() is None


def test_a_dialogue_is_not_settled_before_some_answers() -> None:
    assert not dialogue().settled


def test_answers_survive_the_file_and_go_on(tmp_path: Path) -> None:
    talk = dialogue()
    for left in (True, False, None):
        q = talk.next_question()
        assert q is not None
        talk.answer(q, left)
    given = answers_of(talk, TEXTS)
    write_answers(tmp_path / "answers.jsonl", given)
    assert read_answers(tmp_path / "answers.jsonl") == given
    again = resume(talk.evidence, draw_questions(talk.evidence, "similarity", 200), given, TEXTS, False)
    assert list(again.answers.values()) == [True, False, None]
    np.testing.assert_allclose(again.log_likelihood, talk.log_likelihood)
    assert len(again.questions) == len(talk.questions)  # none is asked twice


def test_answers_can_be_about_questions_that_were_not_drawn() -> None:
    talk = dialogue()
    other = PairAnswer((TEXTS[0], TEXTS[59]), (TEXTS[1], TEXTS[58]), "right")
    again = resume(talk.evidence, talk.questions, [other], TEXTS, False)
    assert np.isfinite(again.log_likelihood).all()
    assert (again.log_likelihood != 0).any()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("nonsense", "line 2 of .* is not JSON"),
        ('{"left": ["a", "b"]}', "line 2 of .* is not an answer"),
        ('{"left": ["a", "a"], "right": ["c", "d"], "closer": "left"}', "is not an answer"),
        (
            '{"left": ["a", "b"], "right": ["c", "d"], "closer": "both"}',
            "closer is 'both'; allowed are left, right, skip",
        ),
    ],
)
def test_bad_lines_of_answers_are_told(tmp_path: Path, line: str, told: str) -> None:
    good = json.dumps(PairAnswer(("a", "b"), ("c", "d"), "left").to_json())
    (tmp_path / "a.jsonl").write_text(f"{good}\n{line}\n")
    with pytest.raises(InputError, match=told):
        read_answers(tmp_path / "a.jsonl")


def test_a_missing_file_of_answers_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        read_answers(tmp_path / "none.jsonl")
