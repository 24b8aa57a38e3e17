"""`attar groups` beside BERTopic on the same texts and vectors, against labels that neither has seen.

    python benchmarks/groups.py DATA --cache FOLDER [--tasks biomedical,TREC,...] [--texts 5000] [--rounds 2]

Seconds are of finding and naming groups, without embedding and without a map. BERTopic runs at its defaults (UMAP,
HDBSCAN), whose outliers count as one group, then with its outliers reassigned by embeddings, and with k-means in place
of HDBSCAN for the true number of groups. bertopic must be installed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from task_vectors import load, sample, vectors_of

from attar.jobs.groups import find_groups
from attar.scores.agreement import matched_accuracy, normalized_mutual_information, shared_counts

Found = tuple[np.ndarray, int, float]  # labels, number of groups, share of outliers


def attar_groups(texts: list[str], vectors: np.ndarray, k: int | None, seed: int) -> Found:
    found = find_groups(texts, vectors, k, seed)
    return found.labels, len(found.groups), 0.0


def bertopic(texts: list[str], vectors: np.ndarray, k: int | None, seed: int, reassign: bool = False) -> Found:
    from bertopic import BERTopic
    from sklearn.cluster import KMeans

    settings: dict[str, Any] = {} if k is None else {"hdbscan_model": KMeans(k, n_init=5, random_state=seed)}
    model = BERTopic(**settings)
    labels, _ = model.fit_transform(texts, vectors)
    outliers = float(np.mean(np.asarray(labels) < 0))
    if reassign and outliers and len(set(labels)) > 1:
        labels = model.reduce_outliers(texts, labels, strategy="embeddings", embeddings=vectors)
    return np.asarray(labels), len(set(labels) - {-1}), outliers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--tasks", default="biomedical,TREC,SUBJ")
    parser.add_argument("--texts", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    for name in given.tasks.split(","):
        task = load(name, given.data)
        rows = sample(len(task.texts), given.texts)
        texts, labels = [task.texts[i] for i in rows], task.labels[rows]
        vectors = vectors_of(f"{name}.{given.texts}", texts, given.cache)
        true = len(task.classes)
        ways: dict[str, Callable[[int], Found]] = {
            "attar": lambda seed, t=texts, v=vectors: attar_groups(t, v, None, seed),
            "attar, k given": lambda seed, t=texts, v=vectors, k=true: attar_groups(t, v, k, seed),
            "BERTopic": lambda seed, t=texts, v=vectors: bertopic(t, v, None, seed),
            "BERTopic, reassigned": lambda seed, t=texts, v=vectors: bertopic(t, v, None, seed, reassign=True),
            "BERTopic, k given": lambda seed, t=texts, v=vectors, k=true: bertopic(t, v, k, seed),
        }
        results: dict[str, list[tuple[float, ...]]] = {way: [] for way in ways}
        for seed in range(given.rounds):
            for way, run in ways.items():
                started = time.perf_counter()
                found, n_groups, outliers = run(seed)
                seconds = time.perf_counter() - started
                counts = shared_counts(labels, np.unique(found, return_inverse=True)[1])
                right, nmi = matched_accuracy(counts), normalized_mutual_information(counts)
                results[way].append((n_groups, 100 * right, 100 * nmi, 100 * outliers, seconds))
        print(f"{name}: {len(texts)} texts, {true} classes", flush=True)
        for way, rows_of in results.items():
            low, high = np.min(rows_of, axis=0), np.max(rows_of, axis=0)
            shown = [f"{a:.1f}" if a == b else f"{a:.1f} to {b:.1f}" for a, b in zip(low, high, strict=True)]
            labels_of = ("groups", "accuracy", "NMI", "outliers %", "s")
            print(f"  {way:22}", "  ".join(f"{n} {x}" for n, x in zip(labels_of, shown, strict=True)), flush=True)


if __name__ == "__main__":
    main()
