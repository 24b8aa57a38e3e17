"""The price of a sweep: one pass that collects every layer under five aggregations, against a plain forward pass.

    python benchmarks/sweep.py [--model DIR] [--texts FILE] [--n 2048] [--rounds 5]

The peer is the same engine at its own pace: the last layer pooled by the mean, in chunks of the size that encoding
takes. Both tokenise the same texts; the sweep takes its smaller blocks and writes them to disk. Weights are fitted
before. Rounds are interleaved and take turns at going first; both clocks are printed, with medians and spreads.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from attar import Transformer, weights
from attar.pipeline import CHUNK, fit_weights
from attar.pooling import pool_texts
from attar.sweep.collect import FittedWeights, collect, group_layers
from attar.sweep.plan import MODEL, make_plan
from attar.sweep.run import Settings
from attar.sweep.subjects import Subject
from attar.tokens.sentences import sentences
from attar.weights import Mean

WEIGHTS = ("mean", "idf", "idf@background", "debiased", "mean+specials")
WORDS = ("the", "river", "light", "walks", "music", "tree", "paper", "table", "under", "quickly", "reads", "writes")
TARGET = 1.15
Seconds = tuple[float, float]  # wall, processor


def texts_of(path: str | None, n: int) -> tuple[str, ...]:
    if path is not None:
        return tuple(text for text, _ in zip(sentences(path), range(n), strict=False))
    return tuple(" ".join(WORDS[(i * k + k) % len(WORDS)] for k in range(3, 9 + i % 14)) + f" {i}" for i in range(n))


def timed(work: Callable[[], None]) -> Seconds:
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def shown(values: list[float]) -> str:
    return f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="a model folder; default: the embedded MiniLM")
    parser.add_argument("--texts", help="a file of paragraphs; default: made-up sentences")
    parser.add_argument("--n", type=int, default=2048)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()

    encoder = Transformer(arguments.model)
    texts = texts_of(arguments.texts, arguments.n)
    layers = group_layers(range(-1, encoder.n_layers + 1), encoder)
    plan = make_plan([Subject("texts", "sts", texts, None)], (), WEIGHTS, (), {MODEL: layers}, Settings().block_texts)
    corpora = {"target": texts, "background": texts}
    fitted = FittedWeights({name: fit_weights(weights.parse(name), encoder, corpora) for name in WEIGHTS}, {})

    def plain() -> None:
        for first in range(0, len(texts), CHUNK):
            pool_texts(encoder, texts[first : first + CHUNK], [Mean()], [encoder.n_layers])

    def swept() -> None:
        with tempfile.TemporaryDirectory() as folder:
            collect(encoder, plan, fitted, None, Path(folder), progress=False)

    taken: dict[str, list[Seconds]] = {"plain": [], "swept": []}
    works = [("plain", plain), ("swept", swept)]
    for _, work in works:  # load and warm up
        work()
    for round_ in range(arguments.rounds):
        for name, work in works if round_ % 2 == 0 else works[::-1]:
            taken[name].append(timed(work))

    n_tokens = len(encoder.tokenize(texts).ids)
    print(f"{encoder.name}: {len(texts)} texts, {n_tokens} tokens, {encoder.n_layers + 2} layers, {WEIGHTS}")
    cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    print(f"{arguments.rounds} rounds after one to warm up, {cores} cores, load {load:.1f}")
    print("seconds and ratios: median (least to greatest)")
    for clock, k in (("wall", 0), ("cpu", 1)):
        a, b = ([seconds[k] for seconds in taken[name]] for name in ("plain", "swept"))
        ratios = [y / x for x, y in zip(a, b, strict=True)]
        print(f"{clock:4}  plain {shown(a)}   all layers x {len(WEIGHTS)} {shown(b)}   ratio {shown(ratios)}")
        print(f"      {'within' if statistics.median(ratios) <= TARGET else 'beyond'} the {TARGET} aimed at")


if __name__ == "__main__":
    main()
