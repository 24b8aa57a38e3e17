"""Every public class of the package has a name of its own."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import attar

SOURCES = Path(attar.__file__).parent


def test_public_class_names_are_unique():
    places: dict[str, list[str]] = defaultdict(list)
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(f"{path.relative_to(SOURCES)}:{node.lineno}")
    assert len(places) > 50
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
