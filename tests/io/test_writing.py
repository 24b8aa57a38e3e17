"""Vectors to every kind of file, a chunk at a time, whole or not at all."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.dataset as ds
import pytest
from safetensors.numpy import load_file

from attar.errors import InputError, OutputError
from attar.io.writing import check_target, print_vectors, write_vectors
from attar.types import Floats

ROWS = np.arange(21, dtype=np.float32).reshape(7, 3) / 7
ROWS[6] *= 1e-12  # small numbers keep their digits too


def _chunks() -> Iterator[Floats]:
    yield from np.split(ROWS, [3, 6])


@pytest.mark.parametrize("ending", [".npy", ".npz", ".safetensors", ".parquet", ".arrow", ".jsonl"])
def test_round_trip(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"v{ending}"
    assert write_vectors(_chunks(), str(path)) == 7
    if ending == ".npy":
        found = np.load(path, mmap_mode="r")
    elif ending == ".safetensors":
        found = load_file(path)["vectors"]
    elif ending == ".npz":
        with np.load(path, allow_pickle=False) as archive:
            found = archive["vectors"]
    elif ending in (".parquet", ".arrow"):
        table = ds.dataset(path, format=ending[1:]).to_table()
        assert table.schema.field("vector").type.list_size == 3
        assert table["id"].to_pylist() == list(range(7))
        found = np.array(table["vector"].to_pylist(), dtype=np.float32)
    else:
        found = np.array([eval(line) for line in path.read_text().splitlines()], dtype=np.float32)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, ROWS)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_an_archive_holds_no_time_so_the_same_vectors_give_the_same_bytes(tmp_path: Path) -> None:
    write_vectors(_chunks(), str(tmp_path / "v.npz"))
    with zipfile.ZipFile(tmp_path / "v.npz") as archive:
        (member,) = archive.infolist()
    assert (member.filename, member.date_time) == ("vectors.npy", (1980, 1, 1, 0, 0, 0))


def test_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_vectors(_chunks()) == 7
    assert capsys.readouterr().out.splitlines()[1] == "[0.428571433, 0.571428597, 0.714285731]"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, InputError])
def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path, stop: type[BaseException]) -> None:
    path = tmp_path / "v.npy"
    path.write_text("old")

    def chunks() -> Iterator[Floats]:
        yield ROWS
        raise stop

    with pytest.raises(stop):
        write_vectors(chunks(), str(path))
    assert [p.name for p in tmp_path.iterdir()] == ["v.npy"]
    assert path.read_text() == "old"


def test_targets_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unknown ending of the output file '.xyz'; allowed: .npy, .npz, .parquet"):
        check_target("v.xyz")
    with pytest.raises(OutputError, match="there is no folder"):
        check_target(str(tmp_path / "no" / "v.npy"))
    (tmp_path / "v.npy").mkdir()
    with pytest.raises(OutputError, match="it is a folder"):
        write_vectors(_chunks(), str(tmp_path / "v.npy"))
