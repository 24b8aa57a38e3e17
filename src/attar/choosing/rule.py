"""The rule: what to believe of each candidate without labels, which one to take, and when to keep the usual one, which
is plain, or the prompt of causal models.

A candidate is believed in as far as it follows the graded pairs of the probe and keeps the topics together or, where
the vectors are for groups, by the judges of `attar.choosing.grouping`; near-copies share their belief. Taken is the
candidate that agrees best, on the user's own texts, with all that are believed in. It must also be better than the
usual one beyond doubt: by the probe, while the topics, which share no text with it, must not speak against it; or, for
groups, by the mean of the judges. docs/choose.md says what the constants rest on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from attar.choosing.evidence import SignalEvidence
from attar.types import Doubles

PROBE_SHARE, TOPICS_SHARE = 0.7, 0.3  # of a candidate's merit
POINTS = 2.0  # of merit that make a candidate e times as believable
SHARPNESS = 2.0  # by what power of belief candidates count where agreement with them is valued
SAME = 0.6  # candidates with more common neighbours than this are near-copies
SURE = 0.95  # chance of being better than the usual one that is asked for
SURE_TUNED = 0.99  # the same for models that were tuned for sentences
MOST, LEAST = 0.98, 0.1  # no more and no less is believed of the probe or the judges of groups alone
_TRIED = 20  # candidates that are compared with the usual one before it is kept
KEPT = 0  # the place of the candidate that is kept where none is sure to be better: the usual one


@dataclass(frozen=True)
class Verdict:
    """Which candidate to take, and how sure that is."""

    chosen: int
    favourite: int  # the one that would be taken if it need not be better beyond doubt
    chance: float  # that the chosen one, or the favourite where none was, is better than the one to keep
    belief: Doubles  # (R,) sums to 1
    value: Doubles  # (R,) expected agreement with what is believed in

    @property
    def kept(self) -> bool:
        """Whether nothing else is sure to be better."""
        return self.chosen == KEPT


def log_merit(evidence: SignalEvidence) -> Doubles:
    """How believable each candidate is without answers, as a logarithm; -inf for unusable ones. Shape: (R,)"""
    if evidence.groups is not None:
        merit = evidence.groups.merit
    else:
        merit = PROBE_SHARE * evidence.signals["probe"] + TOPICS_SHARE * evidence.signals["topics"]
    return np.where(evidence.usable, merit / POINTS, -np.inf)


def log_prior(evidence: SignalEvidence) -> Doubles:
    """Logarithms of the belief without answers, up to a constant. Shape: (R,)"""
    return log_merit(evidence) - _log_copies(evidence)


def _log_copies(evidence: SignalEvidence) -> Doubles:
    """Logarithms of how many candidates are like each one, itself included. Shape: (R,)"""
    copies: Doubles = np.log((evidence.agreement > SAME).sum(axis=1).clip(1))
    return copies


def weigh(log_weights: Doubles) -> Doubles:
    """Weights that sum to 1. Shape: (R,)"""
    weights = np.exp(log_weights - log_weights.max())
    total: Doubles = weights / weights.sum()
    return total


def judge(evidence: SignalEvidence, log_likelihood: Doubles | None = None, *, tuned: bool = False) -> Verdict:
    """Choose a candidate.

    Parameters
    ----------
    evidence : SignalEvidence
        Of all candidates.
    log_likelihood : array of shape (R,), optional
        Of the answers, under every candidate.
    tuned : bool
        Whether the model was tuned for sentences: the usual recipe is then left only for more certainty.
    """
    answers = np.zeros(len(evidence.candidates)) if log_likelihood is None else log_likelihood
    merit, copies = log_merit(evidence) + answers, _log_copies(evidence)
    value = np.where(evidence.usable, evidence.agreement @ weigh(SHARPNESS * merit - copies), -np.inf)
    order = np.argsort(-value, kind="stable")[:_TRIED]
    needed = SURE_TUNED if tuned else SURE
    chances = _chances(evidence, answers)
    chosen = next((int(r) for r in order if r == KEPT or chances[r] >= needed), KEPT)
    favourite = int(order[0])
    chance = float(chances[favourite] if chosen == KEPT else chances[chosen])
    return Verdict(chosen, favourite, chance, weigh(merit - copies), value)


def _chances(evidence: SignalEvidence, answers: Doubles) -> Doubles:
    """That each candidate is better than the usual one, by the probes and the answers together. Shape: (R,)"""
    if evidence.groups is not None:
        known = logit(np.clip(evidence.groups.chances_better, LEAST, MOST))
    else:
        known = logit(np.clip(evidence.better_on_probe, LEAST, MOST))
        known += np.minimum(0, logit(np.clip(evidence.better_on_topics, 1 - MOST, MOST)))
    chances: Doubles = expit(known + answers - answers[KEPT])
    return chances
