"""Length 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from attar.shapers.moments import CHUNK, Vectors
from attar.shapers.shaper import Shaper
from attar.types import State


class Unit(Shaper):
    """y = x / |x|; a zero vector stays zero. It learns nothing, so it may be used without fit.

    Parameters
    ----------
    on : {"target", "background"}
        Without effect, as nothing is learned.
    """

    def state(self) -> State:
        return {}

    def set_state(self, state: Mapping[str, npt.NDArray[Any]]) -> Self:
        self._arrays_of(state, {})
        return self

    def _learn(self, X: Vectors) -> None:
        pass

    def _shape(self, X: Vectors) -> Vectors:
        out = np.empty(X.shape, dtype=X.dtype)
        for start in range(0, len(X), CHUNK):
            rows = X[start : start + CHUNK].astype(np.float64)
            # Brought to size 1 first: the square of a very large or small number is not a float64.
            rows /= _nonzero(np.abs(rows).max(axis=1, keepdims=True))
            out[start : start + CHUNK] = rows / _nonzero(np.linalg.norm(rows, axis=1, keepdims=True))
        return out

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


def _nonzero(lengths: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.where(lengths == 0, 1.0, lengths)
