"""Links, devices and pipes as targets: written through, never replaced."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from attar.errors import OutputError
from attar.io.atomic import new_file
from attar.io.through import ending
from attar.io.writing import check_target, write_vectors


def write(path: Path, text: str = "new") -> None:
    with new_file(path) as aside:
        aside.write_text(text)


@pytest.mark.parametrize("there", [True, False])
def test_the_file_behind_a_link_is_replaced_and_the_link_stays(tmp_path: Path, there: bool) -> None:
    (tmp_path / "far").mkdir()
    if there:
        (tmp_path / "far/real.txt").write_text("old")
    (tmp_path / "link").symlink_to("far/real.txt")
    (tmp_path / "chain").symlink_to("link")
    write(tmp_path / "chain")
    assert (tmp_path / "chain").is_symlink()
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "far/real.txt").read_text() == "new"
    assert sorted(os.listdir(tmp_path)) == ["chain", "far", "link"]
    assert os.listdir(tmp_path / "far") == ["real.txt"]


def test_a_failure_leaves_what_is_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(RuntimeError, match="stop"), new_file(tmp_path / "link"):
        raise RuntimeError("stop")
    assert (tmp_path / "real").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["link", "real"]


def test_a_link_that_leads_nowhere_or_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "nowhere").symlink_to("no/such/file")
    with pytest.raises(OutputError, match="there is no folder"):
        write(tmp_path / "nowhere")
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OutputError, match=r"can't write .*symbolic links"):
        write(tmp_path / "a")
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "nowhere"]


def device(folder: Path, name: str, number: int) -> Path:
    """A device of our own for root, who could replace the machine's; that of the machine for others."""
    if os.geteuid() != 0:
        return Path("/dev") / name
    try:
        os.mknod(folder / name, stat.S_IFCHR | 0o666, os.makedev(1, number))
        (folder / name).open("rb").close()
    except PermissionError:
        pytest.skip("no devices can be made here")
    return folder / name


def test_a_device_stays_a_device(tmp_path: Path) -> None:
    null = device(tmp_path, "null", 3)
    before = os.listdir(tmp_path)
    write(null)
    assert stat.S_ISCHR(null.stat().st_mode)
    write_vectors([np.ones((2, 3), dtype=np.float32)], str(null))  # without an ending: JSON lines, as on stdout
    assert stat.S_ISCHR(null.stat().st_mode)
    (tmp_path / "v.npy").symlink_to(null)
    write_vectors([], str(tmp_path / "v.npy"))
    assert stat.S_ISCHR(null.stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == sorted([*before, "v.npy"])


def test_a_full_device_is_told(tmp_path: Path) -> None:
    full = device(tmp_path, "full", 7)
    with pytest.raises(OutputError, match=f"can't write '{full}': No space left on device"):
        write(full)
    assert stat.S_ISCHR(full.stat().st_mode)


def test_a_pipe_gets_the_bytes(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.npy"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    check_target(str(pipe))
    write(pipe, "through")
    reader.join(30)
    assert got == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe.npy"]


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_gets_the_bytes_wherever_it_leads(tmp_path: Path, name: str) -> None:
    if not os.path.exists(name):
        pytest.skip(f"no {name}")
    target = tmp_path / "out.txt"
    target.symlink_to(name)  # should it be replaced, this one is and not the machine's
    code = (
        "from pathlib import Path\nfrom attar.io.atomic import new_file\n"
        f"with new_file(Path({str(target)!r})) as aside:\n    aside.write_text('new')\n"
    )
    through_pipe = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert through_pipe.stdout == b"new"
    with open(tmp_path / "log", "wb") as log:
        log.write(b"before ")
        log.flush()
        subprocess.run([sys.executable, "-c", code], stdout=log, check=True)
    assert (tmp_path / "log").read_bytes() == b"before new"
    assert sorted(os.listdir(tmp_path)) == ["log", "out.txt"]
    assert target.is_symlink()


def test_what_a_stream_gets_that_has_no_ending(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert ending(pipe, ".jsonl") == ".jsonl"
    (tmp_path / "pipe.npy").symlink_to("pipe")
    assert ending(tmp_path / "pipe.npy", ".jsonl") == ".npy"
    assert ending(tmp_path / "file", ".jsonl") == ""
    (tmp_path / "circle").symlink_to("circle")
    assert ending(tmp_path / "circle", ".jsonl") == ""
