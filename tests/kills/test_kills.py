"""Every command that writes, killed at random moments: the rerun ends with the same bytes, and nothing is left over.

A few kills of each command here, many by `make kills`.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from sample_cells import cell, write_run

from attar.sweep.store import COLUMNS, FILE
from attar_process import Ended, Limits, run, start

KILLS = int(os.environ.get("ATTAR_KILLS", "3"))  # of each command
SEED = int(os.environ.get("ATTAR_KILLS_SEED", "18"))
LOG = os.environ.get("ATTAR_KILLS_LOG")
TEXTS = ["the cat sat on the mat", "a dog ran", "seven blue dogs", "music in the tree", "the river is blue"]
counts: dict[str, Counter[str]] = {}
LIMITS = Limits(work=120, seconds=900)  # seconds of work: how long it takes beside others says nothing

PLAIN = ["texts.txt", "--model", "model", "--recipe", "plain"]
COMMANDS = {
    "encode": ["encode", "texts.txt", "--model", "model", "--weights", "idf", "-o", "out.npy"],
    "encode parquet": ["encode", "texts.txt", "--model", "model", "-o", "out.parquet"],
    "encode safetensors": ["encode", "texts.txt", "--model", "model", "-o", "out.safetensors"],
    "encode jsonl": ["encode", "texts.txt", "--model", "model", "-o", "out.jsonl"],
    "encode over a link": ["encode", "texts.txt", "--model", "model", "-o", "link.npy"],
    "fit": ["fit", "--model", "model", "--shape", "zscore", "--on", "texts.txt", "-o", "out"],
    "fit over": ["fit", "--model", "model", "--shape", "whiten", "--on", "texts.txt", "-o", "recipe", "--overwrite"],
    "static": ["static", "--model", "model", "--on", "texts.txt", "--layers", "1,3", "-o", "out"],
    "static over": ["static", "--model", "model", "--on", "texts.txt", "--layers", "1", "-o", "table", "--overwrite"],
    "export": ["export", "static-recipe", "--to", "model2vec", "-o", "out"],
    "export sentence-transformers": ["export", "recipe", "--to", "sentence-transformers", "-o", "out"],
    "export onnx": ["export", "recipe", "--to", "onnx", "-o", "out"],
    "corpus": ["corpus", "recipe", "texts.txt", "-o", "out", "--workers", "1", "--shards", "2"],
    "sweep": ["sweep", "--grid", "grid.toml", "--model", "model", "-o", "out"],
    "best": ["best", "swept", "--for", "sts", "--save", "out"],
    "report": ["report", "run", "-o", "out.html"],
    "report over a link": ["report", "run", "--format", "csv", "-o", "link.csv"],
    "report svg": ["report", "run", "--format", "svg", "-o", "out"],
    "index": ["index", *PLAIN, "-o", "out"],
    "index over": ["index", *PLAIN, "-o", "index", "--overwrite"],
    "index that learns": ["index", "texts.txt", "--model", "model", "--shape", "zscore", "-o", "out"],
    "index more": ["index", "more.jsonl", "--add", "-o", "index"],
    "duplicates": ["duplicates", *PLAIN, "--threshold", "0.99", "-o", "out.csv", "--cleaned", "cleaned.txt"],
    "groups": ["groups", *PLAIN, "-k", "3", "--projection", "pca", "-o", "out"],
    "explain": ["explain", TEXTS[0], TEXTS[1], "--model", "model", "--shape", "unit", "-o", "out.html"],
    "explain png": ["explain", TEXTS[0], TEXTS[1], "--model", "model", "--shape", "unit", "-o", "out.png"],
    "choose": ["choose", "many.txt", "--model", "table", "--sample", "20", "-o", "out"],
    "choose over": ["choose", "many.txt", "--model", "table", "--sample", "20", "-o", "static-recipe", "--overwrite"],
    "choose page": ["choose", "many.txt", "--model", "table", "--sample", "20", "--ask", "9", "--web", "-o", "out"],
    "encode npz": ["encode", "texts.txt", "--model", "table", "-o", "out.npz"],
    "encode arrow": ["encode", "texts.txt", "--model", "table", "--keep-text", "-o", "out.arrow"],
    "groups over": ["groups", *PLAIN, "-k", "2", "--projection", "pca", "-o", "groups", "--overwrite"],
    "index approximate": ["index", *PLAIN, "--approximate", "-o", "out"],
}
VOLATILE = ("lock", "_lock", "_plan.json", "out.sums")  # what is begun anew, or only needed to go on
# they start other interpreters, import or compute much, or are like others
SLOW = (
    "choose", "choose over", "choose page", "corpus", "export sentence-transformers", "export onnx", "report svg",
    "explain png", "groups", "groups over", "best", "encode safetensors", "encode npz", "encode arrow",
    "encode over a link", "static over", "index that learns", "index approximate",
)  # fmt: skip
KEPT = ("corpus", "sweep", "static", "static over", "choose", "choose over", "choose page", "best")  # what is done
WORK = (".unfinished/", ".choosing/", ".sums/")


@pytest.fixture(scope="module")
def sound(tiny_bert_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All that the commands start from."""
    here = tmp_path_factory.mktemp("kills") / "sound"
    here.mkdir()
    (here / "texts.txt").write_text("\n".join(TEXTS * 40) + "\n")
    many = [f"{text}, and {other}" for text in TEXTS for other in TEXTS]  # so many that a choice can be made
    (here / "many.txt").write_text("\n".join(many) + "\n")
    named = [{"id": f"text-{i}", "text": text} for i, text in enumerate(TEXTS)]
    (here / "named.jsonl").write_text("".join(json.dumps(row) + "\n" for row in named))
    pairs = [f"{text}\t{other}\t{i % 6}\n" for i, text in enumerate(TEXTS) for other in TEXTS[i + 1 :]]
    (here / "pairs.tsv").write_text("sentence1\tsentence2\tscore\n" + "".join(pairs))
    (here / "grid.toml").write_text(
        'tasks = ["sts:pairs.tsv"]\nlayers = [[1], ["first", "last"]]\nshapes = [[], ["zscore"]]\n'
    )
    shutil.copytree(tiny_bert_dir, here / "model")
    write_run(here / "run", [cell(task, layers) for task in ("STS12", "tweet") for layers in ("1", "3", "1+3")])
    more = [{"id": f"more-{i}", "text": text} for i, text in enumerate(TEXTS)]
    (here / "more.jsonl").write_text("".join(json.dumps(row) + "\n" for row in more))
    for ending in ("csv", "npy"):
        (here / f"real.{ending}").write_text("old\n")
        (here / f"link.{ending}").symlink_to(f"real.{ending}")
    for command in (
        ["fit", "--model", "model", "--shape", "zscore", "--on", "texts.txt", "-o", "recipe"],
        ["static", "--model", "model", "--on", "texts.txt", "-o", "table"],
        ["fit", "--model", "table", "--shape", "zscore", "--on", "texts.txt", "-o", "static-recipe"],
        ["index", "named.jsonl", "--recipe", "recipe", "-o", "index"],
        ["sweep", "--grid", "grid.toml", "--model", "model", "-o", "swept"],
        ["groups", *PLAIN, "-k", "3", "--projection", "pca", "-o", "groups"],
    ):
        ended = run(*command, cwd=here, limits=LIMITS)
        assert ended.code == 0, ended
    return here


