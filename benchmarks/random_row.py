"""The paper's random embeddings, plain average: our Spearman (mean and spread over seeds) beside the published score.

    python benchmarks/random_row.py DATA_FOLDER TOKENIZER_FOLDER [--seeds 10]

DATA_FOLDER holds the tasks as attar reads them; TOKENIZER_FOLDER the tokenizer of bert-base-uncased or its like.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.stats import spearmanr

from attar import Random, tasks

PUBLISHED = {"STS12": 34.7, "STS13": 48.8, "STS14": 48.2, "STS15": 62.1, "STS-B": 46.5, "SICK-R": 53.1}


def score(random: Random, task: str, data: str) -> float:
    sts = tasks.load(task, data)
    left, right = random.encode(sts.left), random.encode(sts.right)
    cosine = (left * right).sum(axis=1) / np.linalg.norm(left, axis=1) / np.linalg.norm(right, axis=1)
    return 100 * float(spearmanr(cosine, sts.scores).statistic)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("tokenizer")
    parser.add_argument("--seeds", type=int, default=10)
    given = parser.parse_args()
    print(f"{'task':8} {'published':>9} {'ours':>6} {'sd':>5} {'min':>6} {'max':>6}  within mean ± max(0.5, 2 sd)")
    for task, published in PUBLISHED.items():
        scores = [score(Random(given.tokenizer, seed=seed), task, given.data) for seed in range(given.seeds)]
        mean, sd = np.mean(scores), np.std(scores, ddof=1)
        within = "yes" if abs(mean - published) <= max(0.5, 2 * sd) else "no"
        print(f"{task:8} {published:9.1f} {mean:6.2f} {sd:5.2f} {min(scores):6.2f} {max(scores):6.2f}  {within}")


if __name__ == "__main__":
    main()
