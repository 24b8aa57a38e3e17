"""A transformer, its Avg. table and random vectors on STS, plain and shaped: the paper's comparison for any model.

    python examples/static_sts.py MODEL AVG_FOLDER DATA_FOLDER

MODEL is a model folder or `default` (the embedded MiniLM), AVG_FOLDER what `attar static` made of it over a corpus.
Every text goes through the model once. Prints Spearman x 100.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from attar import Random, Table, Transformer, shapers, tasks, weights
from attar.pooling import mix_layers, pool_texts
from attar.scores.correlation import spearman
from attar.scores.sts import cosines
from attar.types import Encoder, Floats

TASKS = ("STS12", "STS13", "STS14", "STS15", "STS-B")


def rows(encoder: Encoder, layer_sets: Sequence[tuple[int, ...]], data: str) -> dict[str, list[float]]:
    """Scores by what was done, one per task."""
    layers = sorted({layer for some in layer_sets for layer in some})
    found: dict[str, list[float]] = {}
    for name in TASKS:
        task = tasks.load(name, data)
        assert isinstance(task, tasks.StsTask)
        idf = weights.Idf().fit(encoder.tokenize(task.texts), encoder.vocabulary)
        pooled = pool_texts(encoder, task.texts, [weights.Mean(), idf], layers).vectors  # (2, N, L, D)
        for some in layer_sets:
            share = [1 / len(some) if layer in some else 0.0 for layer in layers]
            plain, by_idf = mix_layers(pooled, share)
            about = f"layer {some[0]}" if len(some) == 1 else "layers " + " + ".join(map(str, some))
            found.setdefault(f"{about}, mean", []).append(score(plain, task))
            found.setdefault(f"{about}, idf, z-score", []).append(score(shapers.ZScore().fit_transform(by_idf), task))
    return found


def score(vectors: Floats, task: tasks.StsTask) -> float:
    n = len(task.left)
    return 100 * spearman(cosines(vectors[:n], vectors[n:]), task.scores)


def main(model: str, folder: str, data: str) -> None:
    transformer, table = Transformer() if model == "default" else Transformer(model), Table.load(folder)
    last = transformer.n_layers
    random = Random(table.tokenizer.backend, seed=0)
    print(f"| | {' | '.join(TASKS)} | mean |\n" + "|---" * (len(TASKS) + 2) + "|")
    for name, encoder, layer_sets in (
        ("random", random, [(random.n_layers,)]),
        ("Avg.", table, [(1, last)]),
        ("transformer", transformer, [(last,), (1, last)]),
    ):
        for about, scores in rows(encoder, layer_sets, data).items():
            shown = " | ".join(f"{value:.1f}" for value in (*scores, float(np.mean(scores))))
            print(f"| {name}, {about} | {shown} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
