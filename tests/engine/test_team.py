"""Threads that share one product: in forked children too, for callers who meet, and when the process ends."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from attar.engine.compiled import CompiledKernels
from attar.engine.kernels import compiled_kernels
from attar.engine.products import packed
from attar.engine.threads import shared_by


@pytest.fixture
def kernels() -> CompiledKernels:
    found = compiled_kernels()
    if found is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    return found


def multiply(n_threads: int) -> np.ndarray:
    x = np.random.default_rng(0).normal(size=(40, 128)).astype(np.float32)
    weight = np.random.default_rng(1).normal(size=(512, 128)).astype(np.float32)
    product = packed(weight, "float32")
    assert product is not None
    with shared_by(n_threads):
        return product(x)


def send(to) -> None:
    to.send(multiply(2))


def test_callers_who_meet(kernels):
    wanted = multiply(1)
    with ThreadPoolExecutor(6) as callers:
        for found in callers.map(multiply, [2, 3, 1, 4] * 50):
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no forks")
def test_a_forked_child_has_a_team_of_its_own(kernels):
    wanted = multiply(2)
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=send, args=(there,))
    child.start()
    assert here.poll(60)
    np.testing.assert_array_equal(here.recv(), wanted)
    child.join()


ENDING = """
import os, sys, threading
import numpy as np
from attar.engine.products import packed
from attar.engine.threads import shared_by

product = packed(np.ones((512, 128), np.float32), "float32")
began = threading.Event()

def multiply():
    with shared_by(3):
        product(np.ones((40, 128), np.float32))

def forever():
    while True:
        multiply()
        began.set()

how = sys.argv[1]
multiply()
if how == "meanwhile":
    threading.Thread(target=forever, daemon=True).start()
    began.wait()
elif how == "after a fork":
    child = os.fork()
    multiply()
    if child:
        assert os.waitpid(child, 0)[1] == 0
elif how == "by an error":
    raise SystemExit("ended")
print("to the end")
"""


@pytest.mark.parametrize("how", ["awake", "meanwhile", "after a fork", "by an error"])
def test_a_process_ends_whatever_its_helpers_do(kernels, how):
    if how == "after a fork" and sys.platform == "win32":
        pytest.skip("there are no forks")
    ended = subprocess.run(
        [sys.executable, "-c", ENDING, how], capture_output=True, text=True, timeout=300
    )  # else a hang
    if how == "by an error":
        assert (ended.returncode, ended.stderr.strip()) == (1, "ended")
    else:
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout.split("\n")[0] == "to the end"
