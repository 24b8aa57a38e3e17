"""The texts that benchmarks encode: short ones, and ones of 5 to 400 words."""

from __future__ import annotations

import csv
import gzip
import os
from pathlib import Path

import numpy as np

DATA = Path(os.environ.get("ATTAR_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


def short_texts(n: int) -> list[str]:
    """Distinct sentences of STS-B."""
    with gzip.open(DATA / "STSB.train.tsv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    distinct = list(dict.fromkeys(row[side] for row in rows for side in ("sentence1", "sentence2")))
    return _some(distinct, n)


def long_texts(n: int) -> list[str]:
    """Runs of Wikitext-2's words, their lengths spread evenly over the logarithm from 5 to 400."""
    with gzip.open(DATA / "wikitext-2.train.txt.gz", "rt", encoding="utf-8") as file:
        words = file.read().replace("<unk>", "thing").split()
    draw = np.random.default_rng(0)
    lengths = np.exp(draw.uniform(np.log(5), np.log(400), n)).astype(int)
    starts = draw.integers(0, len(words) - 400, n)
    return [" ".join(words[start : start + length]) for start, length in zip(starts, lengths, strict=True)]


def _some(texts: list[str], n: int) -> list[str]:
    chosen = np.random.default_rng(0).permutation(len(texts))[:n]
    return [texts[i] for i in chosen]
