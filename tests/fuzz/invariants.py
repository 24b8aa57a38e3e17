"""What must hold whatever a file says: exit code 0 or 2, few words, no file but the target, bounded memory and time."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from attar_process import Ended, Limits, run

LONG = "ATTAR_FUZZ_SECONDS" in os.environ  # rounds of new examples until the time is up
EXAMPLES = 20 if LONG else 6  # of a round
SECONDS = float(os.environ.get("ATTAR_FUZZ_SECONDS", "8"))  # of each target, once it has begun
LOG = os.environ.get("ATTAR_FUZZ_LOG")  # a file to add counts to
FOUND = os.environ.get("ATTAR_FUZZ_FOUND")  # a folder for what does not hold; else the first of it is raised
LIMITS = Limits(memory=3 << 29, work=30, seconds=300)
bounded: Any = settings(
    max_examples=EXAMPLES,
    derandomize=not LONG,
    deadline=None,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)
began: dict[str, float] = {}
counts: dict[str, Counter[str]] = {}
found: dict[str, list[str]] = {}


def time_is_up(target: str) -> bool:
    """Whether a target has had its share."""
    return time.monotonic() - began.setdefault(target, time.monotonic()) > SECONDS


def fuzz(target: str, once: Callable[[st.DataObject], None]) -> None:
    """Rounds of examples until the target has had its share; one round, the same each time, unless time is given."""
    ended = False
    while not ended:
        bounded(given(st.data())(once))()
        ended = not LONG or time_is_up(target)
    assert not found.get(target), found[target]


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def holds(target: str, source: Path, files: Mapping[str, bytes], *command: str) -> None:
    """Runs a command on a copy of a folder with other files in it, and checks all that must hold.

    Where findings are kept, the first of each kind is, and nothing is raised.
    """
    if time_is_up(target):
        return
    with TemporaryDirectory(prefix="attar-fuzz-") as place:
        here = Path(shutil.copytree(source, Path(place) / "here"))
        for name, content in files.items():
            (here / name).write_bytes(content)
        before = files_in(here)
        ended = run(*command, cwd=here, limits=LIMITS)
        made = {name for name in files_in(here) - before if not _belongs(name, command)}
    _count(target, ended)
    wrong = _wrong(ended, made)
    if wrong and FOUND:
        _keep(target, wrong, files, command, ended)
    else:
        assert not wrong, (wrong, command, ended)


def _belongs(name: str, command: Sequence[str]) -> bool:
    """Whether a file is the target, in it, or what is kept beside it to go on from."""
    top = name.split("/")[0]
    kept = [top, top.removesuffix(".choosing"), top.removesuffix(".sums"), top[1:].removesuffix(".unfinished")]
    return any(place in command for place in kept)


def _wrong(ended: Ended, made: set[str]) -> str | None:
    """What does not hold."""
    if ended.code not in (0, 2):
        return f"exit code {ended.code}"
    for word in ("Traceback", "panicked", "fault of attar"):
        if word in ended.err:
            return word
    if ended.code == 2 and len(ended.err) > 2000:
        return "too many words"
    return f"made {sorted(made)}" if made else None


def _keep(target: str, wrong: str, files: Mapping[str, bytes], command: Sequence[str], ended: Ended) -> None:
    """What it takes to see it again."""
    kind = hashlib.sha256(f"{wrong} {ended.err.splitlines()[-1:]}"[:90].encode()).hexdigest()[:8]
    folder = Path(FOUND or "") / target.replace("/", "_") / kind
    if not folder.exists():
        folder.mkdir(parents=True)
        for name, content in files.items():
            (folder / Path(name).name).write_bytes(content)
        (folder / "about.json").write_text(json.dumps([wrong, list(files), command, ended.code, ended.err[-3000:]]))
        found.setdefault(target, []).append(f"{wrong}: {folder}")


def _count(target: str, ended: Ended) -> None:
    """Processes side by side each have a file of counts of their own."""
    counts.setdefault(target, Counter())[str(ended.code)] += 1
    if LOG:
        path = Path(f"{LOG}.{os.environ.get('PYTEST_XDIST_WORKER', 'main')}")
        path.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")
