"""What do float64 and 8-bit products cost and give? Time against float32, and distance from the model in float64.

Run: python benchmarks/precision.py [--model minilm|bert-base|mobilebert] [--n N] [--rounds N]
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from extraction import model_folder
from sample_texts import short_texts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=["minilm", "bert-base", "mobilebert"], default="minilm")
    parser.add_argument("--n", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    from attar import Embedder, Transformer
    from attar.encoders.transformer import PRECISIONS

    texts = short_texts(args.n)
    embedders = {name: Embedder(Transformer(model_folder(args.model), precision=name)) for name in PRECISIONS}
    wall: dict[str, list[float]] = {name: [] for name in PRECISIONS}
    vectors = {name: embedder.encode(texts).astype(np.float64) for name, embedder in embedders.items()}
    for _ in range(args.rounds):
        for name, embedder in embedders.items():
            start = time.perf_counter()
            embedder.encode(texts)
            wall[name].append(time.perf_counter() - start)
    exact = vectors["float64"]
    print(f"{args.model}, {args.n:,} short texts, mean of the last layer, {args.rounds} rounds")
    for name, found in vectors.items():
        ratios = np.array(wall[name]) / np.array(wall["float32"])
        lengths = np.linalg.norm(exact, axis=1)
        off = np.linalg.norm(found - exact, axis=1) / lengths
        cosines = np.einsum("nd,nd->n", found, exact) / lengths / np.linalg.norm(found, axis=1)
        print(
            f"  {name:8}{np.median(wall[name]):6.2f} s, {np.median(ratios):.2f} times float32 ({ratios.min():.2f} to "
            f"{ratios.max():.2f}); from float64: distance {np.median(off):.1e} in the median, {off.max():.1e} at most; "
            f"cosine {np.median(cosines):.4f} in the median, {cosines.min():.4f} at least"
        )


if __name__ == "__main__":
    main()
