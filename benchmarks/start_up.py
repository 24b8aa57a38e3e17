"""How long does it take to embed one sentence from a cold start, against importing torch and transformers alone?

Run: python benchmarks/start_up.py [--rounds N]
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time

import numpy as np

COMMANDS = {
    "import torch, transformers": [sys.executable, "-c", "import torch, transformers"],
    "import all of what a BERT needs": [sys.executable, "-c", "import torch; from transformers import BertModel"],
    "attar encode, one sentence": [sys.executable, "-m", "attar", "encode", "-"],
    "attar --help": [sys.executable, "-m", "attar", "--help"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    wall: dict[str, list[float]] = {name: [] for name in COMMANDS}
    cpu: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for number in range(args.rounds + 1):
        for name, command in COMMANDS.items():
            before, start = _children(), time.perf_counter()
            given = b"A cat sat on the mat.\n"
            subprocess.run(command, input=given, stdout=subprocess.DEVNULL, check=True, env=os.environ)
            if number:  # the first round fills the disk's cache
                wall[name].append(time.perf_counter() - start)
                cpu[name].append(_children() - before)
    base = next(iter(COMMANDS))
    for name in COMMANDS:
        ratios = np.array(wall[name]) / np.array(wall[base])
        print(
            f"{name:34}{np.median(wall[name]):6.2f} s, CPU {np.median(cpu[name]):5.2f} s, "
            f"ratio {np.median(ratios):.2f} ({ratios.min():.2f} to {ratios.max():.2f})"
        )


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
