"""Where the files of a form are looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from attar.tasks.readers.form import locate, stray
from attar.tasks.readers.polarity import Polarity
from attar.tasks.readers.tidy import Tidy

MOVIES = Polarity("good.txt", "bad.txt", folders=("MOVIES", ""))


def write(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x\n")
    return path


@pytest.mark.parametrize("root", ["", "data", "downstream", "data/downstream", "SentEval/data/downstream"])
@pytest.mark.parametrize("folder", ["MOVIES", ""])
def test_in_the_folder_and_where_archives_unpack(tmp_path: Path, root: str, folder: str) -> None:
    paths = tuple(write(tmp_path / root / folder / name) for name in ("good.txt", "bad.txt"))
    located = locate(MOVIES, tmp_path, ("all",))
    assert located is not None
    assert located[0].paths == paths


def test_the_innermost_folder_may_be_named(tmp_path: Path) -> None:
    form = Polarity("good.txt", "bad.txt", folders=("deep/MOVIES",))
    for name in ("good.txt", "bad.txt"):
        write(tmp_path / "MOVIES" / name)
    assert locate(form, tmp_path, ("all",)) is None
    assert locate(form, tmp_path / "MOVIES", ("all",)) is not None


def test_gzipped_files_count(tmp_path: Path) -> None:
    path = write(tmp_path / "X.test.tsv.gz")
    located = locate(Tidy("X"), tmp_path, ("test",))
    assert located is not None
    assert located[0].paths == (path,)


def test_all_files_must_be_in_one_folder(tmp_path: Path) -> None:
    there = write(tmp_path / "MOVIES" / "good.txt")
    write(tmp_path / "bad.txt")
    assert locate(MOVIES, tmp_path, ("all",)) is None
    assert stray(MOVIES, tmp_path, ("all",)) == ([there], [tmp_path / "MOVIES" / "bad.txt"])


def test_a_folder_or_a_broken_link_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "X.tsv").mkdir()
    (tmp_path / "Y.tsv").symlink_to(tmp_path / "nowhere")
    assert locate(Tidy("X"), tmp_path, ("all",)) is None
    assert locate(Tidy("Y"), tmp_path, ("all",)) is None
    assert stray(Tidy("Z"), tmp_path, ("all",)) == ([], [])
