"""The main job on a small sample: embed it by several recipes, compare them, draw, and say what to do next."""

from __future__ import annotations

import csv
import io
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np

from attar.checkpoints import default
from attar.embedder import Embedder
from attar.encoders.transformer import Transformer
from attar.io.atomic import check_own_folder, make_own_folder, new_file
from attar.io.writing import write_vectors
from attar.scores.isotropy import isoscore
from attar.shapers.cosine import cosines
from attar.types import Floats

# what is shown, from the plain mean on: label and recipe
SHOWN = {
    "first layer, mean": "default | none | first | mean",
    "last layer, mean": "default | none | last | mean",
    "first + last, mean": "default | none | first,last | mean",
    "first + last, idf": "default | none | first,last | idf",
    "first + last, debiased": "default | none | first,last | debiased",
    "last layer, mean, z-score": "default | none | last | mean | zscore",
    "first + last, idf, z-score": "default | none | first,last | idf | zscore",
}
KIND, SENTENCES, VECTORS, PICTURE = "the folder of a demo", "sentences.txt", "vectors.npy", "comparison.png"
DRAWN = ("first layer, mean", "last layer, mean", "first + last, idf, z-score")


@dataclass(frozen=True)
class Sample:
    """Sentences, each next to its paraphrase: rows 2i and 2i + 1 mean the same."""

    texts: list[str]
    topics: list[str]

    @classmethod
    def read(cls) -> Sample:
        table = files("attar").joinpath("resources/sample.tsv").read_text(encoding="utf-8")
        rows = list(csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE))
        texts = [row[side] for row in rows for side in ("sentence", "paraphrase")]
        return cls(texts, [row["topic"] for row in rows for _ in range(2)])

    @property
    def paraphrase(self) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        return np.arange(len(self.texts)) ^ 1


@dataclass(frozen=True)
class Row:
    """One line of the comparison."""

    label: str
    found: float  # share of sentences whose nearest neighbour is their paraphrase
    gap: float  # mean cosine with the paraphrase minus mean cosine with all others
    isotropy: float
    cosines: Floats  # (N, N)


def run(folder: Path, model: str | None = None) -> str:
    """Do it all; what to print."""
    started = time.perf_counter()
    check_own_folder(folder, is_demo, KIND)
    sample = Sample.read()
    encoder = Transformer(model)
    if model is None:
        default.verify()
    log = logging.getLogger("attar")
    usual = log.level
    log.setLevel(logging.ERROR)  # that 48 sentences are few to learn from need not be said of a demo
    vectors = {label: Embedder.from_recipe(text, encoder).fit_transform(sample.texts) for label, text in SHOWN.items()}
    log.setLevel(usual)
    rows = [_compare(label, v, sample) for label, v in vectors.items()]
    make_own_folder(folder, is_demo, KIND)
    with new_file(folder / SENTENCES) as aside:
        aside.write_text("\n".join(sample.texts) + "\n", encoding="utf-8")
    write_vectors([vectors["last layer, mean"]], str(folder / VECTORS))
    with new_file(folder / PICTURE) as aside:
        _draw([row for row in rows if row.label in DRAWN], sample, aside)
    seconds = time.perf_counter() - started
    return _told(rows, sample, encoder, folder, seconds)


def is_demo(names: Sequence[str]) -> bool:
    """Whether a folder holds what the demo writes, and nothing else."""
    return set(names) <= {SENTENCES, VECTORS, PICTURE}


def _compare(label: str, vectors: Floats, sample: Sample) -> Row:
    every, n = cosines(vectors, vectors), len(vectors)  # (N, N)
    others = every - 2 * np.eye(n, dtype=np.float32)
    pairs = every[np.arange(n), sample.paraphrase]
    outside = (every.sum(axis=1) - 1 - pairs) / (n - 2)
    found = float((others.argmax(axis=1) == sample.paraphrase).mean())
    return Row(label, found, float((pairs - outside).mean()), isoscore(vectors), every)


def _told(rows: list[Row], sample: Sample, encoder: Transformer, folder: Path, seconds: float) -> str:
    width = max(len(row.label) for row in rows)
    lines = [
        f"{len(sample.texts)} sentences in {len(sample.texts) // 2} pairs that mean the same, in {seconds:.1f} s",
        f"by {encoder.name!r}: {encoder.n_layers} layers x {encoder.width(encoder.n_layers)}.",
        "",
        f"{'':{width}}  paraphrase found  closer than others  isotropy",
    ]
    lines += [f"{row.label:{width}}  {row.found:>15.0%}  {row.gap:>18.2f}  {row.isotropy:>8.3f}" for row in rows]
    lines += [
        "",
        "paraphrase found: the nearest neighbour of a sentence is the one that means the same.",
        "closer than others: cosine with it, minus the mean cosine with all others.",
        "isotropy: IsoScore, how evenly the vectors use their space (0 to 1).",
        "",
        f"Written to {folder}/: vectors.npy (last layer, mean), sentences.txt, comparison.png.",
        "",
        "Next:",
        f"  attar index {folder}/sentences.txt -o my-index",
        '  attar search my-index "soup that tastes better a day later"',
        "  attar choose your-texts.txt --model ./your-model -o my-recipe",
        "  attar encode your-texts.txt --recipe my-recipe -o vectors.npy",
        "  attar recipes",
    ]
    return "\n".join(lines)


def _draw(rows: list[Row], sample: Sample, path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(rows), figsize=(4.4 * len(rows), 5.1), layout="constrained")
    starts = [i for i, topic in enumerate(sample.topics) if i == 0 or topic != sample.topics[i - 1]]
    for axis, row in zip(axes, rows, strict=True):
        image = axis.imshow(row.cosines, vmin=-0.2, vmax=1, cmap="magma", interpolation="nearest")
        axis.set_title(f"{row.label}\nparaphrase found {row.found:.0%}, gap {row.gap:.2f}", fontsize=11)
        axis.set_yticks([start + 3.5 for start in starts], [sample.topics[start] for start in starts], fontsize=9)
        axis.set_xticks([])
        for start in starts[1:]:
            axis.axhline(start - 0.5, color="white", linewidth=0.4, alpha=0.5)
            axis.axvline(start - 0.5, color="white", linewidth=0.4, alpha=0.5)
    figure.colorbar(image, ax=axes, shrink=0.7, label="cosine")
    figure.suptitle("Cosine of every sentence with every other: paraphrases lie next to the diagonal", fontsize=12)
    figure.savefig(path, dpi=130)
    plt.close(figure)
