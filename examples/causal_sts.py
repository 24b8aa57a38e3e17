"""What prompts, layers and shaping make of a causal language model, against the mean of its last layer.

    python examples/causal_sts.py MODEL DATA_FOLDER [--tasks STS-B,STS12=500,tweet] [--dev-rows 500]

MODEL is a .gguf file or a model folder. Every text goes through the model once for each prompt. The layer of each row
is chosen on STS-B dev, with the shaping of that row; shapers and idf learn from a task's texts, never from its answers.
STS12=500 takes 500 of the task's rows, evenly spaced, in place of all. Prints Spearman x 100, or accuracy x 100 for
clusters and classes.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from attar import Transformer, scores, shapers, tasks, weights
from attar.pooling import pool_texts
from attar.types import Floats
from attar.weights import Weighting


@dataclass(frozen=True)
class Way:
    """How a text becomes one vector per layer: prompts that are averaged, and token weights."""

    name: str
    prompts: tuple[str | None, ...]
    weights: str


WAYS = [
    Way("mean", (None,), "mean"),
    Way("last token", (None,), "last"),
    Way("position-weighted mean", (None,), "position"),
    Way("idf mean", (None,), "idf"),
    Way("echo, mean of the second copy", ("echo",), "text"),
    Way("eol, answer", ("eol",), "answer"),
    Way("cot, answer", ("cot",), "answer"),
    Way("knowledge, answer", ("knowledge",), "answer"),
    Way("cot+knowledge, answers averaged", ("cot", "knowledge"), "answer"),
]
Vectors = dict[tuple[str | None, str], Floats]  # by prompt and weights: (N, L, D)


def pooled(model: Transformer, texts: Sequence[str], layers: dict[str | None, list[int]]) -> Vectors:
    """One pass for each prompt."""
    found: Vectors = {}
    for prompt, wanted in layers.items():
        encoder = Transformer(model.name, template=prompt)
        encoder.__dict__["_model"] = model._model
        names = sorted({way.weights for way in WAYS if prompt in way.prompts})
        chosen = [fitted(weights.parse(name), encoder, texts) for name in names]
        parts = [texts[at : at + 256] for at in range(0, len(texts), 256)]
        vectors = np.concatenate([pool_texts(encoder, part, chosen, wanted).vectors for part in parts], axis=1)
        found |= {(prompt, name): vectors[n] for n, name in enumerate(names)}
    return found


def fitted(weighting: Weighting, encoder: Transformer, texts: Sequence[str]) -> Weighting:
    return weighting.fit(encoder.tokenize(texts), encoder.vocabulary)


def of_way(way: Way, vectors: Vectors, layer: dict[str | None, int]) -> Floats:
    parts = [vectors[prompt, way.weights][:, layer[prompt]] for prompt in way.prompts]
    mean: Floats = np.mean(parts, axis=0)
    return mean


def score(vectors: Floats, task: tasks.Task, rows: Sequence[int], shape: bool) -> float:
    shaped = shapers.ZScore().fit_transform(vectors) if shape else vectors
    return 100 * float(scores.score(shaped[rows], task)["score"])  # type: ignore[arg-type]


def some(task: tasks.Task, n: int | None) -> tasks.Task:
    """So many rows, evenly spaced."""
    size = len(task.texts) // 2 if isinstance(task, tasks.StsTask) else len(task.texts)
    if n is None or n >= size or isinstance(task, tasks.ClassifyTask):
        return task
    keep = np.linspace(0, size - 1, n).astype(int)

    def take(values: Sequence[str]) -> tuple[str, ...]:
        return tuple(values[i] for i in keep) if values else ()

    if isinstance(task, tasks.StsTask):
        left, right, subsets = take(task.left), take(task.right), take(task.subsets)
        return replace(task, left=left, right=right, scores=task.scores[keep], subsets=subsets)
    return replace(task, texts=take(task.texts), labels=task.labels[keep])


def choose_layers(model: Transformer, task: tasks.Task) -> dict[tuple[Way, bool], int]:
    """The best layer of each way on dev, plain and shaped."""
    every = list(range(1, model.n_layers + 1))
    once, rows = distinct(task.texts)
    vectors = pooled(model, once, dict.fromkeys(prompts(), every))
    chosen = {}
    for way in WAYS:
        for shape in (False, True):
            found = [
                score(of_way(way, vectors, dict.fromkeys(way.prompts, at)), task, rows, shape)
                for at in range(len(every))
            ]
            chosen[way, shape] = every[int(np.argmax(found))]
            print(
                f"dev: {way.name}{', z-score' if shape else ''}: layer {chosen[way, shape]} {max(found):.1f}, "
                f"last {found[-1]:.1f}, second last {found[-2]:.1f}, layer 1 {found[0]:.1f}",
                flush=True,
            )
    return chosen


def prompts() -> list[str | None]:
    return list(dict.fromkeys(prompt for way in WAYS for prompt in way.prompts))


def distinct(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    found: dict[str, int] = {}
    rows = [found.setdefault(text, len(found)) for text in texts]
    return list(found), rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("data")
    parser.add_argument("--tasks", default="STS12,STS13,STS14,STS15,STS-B,SICK-R,tweet,agnews,MR,TREC")
    parser.add_argument("--dev-rows", type=int, help="rows of STS-B dev, evenly spaced; default: all")
    given = parser.parse_args()
    model = Transformer(given.model)
    chosen = choose_layers(model, some(tasks.load("STS-B", given.data, split="dev"), given.dev_rows))
    print(
        "\n| task | rows | tokens | last layer | last, z-score | chosen layer | chosen, z-score |\n" + "|---" * 7 + "|"
    )
    for selection in given.tasks.split(","):
        name, _, number = selection.partition("=")
        task = some(tasks.load(name, given.data), int(number) if number else None)
        once, rows = distinct(task.texts)
        wanted = {
            p: sorted({model.n_layers} | {layer for (way, _), layer in chosen.items() if p in way.prompts})
            for p in prompts()
        }
        vectors = pooled(model, once, wanted)
        for way in WAYS:
            cells = []
            for best in (False, True):
                for shape in (False, True):
                    layer = chosen[way, shape] if best else model.n_layers
                    place = {p: wanted[p].index(layer) for p in way.prompts}
                    cells.append(f"{score(of_way(way, vectors, place), task, rows, shape):.1f}")
            n_rows = len(task.texts) // (2 if isinstance(task, tasks.StsTask) else 1)
            print(f"| {name} | {n_rows} | {way.name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
