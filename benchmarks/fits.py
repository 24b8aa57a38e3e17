"""How long do shapers take to learn, and how exactly, against scikit-learn on the same float32 vectors?

Whiten against PCA(whiten=True), AllButTheTop(2) against PCA(2), CommonComponents(1) against TruncatedSVD(1) with the
seven iterations of SIF's own code, ZScore against StandardScaler; in turns. "off" is the greatest relative error of a
variance, or the greatest error of a number of the projection onto the axes removed, against float64, on vectors whose
directions differ from 1 to 1/30 in deviation and whose mean is 100 times the greatest.
Run: python benchmarks/fits.py [--n N] [--rounds N]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.preprocessing import StandardScaler

from attar.shapers import AllButTheTop, CommonComponents, Whiten, ZScore

Make = Callable[[], Any]
PAIRS: dict[str, tuple[Make, Make]] = {
    "Whiten": (Whiten, lambda: PCA(whiten=True)),
    "AllButTheTop": (lambda: AllButTheTop(2), lambda: PCA(2)),
    "CommonComponents": (CommonComponents, lambda: TruncatedSVD(1, n_iter=7, random_state=0)),
    "ZScore": (ZScore, StandardScaler),
}


def vectors(n: int, d: int, spread: float = 1.0, far: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
    return ((rng.standard_normal((n, d)) * np.geomspace(1, spread, d)) @ turn + far).astype(np.float32)


def variances(fitted: Any, d: int) -> np.ndarray:
    if isinstance(fitted, Whiten):
        return 1 / (fitted.affine().linear ** 2).sum(axis=0)
    return np.asarray(fitted.explained_variance_, dtype=np.float64)[:d]


def removed(fitted: Any) -> np.ndarray:
    """The projection onto the axes that are removed."""
    if isinstance(fitted, (AllButTheTop, CommonComponents)):
        return np.eye(fitted.n_features_in_) - fitted.affine().linear
    return fitted.components_.T.astype(np.float64) @ fitted.components_


def variances_off(fitted: Any, x: np.ndarray) -> float:
    exact = np.linalg.eigvalsh(np.cov(x.T.astype(np.float64)))[::-1]
    return float(np.abs(variances(fitted, x.shape[1]) / exact - 1).max())


def axes_off(fitted: Any, x: np.ndarray) -> float:
    exact = x.astype(np.float64)
    centred = not isinstance(fitted, (CommonComponents, TruncatedSVD))
    n = 2 if centred else 1
    axes = np.linalg.eigh(np.cov(exact.T) if centred else exact.T @ exact)[1][:, -n:]
    return float(np.abs(removed(fitted) - axes @ axes.T).max())


OFF = {"Whiten": variances_off, "AllButTheTop": axes_off, "CommonComponents": axes_off}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    for d in (384, 768):
        x, hard = vectors(args.n, d, 0.1), vectors(args.n, d, 1 / 30, 100.0)
        print(f"{args.n:,} x {d} float32, {args.rounds} rounds")
        for name, pair in PAIRS.items():
            spent: tuple[list[float], list[float]] = ([], [])
            for number in range(args.rounds + 1):
                for make, times in zip(pair, spent, strict=True):
                    time.sleep(0.2)  # until the threads of the one before sleep too
                    began = time.perf_counter()
                    make().fit(x)
                    if number:  # the first one warms up
                        times.append(time.perf_counter() - began)
            ratios = np.array(spent[1]) / np.array(spent[0])
            errors = [f"{OFF[name](make().fit(hard), hard):.0e}" for make in pair if name in OFF]
            told = f"; off by {' and '.join(errors)}" if errors else ""
            print(
                f"  {name:18}{np.median(spent[0]) * 1e3:7.1f} ms, scikit-learn {np.median(spent[1]) * 1e3:7.1f} ms: "
                f"{np.median(ratios):.2f} times as fast ({ratios.min():.2f} to {ratios.max():.2f}){told}"
            )


if __name__ == "__main__":
    main()
