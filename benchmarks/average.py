"""Avg. of a model over Wikitext-2: what it costs beside plain forward passes, how long it takes, what it scores.

    python benchmarks/average.py DATA_FOLDER [--model FOLDER] [--table FOLDER] [--limit N] [--rounds 5]

DATA_FOLDER holds wikitext-2.train.txt.gz and the STS tasks. The table is built once and kept in --table; a run that was
stopped goes on where it was. Without --model it is the embedded MiniLM.
"""

from __future__ import annotations

import argparse
import time
from itertools import islice
from pathlib import Path

import numpy as np

from attar import Embedder, Random, Table, Transformer, shapers, tasks, weights
from attar.encoders.average import average_tokens
from attar.evaluation import evaluate
from attar.tasks.wikitext import sentences
from attar.types import Encoder

TASKS = ("STS12", "STS13", "STS14", "STS15", "STS-B")
LAYERS = ("first", "last")


def build(encoder: Transformer, texts: list[str], folder: Path) -> Table:
    """The table, with minutes and tokens per second if it is built now."""
    if folder.exists():
        return Table.load(folder)
    start, cpu = time.perf_counter(), time.process_time()
    table = Table.average(encoder, texts, LAYERS, checkpoint=folder.with_name(folder.name + ".sums"))
    minutes, busy = (time.perf_counter() - start) / 60, (time.process_time() - cpu) / 60
    table.save(folder)
    made = table.made
    print(
        f"built from {made['texts']:,} sentences, {made['tokens']:,} tokens ({made['truncated']} sentences cut) in "
        f"{minutes:.1f} minutes ({busy:.1f} of CPU): {made['tokens'] / minutes / 60:,.0f} tokens/s; "
        f"{made['seen']:,} tokens seen, {made['unseen']:,} not ({made['unseen_filled_with']})"
    )
    return table


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


def scores(encoders: dict[str, Encoder], data: str) -> None:
    """Plain, and with idf and z-scores of the task's own texts, as in the paper's table."""
    methods = {
        "avg.": lambda e: Embedder(e, layers=LAYERS if e.n_layers > 1 else "last"),
        "idf + z-score": lambda e: Embedder(e, LAYERS if e.n_layers > 1 else "last", weights.Idf(), [shapers.ZScore()]),
    }
    print(f"{'':36}{''.join(f'{name:>8}' for name in TASKS)}{'mean':>8}")
    for name, encoder in encoders.items():
        for method, make in methods.items():
            found = [evaluate(make(encoder), tasks.load(task, data)).score for task in TASKS]
            print(f"{name + ', ' + method:36}{''.join(f'{x:8.1f}' for x in [*found, np.mean(found)])}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--model")
    parser.add_argument("--table", type=Path, default=Path("average-table"))
    parser.add_argument("--limit", type=int, help="only so many sentences")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sample", type=int, default=400, help="sentences for the cost")
    given = parser.parse_args()
    encoder = Transformer(given.model)
    texts = list(islice(sentences(Path(given.data) / "wikitext-2.train.txt.gz"), given.limit))
    if given.rounds:
        cost(encoder, texts[: given.sample], given.rounds)
    table = build(encoder, texts, given.table)
    random = Random(encoder.folder)
    scores({"transformer": encoder, "Avg.": table, "random": random}, given.data)


if __name__ == "__main__":
    main()