def contents(folder: Path) -> dict[str, str]:
    """Every file by name, as a hash of its bytes; of a store, of its cells but for their seconds."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = "link to " + os.readlink(path)
        elif path.name == FILE:
            found[name] = _cells(path)
        elif path.is_file() and path.name not in VOLATILE:
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def _cells(path: Path) -> str:
    columns = ", ".join(column for column in COLUMNS if column != "seconds")
    with closing(sqlite3.connect(path)) as connection:
        return repr(connection.execute(f"SELECT {columns} FROM cells ORDER BY cell").fetchall())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_kill_at_any_moment_changes_nothing(sound: Path, tmp_path: Path, name: str) -> None:
    if name in SLOW and "ATTAR_KILLS" not in os.environ:
        pytest.skip("takes half a minute: make kills")
    command = COMMANDS[name]
    here = tmp_path / "here"  # the same path each time: some outputs name their inputs
    shutil.copytree(sound, here, symlinks=True)
    ended = run(*command, cwd=here, limits=LIMITS)
    assert ended.code == 0, ended
    wanted = contents(here)
    rng, hits, window = random.Random(f"{SEED} {name}"), 0, ended.seconds
    for _ in range(KILLS * 3):  # some come when all is done
        shutil.rmtree(here)
        shutil.copytree(sound, here, symlinks=True)
        before = contents(here)
        number = rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
        ended = _killed(command, here, number, rng.uniform(0, window))
        if ended.code == 0:
            window = max(0.9 * window, 0.05)
        hits += ended.code != 0
        counts.setdefault(name, Counter())[f"ended with {ended.code}"] += 1
        assert ended.code in (0, -number, 128 + number, 130), ended
        if name not in KEPT:
            _check_whole(contents(here), before, wanted)
        again = run(*command, cwd=here, limits=LIMITS)
        done = ("it exists", "comes twice")  # the kill came when all was done
        assert again.code == 0 or any(words in again.err for words in done), again
        assert contents(here) == wanted
        counts[name]["and the rerun gave the same bytes"] += 1
        _log()
        if hits == KILLS:
            break


def _killed(command: list[str], here: Path, number: signal.Signals, after: float) -> Ended:
    running = start(*command, cwd=here, limits=LIMITS)
    running.process.join(after)
    if running.process.exitcode is None:
        assert running.process.pid is not None
        os.kill(running.process.pid, number)
    return running.end(LIMITS.seconds)


def _log() -> None:
    """Processes side by side each have a file of their own."""
    if LOG:
        path = Path(f"{LOG}.{os.environ.get('PYTEST_XDIST_WORKER', 'main')}")
        path.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")


def _check_whole(found: dict[str, str], before: dict[str, str], wanted: dict[str, str]) -> None:
    """Whatever has a name of its own after the kill is as it was or as it is to be."""
    for name, content in found.items():
        if "attar-part" not in name and not any(part in name for part in WORK):
            assert content in (before.get(name), wanted.get(name)), name
    assert not set(before) - set(found), "something that was there is gone"
