"""A compiled library of other sources is not called: that could end the process, or give nonsense."""

from __future__ import annotations

import ctypes
import logging
import shutil
import subprocess
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from attar._version import __version__
from attar.engine import library
from attar.engine.built import FOLDER, _built_from, open_built
from attar.engine.stamp import fits, stamp

ENDING = EXTENSION_SUFFIXES[-1]
STALE = f"_kernels{ENDING} was built from other sources than these, so it is not used"


def declare_nothing(opened: ctypes.CDLL) -> None:
    pass


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The library with the sources it was built from."""
    built = FOLDER / f"_kernels{ENDING}"
    if not built.is_file():
        pytest.skip("the C kernels are not built")
    for path in (built, *FOLDER.glob("_*.[ch]")):
        shutil.copy(path, tmp_path)
    return tmp_path


def test_the_stamp_changes_with_every_source_and_the_version(tmp_path: Path) -> None:
    assert stamp("1.0", tmp_path) == "1.0"
    (tmp_path / "_a.c").write_text("int a;")
    first = stamp("1.0", tmp_path)
    (tmp_path / "_b.h").write_text("")
    second = stamp("1.0", tmp_path)
    (tmp_path / "_a.c").write_text("int b;")
    assert len({first, second, stamp("1.0", tmp_path), stamp("1.1", tmp_path)}) == 4


def test_what_fits() -> None:
    assert fits("1.0 abc", "1.0 abc")
    assert fits("1.0 abc", "1.0"), "a wheel leaves the sources behind"
    assert not fits("1.0 abc", "1.0 abd")
    assert not fits("1.0 abc", "1.1")
    assert not fits("", "1.0")


def test_a_library_of_these_sources_is_opened(here: Path, caplog: pytest.LogCaptureFixture) -> None:
    opened = open_built("_kernels", library._declare, here)
    assert opened is not None, "build the kernels again: pip install --no-deps -e ."
    assert _built_from(opened) == stamp(__version__, here)
    assert not caplog.records


def test_a_changed_source_makes_it_stale(here: Path, caplog: pytest.LogCaptureFixture) -> None:
    source = here / "_kernels.c"
    source.write_text(source.read_text() + "/* another argument */\n")
    with caplog.at_level(logging.WARNING, "attar"):
        assert open_built("_kernels", declare_nothing, here) is None
    assert [STALE in record.message for record in caplog.records] == [True]


@pytest.mark.parametrize("code", ["int other;", 'const char *attar_built_from(void) { return "0.1.0 old"; }'])
def test_an_older_library(tmp_path: Path, code: str, caplog: pytest.LogCaptureFixture) -> None:
    """One from before libraries said what they were built from, and one from another version."""
    if shutil.which("gcc") is None:
        pytest.skip("no gcc to build a library with")
    (tmp_path / "old.c").write_text(code)
    subprocess.run(["gcc", "-shared", "-fPIC", "old.c", "-o", f"_kernels{ENDING}"], cwd=tmp_path, check=True)
    assert open_built("_kernels", declare_nothing, tmp_path) is None
    assert STALE in caplog.text


def test_none_is_there(tmp_path: Path) -> None:
    assert open_built("_kernels", declare_nothing, tmp_path) is None
    (tmp_path / f"_kernels{ENDING}").write_bytes(b"not a library")
    assert open_built("_kernels", declare_nothing, tmp_path) is None
