"""The dialogue: which question to ask next, and what the answers say about the candidates.

A candidate would answer "the left pair is closer" with a chance that grows with how much higher the left pair ranks in
its own cosines; every answer may be a slip. Asked is what the candidates, as far as they are believed in, dispute most.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.special import expit

from attar.choosing.evidence import SignalEvidence
from attar.choosing.questions import Questions
from attar.choosing.rule import SAME, Verdict, judge, log_prior, weigh
from attar.types import Doubles

STEEPNESS = 4.0  # of the chance, in differences of ranks that go from 0 to 1
SLIPS = 0.15  # of answers, whatever the candidate
SETTLED = 0.9  # belief in candidates that are much like the chosen one, at which no more is asked
FEWEST = 5  # answers before the dialogue may end by itself


@dataclass
class Dialogue:
    """Questions about the texts, and the answers so far: True where the left pair is closer, None where skipped."""

    evidence: SignalEvidence
    questions: Questions
    tuned: bool = False
    answers: dict[int, bool | None] = field(default_factory=dict)

    @cached_property
    def _left(self) -> Doubles:
        """How likely each candidate answers "left". Shape: (R, Q)"""
        leads = self.questions.leads(self.evidence)
        chances: Doubles = SLIPS + (1 - 2 * SLIPS) * expit(STEEPNESS * leads)
        return chances

    @cached_property
    def _doubts(self) -> Doubles:
        """How unsure each candidate is of its own answers. Shape: (R, Q)"""
        return entropy(self._left)

    @cached_property
    def _prior(self) -> Doubles:
        return log_prior(self.evidence)

    @property
    def log_likelihood(self) -> Doubles:
        """Of the answers under every candidate. Shape: (R,)"""
        total = np.zeros(len(self.evidence.candidates))
        for q, left in self.answers.items():
            if left is not None:
                total += np.log(self._left[:, q] if left else 1 - self._left[:, q])
        return total

    def answer(self, question: int, left: bool | None) -> None:
        """Note an answer; None skips the question."""
        self.answers[question] = left

    def undo(self) -> int | None:
        """Forget the last answer; returns its question."""
        return self.answers.popitem()[0] if self.answers else None

    def next_question(self) -> int | None:
        """The question that tells most about the candidates; None where all are asked."""
        if len(self.answers) == len(self.questions):
            return None
        belief = weigh(self._prior + self.log_likelihood)
        told = entropy(belief @ self._left) - belief @ self._doubts
        told[list(self.answers)] = -np.inf
        return int(np.argmax(told))

    def verdict(self) -> Verdict:
        """The choice that the answers so far lead to."""
        return judge(self.evidence, self.log_likelihood, tuned=self.tuned)

    @property
    def settled(self) -> bool:
        """Whether nearly all belief is in candidates that give much the same neighbours as the chosen one."""
        if sum(left is not None for left in self.answers.values()) < FEWEST:
            return False
        verdict = self.verdict()
        alike = self.evidence.agreement[verdict.chosen] > SAME
        return bool(verdict.belief[alike].sum() >= SETTLED)


def entropy(chance: Doubles) -> Doubles:
    """Of yes or no, in nats. Any shape"""
    inside = np.clip(chance, 1e-12, 1 - 1e-12)
    found: Doubles = -(inside * np.log(inside) + (1 - inside) * np.log(1 - inside))
    return found
