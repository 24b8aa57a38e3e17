"""Memory-mapped safetensors against the library that writes them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from attar.errors import ModelError
from attar.io.arrays import (
    BFLOAT16,
    array_names,
    as_float32,
    count_numbers,
    is_float,
    map_arrays,
    take,
    write_arrays,
)


def written(path, header, body=b""):
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)
    return path


def test_the_same_arrays_as_were_saved(tmp_path):
    arrays = {
        "a": np.arange(12, dtype=np.float32).reshape(3, 4),
        "b": np.array([-1, 2], dtype=np.int64),
        "half": np.ones((2, 2), dtype=np.float16),
        "none": np.zeros((0, 4), dtype=np.float32),
    }
    save_file(arrays, tmp_path / "x.safetensors", metadata={"what": "ever"})
    mapped = map_arrays(tmp_path / "x.safetensors")
    assert set(mapped) == set(arrays)
    for name, array in arrays.items():
        assert mapped[name].dtype == array.dtype
        np.testing.assert_array_equal(mapped[name], array)


def test_they_are_on_disk_and_can_not_be_changed(tmp_path):
    save_file({"a": np.ones(4, dtype=np.float32)}, tmp_path / "x.safetensors")
    array = map_arrays(tmp_path / "x.safetensors")["a"]
    assert isinstance(array.base, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 2


def test_bfloat16_is_mapped_and_made_float32(tmp_path):
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file

    values = torch.tensor([[1.0, -2.5, 0.0], [3.140625, float("inf"), 1e-40]]).bfloat16()
    save_file({"a": values}, tmp_path / "x.safetensors")
    array = map_arrays(tmp_path / "x.safetensors")["a"]
    assert array.dtype == BFLOAT16
    assert is_float(array)
    np.testing.assert_array_equal(as_float32(array), values.float().numpy())
    np.testing.assert_array_equal(take({"a": array}, "a", tmp_path), values.float().numpy())
    with pytest.raises(TypeError):  # never a cast of its bits by accident
        np.asarray(array, dtype=np.float32)


def test_bfloat16_by_hand():
    halves = np.array([0x3F80, 0xC020, 0x4049], dtype="<u2").view(BFLOAT16)
    assert as_float32(halves).tolist() == [1.0, -2.5, 3.140625]


def test_other_types_as_float32():
    floats = np.ones(2, dtype=np.float32)
    assert as_float32(floats) is floats
    assert as_float32(np.array([1, 2], dtype=np.int8)).tolist() == [1, 2]
    assert not is_float(np.array([1]))


def test_numbers_are_counted_by_the_header(tmp_path):
    save_file({"a": np.ones((3, 4)), "b": np.ones(()), "c": np.zeros((0, 5))}, tmp_path / "x.safetensors")
    assert count_numbers(tmp_path / "x.safetensors") == 13


ENTRY = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    ("header", "body", "said"),
    [
        ({"a": ENTRY}, b"1234", "cut short"),
        ({"a": ENTRY | {"shape": [3]}}, bytes(8), "does not fit"),
        ({"a": ENTRY | {"shape": [-2]}}, bytes(8), "is malformed"),
        ({"a": ENTRY | {"shape": [2**62, 2**62]}}, bytes(8), "does not fit"),
        ({"a": ENTRY | {"data_offsets": [-4, 4]}}, bytes(8), "is malformed"),
        ({"a": ENTRY | {"dtype": "F8_E4M3"}}, bytes(8), "F8_E4M3"),
        ({"a": 7}, bytes(8), "is malformed"),
        ([1], b"", "not a JSON object"),
    ],
)
def test_damaged_files_are_refused(tmp_path, header, body, said):
    with pytest.raises(ModelError, match=said):
        map_arrays(written(tmp_path / "x.safetensors", header, body))


@pytest.mark.parametrize(
    "content", [b"", b"abc", b"\xff" * 40, (2**40).to_bytes(8, "little"), b"\x03" + bytes(7) + b"{,}"]
)
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "x.safetensors").write_bytes(content)
    with pytest.raises(ModelError, match="safetensors"):
        map_arrays(tmp_path / "x.safetensors")


def test_missing_files_and_arrays(tmp_path):
    with pytest.raises(ModelError, match="No such file"):
        map_arrays(tmp_path / "none.safetensors")
    with pytest.raises(ModelError, match="no array 'b'; it holds a"):
        take({"a": np.zeros(1)}, "b", tmp_path)


def test_written_files_are_as_readable_as_any_other(tmp_path):
    (tmp_path / "plain").write_bytes(b"")
    write_arrays(tmp_path / "x.safetensors", {"a": np.ones(2)}, {"what": "ever"})
    assert (tmp_path / "x.safetensors").stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert map_arrays(tmp_path / "x.safetensors")["a"].tolist() == [1, 1]
    assert array_names(tmp_path / "x.safetensors") == {"a"}
