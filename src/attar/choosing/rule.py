"""The rule: what to believe of each candidate without labels, which one to take, and when to keep the plain one.

A candidate is believed in as far as it follows the graded pairs of the probe and separates neighbours from the rest;
near-copies share their belief. Taken is the candidate that agrees best, on the user's own texts, with all that are
believed in. It must also be better than the plain one beyond doubt. The constants were fixed on half of the tasks with
one raw model (docs/choose.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from scipy.stats import rankdata

from attar.choosing.evidence import SignalEvidence
from attar.types import Doubles

PROBE_POINTS = 4.0  # of the probe that make a candidate e times as believable
SAME = 0.6  # candidates with more common neighbours than this are near-copies
SURE = 0.95  # chance of being better than plain that is asked for
SURE_TUNED = 0.99  # the same for models that were tuned for sentences
MOST = 0.98  # no more than this is believed of the probe alone
TRUST = 0.5  # of the log-likelihood of answers: no candidate is the truth itself
_TRIED = 20  # candidates that are compared with the plain one before it is kept
PLAIN = 0  # its place among the candidates


@dataclass(frozen=True)
class Verdict:
    """Which candidate to take, and how sure that is."""

    chosen: int
    favourite: int  # the one that would be taken if it need not be better beyond doubt
    chance: float  # that the chosen one, or the favourite where plain was kept, is better than plain
    belief: Doubles  # (R,) sums to 1
    value: Doubles  # (R,) expected agreement with what is believed in

    @property
    def kept_plain(self) -> bool:
        """Whether nothing else is sure to be better."""
        return self.chosen == PLAIN


def log_prior(evidence: SignalEvidence) -> Doubles:
    """Logarithms of the belief without answers, up to a constant; -inf for unusable candidates. Shape: (R,)"""
    probe, usable = evidence.signals["probe"], evidence.usable
    near_copies = (evidence.agreement > SAME).sum(axis=1).clip(1)
    prior = probe / PROBE_POINTS + _standing(evidence.signals["contrast"]) - np.log(near_copies)
    return np.where(usable, prior, -np.inf)


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
        Whether the model was tuned for sentences: the plain recipe is then left only for more certainty.
    """
    answers = np.zeros(len(evidence.candidates)) if log_likelihood is None else log_likelihood
    belief = weigh(log_prior(evidence) + answers)
    value = np.where(evidence.usable, evidence.agreement @ belief, -np.inf)
    order = np.argsort(-value, kind="stable")[:_TRIED]
    needed = SURE_TUNED if tuned else SURE
    chances = _chances(evidence, answers)
    passing = [int(r) for r in order if r == PLAIN or chances[r] >= needed]
    chosen = passing[0] if passing else PLAIN
    return Verdict(chosen, int(order[0]), float(chances[chosen or order[0]]), belief, value)


def _chances(evidence: SignalEvidence, answers: Doubles) -> Doubles:
    """That each candidate is better than the plain one, by the probe and the answers together. Shape: (R,)"""
    alone = np.clip(evidence.better_on_probe, 1 - MOST, MOST)
    odds = np.log(alone / (1 - alone)) + TRUST * (answers - answers[PLAIN])
    chances: Doubles = expit(odds)
    return chances


def _standing(values: Doubles) -> Doubles:
    """Ranks, scaled to a deviation of about 1 around 0; what is not finite comes last."""
    known = np.where(np.isfinite(values), values, -np.inf)
    standing: Doubles = (rankdata(known) / len(known) - 0.5) * np.sqrt(12)
    return standing
