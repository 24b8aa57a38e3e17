"""What do shorter and longer numbers cost and give? Time against float32, distance from float64, and STS-B.

Run: python benchmarks/precision.py [--model minilm|bert-base|mobilebert] [--n N] [--rounds N]
"""

from __future__ import annotations

import argparse
import csv
import gzip
import time

import numpy as np
from extraction import model_folder
from sample_texts import DATA, short_texts

NAMES = ("float32", "bfloat16", "int8", "float64")


def sts_benchmark(embedder, part: str = "test") -> float:  # type: ignore[no-untyped-def]
    """Spearman x 100 of cosines."""
    from scipy.stats import spearmanr

    with gzip.open(DATA / f"STSB.{part}.tsv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    left, right = (unit(embedder.encode([row[side] for row in rows])) for side in ("sentence1", "sentence2"))
    return 100 * float(spearmanr((left * right).sum(1), [float(row["score"]) for row in rows]).statistic)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=["minilm", "bert-base", "mobilebert"], default="minilm")
    parser.add_argument("--n", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    from attar import Embedder, Transformer
    from attar.weights import Mean

    texts, folder = short_texts(args.n), model_folder(args.model)
    embedders = {name: Embedder(Transformer(folder, precision=name), weights=Mean(specials=True)) for name in NAMES}
    vectors = {name: unit(embedder.encode(texts)) for name, embedder in embedders.items()}
    wall: dict[str, list[float]] = {name: [] for name in NAMES}
    cpu: dict[str, list[float]] = {name: [] for name in NAMES}
    for _ in range(args.rounds):
        for name, embedder in embedders.items():
            began_cpu, began = time.process_time(), time.perf_counter()
            embedder.encode(texts)
            wall[name].append(time.perf_counter() - began)
            cpu[name].append(time.process_time() - began_cpu)
    print(f"{args.model}, {args.n:,} short texts, mean of the last layer, {args.rounds} rounds")
    print(f"  {'':10}{'times as fast':>15}{'(spread)':>18}{'by CPU':>8}{'1 - cosine: mean':>18}{'most':>9}{'STS-B':>8}")
    for name in NAMES:
        ratios, cpu_ratios = (np.array(spent["float32"]) / np.array(spent[name]) for spent in (wall, cpu))
        off = 1 - np.einsum("nd,nd->n", vectors[name], vectors["float64"])
        spread = f"({ratios.min():.2f} to {ratios.max():.2f})"
        sts = f"{sts_benchmark(embedders[name]):8.2f}" if args.model != "bert-base" else f"{'':8}"
        print(
            f"  {name:10}{np.median(ratios):15.2f}{spread:>18}{np.median(cpu_ratios):8.2f}{off.mean():18.1e}"
            f"{off.max():9.1e}{sts}"
        )


def unit(rows: np.ndarray) -> np.ndarray:
    exact = rows.astype(np.float64)
    return exact / np.linalg.norm(exact, axis=1, keepdims=True)


if __name__ == "__main__":
    main()
