"""docs/architecture.md shows the package as it is."""

from __future__ import annotations

import re
from pathlib import Path

import attar

SOURCES = Path(attar.__file__).parent
PAGE = (SOURCES.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
ROWS = re.search(r"^## Every folder and module$(.*?)^## ", PAGE, flags=re.M | re.S)
TABLE = "" if ROWS is None else ROWS[1]
FOLDERS = [
    path.relative_to(SOURCES) for path in sorted(SOURCES.rglob("*")) if path.is_dir() and path.name != "__pycache__"
]


def test_every_folder_is_in_the_table():
    assert len(FOLDERS) > 15
    for folder in FOLDERS:
        (row,) = re.findall(rf"^\| (?:`[^|]*)?`{folder.parts[0]}/`.*$", TABLE, flags=re.M)
        assert f"`{folder.name}/`" in row, folder


def test_every_module_of_the_top_is_in_the_table():
    modules = sorted(path.name for path in SOURCES.glob("*.py"))
    assert "pipeline.py" in modules
    assert [name for name in modules if f"`{name}`" not in TABLE] == []


def test_the_table_names_nothing_that_is_not_there():
    first_cells = re.findall(r"^\| (`.*?) \|", TABLE, flags=re.M)
    named = [name for cell in first_cells for name in re.findall(r"`([\w./]+)`", cell) if name != "src/attar/"]
    assert len(named) > 20
    assert [name for name in named if not (SOURCES / name).exists()] == []


def test_every_function_on_the_way_exists():
    followed = PAGE[PAGE.index("## One text through `encode`") : PAGE.index("## Five facts")]
    known = set()
    for path in SOURCES.rglob("*.py"):
        known |= set(re.findall(r"^\s*(?:def|class) (\w+)", path.read_text(encoding="utf-8"), flags=re.M))
    modules = {path.stem for path in SOURCES.rglob("*.py")} | {path.name for path in FOLDERS}
    dotted = re.findall(r"`((?:\w+\.)*\w+)`", followed)
    assert len(dotted) > 40
    commands = {"encode", "sweep"}
    missing = [name for name in dotted if set(name.split(".")) - known - modules - commands]
    assert [name for name in missing if not name.endswith((".py", ".npy"))] == []
