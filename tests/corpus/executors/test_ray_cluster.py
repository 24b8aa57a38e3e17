"""Jobs on a real two-node Ray cluster: the bytes of the local run, whoever is killed on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from gate import Gate
from ray_cluster import Cluster, ClusterError, wait_for
from ray_jobs import SHARDS, learn
from safetensors.numpy import load_file

from attar import Table, Transformer
from attar.corpus import embed_corpus, verify_corpus
from attar.corpus.executors.local import LocalProcesses

pytestmark = [
    pytest.mark.xdist_group("ray"),
    pytest.mark.skipif(
        sys.platform != "linux", reason="finds processes in /proc, and loopback addresses beyond 127.0.0.1"
    ),
    pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed: pip install 'attar[ray]'"),
]

JOBS = str(Path(__file__).with_name("ray_jobs.py"))
_LINE = "the a cat dog sat ran on mat man woman playing tree river light walk blue red seven music"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    try:
        made = Cluster()
    except (ClusterError, TimeoutError) as error:
        pytest.skip(f"Ray can't start a cluster on this machine: {error}")
    try:
        try:
            for _ in range(2):
                made.add_node()
        except (ClusterError, TimeoutError) as error:
            pytest.skip(f"Ray can't start a node on this machine: {error}")
        yield made
    finally:
        made.close()


@pytest.fixture(autouse=True)
def _no_job_stays(cluster: Cluster) -> Iterator[None]:
    yield
    cluster.end_jobs()


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("texts") / "a.txt"
    draw = np.random.default_rng(0)
    lines = [" ".join(draw.choice(_LINE.split(), draw.integers(3, 30))) for _ in range(1_000)]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.fixture(scope="module")
def table(tiny_bert_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A static model, which workers load in no time: the tests that kill them wait for many."""
    bert = Transformer(tiny_bert_dir)
    vectors = np.random.default_rng(0).standard_normal((len(bert.vocabulary), 8)).astype(np.float32)
    folder = tmp_path_factory.mktemp("tables") / "table"
    Table(vectors, bert.backend_tokenizer).save(folder)
    return str(folder)


@pytest.fixture(scope="module")
def local(tiny_bert_dir: Path, table: str, texts: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What local runs write."""
    out = tmp_path_factory.mktemp("local")
    with LocalProcesses(1) as executor:
        embed_corpus(table, [texts], out / "static", executor, shards=SHARDS, progress=False)
        learn(executor, out, str(tiny_bert_dir), texts)
    return out


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    folder = tmp_path / "gate"
    folder.mkdir()
    return Gate(str(folder))


def wait_for_two(gate: Gate, job: subprocess.Popen[bytes], but: int | None = None) -> list[int]:
    """The workers of both nodes, each in the middle of a shard."""

    def ready() -> bool:
        assert job.poll() is None, "the job has ended"
        return len(set(gate.waiting()) - {but}) == 2

    wait_for(ready, "a worker on each node")
    return [pid for pid in gate.waiting() if pid != but]


def n_done(out: Path) -> int:
    return len(list(out.glob("_done/part-*.json")))


def same_parts(one: Path, other: Path) -> bool:
    """By checksums that are checked against the files."""
    return bool(verify_corpus(one)["parts"] == verify_corpus(other)["parts"])


def test_map_survives_errors_and_dead_workers(cluster: Cluster, tmp_path: Path) -> None:
    cluster.finish(cluster.start(sys.executable, JOBS, "map", cluster.address, str(tmp_path)))
    assert json.loads((tmp_path / "outcomes.json").read_text()) == {
        "squares": [n * n for n in range(9)],
        "failed": [[3, "ValueError: three is not allowed", 4]],
        "died once": [0, 1, 2, 3],
    }


def test_jobs_give_what_they_give_locally(
    cluster: Cluster, local: Path, tiny_bert_dir: Path, texts: str, tmp_path: Path
) -> None:
    command = [sys.executable, JOBS, "learn", cluster.address, str(tmp_path), str(tiny_bert_dir), texts]
    cluster.finish(cluster.start(*command))
    for file in ("fit/state.safetensors", "table/table.safetensors"):
        one, other = load_file(local / file), load_file(tmp_path / file)
        assert one.keys() == other.keys()
        for key in one:
            if one[key].dtype.kind == "i":
                np.testing.assert_array_equal(one[key], other[key])
            np.testing.assert_allclose(one[key], other[key], rtol=1e-12)
    assert same_parts(local / "vectors", tmp_path / "vectors")


def test_killed_workers(cluster: Cluster, gate: Gate, table: str, texts: str, local: Path, tmp_path: Path) -> None:
    gate.open_to(2)
    out = tmp_path / "out"
    job = cluster.start(sys.executable, JOBS, "gated", cluster.address, str(out), table, texts, gate.folder)
    for number in range(3):
        victim = wait_for_two(gate, job)[number % 2]
        os.kill(victim, signal.SIGKILL)
        wait_for_two(gate, job, but=victim)
    assert n_done(out) == 2
    gate.open_to(SHARDS)
    cluster.finish(job)
    assert same_parts(out, local / "static")
    assert not list(out.glob(".*"))


def test_killed_raylets(cluster: Cluster, gate: Gate, table: str, texts: str, local: Path, tmp_path: Path) -> None:
    gate.open_to(2)
    out = tmp_path / "out"
    job = cluster.start(sys.executable, JOBS, "gated", cluster.address, str(out), table, texts, gate.folder)
    for done in (2, 4):
        victim = wait_for_two(gate, job)[0]
        cluster.kill_raylet(cluster.node_of(victim))
        cluster.add_node()  # as on a cluster that mends itself
        wait_for_two(gate, job, but=victim)
        assert n_done(out) < SHARDS
        gate.open_to(done + 2)
    gate.open_to(SHARDS)
    cluster.finish(job)
    assert same_parts(out, local / "static")
    assert not list(out.glob(".*"))


def test_killed_drivers(cluster: Cluster, gate: Gate, table: str, texts: str, local: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for done in (2, 5):
        gate.open_to(done)
        job = cluster.start(sys.executable, JOBS, "gated", cluster.address, str(out), table, texts, gate.folder)
        wait_for_two(gate, job)
        job.kill()
        job.wait()
        assert n_done(out) == done
        wait_for(lambda: not gate.waiting(), "the end of the workers without a driver")
    kept = {path.name: path.stat().st_mtime_ns for path in out.glob("part-*.parquet")}
    command = ["attar", "corpus", table, texts, "-o", str(out), "--executor", "ray", "--address", cluster.address]
    cluster.finish(cluster.start(sys.executable, "-m", *command, "--shards", str(SHARDS)))
    assert {name: (out / name).stat().st_mtime_ns for name in kept} == kept
    assert same_parts(out, local / "static")
    assert not list(out.glob(".*"))


def test_an_unreachable_cluster_is_one_line(cluster: Cluster, table: str, texts: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "attar", "corpus", table, texts, "-o", str(tmp_path / "out"), "--executor", "ray"]
    ended = subprocess.run(
        [*command, "--address", "127.0.0.1:1"], env=cluster.environment, capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 2, ended.stderr
    assert "no Ray cluster at '127.0.0.1:1'" in ended.stderr
