"""The README's code runs, and its links lead somewhere."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from attar.cli import attar

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.S)


def test_python_blocks_run() -> None:
    blocks = _blocks("python")
    assert blocks
    for block in blocks:
        done = subprocess.run(
            [sys.executable, "-c", block + "\nassert vectors.shape == (4, 384) and str(vectors.dtype) == 'float32'"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_shown_exist_with_their_options(page: Path) -> None:
    shown = re.findall(r"^ *(?:\$ )?(attar .*)$", page.read_text(encoding="utf-8"), flags=re.M)
    for line in shown:
        words = shlex.split(line.replace("\\", " "), comments=True)
        name = words[1]
        if name.startswith("-"):
            continue
        help_text = CliRunner().invoke(attar, [name, "--help"]).output
        assert "Usage" in help_text, line
        for option in (word for word in words[2:] if word.startswith("--")):
            assert option in help_text, f"{line}: {name} has no {option}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in target and not target.startswith("reference/"):  # those pages are made when the site is built
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.M))
    assert set(re.findall(r"^make ([a-z]+)", README, flags=re.M)) <= targets
