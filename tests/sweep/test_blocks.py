from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.errors import OutputError
from attar.sweep.blocks import is_written, read_vectors, write_block


def test_vectors_come_back_to_float16_precision(tmp_path: Path) -> None:
    pooled = np.random.default_rng(0).normal(size=(2, 5, 3, 4)).astype(np.float32)
    write_block(tmp_path / "b.npy", pooled)
    slots, rows = np.array([1, 0, 1]), np.array([4, 0, 2])
    found = read_vectors(tmp_path / "b.npy", 2, slots, rows)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, pooled[slots, rows, 2], rtol=2**-11)


@settings(max_examples=20, deadline=None)
@given(st.integers(-60, 60), st.integers(-60, 60))
def test_dims_of_any_size_keep_their_precision(tmp_path_factory: pytest.TempPathFactory, a: int, b: int) -> None:
    path = tmp_path_factory.mktemp("blocks") / "b.npy"
    values = np.array([1.2345, -0.777, 0.5, 0.0], dtype=np.float32)
    pooled = np.stack([values * np.float32(2.0**a), values * np.float32(2.0**b)], axis=1)[None, :, None, :]
    write_block(path, pooled)
    found = read_vectors(path, 0, np.zeros(4, dtype=np.int64), np.arange(4))
    np.testing.assert_allclose(found, pooled[0, :, 0], rtol=2**-11)


def test_a_block_is_there_whole_or_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "b.npy"

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(OutputError, match="No space left"):
        write_block(path, np.ones((1, 2, 1, 2), dtype=np.float32))
    assert not is_written(path)
    assert list(tmp_path.iterdir()) == []


def test_values_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="not finite"):
        write_block(tmp_path / "b.npy", np.full((1, 1, 1, 1), np.inf, dtype=np.float32))
