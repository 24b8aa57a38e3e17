"""Run by tests in a process of its own, as Ray reads its settings once: `ray_jobs.py map|learn ADDRESS FOLDER ...`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from sample_work import DieOnce, fail_on_three, square

from attar import Embedder, Transformer, shapers, weights
from attar.corpus import average_corpus, fit_corpus
from attar.executors import Done, Executor, Failed
from attar.executors.ray import RayTasks


def learn(executor: Executor, model: str, texts: str, out: Path) -> None:
    """Fit a recipe and average a table."""
    bert = Transformer(model)
    embedder = Embedder(bert, (1, 3), weights.Idf(), [shapers.Whiten()])
    fit_corpus(embedder, [texts], out / "fit", executor, shards=4, progress=False)
    average_corpus(bert, [texts], out / "table", executor, layers=(1, 3), shards=4, progress=False)


def outcomes(executor: Executor, folder: str) -> dict[str, Any]:
    """What maps over failing and dying units give."""
    failed = [one for one in executor.map(fail_on_three, range(5)) if isinstance(one, Failed)]
    return {
        "squares": sorted(one.result for one in executor.map(square, range(9)) if isinstance(one, Done)),
        "failed": [[one.unit, one.reason, one.attempts] for one in failed],
        "died once": sorted(
            one.result for one in executor.map(DieOnce(folder, (1, 2)), range(4)) if isinstance(one, Done)
        ),
    }


if __name__ == "__main__":
    what, address, folder, *rest = sys.argv[1:]
    with RayTasks(address, attempts=2) as ray:
        if what == "map":
            print(json.dumps(outcomes(ray, folder)))
        else:
            learn(ray, rest[0], rest[1], Path(folder))
