"""Drivers that tests start, as Ray reads its settings once a process: `ray_jobs.py map|learn|gated ADDRESS OUT ...`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from gate import Gate, Gated
from sample_work import DieOnce, fail_on_three, square

from attar import Embedder, Transformer, shapers, weights
from attar.corpus import average_corpus, embed_corpus, fit_corpus
from attar.corpus.executors import Done, Executor, Failed
from attar.corpus.executors.ray import RayTasks

SHARDS = 10


def learn(executor: Executor, out: Path, model: str, texts: str) -> None:
    """Fit a recipe, average a table, and embed with the recipe."""
    bert = Transformer(model)
    embedder = Embedder(bert, (1, 3), weights.Idf(), [shapers.Whiten()])
    fit_corpus(embedder, [texts], out / "fit", executor, shards=4, progress=False)
    average_corpus(bert, [texts], out / "table", executor, layers=(1, 3), shards=4, progress=False)
    embed_corpus(out / "fit", [texts], out / "vectors", executor, shards=4, progress=False)


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
    what, address, out, *rest = sys.argv[1:]
    with RayTasks(address) as ray:
        if what == "map":
            Path(out, "outcomes.json").write_text(json.dumps(outcomes(ray, out)))
        elif what == "learn":
            learn(ray, Path(out), *rest)
        else:
            recipe, texts, gate = rest
            embed_corpus(recipe, [texts], out, Gated(ray, Gate(gate)), shards=SHARDS, progress=False)
