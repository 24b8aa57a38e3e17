"""Without Ray everything else works, and the error names the pip line."""

from __future__ import annotations

import sys

import pytest

from attar.corpus.executors import open_executor
from attar.errors import MissingExtra


def test_the_error_names_the_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"the executor 'ray' needs .*pip install 'attar\[ray\]'"):
        open_executor("ray")
