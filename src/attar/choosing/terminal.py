"""The dialogue on a terminal: one question at a time; one key answers, skips, takes back or ends."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from attar.choosing.answers import answers_of, write_answers
from attar.choosing.dialogue import SKIP, Dialogue
from attar.choosing.keys import open_keys
from attar.choosing.questions import SIMILARITY
from attar.errors import InputError

KEYS = {"1": "left", "2": "right", "b": "both", "n": "neither", "s": SKIP}
HELP = "1 or 2: your answer   b: both   n: neither   s: skip, I can't say   u: undo   q: enough"


@dataclass(frozen=True)
class TerminalTalk:
    """Asks at most `most` more questions; after every answer all answers are in the file."""

    most: int
    purpose: str
    answers: Path

    def __call__(self, dialogue: Dialogue, texts: Sequence[str]) -> None:
        """Ask until enough is said, all is asked or the choice is settled."""
        with open_keys() as key:
            self._ask(dialogue, texts, key)

    def _ask(self, dialogue: Dialogue, texts: Sequence[str], key: Callable[[], str]) -> None:
        begun = len(dialogue.answers)
        while len(dialogue.answers) - begun < self.most:
            if dialogue.settled:
                click.echo("The choice is settled: more answers would hardly change it.", err=True)
                break
            question = dialogue.next_question()
            if question is None:
                break
            click.echo(self._shown(dialogue, texts, question, len(dialogue.answers) - begun + 1), err=True)
            if not self._take(dialogue, question, begun, key):
                break
            write_answers(self.answers, answers_of(dialogue, texts))

    def _take(self, dialogue: Dialogue, question: int, begun: int, key: Callable[[], str]) -> bool:
        """Wait for a key that means something; False where the user has had enough."""
        while True:
            pressed = key().lower()
            if pressed in KEYS:
                dialogue.answer(question, KEYS[pressed])
                return True
            if pressed == "u" and len(dialogue.answers) > begun:
                dialogue.undo()
                return True
            if pressed in ("q", "\x03", "\x04"):
                return False
            click.echo(HELP, err=True)

    def _shown(self, dialogue: Dialogue, texts: Sequence[str], question: int, n: int) -> str:
        left, right = (
            [texts[int(i)] for i in side[question]] for side in (dialogue.questions.left, dialogue.questions.right)
        )
        head = f"\nQuestion {n} of at most {self.most}"
        if self.purpose == SIMILARITY:
            lines = ["Which of these two pairs is closer in meaning?", *_option("1", left), *_option("2", right)]
        else:
            lines = [
                "Which belongs with A?",
                *_option("A", left[:1]),
                *_option("1", left[1:]),
                *_option("2", right[1:]),
            ]
        return "\n".join([head, *lines, HELP])


def check_terminal() -> None:
    """Refuse to ask where nobody can answer."""
    if not sys.stdin.isatty():
        raise InputError("--ask needs a terminal to ask on; add --web for a page, or give --answers FILE instead")


def _option(mark: str, texts: Sequence[str]) -> list[str]:
    """The texts, wrapped, the first behind its mark."""
    width = max(40, min(110, shutil.get_terminal_size().columns))
    lines = []
    for i, text in enumerate(texts):
        lead = f"  {mark}  " if i == 0 else "     "
        shown = " ".join(text.split())
        shown = shown if len(shown) <= 400 else shown[:400] + " ..."
        lines += textwrap.wrap(shown, width, initial_indent=lead, subsequent_indent="     ")
    return lines
