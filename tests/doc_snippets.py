"""Fenced blocks of the documentation, and how each is run."""

from __future__ import annotations

import ast
import json
import re
import shlex
import shutil
import signal
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from attar.cli import attar

FENCE = re.compile(r"^```(\w+) ?(.*?)\n(.*?)^```$", flags=re.M | re.S)
SECONDS = 600  # of one command, also on a crowded machine; more is a hang
# what is not run here, and why
NOT_RUN = {
    r"--data DIR|data=\"DIR\"|--tasks sts": "needs the datasets",
    r"--ask|--answers": "asks questions",
    r"--executor ray|--address": "needs a cluster",
    r"mteb\.evaluate": "fetches a dataset",
    r"^(make|pip|uv|git|docker) ": "sets up an environment",
    r"^python examples|^python benchmarks": "needs the datasets",
    r"^(infinity_emb|text-embeddings-router)": "starts a server",
}


class Block(NamedTuple):
    """One fenced block: its language, the word behind it, and its lines."""

    language: str
    word: str
    text: str


def blocks_of(page: Path) -> list[Block]:
    """All fenced blocks of a page, in order."""
    return [Block(*found) for found in FENCE.findall(page.read_text(encoding="utf-8"))]


def lines_of(block: Block) -> list[str]:
    """The commands of a block of shell, with lines that go on joined and comments left out."""
    joined = block.text.replace("\\\n", " ")
    lines = [shlex.join(shlex.split(line, comments=True)) for line in joined.splitlines()]
    return [line.replace("'&&'", "&&").replace("'>'", ">").replace("'|'", "|") for line in lines if line]


def run_block(block: Block, names: dict[str, Any]) -> None:
    """Run a block in the folder at hand; names are what blocks of Python share."""
    if block.word.startswith("skip"):
        pytest.skip(block.word)
    if block.language == "python":
        _check_runs(block.text)
        _check_imports(block)
        for target in re.findall(r"\.save\(\"(.+?)\"\)", block.text):
            shutil.rmtree(target, ignore_errors=True)
        with _no_hang(block.text):
            exec(compile(block.text, "snippet", "exec", dont_inherit=True), names)
    elif block.language == "json":
        for line in block.text.splitlines():
            json.loads(line)
    elif block.language == "toml":
        tomllib.loads(block.text)
    else:
        assert block.language in ("text", "diff"), (
            f"blocks of {block.language!r} are not run: name it text, or teach me"
        )


def run_line(line: str) -> None:
    """Run one line of shell."""
    _check_runs(line)
    for part in line.split(" && "):
        words = shlex.split(part.partition(" > ")[0])
        with _no_hang(part):
            if words[0] == "attar" and "|" not in shlex.split(part):
                _make_room(words)
                done = CliRunner().invoke(attar, words[1:])
                assert done.exit_code == 0, f"{part}\n{done.output}\n{done.exception!r}"
            elif words[0] == "cp":
                shutil.copy(*words[1:])
            else:
                subprocess.run(part, shell=True, check=True, timeout=SECONDS)


def _make_room(words: list[str]) -> None:
    """Lines that write to one folder are alternatives: each finds it free."""
    if "-o" in words and "--add" not in words and Path(target := words[words.index("-o") + 1]).is_dir():
        shutil.rmtree(target)


def _check_runs(text: str) -> None:
    for pattern, why in NOT_RUN.items():
        if re.search(pattern, text, flags=re.M):
            pytest.skip(f"{why}: {text.splitlines()[0][:80]}")


def _check_imports(block: Block) -> None:
    tree = ast.parse(block.text)
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            if find_spec(name.partition(".")[0]) is None:
                pytest.skip(f"{name} is not installed")


@contextmanager
def _no_hang(text: str) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError(f"{text[:80]!r} took more than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
