from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.errors import InputError, OutputError
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
    assert not is_written(path, 1, 2, 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["b.npy", "b.powers.npy"])
@pytest.mark.parametrize("damage", [lambda c: b"", lambda c: c[:-1], lambda c: b"x" + c[1:], lambda c: c[:60], None])
def test_a_damaged_block_is_not_there(tmp_path: Path, name: str, damage: Callable[[bytes], bytes] | None) -> None:
    """So it is written again, instead of being read."""
    write_block(tmp_path / "b.npy", np.ones((3, 2, 1, 4), dtype=np.float32))
    assert is_written(tmp_path / "b.npy", 3, 2, 1)
    path = tmp_path / name
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage(path.read_bytes()))
    assert not is_written(tmp_path / "b.npy", 3, 2, 1)


def test_a_block_of_other_texts_weights_or_layers_is_not_there(tmp_path: Path) -> None:
    write_block(tmp_path / "b.npy", np.ones((3, 2, 1, 4), dtype=np.float32))
    assert not any(is_written(tmp_path / "b.npy", *sizes) for sizes in ((2, 2, 1), (3, 1, 1), (3, 2, 2)))
    np.save(tmp_path / "b.powers.npy", np.zeros((1, 5), dtype=np.int16))
    assert not is_written(tmp_path / "b.npy", 3, 2, 1), "its powers are for other dims"


def test_kept_values_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    write_block(tmp_path / "b.npy", np.ones((1, 2, 1, 4), dtype=np.float32))
    np.load(tmp_path / "b.npy", mmap_mode="r+")[0, 0, 1, 2] = np.nan
    first = np.zeros(1, dtype=np.int64)
    assert read_vectors(tmp_path / "b.npy", 0, first, first).tolist() == [[1, 1, 1, 1]]
    with pytest.raises(InputError, match=r"b.npy are damaged; remove that file and run again"):
        read_vectors(tmp_path / "b.npy", 0, first, first + 1)


def test_values_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="not finite"):
        write_block(tmp_path / "b.npy", np.full((1, 1, 1, 1), np.inf, dtype=np.float32))
