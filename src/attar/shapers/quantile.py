"""Every dim spread evenly: a value becomes the part of the texts that lie below it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from attar.errors import RecipeError, unknown_name
from attar.shapers.columns import column_blocks, column_quantiles
from attar.shapers.moments import Vectors
from attar.shapers.shaper import On, Shaper
from attar.types import Doubles, State

N_QUANTILES = 1000
EDGE = 1e-7  # for "normal": so near to 0 and 1 as values may come, which bounds the output to ±5.2

Output = Literal["uniform", "normal"]


class Quantile(Shaper):
    """y = F(x) for each dim, where F is the share of fitted values below x, linear between 1000 quantiles.

    F jumps where fitted values are equal: there y is the middle of the jump, but 0 at the least value and 1 at the
    greatest. A dim that is constant where it was fitted (so every dim, if fitted on one text) gives 0 up to that value
    and 1 above it.
    It equals scikit-learn's QuantileTransformer(n_quantiles=min(1000, N), subsample=None) run in float64, for N > 1.

    Parameters
    ----------
    output : {"uniform", "normal"}
        "uniform" lies in [0, 1] and is not centred; "normal" is the normal deviate of that, within ±5.2.
    on : {"target", "background"}
        The texts that an Embedder fits it on: those it embeds, or a background corpus.
    """

    per_dim = True
    quantiles_: Doubles  # (D, Q), each row ascending

    def __init__(self, output: Output = "uniform", *, on: On = "target") -> None:
        super().__init__(on=on)
        self.output = output

    def check_params(self) -> None:
        super().check_params()
        if self.output not in get_args(Output):
            raise unknown_name("output of Quantile", self.output, get_args(Output))

    def state(self) -> State:
        self._require_fitted()
        return {"quantiles": self.quantiles_}

    def set_state(self, state: Mapping[str, npt.NDArray[Any]]) -> Self:
        quantiles = self._arrays_of(state, {"quantiles": 2})["quantiles"]
        if (np.diff(quantiles, axis=1) < 0).any():
            raise RecipeError("saved array 'quantiles' of Quantile has rows that do not ascend: fit and save again")
        self._forget(len(quantiles))
        self.quantiles_ = quantiles
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "quantiles_")

    def _learn(self, X: Vectors) -> None:
        self.quantiles_ = column_quantiles(X, np.linspace(0, 1, min(N_QUANTILES, len(X))))

    def _shape(self, X: Vectors) -> Vectors:
        levels = np.linspace(0, 1, self.quantiles_.shape[1])
        margin = 0.0 if self.output == "uniform" else EDGE
        out = np.empty(X.shape, dtype=X.dtype)
        for block in column_blocks(X.shape[1]):
            columns = np.ascontiguousarray(X[:, block].T)  # (block, N)
            shares = np.empty(columns.shape)
            for column, quantiles, share in zip(columns, self.quantiles_[block], shares, strict=True):
                order = np.argsort(column)
                share[order] = _shares(column[order].astype(np.float64), quantiles, levels, margin)
            out[:, block] = (shares if self.output == "uniform" else _normal(shares)).T
        return out


def _shares(values: Doubles, quantiles: Doubles, levels: Doubles, margin: float) -> Doubles:
    """F of ascending values: np.interp starts each search where the last one ended, so order makes it fast.

    Shape: values (N,), quantiles (Q,), levels (Q,)
    """
    shares: Doubles = np.interp(values, quantiles, levels)
    if (quantiles[1:] == quantiles[:-1]).any():
        # Among equal quantiles it took the last, and seen from the other end takes the first: between is the middle.
        shares = 0.5 * (shares - np.interp(-values, -quantiles[::-1], -levels[::-1]))
    shares[values + margin >= quantiles[-1]] = 1.0
    shares[values - margin <= quantiles[0]] = 0.0
    return shares


def _normal(shares: Doubles) -> Doubles:
    low, high = ndtri([EDGE, 1 - EDGE])
    deviates: Doubles = np.clip(ndtri(shares), low, high)
    return deviates
