"""What a later run takes for its own of what an earlier one kept."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from attar.sweep.passes import DESCRIPTION, PassSpec, find_pass, open_pass

SPEC = PassSpec("m", "T4", {"a": "1"}, None, None, None, ("mean",), ("idf",), (1, 3), (), 256)
LESS = replace(SPEC, layers=(3,))


def test_a_pass_that_holds_more_is_used_again(tmp_path: Path) -> None:
    open_pass(tmp_path, SPEC)
    assert find_pass(tmp_path, LESS, {"a": "1"}) == SPEC
    assert find_pass(tmp_path, replace(LESS, model="n"), {"a": "1"}).model == "n"


@pytest.mark.parametrize(
    ("name", "value"),
    [("block_texts", 0), ("layers", [1, 3, 99]), ("layers", [[], 3]), ("subjects", ["a"]), ("shared", [1])],
)
def test_a_changed_description_is_not_believed(tmp_path: Path, name: str, value: Any) -> None:
    """A folder is called by the hash of what it describes."""
    folder = open_pass(tmp_path, SPEC)
    (folder / DESCRIPTION).write_text(json.dumps(asdict(SPEC) | {name: value}))
    assert find_pass(tmp_path, LESS, {"a": "1"}) == LESS
