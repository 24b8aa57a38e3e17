"""The dialogue: which question to ask next, and what the answers say about the candidates.

Where the question is which of B and C belongs with A, a candidate sees two texts together with a chance that grows with
how high their cosine ranks among all pairs; where the line is depends on how many pairs belong together at all, which
is not known and is learned with the rest. Where two pairs are compared, it answers by which one ranks higher, and calls
them alike where they rank much the same. Every answer may be a slip. Asked is what tells most about the candidates, as
far as they are believed in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.special import expit, logit, logsumexp

from attar.choosing.evidence import SignalEvidence
from attar.choosing.questions import Questions
from attar.choosing.rule import SAME, Verdict, judge, log_prior, weigh
from attar.types import Doubles

SAID = ("left", "right", "both", "neither")
SKIP = "skip"
SLIPS = 0.2  # of answers, whatever the candidate: then any answer is as likely as any other
TOGETHER = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5)  # of all pairs of texts: how many may belong together
FIRMNESS = 0.6  # with which candidates see texts together, in log-odds of ranks beyond the line
STEEPNESS = 3.0  # of the chance that a pair is closer, in differences of ranks that go from 0 to 1
ALIKE = 0.5  # how much of that is needed before two pairs are told apart
SETTLED = 0.9  # belief in candidates that are much like the chosen one, at which no more is asked
FEWEST = 5  # answers before the dialogue may end by itself


@dataclass
class Dialogue:
    """Questions about the texts, and what was said so far, one of `SAID` or skipped, in order."""

    evidence: SignalEvidence
    questions: Questions
    tuned: bool = False
    answers: dict[int, str] = field(default_factory=dict)

    @cached_property
    def _chances(self) -> Doubles:
        """How likely each candidate gives each answer, for each share of pairs that belong together. (F, R, Q, 4)"""
        left, right = self.questions.log_odds(self.evidence)
        compared = answers_to_pairs(self.questions.leads(self.evidence))
        one = self.questions.about_one_text[None, :, None]
        return np.stack([np.where(one, answers_to_belonging(left, right, f), compared) for f in TOGETHER])

    @cached_property
    def _doubts(self) -> Doubles:
        """How unsure each candidate is of its own answers. Shape: (F, R, Q)"""
        return entropy(self._chances)

    @cached_property
    def _prior(self) -> Doubles:
        return log_prior(self.evidence)

    @property
    def log_likelihood(self) -> Doubles:
        """Of the answers under every candidate. Shape: (R,)"""
        total: Doubles = logsumexp(self._told, axis=0) - np.log(len(TOGETHER))
        return total

    @property
    def _told(self) -> Doubles:
        """Log-likelihood of the answers. Shape: (F, R)"""
        told = {q: SAID.index(said) for q, said in self.answers.items() if said != SKIP}
        logs: Doubles = np.log(self._chances[:, :, list(told), list(told.values())]).sum(axis=2)
        return logs

    def answer(self, question: int, said: str) -> None:
        """Note an answer: left, right, both, neither or skip."""
        self.answers[question] = said

    def undo(self) -> int | None:
        """Forget the last answer; returns its question."""
        return self.answers.popitem()[0] if self.answers else None

    def next_question(self) -> int | None:
        """The question that tells most about the candidates; None where all are asked."""
        if len(self.answers) == len(self.questions):
            return None
        belief = weigh((self._prior + self._told).ravel()).reshape(len(TOGETHER), -1)
        expected = np.einsum("fr,frqa->qa", belief, self._chances)
        told = entropy(expected) - np.einsum("fr,frq->q", belief, self._doubts)
        told[list(self.answers)] = -np.inf
        return int(np.argmax(told))

    def verdict(self) -> Verdict:
        """The choice that the answers so far lead to."""
        return judge(self.evidence, self.log_likelihood, tuned=self.tuned)

    @property
    def settled(self) -> bool:
        """Whether nearly all belief is in candidates that give much the same neighbours as the chosen one."""
        if sum(said != SKIP for said in self.answers.values()) < FEWEST:
            return False
        verdict = self.verdict()
        alike = self.evidence.agreement[verdict.chosen] > SAME
        return bool(verdict.belief[alike].sum() >= SETTLED)


def answers_to_belonging(left: Doubles, right: Doubles, together: float) -> Doubles:
    """Chances of the answers to "which of B and C belongs with A?", by the log-odds of the ranks of AB and AC.

    Shape: (R, Q), (R, Q) -> (R, Q, 4)
    """
    line = logit(1 - together)
    b, c = expit(FIRMNESS * (left - line)), expit(FIRMNESS * (right - line))
    return _with_slips(np.stack([b * (1 - c), (1 - b) * c, b * c, (1 - b) * (1 - c)], axis=-1))


def answers_to_pairs(leads: Doubles) -> Doubles:
    """Chances of the answers to "which pair is closer?"; both and neither say that they are alike.

    Shape: (R, Q) -> (R, Q, 4)
    """
    left, right = expit(STEEPNESS * leads - ALIKE), expit(-STEEPNESS * leads - ALIKE)
    alike = (1 - left - right) / 2
    return _with_slips(np.stack([left, right, alike, alike], axis=-1))


def _with_slips(chances: Doubles) -> Doubles:
    return SLIPS / len(SAID) + (1 - SLIPS) * chances


def entropy(chances: Doubles) -> Doubles:
    """In nats, over the last axis. Shape: (..., A) -> (...)"""
    inside = np.clip(chances, 1e-12, 1)
    found: Doubles = -(inside * np.log(inside)).sum(axis=-1)
    return found
