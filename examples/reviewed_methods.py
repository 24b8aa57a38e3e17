"""Methods that need no training, side by side on one model: Spearman x 100 on STS tasks.

    python examples/reviewed_methods.py MODEL DATA_FOLDER [--tasks sts] [--matching] [--head 1:10] [--zipfian CORPUS]

Weights and shapers learn from the texts of each task alone. `gain` is over the plain mean, with its 95 % interval over
the same resamples of pairs, so that small differences can be told apart. `--matching` adds what needs no vector at all,
`--head` Ditto with that head, `--zipfian` whitening under the frequencies of a corpus of paragraphs, for static models.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from tempfile import TemporaryDirectory

import numpy as np

from attar import Embedder, scores, tasks
from attar.encoders.attended import Attended
from attar.encoders.cached import Cached
from attar.encoders.opening import open_encoder
from attar.encoders.wrappers import WRAPPERS
from attar.encoders.zipfian import zipfian
from attar.matched import match
from attar.scores.sts import StsScores
from attar.tasks import StsTask
from attar.tokens.sentences import sentences
from attar.types import Encoder

Method = tuple[str, Encoder, str, str, str]  # name, encoder, weights, shapers, setting

# name: (weights, shapers, a setting of the encoder)
METHODS = {
    "mean": ("mean", "", ""),
    "idf": ("idf", "", ""),
    "position": ("position", "", ""),
    "SIF (1 component)": ("sif", "common:1", ""),
    "SIF (10 components)": ("sif", "common:10", ""),
    "uSIF": ("usif", "piecewise:5", ""),
    "all but the top 2": ("mean", "abtt:2", ""),
    "conceptor negation": ("mean", "conceptor:2", ""),
    "whitening": ("mean", "whiten", ""),
    "whitening to half of the dims": ("mean", "whiten:{half}", ""),
    "z-score": ("mean", "zscore", ""),
    "max": ("mean", "", "pooling max"),
    "min": ("mean", "", "pooling min"),
    "power mean, p = 3": ("mean", "", "pooling power:3"),
    "mean, max and min": ("mean", "", "pooling mean,max,min"),
    "DCT, 2 coefficients": ("mean", "", "pooling dct:2"),
}
# of transformers; each goes through the model again
DEEP = {
    "first and last layer, averaged": ("mean", "", "layers first,last"),
    "first and last layer, side by side": ("mean", "", "side_by_side first,last"),
    "the same, z-score": ("mean", "zscore", "side_by_side first,last"),
    "SBERT-WK, from layer 4": ("mean", "", "dissected 4"),
}
MATCHINGS = [(name, weights) for name in ("bertscore", "wmd", "wrd") for weights in ("mean", "idf")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="what `attar encode --model` takes")
    parser.add_argument("data", help="the folder with the datasets")
    parser.add_argument("--tasks", default="STS12,STS13,STS14,STS15,STS-B,SICK-R")
    parser.add_argument("--matching", action="store_true", help="BERTScore, WMD and WRD too")
    parser.add_argument("--head", help="layer and head of Ditto, such as 1:10")
    parser.add_argument("--zipfian", metavar="CORPUS", help="where tokens are counted, for Zipfian whitening")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        encoder = open_encoder(given.model)
        methods = [(name, encoder, *how) for name, how in METHODS.items()]
        if encoder.contextual:  # each text goes through the model once, for all methods that have one layer
            kept = Cached(encoder, folder, layers=encoder.usual_layers)
            methods = [(name, kept, *how) for name, how in METHODS.items()]
            methods += [(name, encoder, *how) for name, how in DEEP.items()]
        if given.head:
            ditto = Attended(encoder, given.head)
            methods.append((f"Ditto, head {given.head}, first and last layer", ditto, "mean", "", "layers first,last"))
        if given.zipfian:
            white = zipfian(encoder, sentences(given.zipfian))
            methods.append(("Zipfian whitening", white, "mean", "", ""))
        compare(methods, given)


def compare(methods: list[Method], given: argparse.Namespace) -> None:
    wanted = [task for task in tasks.load_selection(given.tasks, given.data) if isinstance(task, StsTask)]
    print(f"| method | {' | '.join(task.name for task in wanted)} | mean | gain |")
    print("|---" * (len(wanted) + 3) + "|")
    plain: list[StsScores] = []
    for name, found in measured(methods, wanted, given.matching):
        plain = plain or found
        mean = np.mean([one["spearman"] for one in found])
        draws, before = (np.mean([one["draws"] for one in side], axis=0) for side in (found, plain))
        gain = scores.difference(mean, draws, np.mean([one["spearman"] for one in plain]), before)
        each = " | ".join(f"{100 * one['spearman']:.1f}" for one in found)
        told = f"{100 * gain.value:+.1f} ({100 * gain.low:+.1f} to {100 * gain.high:+.1f})"
        print(f"| {name} | {each} | {100 * mean:.1f} | {'' if found is plain else told} |", flush=True)


def measured(methods: list[Method], wanted: list[StsTask], matching: bool) -> Iterator[tuple[str, list[StsScores]]]:
    for name, encoder, weights, shapers, setting in methods:
        half = encoder.width(encoder.n_layers) // 2
        kind, _, value = setting.partition(" ")
        made = next((w(encoder, value) for w in WRAPPERS.values() if w.setting == kind), encoder)
        layers = value if kind == "layers" else "last"
        embedder = Embedder(made, layers, weights=weights, shapers=shapers.format(half=half))
        yield name, [scores.sts(embedder.fit_transform(task.texts), task) for task in wanted]
    for name, weights in MATCHINGS if matching else []:
        embedder = Embedder(methods[0][1], weights=weights)
        yield f"{name}, {weights} weights (no vector)", [match(embedder, task, name) for task in wanted]


if __name__ == "__main__":
    main()
