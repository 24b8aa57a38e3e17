"""Local workers: real processes, killed for real."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from gate import lives
from ray_cluster import wait_for
from sample_work import DieOnce, fail_on_three, process, read_badly, square, threads

from attar.corpus.executors import Done, Failed
from attar.corpus.executors.local import LocalProcesses


class Hidden:
    """Found here, and nowhere else."""

    __module__ = "__main__"

    def __call__(self, unit: int) -> int:
        return unit


@pytest.fixture(scope="module")
def two() -> Iterator[LocalProcesses]:
    with LocalProcesses(2, attempts=2) as executor:
        yield executor


def test_results(two: LocalProcesses) -> None:
    outcomes = list(two.map(square, range(20)))
    assert {one.unit: one.result for one in outcomes if isinstance(one, Done)} == {n: n * n for n in range(20)}


def test_two_processes_of_one_thread_that_stay(two: LocalProcesses) -> None:
    first = {one.result for one in two.map(process, range(8)) if isinstance(one, Done)}
    again = {one.result for one in two.map(process, range(8)) if isinstance(one, Done)}
    assert first == again
    assert len(first) == 2
    (settings,) = [one.result for one in two.map(threads, [0]) if isinstance(one, Done)]
    assert settings == {"OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}


def test_an_error_is_reported_and_the_rest_is_done(two: LocalProcesses) -> None:
    outcomes = list(two.map(fail_on_three, range(6)))
    assert [one for one in outcomes if isinstance(one, Failed)] == [Failed(3, "ValueError: three is not allowed", 2)]
    assert sorted(one.unit for one in outcomes if isinstance(one, Done)) == [0, 1, 2, 4, 5]


def test_texts_at_fault_are_read_once_and_a_disk_at_fault_again(two: LocalProcesses) -> None:
    outcomes = {one.unit: one for one in two.map(read_badly, range(3))}
    assert outcomes[0] == Failed(0, "InputError: no text", 1)
    assert outcomes[1] == Failed(1, "InputError: texts.txt can't be read: no disk", 2)
    assert outcomes[2] == Failed(2, "InputError: texts.txt can't be read: no letters", 1)


def test_killed_workers_are_replaced(two: LocalProcesses, tmp_path: Path) -> None:
    outcomes = list(two.map(DieOnce(str(tmp_path), (1, 4, 5)), range(8)))
    assert sorted(one.result for one in outcomes if isinstance(one, Done)) == list(range(8))


def test_a_unit_that_kills_every_worker_is_given_up(two: LocalProcesses, tmp_path: Path) -> None:
    outcomes = list(two.map(DieOnce(str(tmp_path), (2,), always=True), range(4)))
    assert [one for one in outcomes if isinstance(one, Failed)] == [Failed(2, "its worker died (signal 9)", 2)]
    assert sorted(one.unit for one in outcomes if isinstance(one, Done)) == [0, 1, 3]


def test_a_worker_that_died_while_idle_is_replaced(tmp_path: Path) -> None:
    with LocalProcesses(1) as one_worker:
        (first,) = one_worker.map(square, [3])
        one_worker._workers[0].process.kill()
        one_worker._workers[0].process.wait()
        assert list(one_worker.map(square, [4])) == [Done(4, 16)]
    assert first == Done(3, 9)


def test_workers_end_with_their_driver_in_the_middle_of_a_unit(tmp_path: Path) -> None:
    code = "from sample_work import Sleep; from attar.corpus.executors.local import LocalProcesses; "
    code += f"list(LocalProcesses(1).map(Sleep({str(tmp_path)!r}), [0]))"
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    driver = subprocess.Popen([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path})
    wait_for(lambda: (tmp_path / "pid").exists(), "a worker at work")
    worker = int((tmp_path / "pid").read_text())
    driver.kill()
    driver.wait()
    wait_for(lambda: not lives(worker), "the end of the worker", 30.0)


def test_work_that_workers_can_not_import_is_told(two: LocalProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["__main__"], "Hidden", Hidden, raising=False)
    (outcome,) = two.map(Hidden(), [1])
    assert isinstance(outcome, Failed)
    assert "can't import the work" in outcome.reason
    assert list(two.map(square, [5])) == [Done(5, 25)]
