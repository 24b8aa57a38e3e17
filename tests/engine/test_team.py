"""Threads that share one product: in forked children too, and for callers who meet."""

from __future__ import annotations

import multiprocessing
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
