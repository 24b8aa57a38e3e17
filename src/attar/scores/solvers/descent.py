"""L-BFGS for a batch of logistic regressions, each with its own rows, step length and end.

Logits are kept beside the weights: a line search costs no product with the rows, and an iteration just two, one with
the rows and one with their transpose, for all problems together. Letters: P problems, K logits, N rows, D dims (the
last is the intercept).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attar.scores.solvers.curvature import Curvature
from attar.types import Floats, Ints

MEMORY = 8  # steps that L-BFGS remembers
MOST_TRIALS = 20  # of a step length
OVERSHOT, TOO_SHORT = 0.1, 0.9  # how much of the slope may be left behind or before a step


@dataclass(frozen=True)
class ProblemBatch:
    """Problems on the same rows."""

    rows: Floats  # (N, D)
    targets: Floats  # (K, N)
    samples: Floats  # (P, N) weight of each row in each problem
    penalty: float  # of the squared weights, halved

    def only(self, problems: npt.NDArray[np.bool_] | Ints) -> ProblemBatch:
        return replace(self, samples=self.samples[problems])

    def logits(self, weights: Floats) -> Floats:
        """Shape: weights (P, K, D), result (P, K, N)"""
        if not weights.any():
            return np.zeros((*weights.shape[:2], len(self.rows)), dtype=np.float32)
        flat: Floats = weights.reshape(-1, weights.shape[2]) @ self.rows.T
        return flat.reshape(*weights.shape[:2], len(self.rows))

    def residuals(self, logits: Floats) -> Floats:
        """Predicted minus wanted probability, weighted. Shape: (P, K, N)"""
        residuals = probabilities(logits)
        residuals -= self.targets
        residuals *= self.samples[:, None, :]
        return residuals

    def row_curvatures(self, weights: Floats) -> Floats:
        """p * (1 - p) of each logit and row, in the mean over the problems. Shape: (K, N)"""
        likely = probabilities(self.logits(weights))
        likely *= 1 - likely
        curvatures: Floats = np.einsum("pkn,pn->kn", likely, self.samples) / np.float32(len(self.samples))
        return curvatures

    def gradients(self, residuals: Floats, weights: Floats) -> Floats:
        """Shape: (P, K, D)"""
        flat: Floats = residuals.reshape(-1, len(self.rows)) @ self.rows
        return flat.reshape(weights.shape) + self.pull(weights)

    def pull(self, weights: Floats) -> Floats:
        """The gradient of the penalty, which leaves the intercept alone."""
        pull = weights * np.float32(self.penalty)
        pull[:, :, -1] = 0
        return pull


def probabilities(logits: Floats) -> Floats:
    """Of the second of two classes from one logit, of each class from more. Shape: (P, K, N)"""
    likely: Floats
    if logits.shape[1] == 1:
        likely = np.tanh(logits * np.float32(0.5))
        likely *= 0.5
        likely += 0.5
    else:
        likely = np.exp(logits - logits.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
    return likely


class _Past(NamedTuple):
    """A step, what it changed in the gradient, and 1 / their product (0 where rounding left no product)."""

    step: Floats
    change: Floats
    inverse: Floats  # (P,)

    def only(self, problems: npt.NDArray[np.bool_]) -> _Past:
        return _Past(self.step[problems], self.change[problems], self.inverse[problems])


def minimise(
    batch: ProblemBatch, curvature: Curvature, weights: Floats, tol: float, max_iter: int
) -> tuple[Floats, Ints]:
    """The weights that these lead to, and the iterations it took: `max_iter` where a problem has not converged.

    Shape: weights (P, K, D), iterations (P,)
    """
    n_problems = len(weights)
    logits = batch.logits(weights)
    gradients = batch.gradients(batch.residuals(logits), weights)
    past: deque[_Past] = deque(maxlen=MEMORY)
    scale = np.ones(n_problems, dtype=np.float32)
    active = np.arange(n_problems)  # problems leave when they have converged
    result, iterations = weights.copy(), np.full(n_problems, max_iter, dtype=np.int64)
    for iteration in range(max_iter):
        directions = -_newton_steps(gradients, past, curvature, scale)
        slopes = _dot(gradients, directions)
        done = -slopes <= 2 * tol * batch.samples.sum(axis=1)  # half of the slope is what a quadratic would gain
        result[active[done]], iterations[active[done]] = weights[done], iteration
        if done.any():
            going = ~done
            if not going.any():
                return result, iterations
            batch, past = batch.only(going), deque((one.only(going) for one in past), maxlen=MEMORY)
            active, weights, logits, gradients = active[going], weights[going], logits[going], gradients[going]
            directions, slopes = directions[going], slopes[going]
        changes = batch.logits(directions)
        lengths, residuals = _step_lengths(batch, logits, changes, weights, directions, slopes)
        steps = directions * lengths[:, None, None]
        logits += changes * lengths[:, None, None]
        weights = weights + steps
        new_gradients = batch.gradients(residuals, weights)
        turns = new_gradients - gradients
        gradients = new_gradients
        products = _dot(steps, turns)
        past.append(_Past(steps, turns, _ratio(1, products)))
        scale = _ratio(products, _dot(turns, curvature.solve(turns)))
        scale[scale == 0] = 1
    result[active] = weights
    return result, iterations


def _newton_steps(gradients: Floats, past: deque[_Past], curvature: Curvature, scale: Floats) -> Floats:
    """The two loops of L-BFGS around the curvature that is given. Shape: (P, K, D)"""
    steps = gradients.copy()
    amounts = []
    for one in reversed(past):
        amounts.append(_dot(one.step, steps) * one.inverse)
        steps -= one.change * amounts[-1][:, None, None]
    steps = curvature.solve(steps)
    steps *= scale[:, None, None]
    for one, amount in zip(past, reversed(amounts), strict=True):
        steps += one.step * (amount - _dot(one.change, steps) * one.inverse)[:, None, None]
    return steps


def _step_lengths(
    batch: ProblemBatch, logits: Floats, changes: Floats, weights: Floats, directions: Floats, slopes: Floats
) -> tuple[Floats, Floats]:
    """How far each problem goes, and its residuals there. The loss is convex: its slope tells on which side we are."""
    pull = batch.pull(directions)
    pull_here, pull_ahead = _dot(pull, weights), _dot(pull, directions)
    lengths = np.ones(len(slopes), dtype=np.float32)
    residuals = np.empty_like(logits)
    short, far = np.zeros_like(lengths), np.full_like(lengths, np.inf)  # the length wanted lies between
    slope_short, slope_far = slopes.copy(), np.zeros_like(slopes)
    still = np.arange(len(slopes))
    for _ in range(MOST_TRIALS):
        residuals[still] = batch.only(still).residuals(logits[still] + changes[still] * lengths[still, None, None])
        found = _dot(residuals[still], changes[still]) + pull_here[still] + lengths[still] * pull_ahead[still]
        over, under = found > -OVERSHOT * slopes[still], found < TOO_SHORT * slopes[still]
        far[still[over]], slope_far[still[over]] = lengths[still[over]], found[over]
        short[still[under]], slope_short[still[under]] = lengths[still[under]], found[under]
        still = still[over | under]
        if not len(still):
            break
        share = slope_short[still] / (slope_short[still] - slope_far[still])  # where a straight line crosses 0
        bounded = np.isfinite(far[still])
        gap = np.where(bounded, far[still] - short[still], 0)
        lengths[still] = np.where(bounded, short[still] + gap * np.clip(share, 0.1, 0.9), 4 * short[still])
    return lengths, residuals


def _dot(a: Floats, b: Floats) -> Floats:
    """Shape: (P,)"""
    products: Floats = np.einsum("pi,pi->p", a.reshape(len(a), -1), b.reshape(len(b), -1))
    return products


def _ratio(top: Floats | int, bottom: Floats) -> Floats:
    """0 where the bottom is not positive."""
    return np.divide(top, bottom, out=np.zeros_like(bottom), where=bottom > 0)
