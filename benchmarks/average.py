"""What does the Avg. of a model cost beside plain forward passes over the same tokens?

Run: python benchmarks/average.py DATA_FOLDER [--model FOLDER] [--sample N] [--rounds N]
DATA_FOLDER holds wikitext-2.train.txt.gz. Without --model it is the embedded MiniLM.
"""

from __future__ import annotations

import argparse
import time
from itertools import islice
from pathlib import Path

import numpy as np

from attar import Transformer
from attar.encoders.average import average_tokens
from attar.tokens.sentences import sentences


def cost(encoder: Transformer, texts: list[str], rounds: int) -> None:
    """Averaging, tokenisation included, against forward passes of the same tokens whose states nobody looks at."""
    tokens = encoder.tokenize(texts)
    layers = (1, encoder.n_layers)
    nothing = np.zeros((0, len(tokens.ids)), dtype=np.float32)
    runs = {
        "forward passes": lambda: encoder.pool(tokens, nothing, layers),
        "averaging": lambda: average_tokens(encoder, texts, layers, progress=False),
    }
    cpu: dict[str, list[float]] = {name: [] for name in runs}
    wall: dict[str, list[float]] = {name: [] for name in runs}
    for i in range(rounds + 1):
        for name in list(runs)[:: 1 if i % 2 else -1]:
            start, busy = time.perf_counter(), time.process_time()
            runs[name]()
            if i:  # the first round warms up
                wall[name].append(time.perf_counter() - start)
                cpu[name].append(time.process_time() - busy)
    print(f"{len(texts):,} sentences, {len(tokens.ids):,} tokens, {rounds} rounds; median (least to most)")
    for name in runs:
        shown = [f"{np.median(v):.2f} s ({min(v):.2f} to {max(v):.2f})" for v in (wall[name], cpu[name])]
        print(f"  {name:15} wall {shown[0]}, CPU {shown[1]}")
    for kind, times in (("wall", wall), ("CPU", cpu)):
        ratios = np.array(times["averaging"]) / np.array(times["forward passes"])
        print(f"  averaging costs {np.median(ratios):.3f} x by {kind} ({ratios.min():.3f} to {ratios.max():.3f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--model")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sample", type=int, default=1000, help="sentences")
    given = parser.parse_args()
    texts = list(islice(sentences(Path(given.data) / "wikitext-2.train.txt.gz"), given.sample))
    cost(Transformer(given.model), texts, given.rounds)


if __name__ == "__main__":
    main()
