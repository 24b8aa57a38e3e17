"""Every snippet of docs/clients.md, run against the real library where it is installed."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

DOC = Path(__file__).resolve().parents[2] / "docs" / "clients.md"
SNIPPETS = re.findall(r"```python ?(\w*)\n(.*?)```", DOC.read_text(encoding="utf-8"), flags=re.S)


def test_there_is_a_snippet_for_every_client() -> None:
    from attar.clients import CLIENTS

    text = "\n".join(code for _, code in SNIPPETS)
    for client in CLIENTS:
        assert f"attar.clients.{client}" in text


@pytest.mark.parametrize(("library", "code"), SNIPPETS[1:], ids=[library for library, _ in SNIPPETS[1:]])
def test_snippet(library: str, code: str) -> None:
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed: `make clients` installs it")
    exec(compile(SNIPPETS[0][1] + code, library, "exec", dont_inherit=True), {"__name__": "snippet"})
