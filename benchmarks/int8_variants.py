"""Which products of a block may be of 8-bit integers? Time, distance from float32 and STS-B for each choice.

The choice is made on the dev part; the test part shows what it is worth.
Run: python benchmarks/int8_variants.py [--n N] [--rounds N] [--part dev|test]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from precision import sts_benchmark, unit
from sample_texts import short_texts

from attar import Embedder, Transformer
from attar.checkpoints import default
from attar.engine import products
from attar.engine.kernels import Product
from attar.types import Floats
from attar.weights import Mean

Choose = Callable[[int, int], bool]  # (dims out, dims in) of a weight: not of 8 bits, but of bfloat16
CHOICES: dict[str, Choose] = {
    "all of 8 bits": lambda n, k: False,
    "narrowing of bfloat16 (int8)": lambda n, k: k > n,
    "narrowing and q, k, v": lambda n, k: k > n or n == 3 * k,
    "narrowing and mixing": lambda n, k: k >= n,
    "widening of bfloat16": lambda n, k: n > 3 * k,
    "all of bfloat16": lambda n, k: True,
}


def embedder(choose: Choose | None) -> Embedder:
    def product(weight: Floats) -> Product:
        n, k = weight.shape
        own = products.packed(weight, "bfloat16" if choose is not None and choose(n, k) else "int8")
        if own is None:
            raise SystemExit("this processor has no products of bfloat16 to compare with")
        return own

    usual = products.PRODUCTS["int8"]
    products.PRODUCTS["int8"] = products.float32 if choose is None else product
    try:
        made = Embedder(Transformer(default.folder(), precision="int8"), weights=Mean(specials=True))
        made.encode("loaded at the first text")
        return made
    finally:
        products.PRODUCTS["int8"] = usual


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--part", choices=["dev", "test"], default="dev")
    args = parser.parse_args()
    texts = short_texts(args.n)
    made = {"float32": embedder(None), **{name: embedder(choose) for name, choose in CHOICES.items()}}
    spent: dict[str, list[float]] = {name: [] for name in made}
    vectors = {name: unit(each.encode(texts)) for name, each in made.items()}
    for _ in range(args.rounds):
        for name, each in made.items():
            began = time.process_time()
            each.encode(texts)
            spent[name].append(time.process_time() - began)
    print(f"MiniLM, {args.n:,} short texts, CPU time of {args.rounds} rounds; STS-B {args.part}")
    for name, each in made.items():
        ratios = np.array(spent["float32"]) / np.array(spent[name])
        off = 1 - np.einsum("nd,nd->n", vectors[name], vectors["float32"])
        print(
            f"  {name:30}{np.median(ratios):6.2f} times as fast ({ratios.min():.2f} to {ratios.max():.2f}), 1 - cosine "
            f"{off.mean():.1e}, most {off.max():.1e}, {sts_benchmark(each, args.part):6.2f}"
        )


if __name__ == "__main__":
    main()
