"""How much faster are attar's k-means and logistic regression than scikit-learn's, for equal results?

k-means: 10 starts on 20,000 x 768 vectors, 20 clusters, or on vectors of your own. Logistic regression: 10 folds of
10,662 x 768 vectors, once with C = 1 and once with the 8 strengths that `scores.classify` chooses from; scikit-learn in
a loop at its default tolerance, both against the exact optimum. The vectors are means of random word vectors of made-up
texts with topics.
Turns alternate in one process with the same threads.
ATTAR_INSTRUCTIONS=avx2 or none in the environment shows attar with fewer instructions, or without its kernels.
Run: python benchmarks/evaluation.py [--quick] [--rounds N] [--clusters K] [--only kmeans|logistic] [--vectors FILE.npy]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression

from attar.scores.features import class_targets
from attar.scores.folds import stratified_folds
from attar.scores.solvers.kmeans import kmeans
from attar.scores.solvers.logistic import fit_logistic
from attar.scores.solvers.problem import STRENGTHS

Result = TypeVar("Result")


def topical_vectors(n: int, dims: int, n_topics: int, n_words: int = 5000, own: float = 0.15) -> tuple[np.ndarray, ...]:
    """Texts of 5 to 30 words by Zipf's law; a share of the words is drawn from the topic's own order of words."""
    random = np.random.default_rng(0)
    shares = 1 / np.arange(1, n_words + 1)
    shares /= shares.sum()
    table = random.normal(0, 0.1, (n_words, dims)).astype(np.float32)
    orders = np.stack([random.permutation(n_words) for _ in range(n_topics)])
    topics = random.permutation(np.arange(n) % n_topics)
    vectors = np.empty((n, dims), dtype=np.float32)
    for i, topic in enumerate(topics):
        words = random.choice(n_words, size=random.integers(5, 31), p=shares)
        topical = random.random(len(words)) < own
        words[topical] = orders[topic, words[topical]]
        vectors[i] = table[words].mean(axis=0)
    return vectors, topics


def timed(run: Callable[[], Result]) -> tuple[float, float, Result]:
    wall, cpu = time.perf_counter(), time.process_time()
    result = run()
    return time.perf_counter() - wall, time.process_time() - cpu, result


def spread(numbers: list[float], digits: int = 2) -> str:
    return f"{np.median(numbers):.{digits}f} ({min(numbers):.{digits}f} to {max(numbers):.{digits}f})"


def print_table(title: str, ours: list[tuple[float, float]], theirs: list[tuple[float, float]]) -> None:
    print(f"{title}, {len(ours)} rounds: median (least to greatest)")
    for name, turns in (("attar", ours), ("scikit-learn", theirs)):
        wall, cpu = zip(*turns, strict=True)
        print(f"  {name:<14} wall {spread(list(wall))} s   cpu {spread(list(cpu))} s")
    for column, name in enumerate(("wall", "cpu")):
        ratios = [t[column] / o[column] for t, o in zip(theirs, ours, strict=True)]
        print(f"  times faster   {name} {spread(ratios, 1)}")


def compare_kmeans(x: np.ndarray, k: int, rounds: int) -> None:
    n, dims = x.shape
    ours, theirs, our_inertias, their_inertias = [], [], [], []
    for seed in range(rounds):
        wall, cpu, found = timed(lambda s=seed: kmeans(x, k, n_init=10, seed=s))
        ours.append((wall, cpu))
        our_inertias.append(found.inertia)
        wall, cpu, fitted = timed(lambda s=seed: KMeans(k, n_init=10, random_state=s).fit(x))
        theirs.append((wall, cpu))
        their_inertias.append(fitted.inertia_)
    print_table(f"k-means, 10 starts, {n:,} x {dims}, {k} clusters", ours, theirs)
    print(f"  inertia        attar {spread(our_inertias)}, scikit-learn {spread(their_inertias)}\n")


def compare_logistic(n: int, dims: int, strengths: tuple[float, ...], rounds: int) -> None:
    x, labels = topical_vectors(n, dims, 2)
    folds = stratified_folds(labels, 0, "benchmark")
    used = folds != np.arange(10)[:, None]

    def by_attar() -> list[np.ndarray]:
        models = fit_logistic(x, class_targets(labels, 2), used, np.array(strengths))
        n_models = 10 * len(strengths)
        return [models.take([m]).logits(x[~used[m % 10]])[0, 0] > 0 for m in range(n_models)]

    def by_peer(x: np.ndarray, n_folds: int, tol: float, solver: str) -> list[np.ndarray]:
        models = [LogisticRegression(C=c, tol=tol, solver=solver) for c in strengths]
        return [model.fit(x[kept], labels[kept]).predict(x[~kept]) for model in models for kept in used[:n_folds]]

    ours, theirs = [], []
    for _ in range(rounds):
        wall, cpu, predicted = timed(by_attar)
        ours.append((wall, cpu))
        wall, cpu, peer_predicted = timed(lambda: by_peer(x, 10, 1e-4, "lbfgs"))
        theirs.append((wall, cpu))
    print_table(f"logistic regression, 10 folds x {len(strengths)} C, {n:,} x {dims}, 2 classes", ours, theirs)
    n_exact = max(1, 10 // len(strengths))  # folds: the optimum is slow to find
    exact = np.concatenate(by_peer(x.astype(np.float64), n_exact, 1e-9, "newton-cholesky"))
    for name, parts in (("attar", predicted), ("scikit-learn", peer_predicted)):
        accuracy = np.mean([np.mean(part == labels[~used[m % 10]]) for m, part in enumerate(parts)])
        same = np.concatenate([part for m, part in enumerate(parts) if m % 10 < n_exact])
        print(f"  {name:<14} accuracy {accuracy:.4f}; {np.sum(same != exact)} of {len(exact):,} unlike the optimum")
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="3,000 x 128 instead of the full sizes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clusters", type=int, default=20)
    parser.add_argument("--vectors", help="a .npy file of vectors for k-means")
    parser.add_argument("--only", choices=("kmeans", "logistic"))
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # scikit-learn's, where it ends before it has converged
    if args.only != "logistic":
        size = (3_000, 128) if args.quick else (20_000, 768)
        x = np.load(args.vectors) if args.vectors else topical_vectors(*size, args.clusters, own=0.3)[0]
        compare_kmeans(x, args.clusters, args.rounds)
    if args.only != "kmeans":
        for strengths in ((1.0,), STRENGTHS):
            compare_logistic(*((3_000, 128) if args.quick else (10_662, 768)), strengths, args.rounds)


if __name__ == "__main__":
    main()
