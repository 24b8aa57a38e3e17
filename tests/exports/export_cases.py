"""Recipes to export, sentences to compare on, and a process without Attar to load the exports in."""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import tiny_models
from attar import Embedder, Transformer, shapers, tasks, weights
from attar.types import Doubles, Floats

Make = Callable[[Callable[..., Transformer]], Embedder]

# Each takes a maker of encoders, which may be given a template.
RECIPES: dict[str, Make] = {
    "last layer": lambda m: Embedder(m()),
    "inner layer": lambda m: Embedder(m(), layers=2),
    "input layer": lambda m: Embedder(m(), layers=0),
    "first + last": lambda m: Embedder(m(), layers=("first", "last")),
    "weighted layers": lambda m: Embedder(m(), layers={1: 0.5, 3: 1.0}),
    "idf": lambda m: Embedder(m(), weights=weights.Idf()),
    "sif": lambda m: Embedder(m(), layers=1, weights=weights.Sif()),
    "debiased": lambda m: Embedder(m(), weights=weights.Debiased()),
    "with specials": lambda m: Embedder(m(), weights=weights.Mean(specials=True)),
    "[CLS]": lambda m: Embedder(m(), weights=weights.First()),
    "[SEP]": lambda m: Embedder(m(), weights=weights.Last()),
    "T0 mask": lambda m: Embedder(m("T0"), weights=weights.Mask()),
    "T4 masks": lambda m: Embedder(m("T4"), layers=(2, 3), weights=weights.Mask()),
    "T4 without masks": lambda m: Embedder(m("T4"), weights=weights.Mean(masks=False)),
    "z-score": lambda m: Embedder(m(), shapers=[shapers.ZScore()]),
    "whitening": lambda m: Embedder(m(), shapers=[shapers.Whiten(8)]),
    "abtt": lambda m: Embedder(m(), shapers=[shapers.AllButTheTop(2)]),
    "unit": lambda m: Embedder(m(), shapers=[shapers.Unit()]),
    "robust, abtt, unit": lambda m: Embedder(m(), 1, shapers=shapers.parse("robust,abtt:1,unit")),
    "unit between": lambda m: Embedder(m(), shapers=shapers.parse("center,unit,zscore")),
    "similarity": lambda m: Embedder(m(), ("first", "last"), weights.Idf(), shapers.parse("zscore,unit")),
    "T0 idf, whitening": lambda m: Embedder(m("T0"), (0, 3), weights.Idf(), shapers.parse("whiten:6,unit")),
    "clustering": lambda m: Embedder(m(), ("first", "last"), weights.Debiased(), shapers.parse("unit")),
}

_RELOADING = """
import importlib.abc, json, sys

class NoAttar(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "attar":
            raise ImportError("attar is not here")

sys.meta_path.insert(0, NoAttar())
try:
    import attar
except ImportError:
    pass
else:
    raise SystemExit("attar could be imported")
import numpy as np

job = json.load(sys.stdin)
out = {}
for name, (folder, texts) in job["cases"].items():
    exec(job["code"])
np.savez(job["target"], **out)
"""

SENTENCE_TRANSFORMERS = """
from sentence_transformers import SentenceTransformer
out[name] = SentenceTransformer(folder, device="cpu").encode(texts)
"""
MODEL2VEC = """
from model2vec import StaticModel
out[name] = StaticModel.from_pretrained(folder).encode(texts)
"""
ONNX = """
import onnxruntime
from tokenizers import Tokenizer

tokenizer = Tokenizer.from_file(folder + "/tokenizer.json")
tokenizer.encode_special_tokens = True
session = onnxruntime.InferenceSession(folder + "/model.onnx")
parts = []
for start in range(0, len(texts), 32):
    batch = tokenizer.encode_batch(texts[start : start + 32])
    ids, mask = (np.array([getattr(e, key) for e in batch]) for key in ("ids", "attention_mask"))
    parts += session.run(["sentence_embedding"], {"input_ids": ids, "attention_mask": mask})
out[name] = np.concatenate(parts)
"""


@dataclass(frozen=True)
class Case:
    """An embedder, the folder it is exported to, and texts to compare on."""

    embedder: Embedder
    folder: Path
    texts: Sequence[str]

    def wanted(self) -> Floats:
        return self.embedder.encode(self.texts)


