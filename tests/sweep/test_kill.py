"""A sweep that is killed again and again ends with the same store as one that is left alone."""

from __future__ import annotations

import multiprocessing
import random
import signal
import sqlite3
from contextlib import closing
from glob import glob
from multiprocessing.process import BaseProcess
from pathlib import Path

from attar.sweep import Grid, Part, Settings, sweep
from attar.sweep.store import FILE, Store, comparable

KILLS = 20


def rows_of(run: Path) -> list[dict[str, object]]:
    with Store.of_run(run) as store:
        return [comparable(row) for row in store.rows()]


def run_sweep(grid: Grid, run: Path, settings: Settings) -> None:
    """In a process of its own; torch with one thread, as a forked process should."""
    import torch

    torch.set_num_threads(1)
    sweep(grid, run, settings)


def progress(run: Path) -> int:
    """Blocks and cells that are there, seen from outside while the sweep writes."""
    blocks = len(glob(str(run / "cache/*/*.npy")))  # unlike Path.glob, it does not mind folders that go meanwhile
    try:
        with closing(sqlite3.connect(f"file:{run / FILE}?mode=ro", uri=True)) as reader:
            return blocks + int(reader.execute("SELECT count(*) FROM cells").fetchone()[0])
    except sqlite3.OperationalError:  # not made yet
        return blocks


def wait_for(run: Path, steps: int, process: BaseProcess) -> None:
    """Until so many blocks and cells have come, or the sweep has ended."""
    seen, before = 0, progress(run)
    while seen < steps and process.exitcode is None:
        process.join(0.003)
        now = progress(run)
        seen, before = seen + max(0, now - before), now


def test_twenty_kills_change_nothing(tmp_path: Path, small_data: Path, tiny_bert_dir: Path) -> None:
    tasks = (str(small_data / "pairs.tsv"), f"clustering:{small_data / 'groups.tsv'}")
    part = Part(tasks, ("none", "T0"), ((1,), ("first", "last")), ("mean", "idf"), ((), ("zscore",)), (0.0, 0.5))
    grid = Grid((part,), (str(tiny_bert_dir),), runs=2, background_texts=10, average_texts=20)
    settings = Settings(background=small_data / "background.txt", jobs=1, block_texts=4, progress=False)
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload(["attar.sweep", "attar.scores.sts", "attar.scores.cluster", "transformers"])

    def start(run: Path) -> BaseProcess:
        process = forks.Process(target=run_sweep, args=(grid, run, settings))
        process.start()
        return process

    alone = start(tmp_path / "alone")
    alone.join()
    assert alone.exitcode == 0
    whole = rows_of(tmp_path / "alone")
    assert len(whole) == 2 * 2 * 2 * 2 * 2 * 2

    rng = random.Random(0)
    killed, runs = 0, [tmp_path / "killed-0"]
    rows = 0
    while killed < KILLS:
        process = start(runs[-1])
        wait_for(runs[-1], rng.randint(1, 6), process)
        process.join(rng.uniform(0, 0.02))  # somewhere between two of them
        process.kill()
        process.join()
        killed += process.exitcode == -signal.SIGKILL  # one that had ended by itself was not killed
        if (runs[-1] / FILE).exists():
            assert len(rows_of(runs[-1])) >= rows  # nothing that was there is lost
            rows = len(rows_of(runs[-1]))
        if process.exitcode == 0:  # all done before twenty kills: once more from the beginning
            runs.append(tmp_path / f"killed-{len(runs)}")
            rows = 0
    start(runs[-1]).join()
    for run in runs:
        assert rows_of(run) == whole
        assert not list(run.glob("**/*.part"))
    assert sweep(grid, runs[-1], settings) == 0
