"""Jobs on a real two-node Ray cluster: the bytes of the local run, whoever is killed on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from ray_cluster import Cluster, raylets_of, wait_for
from ray_jobs import learn
from safetensors.numpy import load_file

from attar.corpus import embed_corpus, verify_corpus
from attar.executors.local import LocalProcesses

pytestmark = [
    pytest.mark.slow,  # starts a cluster of three nodes and kills parts of it: minutes where cores are few
    pytest.mark.xdist_group("ray"),
    pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed: pip install 'attar[ray]'"),
]

SHARDS = 12
_LINE = "the a cat dog sat ran on mat man woman playing tree river light walk blue red seven music"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    made = Cluster()
    try:
        made.add_node()
        made.add_node()
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("texts") / "a.txt"
    draw = np.random.default_rng(0)
    lines = [" ".join(draw.choice(_LINE.split(), draw.integers(3, 30))) for _ in range(6_000)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def parts(tiny_bert_dir: Path, texts: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    """What the local run writes."""
    out = tmp_path_factory.mktemp("local") / "out"
    with LocalProcesses(2) as executor:
        made: list[dict[str, object]] = embed_corpus(
            tiny_bert_dir, [str(texts)], out, executor, shards=SHARDS, progress=False
        )["parts"]
    return made


def start_job(cluster: Cluster, recipe: Path, texts: Path, out: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "attar", "corpus", str(recipe), str(texts), "-o", str(out)]
    command += ["--on", "ray", "--address", cluster.address, "--shards", str(SHARDS)]
    return subprocess.Popen(command, env=cluster.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def n_done(out: Path) -> int:
    return len(list((out / "_done").glob("part-*.json")))


def finish(job: subprocess.Popen[bytes]) -> None:
    output, _ = job.communicate(timeout=300)
    assert job.returncode == 0, output.decode()


def run_script(cluster: Cluster, *arguments: str) -> str:
    script = Path(__file__).with_name("ray_jobs.py")
    command = [sys.executable, str(script), arguments[0], cluster.address, *arguments[1:]]
    ended = subprocess.run(command, env=cluster.environment, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_map_survives_errors_and_dead_workers(cluster: Cluster, tmp_path: Path) -> None:
    assert json.loads(run_script(cluster, "map", str(tmp_path)).splitlines()[-1]) == {  # Ray writes there too
        "squares": [n * n for n in range(9)],
        "failed": [[3, "ValueError: three is not allowed", 2]],
        "died once": [0, 1, 2, 3],
    }


def test_fit_and_static_are_those_of_the_local_run(
    cluster: Cluster, tiny_bert_dir: Path, texts: Path, tmp_path: Path
) -> None:
    for name in ("local", "ray"):
        (tmp_path / name).mkdir()
    run_script(cluster, "learn", str(tmp_path / "ray"), str(tiny_bert_dir), str(texts))
    with LocalProcesses(2) as executor:
        learn(executor, str(tiny_bert_dir), str(texts), tmp_path / "local")
    for file in ("fit/state.safetensors", "table/table.safetensors"):
        one, other = (load_file(tmp_path / name / file) for name in ("local", "ray"))
        assert one.keys() == other.keys()
        for key in one:
            if one[key].dtype.kind == "i":
                np.testing.assert_array_equal(one[key], other[key])
            np.testing.assert_allclose(one[key], other[key], rtol=1e-12)


def kill_a_worker(cluster: Cluster) -> None:
    wait_for(lambda: bool(cluster.workers()), "a busy worker")
    os.kill(cluster.workers()[0], signal.SIGKILL)


def kill_a_raylet(cluster: Cluster) -> None:
    node = cluster.nodes[0]
    os.kill(raylets_of([node])[0], signal.SIGKILL)
    cluster.remove_node(node)
    cluster.add_node()  # a new one joins, as on a cluster that mends itself


@pytest.mark.parametrize("kill", [kill_a_worker, kill_a_raylet])
def test_the_job_survives(
    cluster: Cluster,
    tiny_bert_dir: Path,
    texts: Path,
    tmp_path: Path,
    parts: list[dict[str, object]],
    kill: Callable[[Cluster], None],
) -> None:
    out = tmp_path / "out"
    job = start_job(cluster, tiny_bert_dir, texts, out)
    killed = 0
    for after in (1, 4):
        wait_for(lambda after=after: n_done(out) >= after or job.poll() is not None, "a shard")
        if job.poll() is None:
            kill(cluster)
            killed += 1
    finish(job)
    assert killed >= 1
    assert verify_corpus(out)["parts"] == parts


def test_a_killed_driver_is_run_again(
    cluster: Cluster, tiny_bert_dir: Path, texts: Path, tmp_path: Path, parts: list[dict[str, object]]
) -> None:
    out = tmp_path / "out"
    for after in (1, 5):
        job = start_job(cluster, tiny_bert_dir, texts, out)
        wait_for(lambda after=after, job=job: n_done(out) >= after or job.poll() is not None, "a shard")
        job.kill()
        job.communicate()
    kept = {path.name: path.stat().st_mtime_ns for path in out.glob("part-*.parquet")}
    assert kept
    finish(start_job(cluster, tiny_bert_dir, texts, out))
    assert verify_corpus(out)["parts"] == parts
    assert not list(out.glob(".*"))


def test_an_unreachable_cluster_is_one_line(cluster: Cluster, tiny_bert_dir: Path, texts: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "attar", "corpus", str(tiny_bert_dir), str(texts), "-o", str(tmp_path / "out")]
    ended = subprocess.run(
        [*command, "--on", "ray", "--address", "127.0.0.1:1"], env=cluster.environment, capture_output=True, timeout=120
    )
    assert ended.returncode == 2, ended.stderr.decode()
    assert "no Ray cluster at '127.0.0.1:1'" in ended.stderr.decode()
