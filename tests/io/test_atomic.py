"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from attar.errors import OutputError
from attar.io.atomic import check_parent, check_target_folder, new_file, new_folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_when_all_went_well(tmp_path):
    with new_file(tmp_path / "out.txt") as aside:
        aside.write_text("new")
        assert not (tmp_path / "out.txt").exists()
    assert (tmp_path / "out.txt").read_text() == "new"
    assert names(tmp_path) == ["out.txt"]


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_a_file_that_fails_leaves_what_was_there(tmp_path, failure):
    (tmp_path / "out.txt").write_text("old")
    with pytest.raises(failure), new_file(tmp_path / "out.txt") as aside:
        aside.write_text("half")
        raise failure
    assert (tmp_path / "out.txt").read_text() == "old"
    assert names(tmp_path) == ["out.txt"]


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_a_folder_appears_whole_or_not_at_all(tmp_path, failure):
    with pytest.raises(failure), new_folder(tmp_path / "out", "mark") as aside:
        (aside / "a").touch()
        raise failure
    assert names(tmp_path) == []
    with new_folder(tmp_path / "out", "mark") as aside:
        (aside / "a").touch()
        assert names(tmp_path) != ["out"]
    assert names(tmp_path) == ["out"]
    assert names(tmp_path / "out") == ["a"]
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o755


def test_a_folder_that_exists_is_refused_or_replaced(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mark").touch()
    with pytest.raises(OutputError, match="it exists; remove it"), new_folder(tmp_path / "out", "mark"):
        pytest.fail("opened")
    with new_folder(tmp_path / "out", "mark", overwrite=True) as aside:
        (aside / "new").touch()
    assert names(tmp_path / "out") == ["new"]
    assert names(tmp_path) == ["out"]


def test_what_is_not_ours_is_never_replaced(tmp_path):
    (tmp_path / "out").mkdir()
    with new_folder(tmp_path / "out", "mark", overwrite=True):  # nothing is lost with an empty folder
        pass
    (tmp_path / "out" / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputError, match=r"such as 'thesis.txt', and no mark; remove it yourself"):
        check_target_folder(tmp_path / "out", "mark", overwrite=True)
    assert names(tmp_path / "out") == ["thesis.txt"]


@pytest.mark.parametrize("there", [True, False])
def test_behind_a_link_the_folder_is_written_and_the_link_stays(tmp_path, there):
    (tmp_path / "far").mkdir()
    link = tmp_path / "out"
    link.symlink_to("far/out")
    if there:
        (tmp_path / "far/out").mkdir()
        (tmp_path / "far/out/mark").touch()
    with new_folder(link, "mark", overwrite=True) as aside:
        (aside / "new").touch()
    assert names(tmp_path) == ["far", "out"]
    assert names(tmp_path / "far") == ["out"]
    assert link.is_symlink()
    assert names(link) == ["new"]


def test_a_failed_replacement_leaves_the_old_folder(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mark").touch()
    with pytest.raises(RuntimeError), new_folder(tmp_path / "out", "mark", overwrite=True):
        raise RuntimeError
    assert names(tmp_path / "out") == ["mark"]
    assert names(tmp_path) == ["out"]


def test_a_file_in_the_place_of_a_folder_and_the_other_way(tmp_path):
    (tmp_path / "file").touch()
    for overwrite in (False, True):
        with pytest.raises(OutputError, match="it is a file"):
            check_target_folder(tmp_path / "file", "mark", overwrite=overwrite)
    with pytest.raises(OutputError, match="it is a folder"), new_file(tmp_path):
        pytest.fail("opened")


@pytest.mark.parametrize("name", ["no/such/out", "file/out", "a\0b", "x" * 300])
@pytest.mark.parametrize("form", [new_file, lambda path: new_folder(path, "mark")])
def test_a_place_that_can_not_be_written(tmp_path, name, form):
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="can't write") as raised, form(tmp_path / name):
        pytest.fail("opened")
    assert "\n" not in str(raised.value)
    assert names(tmp_path) == ["file"]


def test_a_system_folder_that_takes_no_files():
    with pytest.raises(OutputError, match="can't write"), new_folder(Path("/proc/attar-out"), "mark"):
        pytest.fail("opened")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission(tmp_path):
    tmp_path.chmod(0o555)
    with pytest.raises(OutputError, match="no permission"):
        check_parent(tmp_path / "out")


def test_an_error_of_the_disk_is_told_as_such(tmp_path):
    with pytest.raises(OutputError, match="No space left"), new_folder(tmp_path / "out", "mark"):
        raise OSError(28, "No space left on device")
    assert names(tmp_path) == []


def test_a_kill_leaves_nothing_under_the_name(tmp_path):
    code = (
        "import time\nfrom pathlib import Path\nfrom attar.io.atomic import new_folder\n"
        f"with new_folder(Path({str(tmp_path / 'out')!r}), 'mark') as aside:\n"
        "    (aside / 'half').touch()\n    print('writing', flush=True)\n    time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"writing\n"
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=600)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("umask", "wanted"), [(0o022, ("0o644", "0o755")), (0o027, ("0o640", "0o750"))])
def test_whoever_may_read_files_here_may_read_new_ones(tmp_path, umask, wanted):
    """Writers such as safetensors make files for their owner alone, which a server under another name can't open."""

    def modes(*paths: Path) -> tuple[str, ...]:
        return tuple(oct(path.stat().st_mode & 0o777) for path in paths)

    usual = os.umask(umask)
    try:
        with new_file(tmp_path / "file") as aside:
            aside.write_text("x")
            aside.chmod(0o600)
        with new_folder(tmp_path / "folder", "mark") as aside:
            (aside / "inner").mkdir(mode=0o700)
            (aside / "inner/file").touch(mode=0o600)
    finally:
        os.umask(usual)
    assert modes(tmp_path / "file") == wanted[:1]
    assert modes(tmp_path / "folder/inner/file", tmp_path / "folder/inner", tmp_path / "folder") == (*wanted, wanted[1])
