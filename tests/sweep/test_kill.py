"""A sweep that is killed again and again ends with the same store as one that is left alone."""

from __future__ import annotations

import multiprocessing
import random
import time
from dataclasses import replace
from pathlib import Path

from attar.store import Store, comparable
from attar.sweep import Grid, Part, Settings, sweep

KILLS = 20


def rows_of(run: Path) -> list[dict[str, object]]:
    with Store.of_run(run) as store:
        return [comparable(row) for row in store.rows()]


def run_sweep(grid: Grid, run: Path, settings: Settings) -> None:
    """In a process of its own; torch with one thread, as a forked process should."""
    import torch

    torch.set_num_threads(1)
    sweep(grid, run, settings)


def test_twenty_kills_change_nothing(tmp_path: Path, small_data: Path, tiny_bert_dir: Path) -> None:
    tasks = (str(small_data / "pairs.tsv"), f"clustering:{small_data / 'groups.tsv'}")
    part = Part(tasks, ("none", "T0"), ((1,), ("first", "last")), ("mean", "idf"), ((), ("zscore",)), (0.0, 0.5))
    grid = Grid((part,), (str(tiny_bert_dir),), runs=2, background_texts=10, average_texts=20)
    settings = Settings(background=small_data / "background.txt", jobs=1, block_texts=4, progress=False)
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload(["attar.sweep", "attar.scores.sts", "attar.scores.cluster", "transformers"])

    def start(name: str) -> multiprocessing.process.BaseProcess:
        process = forks.Process(target=run_sweep, args=(grid, tmp_path / name, settings))
        process.start()
        return process

    start("warm").join()  # the server has imported all it needs
    began = time.monotonic()
    alone = start("alone")
    alone.join()
    took = time.monotonic() - began
    assert alone.exitcode == 0

    rng = random.Random(0)
    killed = 0
    seen: list[int] = []
    while killed < KILLS:
        process = start("killed")
        process.join(rng.uniform(0.05, 0.6) * took)
        if process.exitcode is None:
            process.kill()
            process.join()
        killed += 1
        if (tmp_path / "killed" / "cells.sqlite").exists():
            seen.append(len(rows_of(tmp_path / "killed")))
    last = start("killed")
    last.join()
    assert last.exitcode == 0
    assert seen == sorted(seen)  # nothing that was there is lost
    assert rows_of(tmp_path / "killed") == rows_of(tmp_path / "alone")
    assert len(rows_of(tmp_path / "alone")) == 2 * 2 * 2 * 2 * 2 * 2
    assert not list((tmp_path / "killed").glob("**/*.part"))
    assert sweep(replace(grid), tmp_path / "killed", settings) == 0
