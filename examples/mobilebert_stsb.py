"""Finds a recipe for a model on STS-B: chosen on the dev pairs among many, then told on the test pairs.

    python examples/mobilebert_stsb.py MODEL_FOLDER DATA_FOLDER

Every text goes through the model once for each template; all layers, weights and shapers are tried on what came out.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import spearmanr

from attar import Embedder, Transformer, shapers, tasks, weights
from attar.pipeline import distinct_texts
from attar.pooling import mix_layers, pool_texts
from attar.types import Floats

# For each template the weights to try.
WEIGHTS = {
    "none": ("mean", "idf", "debiased"),
    "T0": ("mask", "mean-without-masks", "idf", "debiased"),
    "T4": ("mask", "mean-without-masks", "idf", "debiased"),
}
SHAPES = ("none", "zscore", "quantile", "whiten", "abtt:1")


@dataclass(frozen=True)
class Choice:
    template: str
    weights: str
    layers: tuple[int, ...]
    shape: str

    def row(self, dev: float, test: float) -> str:
        several = (
            f"{self.layers[0]} to {self.layers[-1]}" if len(self.layers) > 4 else " + ".join(map(str, self.layers))
        )
        return f"| {self.template} | {self.weights} | {several} | {self.shape} | {dev:.1f} | {test:.1f} |"


def layer_sets(last: int) -> Iterator[tuple[int, ...]]:
    """Every layer alone, and the sets that the paper found good, with this model's last layer for BERT's."""
    yield from ((layer,) for layer in range(last + 1))
    yield from ((1, last), (1, 2, last), (0, 1, 2, last), (last - 1, last), (1, last // 2, last))
    yield tuple(range(1, last + 1))


def spearman(task: tasks.StsTask, vectors: Floats) -> float:
    unit = shapers.Unit().transform(vectors)
    left, right = unit[: len(task.left)], unit[len(task.left) :]
    return 100 * float(spearmanr(np.einsum("nd,nd->n", left, right), task.scores).statistic)


def scores(encoder: Transformer, template: str, task: tasks.StsTask, among: Collection[Choice]) -> dict[Choice, float]:
    """Both sides of all pairs are the target texts: what learns, learns from them together."""
    once, rows = distinct_texts(task.texts)
    names = WEIGHTS[template]
    fitted = [weights.parse(name).fit(encoder.tokenize(task.texts), encoder.vocabulary) for name in names]
    started = time.perf_counter()
    pooled = pool_texts(encoder, once, fitted, range(encoder.n_layers + 1))
    seconds = time.perf_counter() - started
    n_tokens = len(pooled.tokens.ids)
    print(f"{task.name}, template {template}: {n_tokens} tokens in {seconds:.0f} s", file=sys.stderr)
    found = {}
    for choice in among:
        by_layer = pooled.vectors[names.index(choice.weights)][:, list(choice.layers)]  # (N, L, D)
        vectors = mix_layers(by_layer, [1 / len(choice.layers)] * len(choice.layers))[rows]
        for shaper in shapers.parse(choice.shape):
            vectors = shaper.fit_transform(vectors)
        found[choice] = spearman(task, vectors)
    return found


def main(model: str, data: str) -> None:
    encoders = {name: Transformer(model, template=None if name == "none" else name) for name in WEIGHTS}
    dev_task, test_task = (tasks.load("STS-B", data, split=split) for split in ("dev", "test"))
    last = encoders["none"].n_layers
    dev: dict[Choice, float] = {}
    for template, encoder in encoders.items():
        grid = [Choice(template, w, l, s) for w in WEIGHTS[template] for l in layer_sets(last) for s in SHAPES]  # noqa: E741
        dev |= scores(encoder, template, dev_task, grid)

    def best(**fixed: object) -> Choice:
        return max((c for c in dev if all(getattr(c, k) == v for k, v in fixed.items())), key=dev.__getitem__)

    shown = [Choice("none", "mean", (last,), "none"), Choice("none", "mean", (1, last), "none")]
    shown += [best(template="none", weights="mean", shape=shape) for shape in SHAPES]
    shown += [best(template="none", weights=name) for name in WEIGHTS["none"]]
    shown += [best(template=template, weights=name) for template in ("T0", "T4") for name in WEIGHTS[template]]
    shown = list(dict.fromkeys([*shown, best()]))
    test: dict[Choice, float] = {}
    for template, encoder in encoders.items():
        test |= scores(encoder, template, test_task, [choice for choice in shown if choice.template == template])

    print("| template | weights | layers | shape | dev | test |\n|---|---|---|---|---|---|")
    for choice in shown:
        print(choice.row(dev[choice], test[choice]))
    chosen = best()
    embedder = Embedder(
        encoders[chosen.template], chosen.layers, weights.parse(chosen.weights), shapers.parse(chosen.shape)
    )
    whole = spearman(test_task, embedder.fit_transform(test_task.texts))
    print(f"\n{len(dev)} recipes tried on dev; the best, {chosen}, through Embedder.fit_transform on test: {whole:.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
