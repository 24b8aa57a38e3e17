"""What does work in shards cost, against a plain loop in one process over the same texts?

CPU seconds of the whole process tree, Ray's own included, and wall time, against those of a loop that reads, embeds and
writes a file. Models are loaded on both sides before; what the workers' start costs is told apart. That the driver
plans, and loads the recipe to check it against the workers', is part of the job and counted.
Run: python benchmarks/corpus.py [--encoder model|table] [--texts N] [--on local|ray] [--shards N] [--rounds N]
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
from itertools import islice
from pathlib import Path

os.environ |= {"OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from fake_recipe import FakeRecipe
from warm_up import warm_up

from attar import Embedder
from attar.corpus.embedding import EmbedShard, embed_corpus
from attar.corpus.executors import Executor, open_executor
from attar.corpus.executors.local import LocalProcesses
from attar.corpus.inputs.shards import make_plan
from attar.corpus.jobs.job_folder import JobFolder
from attar.corpus.jobs.manifest import verify_corpus, write_manifest
from attar.corpus.jobs.step import Meter, run_step
from attar.corpus.recipe_source import RecipeSource
from attar.pipeline import CHUNK

WORKERS = 2
FEWER = {"table": 200_000, "model": 20_000}  # texts, unless told: MiniLM takes far longer for each
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


def plain_loop(embedder: Embedder, texts: Path, out: Path) -> None:
    """What one would write without any of this: lines in, a Parquet file of vectors out, one process, one thread."""
    writer, first = None, 0
    with open(texts, encoding="utf-8") as file:
        while lines := [line.removesuffix("\n") for line in islice(file, CHUNK)]:
            vectors = embedder.encode(lines)
            rows = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), vectors.shape[1])
            chunk = pa.table({"id": pa.array(range(first, first + len(lines))), "vector": rows})
            writer = writer or pq.ParquetWriter(out, chunk.schema, compression="none", use_dictionary=False)
            writer.write_table(chunk)
            first += len(lines)
    assert writer is not None
    writer.close()


def compare(args: argparse.Namespace, folder: Path) -> None:
    """Both in turn, round after round, the order reversed each time; all models are loaded before the clocks start."""
    n = args.texts or FEWER[args.encoder]
    texts = folder / "texts.txt"
    write_texts(texts, n)
    recipe = str(table(folder)) if args.encoder == "table" else "plain"
    embedder = RecipeSource.of(recipe).embedder()
    embedder.encode(["warm"])
    n_shards = 0
    rounds: list[dict[str, dict[str, float]]] = []
    for number in range(args.rounds):
        seconds: dict[str, dict[str, float]] = {"loop": {}, "start": {}, "shards": {}}
        one, parts = folder / f"loop{number}.parquet", folder / f"shards{number}"
        for leg in ("loop", "shards") if number % 2 == 0 else ("shards", "loop"):
            if leg == "loop":
                with measured(seconds["loop"]):
                    plain_loop(embedder, texts, one)
                continue
            with open_executor(args.on, workers=WORKERS) as executor:  # down while the loop runs
                with measured(seconds["start"]):
                    warm_up(executor, RecipeSource.of(recipe), WORKERS)
                with measured(seconds["shards"]):
                    made = embed_corpus(recipe, [str(texts)], parts, executor, shards=args.shards, progress=False)
                n_shards = len(made["parts"])
        rounds.append(seconds)
        loop, start, shards = seconds["loop"], seconds["start"], seconds["shards"]
        print(f"round {number + 1}: loop {loop['cpu']:.1f} CPU s, {loop['wall']:.1f} s", end="; ")
        print(f"{args.on}, {WORKERS} workers: {shards['cpu']:.1f} CPU s, {shards['wall']:.1f} s", end="; ")
        print(f"their start before: {start['cpu']:.1f} CPU s, {start['wall']:.1f} s")
        print(f"         greatest difference of a vector's number: {difference(one, parts):.1g}")
        one.unlink()
        shutil.rmtree(parts)
    print(f"{n:,} texts, {args.encoder}, {n_shards} shards, {args.rounds} rounds; median (least to greatest):")
    print(
        f"  CPU time, {args.on} / loop              {spread([r['shards']['cpu'] / r['loop']['cpu'] for r in rounds])}"
    )
    per_core = [WORKERS * r["shards"]["wall"] / r["loop"]["wall"] for r in rounds]
    print(f"  wall time x cores used, {args.on} / loop {spread(per_core)}")
    with_start = [(r["start"]["cpu"] + r["shards"]["cpu"]) / r["loop"]["cpu"] for r in rounds]
    print(f"  CPU time with the workers' start      {spread(with_start)}")
    print(f"  the loop: {spread([n / r['loop']['cpu'] for r in rounds], 0)} texts a CPU second")


def spread(values: list[float], digits: int = 3) -> str:
    return f"{np.median(values):,.{digits}f} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"


def difference(one: Path, parts: Path) -> float:
    """Rows are taken in order, and must be as many."""
    first, second = (ds.dataset(path).to_table(columns=["id", "vector"]) for path in (one, parts))
    assert first["id"].to_pylist() == second["id"].to_pylist()
    flat = [table["vector"].combine_chunks().flatten().to_numpy() for table in (first, second)]
    return float(np.abs(flat[0] - flat[1]).max())


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
        work = EmbedShard(FakeRecipe(args.dims), str(job.path), plan.id_type, False)
        with job.begun({"job": "simulation"}, plan.to_json()):
            run_step(executor, job, "", work, plan.shards, Meter(plan.n_shards, plan.rows, False))
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
    parser.add_argument("--texts", type=int, help="default: 200,000 for a table, 20,000 for MiniLM")
    parser.add_argument("--encoder", choices=["model", "table"], default="model")
    parser.add_argument("--on", choices=["local", "ray"], default="ray")
    parser.add_argument("--rounds", type=int, default=3)
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
