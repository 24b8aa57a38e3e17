"""Principal components: the few directions in which vectors differ most, where neighbours and groups show best."""

from __future__ import annotations

import numpy as np

from attar.types import Floats

COMPONENTS = 30


def components(vectors: Floats, most: int = COMPONENTS) -> Floats:
    """Centred vectors on their principal axes, the first the widest. Shape: (N, D) to (N, min(D, most))

    Each axis points to where its greatest entry is positive, so that the same vectors give the same places.
    """
    centred = (vectors - vectors.mean(axis=0)).astype(np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, ::-1][:, :most]
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    found: Floats = (centred @ axes).astype(np.float32)
    return found
