"""What does work in shards cost, against a plain loop in one process over the same texts?

CPU seconds of the whole process tree per text, against those of a loop that reads, embeds and writes the same parts.
Run: python benchmarks/corpus.py [--texts N] [--encoder model|table] [--on local|ray] [--rounds N]
     python benchmarks/corpus.py --simulate [--rows N]     a fake encoder, to see what the machinery alone costs
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

os.environ |= {"OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import numpy as np
from fake_recipe import FakeRecipe

from attar.corpus.embedding import EmbedShard, embed_corpus
from attar.corpus.job_folder import JobFolder
from attar.corpus.manifest import verify_corpus, write_manifest
from attar.corpus.meter import Meter
from attar.corpus.plan import make_plan
from attar.corpus.recipe_source import RecipeSource
from attar.corpus.step import run_step
from attar.executors import Executor, open_executor
from attar.executors.local import LocalProcesses

_LINE = "market river light music people found small open water city school year world story paper table garden train"


def write_texts(path: Path, n: int) -> None:
    draw = np.random.default_rng(0)
    words = np.array(_LINE.split())
    with open(path, "w", encoding="utf-8") as file:
        for start in range(0, n, 100_000):
            size = min(100_000, n - start)
            lengths = draw.integers(4, 13, size)
            drawn = iter(np.split(words[draw.integers(0, len(words), lengths.sum())], np.cumsum(lengths)[:-1]))
            file.writelines(f"{start + i} {' '.join(line)}\n" for i, line in enumerate(drawn))


def cpu() -> float:
    """CPU seconds of this process and everything below it, living or reaped: also Ray's own processes and workers."""
    parent, used = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                parent[int(entry.name)] = int(fields[1])
                used[int(entry.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    total = 0.0
    for process, seconds in used.items():
        above = process
        while above not in (os.getpid(), 0, 1):
            above = parent.get(above, 0)
        total += seconds if above == os.getpid() else 0.0
    return total


@contextmanager
def measured(seconds: dict[str, float]) -> Iterator[None]:
    wall, used = time.perf_counter(), cpu()
    yield
    seconds |= {"wall": time.perf_counter() - wall, "cpu": cpu() - used}


class OneLoop:
    """The plain loop: no processes, no retries."""

    def map(self, work, units):  # type: ignore[no-untyped-def]
        from attar.executors import Done

        return (Done(unit, work(unit)) for unit in units)


def compare(args: argparse.Namespace, folder: Path) -> None:
    texts = folder / "texts.txt"
    write_texts(texts, args.texts)
    recipe = str(table(folder)) if args.encoder == "table" else "plain"
    ratios = []
    for number in range(args.rounds):
        plain: dict[str, float] = {}
        shared: dict[str, float] = {}
        source = RecipeSource.of(recipe)
        source.embedder().encode(["warm"])
        with measured(plain):
            embed_corpus(recipe, [str(texts)], folder / f"loop{number}", OneLoop(), shards=args.shards, progress=False)
        with open_executor(args.on, workers=2) as executor, measured(shared):  # what is up already is not counted
            embed_corpus(recipe, [str(texts)], folder / f"shards{number}", executor, shards=args.shards, progress=False)
        ratios.append(shared["cpu"] / plain["cpu"])
        print(f"round {number + 1}: loop {args.texts / plain['cpu']:,.0f} texts a CPU second", end="; ")
        print(f"{args.on}, two workers {args.texts / shared['cpu']:,.0f}: {ratios[-1]:.3f} times the CPU time")
        print(f"         wall: {plain['wall']:.0f} s and {shared['wall']:.0f} s")
        same = all(
            part.read_bytes() == (folder / f"shards{number}" / part.name).read_bytes()
            for part in (folder / f"loop{number}").glob("*.parquet")
        )
        print(f"         byte-identical parts: {same}")
    spread = f"{np.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"
    print(f"{args.texts:,} texts, {args.encoder}, {args.rounds} rounds, median (least to greatest): {spread}")


def table(folder: Path) -> Path:
    """A static table over the default model's tokenizer."""
    from attar import Table, Transformer
    from attar.encoders.average import tokenizer_of

    bert = Transformer()
    vectors = np.random.default_rng(0).standard_normal((len(bert.vocabulary), 256)).astype(np.float32)
    Table(vectors, tokenizer_of(bert)).save(folder / "table")
    return folder / "table"


def simulate(args: argparse.Namespace, folder: Path) -> None:
    texts = folder / "texts.txt"
    write_texts(texts, args.rows)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    executor: Executor
    with open_executor(args.on, workers=2) if args.on == "ray" else LocalProcesses(2) as executor:
        start = time.perf_counter()
        plan = make_plan(executor, [str(texts)], shards=args.shards)
        planned = time.perf_counter()
        job = JobFolder.at(folder / "out")
        job.begin({"job": "simulation"}, plan.to_json())
        run_step(
            executor,
            job,
            "",
            EmbedShard(FakeRecipe(args.dims), str(job.path), plan.id_type, False),
            plan.units,
            Meter(plan.n_shards, plan.rows, False),
        )
        done = time.perf_counter()
        write_manifest(job, plan, "", "fake")
        written = time.perf_counter()
        verify_corpus(job.path)
        verified = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    worker = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    size = os.path.getsize(job.path / "_plan.json")
    print(
        f"{plan.rows:,} rows in {plan.n_shards:,} shards on {args.on}, {os.path.getsize(texts) / 1e6:,.0f} MB of text"
    )
    print(f"  planning                 {planned - start:.1f} s")
    print(f"  manifest, verification   {written - done:.1f} s, {verified - written:.1f} s")
    print(f"  reading and writing      {done - planned:.1f} s ({plan.rows / (done - planned):,.0f} rows/s)")
    print(f"  driver memory            {before / 1024:.0f} MB before, {peak / 1024:.0f} MB at most")
    print(f"  greatest worker          {worker / 1024:.0f} MB")
    print(f"  plan on disk             {size / 1024:.0f} kB")
    print(f"  all shards marked        {len(job.done()) == plan.n_shards}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=200_000)
    parser.add_argument("--encoder", choices=["model", "table"], default="model")
    parser.add_argument("--on", choices=["local", "ray"], default="ray")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--shards", type=int, default=None)
    parser.add_argument("--simulate", action="store_true", help="a fake encoder over --rows rows")
    parser.add_argument("--dims", type=int, default=16, help="of the fake vectors")
    parser.add_argument("--rows", type=int, default=10_000_000)
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="attar-corpus-"))
    try:
        (simulate if args.simulate else compare)(args, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
