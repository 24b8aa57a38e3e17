"""The price of a sweep: one pass that collects every layer under five aggregations, against a plain forward pass.

    python benchmarks/sweep.py [--model DIR] [--texts FILE] [--rounds 5]

The peer pools the last layer by the mean, which is what a plain embedding run does. Both tokenise the same texts; the
sweep also writes its blocks to disk. Rounds are interleaved; medians and spreads are printed.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from attar import Transformer, weights
from attar.fitting import fit_weights
from attar.pool import pool_texts
from attar.sweep.collect import FittedWeights, collect, group_layers
from attar.sweep.plan import MODEL, make_plan
from attar.sweep.subjects import Subject
from attar.tasks.wikitext import sentences
from attar.weights import Mean

WEIGHTS = ("mean", "mean+specials", "debiased", "first", "last")


def texts_of(path: str | None, n: int) -> tuple[str, ...]:
    if path is not None:
        return tuple(text for text, _ in zip(sentences(path), range(n), strict=False))
    words = [
        "the",
        "a",
        "river",
        "light",
        "walk",
        "music",
        "tree",
        "paper",
        "table",
        "window",
        "over",
        "under",
        "quickly",
        "slowly",
        "reads",
        "writes",
    ]
    return tuple(" ".join(words[(i * k + k) % len(words)] for k in range(3, 9 + i % 14)) + f" {i}" for i in range(n))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="a model folder; default: the embedded MiniLM")
    parser.add_argument("--texts", help="a file of paragraphs; default: made-up sentences")
    parser.add_argument("--n", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()

    encoder = Transformer(arguments.model)
    texts = texts_of(arguments.texts, arguments.n)
    layers = group_layers(range(-1, encoder.n_layers + 1), encoder)
    plan = make_plan([Subject("texts", "sts", texts, None)], (), WEIGHTS, (), {MODEL: layers}, 512)
    fitted = FittedWeights({name: fit_weights(weights.parse(name), encoder, {}) for name in WEIGHTS}, {})
    pool_texts(encoder, texts[:64], [Mean()], [encoder.n_layers])  # load and warm up

    plain: list[tuple[float, float]] = []
    swept: list[tuple[float, float]] = []
    for _ in range(arguments.rounds):
        start = time.perf_counter(), time.process_time()
        for first in range(0, len(texts), 512):
            pool_texts(encoder, texts[first : first + 512], [Mean()], [encoder.n_layers])
        plain.append((time.perf_counter() - start[0], time.process_time() - start[1]))
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter(), time.process_time()
            collect(encoder, plan, fitted, None, Path(folder), progress=False)
            swept.append((time.perf_counter() - start[0], time.process_time() - start[1]))

    n_tokens = len(encoder.tokenize(texts).ids)
    print(f"{encoder.name}: {len(texts)} texts, {n_tokens} tokens, {encoder.n_layers + 2} layers")
    print(f"{arguments.rounds} rounds, interleaved; median (least to greatest)")
    for clock, k in (("wall", 0), ("cpu", 1)):
        a, b = [p[k] for p in plain], [s[k] for s in swept]
        ratios = [y / x for x, y in zip(a, b, strict=True)]
        print(
            f"{clock:4}  plain {statistics.median(a):7.3f} s   all layers x {len(WEIGHTS)} aggregations "
            f"{statistics.median(b):7.3f} s   ratio {statistics.median(ratios):.3f} "
            f"({min(ratios):.3f} to {max(ratios):.3f})"
        )


if __name__ == "__main__":
    main()
