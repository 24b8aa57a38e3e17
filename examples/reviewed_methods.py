"""Methods that need no training, side by side on one model: Spearman x 100 on STS tasks.

    python examples/reviewed_methods.py MODEL DATA_FOLDER [--tasks sts] [--matching]

Weights and shapers learn from the texts of each task alone. `gain` is over the plain mean, with its 95 % interval over
the same resamples of pairs, so that small differences can be told apart. `--matching` adds what needs no vector at all.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from tempfile import TemporaryDirectory

import numpy as np

from attar import Embedder, Pooled, scores, tasks
from attar.encoders.cached import Cached
from attar.encoders.opening import open_encoder
from attar.matched import match
from attar.scores.sts import StsScores
from attar.tasks import StsTask
from attar.types import Encoder

# name: (weights, shapers, pooling)
METHODS = {
    "mean": ("mean", "", None),
    "idf": ("idf", "", None),
    "position": ("position", "", None),
    "SIF (1 component)": ("sif", "common:1", None),
    "SIF (10 components)": ("sif", "common:10", None),
    "uSIF": ("usif", "piecewise:5", None),
    "all but the top 2": ("mean", "abtt:2", None),
    "conceptor negation": ("mean", "conceptor:2", None),
    "whitening": ("mean", "whiten", None),
    "whitening to half of the dims": ("mean", "whiten:{half}", None),
    "z-score": ("mean", "zscore", None),
    "max": ("mean", "", "max"),
    "min": ("mean", "", "min"),
    "power mean, p = 3": ("mean", "", "power:3"),
    "mean, max and min": ("mean", "", "mean,max,min"),
    "DCT, 2 coefficients": ("mean", "", "dct:2"),
}
MATCHINGS = [(name, weights) for name in ("bertscore", "wmd", "wrd") for weights in ("mean", "idf")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="what `attar encode --model` takes")
    parser.add_argument("data", help="the folder with the datasets")
    parser.add_argument("--tasks", default="STS12,STS13,STS14,STS15,STS-B,SICK-R")
    parser.add_argument("--matching", action="store_true", help="BERTScore, WMD and WRD too")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        encoder = open_encoder(given.model)
        if encoder.contextual:  # each text goes through the model once, for all methods
            encoder = Cached(encoder, folder, layers=encoder.usual_layers)
        compare(encoder, given)


def compare(encoder: Encoder, given: argparse.Namespace) -> None:
    wanted = [task for task in tasks.load_selection(given.tasks, given.data) if isinstance(task, StsTask)]
    print(f"| method | {' | '.join(task.name for task in wanted)} | mean | gain |")
    print("|---" * (len(wanted) + 3) + "|")
    plain: list[StsScores] = []
    for name, found in measured(encoder, wanted, given.matching):
        plain = plain or found
        mean = np.mean([one["spearman"] for one in found])
        draws, before = (np.mean([one["draws"] for one in side], axis=0) for side in (found, plain))
        gain = scores.difference(mean, draws, np.mean([one["spearman"] for one in plain]), before)
        each = " | ".join(f"{100 * one['spearman']:.1f}" for one in found)
        told = f"{100 * gain.value:+.1f} ({100 * gain.low:+.1f} to {100 * gain.high:+.1f})"
        print(f"| {name} | {each} | {100 * mean:.1f} | {'' if found is plain else told} |", flush=True)


def measured(encoder: Encoder, wanted: list[StsTask], matching: bool) -> Iterator[tuple[str, list[StsScores]]]:
    half = encoder.width(encoder.n_layers) // 2
    for name, (weights, shapers, pooling) in METHODS.items():
        inner = encoder if pooling is None else Pooled(encoder, pooling)
        embedder = Embedder(inner, weights=weights, shapers=shapers.format(half=half))
        yield name, [scores.sts(embedder.fit_transform(task.texts), task) for task in wanted]
    for name, weights in MATCHINGS if matching else []:
        embedder = Embedder(encoder, weights=weights)
        yield f"{name}, {weights} weights (no vector)", [match(embedder, task, name) for task in wanted]


if __name__ == "__main__":
    main()
