from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sample_evidence import N, sample_evidence, sample_truth, unit
from scipy.special import expit, logit
from scipy.stats import rankdata

from attar.choosing.answers import PairAnswer, answers_of, read_answers, resume, write_answers
from attar.choosing.dialogue import ALIKE, FIRMNESS, SLIPS, STEEPNESS, TOGETHER, Dialogue, entropy
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


def test_questions_for_clusters_are_about_texts_that_somebody_sees_near() -> None:
    talk = dialogue("clustering")
    near = talk.evidence.neighbours
    for (a, b), c in zip(talk.questions.left, talk.questions.right[:, 1], strict=True):
        assert all(any(other in seen[a] for seen in near) for other in (b, c))


def test_questions_for_similarity_never_share_their_first_text() -> None:
    assert not dialogue().questions.about_one_text.any()
    assert dialogue("search").questions.about_one_text.all()


def test_columns_are_those_of_the_texts() -> None:
    talk = dialogue()
    pairs = talk.evidence.pairs[talk.questions.columns]
    np.testing.assert_array_equal(pairs[:, 0], np.sort(talk.questions.left, axis=1))
    np.testing.assert_array_equal(pairs[:, 1], np.sort(talk.questions.right, axis=1))


def test_the_likelihood_of_an_answer_worked_out_by_hand() -> None:
    talk = dialogue()
    asked = np.unique(talk.questions.columns)
    ranks = rankdata(talk.evidence.cosines[1, asked]) / len(asked)
    left, right = (ranks[np.flatnonzero(asked == c)[0]] for c in talk.questions.columns[3])
    one, two = expit(STEEPNESS * (left - right) - ALIKE), expit(STEEPNESS * (right - left) - ALIKE)
    alike = (1 - one - two) / 2
    for said, chance in {"left": one, "right": two, "both": alike, "neither": alike}.items():
        talk.answer(3, said)
        np.testing.assert_allclose(talk.log_likelihood[1], np.log(SLIPS / 4 + (1 - SLIPS) * chance))
    talk.answer(3, "skip")
    np.testing.assert_allclose(talk.log_likelihood, 0, atol=1e-12)


def test_the_likelihood_of_answers_about_belonging_worked_out_by_hand() -> None:
    talk = dialogue("clustering")
    cosines = talk.evidence.cosines[1]
    given = {0: "both", 5: "right"}
    for q, said in given.items():
        talk.answer(q, said)
    by_share = []
    for share in TOGETHER:
        chances = []
        for q in given:
            ranks = [(np.sum(cosines < cosines[c]) + 0.5) / len(cosines) for c in talk.questions.columns[q]]
            b, c = (expit(FIRMNESS * (logit(rank) - logit(1 - share))) for rank in ranks)
            chances.append(SLIPS / 4 + (1 - SLIPS) * (b * c if given[q] == "both" else (1 - b) * c))
        by_share.append(np.prod(chances))
    np.testing.assert_allclose(talk.log_likelihood[1], np.log(np.mean(by_share)))


@pytest.mark.parametrize("purpose", ["similarity", "clustering"])
def test_the_chances_of_all_answers_sum_to_one(purpose: str) -> None:
    np.testing.assert_allclose(dialogue(purpose)._chances.sum(axis=-1), 1)


def test_entropy_by_hand() -> None:
    np.testing.assert_allclose(entropy(np.array([[0.5, 0.5], [0.0, 1.0], [1.0, 0.0]])), [np.log(2), 0, 0], atol=1e-9)


def test_both_and_neither_tell_candidates_apart_where_groups_are_asked_about() -> None:
    talk = dialogue("clustering", noises=(1.2, 1.0, 1.1, 0.05, 1.3))
    group = np.arange(N) // 5
    sides = (talk.questions.left, talk.questions.right)
    belong = np.stack([group[side[:, 0]] == group[side[:, 1]] for side in sides])
    for q in np.flatnonzero(belong[0] == belong[1]):
        talk.answer(int(q), "both" if belong[0, q] else "neither")
    assert {"both", "neither"} == set(talk.answers.values())
    assert int(np.argmax(talk.log_likelihood)) == 3


def test_the_next_question_is_disputed_and_new() -> None:
    talk = dialogue()
    first = talk.next_question()
    assert first is not None
    belief, left = talk.verdict().belief, talk._chances[0, :, :, 0]
    spread = belief @ left**2 - (belief @ left) ** 2  # among the candidates as far as they are believed in
    assert spread[first] > 2 * np.median(spread)
    talk.answer(first, "skip")
    assert talk.next_question() != first


def test_truthful_answers_find_the_candidate_that_sees_the_truth() -> None:
    talk = dialogue(noises=(1.2, 1.0, 1.1, 0.05, 1.3))
    truth = unit(sample_truth())
    for _ in range(30):
        q = talk.next_question()
        assert q is not None
        close = [float(truth[side[q, 0]] @ truth[side[q, 1]]) for side in (talk.questions.left, talk.questions.right)]
        talk.answer(q, "left" if close[0] > close[1] else "right")
    assert talk.verdict().chosen == 3
    assert int(np.argmax(talk.verdict().belief)) == 3


def test_undo_takes_the_last_answer_back() -> None:
    talk = dialogue()
    talk.answer(1, "left")
    talk.answer(2, "both")
    assert talk.undo() == 2
    assert talk.answers == {1: "left"}
    assert talk.undo() == 1
    assert talk.undo() is None


def test_a_dialogue_is_not_settled_before_some_answers() -> None:
    assert not dialogue().settled


def test_answers_survive_the_file_and_go_on(tmp_path: Path) -> None:
    talk = dialogue()
    for said in ("left", "right", "both", "neither", "skip"):
        q = talk.next_question()
        assert q is not None
        talk.answer(q, said)
    given = answers_of(talk, TEXTS)
    write_answers(tmp_path / "answers.jsonl", given)
    assert read_answers(tmp_path / "answers.jsonl") == given
    again = resume(talk.evidence, draw_questions(talk.evidence, "similarity", 200), given, TEXTS, False)
    assert list(again.answers.values()) == ["left", "right", "both", "neither", "skip"]
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
            '{"left": ["a", "b"], "right": ["c", "d"], "closer": "all"}',
            "closer is 'all'; allowed are left, right, both, neither, skip",
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
