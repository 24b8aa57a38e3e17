"""Memory for weights: apart, on lines of the caches, and in large pages."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from attar.engine.lasting import lasting


def test_arrays_lie_apart_at_the_beginning_of_a_line():
    with ThreadPoolExecutor(4) as workers:
        arrays = list(workers.map(lasting, [1, 17, 16, 1 << 20, 3_000_000, 5, 1 << 22, 40] * 4))
    for number, array in enumerate(arrays):
        array[:] = number
    assert all((array == number).all() for number, array in enumerate(arrays))
    assert all(array.ctypes.data % 64 == 0 and array.dtype == np.uint32 for array in arrays)


def test_the_first_of_a_large_piece_begins_a_large_page():
    whole = lasting(1 << 23)  # more than is left of any piece
    assert len(whole) == 1 << 23
    assert whole.ctypes.data % (1 << 21) == 0
