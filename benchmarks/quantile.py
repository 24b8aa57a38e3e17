"""How much faster is attar's Quantile than scikit-learn's QuantileTransformer, for equal output?

Both are fitted on and applied to the same float32 vectors in one process, turn by turn; neither starts threads.
With --normal the tails differ: scikit-learn rounds shares to float32 before it takes their deviates, attar after.
Run: python benchmarks/quantile.py [--quick] [--rounds N] [--normal]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from sklearn.preprocessing import QuantileTransformer

from attar.shapers import Quantile
from attar.shapers.quantile import Output


def vectors(n: int, d: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return (rng.standard_normal((n, d)) * rng.gamma(1, 1, d) + rng.standard_normal(d)).astype(np.float32)


def timed(run: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    start = time.perf_counter()
    out = run()
    return time.perf_counter() - start, out


def spread(numbers: list[float]) -> str:
    return f"{np.median(numbers):.2f} ({min(numbers):.2f} to {max(numbers):.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="4,000 x 96 instead of 20,000 x 768")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--normal", action="store_true", help="output normal instead of uniform")
    args = parser.parse_args()
    n, d = (4_000, 96) if args.quick else (20_000, 768)
    output: Output = "normal" if args.normal else "uniform"
    peer = QuantileTransformer(n_quantiles=min(1000, n), subsample=None, output_distribution=output)
    x = vectors(n, d)

    ours, theirs = [], []
    for _ in range(args.rounds):
        seconds, a = timed(lambda: Quantile(output).fit(x).transform(x))
        ours.append(seconds)
        seconds, b = timed(lambda: peer.fit(x).transform(x))
        theirs.append(seconds)

    ratios = [t / o for t, o in zip(theirs, ours, strict=True)]
    print(f"fit + transform of {n:,} x {d} float32, output {output}, {args.rounds} rounds: median (least to greatest)")
    print(f"  attar Quantile                     {spread(ours)} s")
    print(f"  scikit-learn QuantileTransformer   {spread(theirs)} s")
    print(f"  times faster                       {spread(ratios)}")
    print(f"  greatest difference of outputs     {np.abs(a - b).max():.1e}")


if __name__ == "__main__":
    main()
