"""The documentation builds without a warning, holds every public object, and fetches nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from test_docstrings import OBJECTS

pytestmark = pytest.mark.xdist_group("site")  # what its tests share is made once, not by each worker

ROOT = Path(__file__).resolve().parent.parent
# what a browser loads by itself; links that a reader may follow are another thing
LOADED = re.compile(r"<(?:script|img|iframe|source|link)\b[^>]*?(?:src|href)=[\"']?((?:https?:)?//[^\"' >]+)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="the extra docs is not installed")
    pytest.importorskip("mkdocstrings", reason="the extra docs is not installed")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert site / "index.html" in pages
    found = {(page.name, url) for page in pages for url in LOADED.findall(page.read_text(encoding="utf-8"))}
    assert found == set()
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"url\(['\"]?(?:https?:)?//|@import\s", styles) == []


def test_tables_read_as_on_github(site: Path) -> None:
    page = (site / "results/whole/index.html").read_text(encoding="utf-8")
    source = (ROOT / "results/whole/README.md").read_text(encoding="utf-8")
    rows = re.findall(r"\| `([^`]*\\\|[^`]*)` [\d.]+ \| (\+[\d.]+ \([^)]*\)) \|", source)
    assert len(rows) >= 5
    for recipe, gain in rows:
        assert f"<code>{recipe.replace(chr(92), '')}</code>" in page
        assert f'<td class="figures">{gain}</td>' in page
    assert "\\|" not in page


def test_what_is_loaded_from_elsewhere_would_be_found() -> None:
    assert LOADED.findall('<script async src="https://cdn.example/x.js">') == ["https://cdn.example/x.js"]
    assert LOADED.findall('<link rel="stylesheet" href=//fonts.example/css>') == ["//fonts.example/css"]
    assert LOADED.findall('<a href="https://example.org">') == []


def test_every_command_and_public_object_has_its_place(site: Path) -> None:
    from attar.cli import COMMANDS

    commands = (site / "reference/commands.html").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f'id="{name}"' not in commands] == []
    reference = "".join(path.read_text(encoding="utf-8") for path in (site / "reference").glob("*.html"))
    places = {f"{thing.__module__}.{thing.__qualname__}" for thing in OBJECTS.values()}
    assert sorted(place for place in places if f'id="{place}"' not in reference) == []
