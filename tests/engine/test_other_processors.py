"""The kernels on another kind of processor, emulated: the same numbers, to the last bit, as those tested here."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import attar.engine

HERE = Path(__file__).parent
ENGINE = Path(attar.engine.__file__ or "").parent
SOURCES = [p for p in sorted(ENGINE.glob("_*.c")) if p.stem not in ("_decoder", "_stored", "_times_stored")]
PARTS = {"float32": 2900, "int8": 2900, "sums": 600, "gelu": 5800, "norm": 5800, "attention": 5800}  # numbers, in order


def numbers(compiler: str, target: Path, *options: str, run_by: tuple[str, ...] = ()) -> dict[str, np.ndarray]:
    """What the kernels give where they are built so."""
    built = [compiler, "-O3", "-ffp-contract=off", *options, f"-I{ENGINE}", str(HERE / "every_kernel.c")]
    subprocess.run([*built, *map(str, SOURCES), "-lm", "-lpthread", "-o", str(target)], check=True)
    shown = subprocess.run([*run_by, str(target)], check=True, capture_output=True).stdout
    ends = np.cumsum(list(PARTS.values()))
    return dict(zip(PARTS, np.split(np.frombuffer(shown, dtype=np.float32), ends[:-1]), strict=True))


@pytest.fixture(scope="module")
def here(tmp_path_factory) -> dict[str, np.ndarray]:
    if shutil.which("gcc") is None:
        pytest.skip("no gcc to build the kernels with")
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").is_file() else ""
    if "avx2" not in flags or "fma" not in flags:
        pytest.skip("this processor has no AVX2")
    return numbers("gcc", tmp_path_factory.mktemp("here") / "kernels", "-mavx2", "-mfma")


def test_arm_gives_the_same_bits(here, tmp_path):
    if shutil.which("aarch64-linux-gnu-gcc") is None or shutil.which("qemu-aarch64") is None:
        pytest.skip("no compiler for ARM, or no qemu to run what it makes: gcc-aarch64-linux-gnu and qemu-user")
    there = numbers("aarch64-linux-gnu-gcc", tmp_path / "kernels", "-static", run_by=("qemu-aarch64",))
    for part, wanted in here.items():
        assert np.isfinite(wanted).all()
        np.testing.assert_array_equal(there[part], wanted, err_msg=part)


def test_any_x86_gives_the_same_bits(here, tmp_path):
    """Without AVX2 the compiler makes what it can of the same vectors."""
    there = numbers("gcc", tmp_path / "kernels")
    for part, wanted in here.items():
        np.testing.assert_array_equal(there[part], wanted, err_msg=part)
