"""Packed or plain: the first bytes tell, the name does not."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attar.errors import DataError
from attar.io.unpacked import DAMAGE, is_packed, open_data, open_unpacked


@given(st.binary(max_size=200).filter(lambda data: data[:2] != b"\x1f\x8b"))
def test_the_same_bytes_under_any_name(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("files")
    for name, content in (("a.gz", data), ("b", gzip.compress(data)), ("c", data), ("d.gz", gzip.compress(data))):
        (folder / name).write_bytes(content)
        with open_unpacked(folder / name) as file:
            assert file.read() == data
        assert is_packed(folder / name) == (content != data)


def test_it_can_be_entered_anywhere_and_is_closed(tmp_path):
    (tmp_path / "a").write_bytes(gzip.compress(b"first\nsecond\n", mtime=0))
    with open_unpacked(tmp_path / "a") as file:
        file.seek(6)
        assert file.readline() == b"second\n"
    assert file.closed


def test_several_packed_files_end_to_end(tmp_path):
    (tmp_path / "a").write_bytes(gzip.compress(b"one ", mtime=0) + gzip.compress(b"two", mtime=0))
    with open_unpacked(tmp_path / "a") as file:
        assert file.read() == b"one two"


@pytest.mark.parametrize(
    "content", [gzip.compress(b"text" * 99, mtime=0)[:-5], gzip.compress(b"text", mtime=0)[:10] + b"\xff" * 20]
)
def test_damage(tmp_path, content):
    (tmp_path / "a").write_bytes(content)
    with open_unpacked(tmp_path / "a") as file, pytest.raises(DAMAGE):
        file.read()
    with pytest.raises(DataError, match="damaged gzip"), open_data(tmp_path / "a") as file:
        file.read()


def test_what_is_not_there(tmp_path):
    with pytest.raises(OSError, match="No such file"), open_unpacked(tmp_path / "a"):
        pass
    with pytest.raises(DataError, match="can't be read"), open_data(tmp_path / "a"):
        pass
