"""A signal that asks the process to end, and what comes of it on the way out."""

from __future__ import annotations

import pytest

from attar.cli import _ended
from attar.io import signals


def test_a_library_that_hides_the_stop_does_not_make_it_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    """One in Rust turns what is raised in its callback into words."""
    with signals.stopped_by_signals():  # forgets those of an earlier command
        assert _ended(RuntimeError("PyErr { Stopped }")) == 1
    signals.received.append(15)
    try:
        assert _ended(RuntimeError("PyErr { Stopped }")) == 128 + 15
    finally:
        signals.received.clear()
    assert "attar: stopped" in capsys.readouterr().err
