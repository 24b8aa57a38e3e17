"""What must hold whatever a file says: exit code 0 or 2, few words, no file but the target, bounded memory and time."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, settings

from attar_process import Ended, Limits, run

EXAMPLES = int(os.environ.get("ATTAR_FUZZ_EXAMPLES", "20"))  # of each target
SECONDS = float(os.environ.get("ATTAR_FUZZ_SECONDS", "8"))  # of each target, once it has begun
LOG = os.environ.get("ATTAR_FUZZ_LOG")  # a file to add counts to
LIMITS = Limits(memory=3 << 29, seconds=30)
bounded: Any = settings(
    max_examples=EXAMPLES,
    derandomize="ATTAR_FUZZ_EXAMPLES" not in os.environ,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
began: dict[str, float] = {}
counts: dict[str, Counter[str]] = {}


def time_is_up(target: str) -> bool:
    """Whether a target has had its share."""
    return time.monotonic() - began.setdefault(target, time.monotonic()) > SECONDS


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def holds(
    target: str, source: Path, damage: Callable[[Path], None], *command: str, makes: str = "out.npy"
) -> Ended | None:
    """Runs a command on a damaged copy of a folder, and checks all that must hold. None if there is no time left."""
    if time_is_up(target):
        return None
    with TemporaryDirectory(prefix="attar-fuzz-") as place:
        here = Path(shutil.copytree(source, Path(place) / "here"))
        damage(here)
        before = files_in(here)
        ended = run(*command, cwd=here, limits=LIMITS)
        made = {name for name in files_in(here) - before if name.split("/")[0] != makes}
    _count(target, ended)
    assert ended.code in (0, 2), ended
    for word in ("Traceback", "panicked", "fault of attar"):
        assert word not in ended.err, ended
    assert ended.code == 0 or len(ended.err) < 2000, ended.err[:3000]
    assert made == set(), (made, ended)
    return ended


def _count(target: str, ended: Ended) -> None:
    counts.setdefault(target, Counter())[str(ended.code)] += 1
    if LOG:
        Path(LOG).write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")
