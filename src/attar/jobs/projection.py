"""Two dims out of many, for a map: principal components, then t-SNE of scikit-learn."""

from __future__ import annotations

from typing import Literal

import numpy as np

from attar.jobs.components import components
from attar.shapers import Unit
from attar.types import Floats, Ints

Projection = Literal["tsne", "pca"]
MOST = 20_000  # points on a map; of more texts, a sample is drawn
_LANDMARKS = 4_000  # texts that t-SNE places; the others go where their nearest landmarks are
_SHARED = 2_000  # points from which on t-SNE is worth several threads
_NEAREST = 3


def drawn_rows(n_texts: int, seed: int = 0) -> Ints:
    """Which texts are drawn on a map: all, or a sample in order."""
    if n_texts <= MOST:
        return np.arange(n_texts)
    return np.sort(np.random.default_rng(seed).permutation(n_texts)[:MOST])


def project(vectors: Floats, how: Projection = "tsne", seed: int = 0) -> Floats:
    """Places on a map within [0, 1]. Shape: (N, D) to (N, 2)"""
    units: Floats = Unit().transform(np.asarray(vectors, dtype=np.float32))
    flat = components(units)
    if how == "tsne" and len(flat) > 4:
        flat = _neighbours(flat, seed)
    flat = flat[:, :2] if flat.shape[1] > 1 else np.hstack([flat, np.zeros_like(flat)])
    low, high = flat.min(axis=0), flat.max(axis=0)
    places: Floats = (flat - (low + high) / 2) / max(float((high - low).max()), 1e-12) + 0.5
    return places.astype(np.float32)


def _neighbours(flat: Floats, seed: int) -> Floats:
    """t-SNE of at most `_LANDMARKS` points, and the others between their nearest landmarks."""
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    chosen = np.sort(np.random.default_rng(seed).permutation(len(flat))[:_LANDMARKS])
    few = flat[chosen]
    start = few[:, :2] / max(float(few[:, 0].std()), 1e-12) * 1e-4
    perplexity = min(30.0, (len(few) - 1) / 3)
    # Threads wait for each other after every step; for few points that takes ten times as long on a busy machine.
    with threadpool_limits(1 if len(few) < _SHARED else None, user_api="openmp"):
        placed: Floats = TSNE(init=start, perplexity=perplexity, random_state=seed).fit_transform(few)
    return placed if len(few) == len(flat) else _between(flat, few, placed, seed)


def _between(flat: Floats, landmarks: Floats, placed: Floats, seed: int) -> Floats:
    """Means of the places of the nearest landmarks, the nearer the more, a little apart from each other."""
    from sklearn.neighbors import NearestNeighbors

    distances, rows = NearestNeighbors(n_neighbors=_NEAREST).fit(landmarks).kneighbors(flat)
    near = 1 / np.maximum(distances, 1e-6) ** 4
    places = np.einsum("nk,nkd->nd", near / near.sum(axis=1, keepdims=True), placed[rows])
    apart = np.random.default_rng(seed).normal(size=places.shape) * float(placed.std()) * 0.004
    spread: Floats = np.where(distances[:, :1] > 0, places + apart, places).astype(np.float32)
    return spread
