"""Candidates whose vectors are made up: what tests of the rule and the dialogue judge."""

from __future__ import annotations

import numpy as np

from attar.choosing.candidates import Candidate
from attar.choosing.evidence import SignalEvidence, gather
from attar.choosing.passes import Units
from attar.choosing.probe import Probe, read_probe
from attar.choosing.topics import read_topics
from attar.types import Floats

N, DIMS = 60, 24


def unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def graded_vectors(probe: Probe, noise: float, rng: np.random.Generator) -> Floats:
    """Vectors whose cosines follow the grades of the probe, the less so the more noise there is."""
    made = rng.normal(size=(len(probe.texts), DIMS))
    for (left, right), grade in zip(probe.pairs, probe.grades, strict=True):
        if grade > 0:
            made[right] = grade / 5 * made[left] + (1 - grade / 5) * made[right]
    return unit(made + noise * rng.normal(size=made.shape))


def units_of(truth: Floats, noise: float, name: str, seed: int) -> Units:
    """A candidate that sees the truth through noise, on the texts and on the probe alike."""
    rng = np.random.default_rng(seed)
    seen = unit(truth + noise * rng.normal(size=truth.shape))
    same = np.random.default_rng(7)  # of the probe, every candidate has the same vectors before its noise
    clear = graded_vectors(read_probe(), 0.0, same)
    probe = unit(clear * np.sqrt(DIMS) + 3 * noise * rng.normal(size=clear.shape))
    centres = same.normal(size=(int(read_topics().topics.max()) + 1, DIMS))[read_topics().topics]
    topics = unit(centres + (0.5 + noise) * rng.normal(size=centres.shape))
    return Units(Candidate("none", (seed,), "mean", name), {"texts": seen, "probe": probe, "topics": topics})


def sample_truth() -> Floats:
    """Texts in 12 tight groups of 5."""
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(12, DIMS))
    return np.asarray(np.repeat(centres, 5, axis=0) + 0.3 * rng.normal(size=(N, DIMS)), dtype=np.float32)


def sample_evidence(noises: tuple[float, ...] = (2.0, 0.1, 0.2, 1.0, 1.5)) -> SignalEvidence:
    """The first is the plain one."""
    truth = sample_truth()
    return gather((units_of(truth, noise, "none", i) for i, noise in enumerate(noises)))
