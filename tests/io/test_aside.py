"""What dead processes leave behind goes; what living ones write stays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from attar.io import aside, atomic
from attar.io.aside import OLD, SUFFIX, place_aside, remove_folder, remove_leftovers, scratch
from attar.io.atomic import check_target_folder, new_file, new_folder


@pytest.fixture(autouse=True)
def _a_new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aside, "_tidied", set())


def start_writer(target: Path, form: str = "new_file(target)") -> subprocess.Popen[bytes]:
    """A process that has begun to write and waits."""
    code = (
        "import time\nfrom pathlib import Path\nfrom attar.io.atomic import new_file, new_folder\n"
        f"target = Path({str(target)!r})\nwith {form}:\n    print('writing', flush=True)\n    time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"writing\n"
    return process


@pytest.mark.parametrize("form", ["new_file(target)", "new_folder(target, 'mark')"])
def test_what_a_killed_process_left_goes_and_what_a_living_one_writes_stays(tmp_path: Path, form: str) -> None:
    killed, living = start_writer(tmp_path / "one", form), start_writer(tmp_path / "two", form)
    killed.kill()
    killed.wait()
    assert sorted(name.split(".")[1] for name in os.listdir(tmp_path)) == ["one", "two"]
    with new_file(tmp_path / "three") as place:
        place.write_text("3")
    left = [name for name in os.listdir(tmp_path) if name != "three"]
    assert [name.split(".")[1] for name in left] == ["two"]
    living.kill()
    living.wait()


def test_what_only_looks_like_a_leftover_stays(tmp_path: Path) -> None:
    (tmp_path / f"file{SUFFIX}").write_text("a file of the user's")
    (tmp_path / "theirs" / OLD).mkdir(parents=True)
    (tmp_path / "theirs" / OLD / "kept").write_text("a file of the user's")
    (tmp_path / f"link{SUFFIX}").symlink_to("theirs")
    with place_aside(tmp_path, "mine") as place:
        aside._tidied.clear()
        remove_leftovers(tmp_path)
        assert place.is_dir()
    assert sorted(os.listdir(tmp_path)) == [f"file{SUFFIX}", f"link{SUFFIX}", "theirs"]
    assert (tmp_path / "theirs" / OLD / "kept").is_file()


def test_temporary_folders_of_dead_processes_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import os\nfrom attar.io.aside import scratch\nwith scratch() as folder:\n"
        "    (folder / 'x').touch()\n    os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", code], env=os.environ | {"TMPDIR": str(tmp_path)}, check=False)
    assert len(os.listdir(tmp_path)) == 1
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with scratch() as folder:
        assert os.listdir(tmp_path) == [folder.name]
    assert os.listdir(tmp_path) == []


def old_folder(path: Path) -> Path:
    path.mkdir()
    (path / "mark").write_text("old")
    return path


def test_without_an_exchange_of_names_the_new_folder_still_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic, "exchange", lambda one, other: False)
    target = old_folder(tmp_path / "out")
    with new_folder(target, "mark", overwrite=True) as place:
        (place / "mark").write_text("new")
    assert (target / "mark").read_text() == "new"
    assert os.listdir(tmp_path) == ["out"]


def test_a_kill_between_two_renames_is_put_right_by_the_next_run(tmp_path: Path) -> None:
    target = old_folder(tmp_path / "out")
    code = (
        "import os\nfrom pathlib import Path\nfrom attar.io import atomic\n"
        "atomic.exchange = lambda one, other: False\nrename, n = os.rename, 0\n"
        "def killed(*names):\n    global n\n    n += 1\n    n == 2 and os.kill(os.getpid(), 9)\n    rename(*names)\n"
        "os.rename = killed\n"
        f"with atomic.new_folder(Path({str(target)!r}), 'mark', overwrite=True) as place:\n"
        "    (place / 'mark').write_text('new')\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    assert not target.exists()
    check_target_folder(target, "mark", overwrite=True)
    assert (target / "mark").read_text() == "old"
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.skipif(sys.platform != "linux", reason="names are exchanged at once on Linux")
def test_there_is_no_moment_without_a_folder(tmp_path: Path) -> None:
    """A process that only ever looks, while another replaces the folder over and over."""
    target = old_folder(tmp_path / "out")
    code = (
        "import os, sys\nmissed = 0\nprint('looking', flush=True)\n"
        f"while not os.path.exists({str(tmp_path / 'stop')!r}):\n"
        f"    missed += not os.path.exists({str(target / 'mark')!r})\nsys.exit(min(missed, 100))\n"
    )
    watcher = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert watcher.stdout is not None
    watcher.stdout.readline()
    for i in range(200):
        with new_folder(target, "mark", overwrite=True) as place:
            (place / "mark").write_text(str(i))
    (tmp_path / "stop").touch()
    assert watcher.wait(600) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="names are exchanged at once on Linux")
def test_the_old_folder_is_never_moved_out_of_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = old_folder(tmp_path / "one"), old_folder(tmp_path / "other")
    if not atomic.exchange(one, other):
        pytest.skip("this file system can't exchange names")
    moved: list[Path] = []
    monkeypatch.setattr(os, "rename", lambda old, new: moved.append(old))
    with new_folder(one, "mark", overwrite=True) as place:
        (place / "mark").write_text("new")
    assert (moved, (one / "mark").read_text()) == ([], "new")


def test_a_folder_is_removed_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "in it").mkdir(parents=True)
        (tmp_path / name / "file").write_text(name)
    remove_folder(tmp_path / "one")
    assert os.listdir(tmp_path) == ["two"]
    monkeypatch.setattr(aside.shutil, "rmtree", lambda *_, **__: None)  # killed before anything in it is gone
    remove_folder(tmp_path / "two")
    assert not (tmp_path / "two").exists()
    monkeypatch.undo()
    aside._tidied.clear()
    remove_leftovers(tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_not_there_is_no_matter(tmp_path: Path) -> None:
    remove_folder(tmp_path / "none")
    assert os.listdir(tmp_path) == []
