"""No file of the project holds what a merge left behind."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARK = re.compile(rb"^(<{7} |>{7} |={7}$)", flags=re.M)
KINDS = {".py", ".md", ".toml", ".c", ".h", ".js", ".css", ".html", ".txt"}


def test_no_marks_of_a_conflict():
    files = [path for name in ("src", "tests", "docs", "examples", "benchmarks") for path in (ROOT / name).rglob("*")]
    files = [path for path in [*ROOT.glob("*"), *files] if path.suffix in KINDS and path.is_file()]
    assert ROOT / "README.md" in files
    assert [str(path.relative_to(ROOT)) for path in files if MARK.search(path.read_bytes())] == []