def reloaded(code: str, cases: Mapping[str, Case], place: Path) -> dict[str, Floats]:
    """What the exported folders give in a process that can't import Attar."""
    target = place / "vectors.npz"
    listed = {name: (str(case.folder), list(case.texts)) for name, case in cases.items()}
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}
    done = subprocess.run(
        [sys.executable, "-c", _RELOADING],
        input=json.dumps({"cases": listed, "code": code, "target": str(target)}),
        text=True,
        capture_output=True,
        env=environment,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    with np.load(target) as arrays:
        return dict(arrays)


def off(found: npt.NDArray[Any], wanted: npt.NDArray[Any]) -> Doubles:
    """How far each vector is from the wanted one, relative to its length. Shape: (N, D), (N, D) -> (N,)"""
    a, b = found.astype(np.float64), wanted.astype(np.float64)
    lengths = np.linalg.norm(b, axis=1)
    distances: Doubles = np.linalg.norm(a - b, axis=1) / np.where(lengths > 0, lengths, 1)
    return distances


def check_same(found: Floats, wanted: Floats, name: str = "", tolerance: float = 1e-5) -> None:
    """Within so much of each vector's length, and cosine at least 0.999999.

    Not so quantiles of few texts: two of them lie so close here and there that the noise of the model's own last bits
    carries a value from one to the other, and normal deviates are steep at the ends. So it is for a tenth of the texts.
    """
    assert found.shape == wanted.shape, name
    distances = off(found, wanted)
    if name.startswith("quantile"):
        usual = np.quantile(distances, 0.9)
        assert usual <= (2e-2 if "normal" in name else 2e-3), f"{name}: {usual:.2e} off at a tenth of the texts"
        tolerance = 1e-1
    assert distances.max() <= tolerance, f"{name}: {distances.max():.2e} off at text {distances.argmax()}"
    a, b = found.astype(np.float64), wanted.astype(np.float64)
    lengths = np.linalg.norm(b, axis=1)
    cosines = np.einsum("nd,nd->n", a, b) / np.maximum(np.linalg.norm(a, axis=1) * lengths, 1e-30)
    least = 1 - max(1e-6, tolerance**2)
    assert cosines[lengths > 0].min(initial=1) >= least, f"{name}: cosine {cosines.min()}"


REAL_MODELS = pytest.mark.parametrize(
    ("model", "precision"), [("MiniLM", "float32"), ("MobileBERT", "float32"), ("MobileBERT", "float64")]
)


def check_all(found: Mapping[str, Floats], cases: Mapping[str, Case]) -> None:
    for name, case in cases.items():
        check_same(found[name], case.wanted(), name)


def check_within_rounding(found: Mapping[str, Floats], cases: Mapping[str, Case]) -> None:
    """The same, but where a model itself amplifies the rounding of float32 (MobileBERT, whose layers are not normed).

    There an export may differ from Attar by 4 times what Attar differs from the model run in float64. A recipe that
    runs in float64 has no such excuse.
    """
    for name, case in cases.items():
        if getattr(case.embedder.encoder_, "precision", None) == "float64":
            check_same(found[name], case.wanted(), name)
            continue
        wanted = case.wanted()
        steady = off(found[name], wanted).max() <= 1e-5
        rounding = 0.0 if steady or name.startswith("quantile") else off(wanted, in_float64(case)).max()
        check_same(found[name], wanted, name, max(1e-5, 4 * rounding))


def in_float64(case: Case) -> Floats:
    """What the fitted recipe gives where its transformer runs in float64."""
    encoder = case.embedder.encoder_
    assert isinstance(encoder, Transformer)
    exact = copy.copy(case.embedder)
    exact.encoder = Transformer.from_spec({**encoder.spec(), "precision": "float64"})
    return exact.encode(case.texts)


def batched(names: Iterable[str], n: int) -> list[list[str]]:
    """The names, n at a time."""
    held = list(names)
    return [held[i : i + n] for i in range(0, len(held), n)]


def made_sentences(n: int = 200, seed: int = 0) -> list[str]:
    """Of words that the tiny tokenizers know and letters that they must spell, with the difficult ones first."""
    draw = random.Random(seed)
    words = [*tiny_models.WORDS, "zebra", "quartz", "unplayed", ".", ",", "[MASK]", "[SEP]", "é", "中"]
    difficult = ["", " ", ".", "the of , .", "the cat " * 60]
    return difficult + [" ".join(draw.choices(words, k=draw.randint(1, 14))) for _ in range(n - len(difficult))]


def real_sentences(data: Path, n: int = 200) -> list[str]:
    """Sentences of STS-B."""
    return list(dict.fromkeys(tasks.load("STS-B", data, split="test").texts))[:n]


def makers(folder: Path | None, precision: str = "float32") -> Callable[..., Transformer]:
    """Encoders of one model, each template loaded once."""
    made: dict[str | None, Transformer] = {}

    def make(template: str | None = None) -> Transformer:
        if template not in made:
            made[template] = Transformer(folder, template=template, precision=precision)
        return made[template]

    return make
