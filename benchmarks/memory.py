"""Does memory hold steady while a file of texts becomes a file of vectors?

Writes N short texts to a file, then runs `attar encode` on it in processes of its own: for one text, for a tenth and
for all of them. What lies between the last two peaks is what grows with the number of texts.
Run: python benchmarks/memory.py [--n 1000000] [--model DIR] [--ending npy]
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sample_texts import short_texts


def write_texts(path: Path, n: int) -> None:
    """Distinct texts: sentences with a number, so that nothing is computed once for many."""
    sentences = itertools.cycle(short_texts(3000))
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{sentence} {i}\n" for i, sentence in zip(range(n), sentences, strict=False))


def run(texts: Path, target: Path, model: str | None) -> tuple[float, float, float]:
    """Peak MiB, wall and CPU seconds of one run of the command."""
    command = [sys.executable, "-m", "attar", "encode", str(texts), "-o", str(target)]
    command += ["--model", model] if model else []
    start = time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed with status {status}")
    return used.ru_maxrss / 1024, time.perf_counter() - start, used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=1_000_000)
    parser.add_argument("--model", help="a model or table folder; default: the embedded MiniLM")
    parser.add_argument("--ending", default="npy")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="attar-bench-") as folder:
        for n in (1, args.n // 10, args.n):
            texts = Path(folder) / "texts.txt"
            write_texts(texts, n)
            peak, wall, cpu = run(texts, Path(folder) / f"vectors.{args.ending}", args.model)
            print(f"{n:>9,} texts: peak {peak:6.0f} MiB, wall {wall:6.1f} s, CPU {cpu:6.1f} s", flush=True)


if __name__ == "__main__":
    main()
