"""Answers in a file of JSON lines: which of two pairs of texts is closer. Anyone may write one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from attar.choosing.dialogue import SAID, SKIP, Dialogue
from attar.choosing.evidence import SignalEvidence
from attar.choosing.questions import Questions, columns_of
from attar.errors import InputError
from attar.io.atomic import new_file
from attar.io.reading import open_lines

CLOSER = (*SAID, SKIP)
Pair = tuple[str, str]


@dataclass(frozen=True)
class PairAnswer:
    """Two pairs of texts, and which of them is closer: left, right, both, neither, or skip where nobody can say."""

    left: Pair
    right: Pair
    closer: str

    @classmethod
    def from_json(cls, data: Any, where: str) -> Self:
        """Refuses what is not an answer, with its place."""
        if not isinstance(data, dict) or not all(_is_pair(data.get(side)) for side in ("left", "right")):
            raise InputError(
                f'{where} is not an answer; expected {{"left": [A, B], "right": [C, D], "closer": "left"}}'
            )
        if data.get("closer") not in CLOSER:
            raise InputError(f"{where}: closer is {data.get('closer')!r}; allowed are {', '.join(CLOSER)}")
        return cls((data["left"][0], data["left"][1]), (data["right"][0], data["right"][1]), data["closer"])

    @property
    def texts(self) -> tuple[str, str, str, str]:
        return (*self.left, *self.right)

    def to_json(self) -> dict[str, Any]:
        return {"left": list(self.left), "right": list(self.right), "closer": self.closer}


def read_answers(path: Path) -> list[PairAnswer]:
    """The answers of a file, in order.

    Raises
    ------
    InputError
        If the file can't be read or a line is not an answer.
    """
    found = []
    with open_lines(str(path)) as lines:
        for n, line in enumerate(lines, 1):
            if line.strip():
                found.append(_answer(line, f"line {n} of {str(path)!r}"))
    if not found:
        raise InputError(f"{str(path)!r} holds no answers")
    return found


def _answer(line: str, where: str) -> PairAnswer:
    try:
        return PairAnswer.from_json(json.loads(line), where)
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{where} is not JSON: {line[:60]!r}") from None


def write_answers(path: Path, answers: Iterable[PairAnswer]) -> None:
    """Write the file anew, whole or not at all."""
    with new_file(path) as aside:
        lines = [json.dumps(answer.to_json(), ensure_ascii=False) for answer in answers]
        aside.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def answers_of(dialogue: Dialogue, texts: Sequence[str]) -> list[PairAnswer]:
    """The answers of a dialogue, in the order in which they were given."""
    return [
        PairAnswer(_named(dialogue.questions.left[q], texts), _named(dialogue.questions.right[q], texts), said)
        for q, said in dialogue.answers.items()
    ]


def resume(
    evidence: SignalEvidence, drawn: Questions, answers: Sequence[PairAnswer], texts: Sequence[str], tuned: bool
) -> Dialogue:
    """A dialogue in which these answers have been given; `texts` holds all of their texts."""
    place = {text: i for i, text in enumerate(texts)}
    sides = np.array([[place[text] for text in answer.texts] for answer in answers], dtype=np.int64).reshape(-1, 4)
    columns = columns_of(np.sort(sides.reshape(-1, 2), axis=1), evidence.pairs).reshape(-1, 2)
    known = {frozenset(map(int, row)) for row in columns}
    fresh = [q for q, row in enumerate(drawn.columns) if frozenset(map(int, row)) not in known]
    questions = Questions(
        np.concatenate([sides[:, :2], drawn.left[fresh]]),
        np.concatenate([sides[:, 2:], drawn.right[fresh]]),
        np.concatenate([columns, drawn.columns[fresh]]),
    )
    return Dialogue(evidence, questions, tuned, {q: answer.closer for q, answer in enumerate(answers)})


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, list) and len(value) == 2 and all(isinstance(v, str) for v in value) and value[0] != value[1]
    )


def _named(rows: Any, texts: Sequence[str]) -> Pair:
    return texts[int(rows[0])], texts[int(rows[1])]
