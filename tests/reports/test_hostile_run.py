"""A run from elsewhere: its store is checked by type, and its names break neither pages nor tables."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sqlite3
import subprocess
from base64 import b64decode
from contextlib import closing
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from sample_cells import cell, sample, write_run

from attar.errors import InputError
from attar.reports.cells import Cells
from attar.reports.figures import write_figures
from attar.reports.formats import cells_csv, latex, markdown
from attar.reports.page import page
from attar.reports.tables import all_tables
from attar.sweep.store import FILE, Store

EVIL = "<img src=x onerror=alert(1)>"
NASTY = (
    EVIL,
    "<!--<script>.tsv",
    "{{script}}.tsv",
    "{{data}}",
    "</script><script>alert(1)</script>",
    "a\u2028'b\"&`$x$",
)


def altered(run: Path, sql: str, *values: object) -> Path:
    with closing(sqlite3.connect(run / FILE)) as connection, connection:
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute(sql, values)
    return run


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("texts", EVIL),
        ("texts", -1),
        ("texts", 2**60),
        ("texts", 1.5),
        ("score", EVIL),
        ("score", float("inf")),
        ("mix", "0.5x"),
        ("seconds", EVIL),
        ("task", b"\xff\xfe"),
        ("model", None),
        ("layers", "1+x"),
        ("layers", ""),
        ("layers", "9" * 5000),
        ("details", json.dumps({"background_texts": EVIL, "average_texts": 1})),
        ("details", json.dumps({"background_texts": 1, "average_texts": 1, "runs": EVIL})),
        ("details", json.dumps({"background_texts": 1, "average_texts": 1, "sampled_from": [EVIL]})),
        ("details", json.dumps({"background_texts": 1, "average_texts": 1, "rows": ["x"]})),
        ("details", json.dumps({"background_texts": 1, "average_texts": 1, "draws": [0.5, 1.5]})),
        ("details", json.dumps({"background_texts": 1, "average_texts": 1, "draws": [EVIL]})),
        ("details", json.dumps({"background_texts": 1e400})),
        ("details", "{}"),
        ("details", "[" * 100_000),
        ("details", "null"),
        ("recipe", "not json"),
    ],
)
def test_values_of_another_type_are_refused(tmp_path: Path, column: str, value: object) -> None:
    run = write_run(tmp_path / "run", [cell("STS12"), cell("STS13")])
    with closing(sqlite3.connect(run / FILE)) as connection, connection:  # sqlite lets columns hold anything
        columns = [row[1] for row in connection.execute("PRAGMA table_info(cells)")]
        connection.execute("ALTER TABLE cells RENAME TO old")
        connection.execute(f"CREATE TABLE cells ({', '.join(columns)}, PRIMARY KEY (cell))")
        connection.execute("INSERT INTO cells SELECT * FROM old")
        connection.execute("DROP TABLE old")
        connection.execute(f"UPDATE cells SET {column} = ? WHERE task = 'STS12'", (value,))
    with pytest.raises(InputError) as raised:
        Cells.of_runs([run])
    assert "cells.sqlite" in str(raised.value)
    assert len(str(raised.value)) < 600


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE VIEW more AS SELECT * FROM cells",
        "CREATE TRIGGER t AFTER INSERT ON cells BEGIN DELETE FROM cells; END",
        "CREATE TABLE other (x)",
        "CREATE INDEX i ON cells (length(task))",
        "ALTER TABLE cells ADD COLUMN more TEXT",
    ],
)
def test_a_store_that_holds_more_than_cells_is_refused(tmp_path: Path, sql: str) -> None:
    run = altered(write_run(tmp_path / "run", [cell("STS12")]), sql)
    with pytest.raises(InputError, match="is not the store of a sweep"):
        Store.of_run(run)


def test_a_view_that_never_ends_is_not_asked(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    with closing(sqlite3.connect(run / FILE)) as connection, connection:
        connection.execute(
            "CREATE VIEW cells AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
        )
    with pytest.raises(InputError, match="is not the store of a sweep"):
        Store.of_run(run)


def hostile_cells() -> Cells:
    """As much as types let through: every name a nasty one."""
    rows = []
    for i, (name, layers) in enumerate(product(NASTY, ("1", "2", "3", "1+3"))):
        for mix in (0.0, 0.25, 0.5, 1.0):
            made = cell(f"STS {name}", layers=layers, weights="mean", mix=mix, model=f"m {name}", score=0.4 + i / 1000)
            rows.append(replace(made, attar=name, model_sha256=name, metric=name))
        rows.append(replace(made, template=f"[X]{name}", mix=0.0, cell=f"w{i}"))
        rows.append(replace(made, score=None, error=name, mix=0.75, cell=f"e{i}"))
    return Cells((*rows, *sample()))


def parts_of(text: str) -> tuple[str, str]:
    """The data and the script of a page."""
    data = text.partition('type="application/json">')[2].partition("</script>")[0]
    return data, text.rpartition("<script>")[2].partition("</script>")[0]


@pytest.mark.parametrize("title", ["plain", *NASTY])
def test_a_page_holds_one_script_and_allows_no_other(title: str) -> None:
    text = page(hostile_cells(), title)
    data, script = parts_of(text)
    assert "<" not in data
    assert set(NASTY) <= {name.removeprefix("STS ") for name in json.loads(data)["names"]["task"]}
    assert len(re.findall("<script", text)) == 2
    assert script == parts_of(page(Cells((cell("STS12"),))))[1]
    allowed = re.findall(r"script-src ([^;]*);", text)
    assert len(allowed) == 1
    digest = re.fullmatch(r"'sha256-([A-Za-z0-9+/=]{44})'", allowed[0])
    assert digest is not None
    assert b64decode(digest[1]) == hashlib.sha256(script.encode()).digest()
    assert "<img" not in text


def test_whatever_the_script_makes_is_escaped(tmp_path: Path) -> None:
    """Also with counts that are not counts, as if the check by type had been passed."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node here: install it to run the page's script without a browser")
    text = page(hostile_cells())
    data, _ = parts_of(text)
    content = json.loads(data)
    for fact in content["facts"]:
        fact |= {"cells": EVIL, "minutes": EVIL, "background": [EVIL], "average": [EVIL], "runs": [EVIL]}
        fact["tasks"] = {EVIL: [EVIL, EVIL]}
    content["failed"] = [[EVIL, EVIL]]
    content["cells"]["mix"][:50] = [EVIL] * 50
    evil = json.dumps(content).replace("<", "\\u003c")
    (tmp_path / "page.html").write_text(text.replace(data, evil), encoding="utf-8")
    runner = Path(__file__).with_name("run_page.js")
    done = subprocess.run([node, str(runner), str(tmp_path / "page.html")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made = "".join(json.loads(done.stdout))
    assert "onerror" in made  # it is shown ...
    for opened in ("<img", "<script", "<!--"):
        assert opened not in made  # ... as text
    for attribute in re.findall(r'"[^"<>]*onerror[^"<>]*"', made):
        assert "&lt;img" in attribute


def test_a_spreadsheet_finds_no_formula() -> None:
    names = ("=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(A1)", "\tx")
    lines = cells_csv(Cells(tuple(cell(name, layers="-1") for name in names))).splitlines()[1:]
    assert len(lines) == len(names)
    for line in lines:
        assert line.lstrip('"').startswith("'"), line
        assert ",-1," in line  # a number stays one


def test_markdown_and_latex_of_nasty_names() -> None:
    cells = Cells(tuple(cell(f"{name}\n|x|", model="a|b") for name in NASTY))
    text = markdown(all_tables(cells))
    assert not re.search(r"(?<!\\)`|<(img|script|!--)", text)
    for line in text.splitlines():
        assert line == "" or line.startswith(("###", "|"))
    for block in text.split("### ")[1:]:
        lines = block.splitlines()[2:]
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines if line}) == 1  # no name makes a column
    assert "\n|" not in latex(all_tables(cells))


def test_figures_of_nasty_names_stay_in_their_folder(tmp_path: Path) -> None:
    rows = [replace(row, model="../../$x$<b>/" + row.model) for row in sample() if row.family == "sts"]
    n = write_figures(Cells(tuple(rows)), tmp_path / "figures", "svg")
    assert n == len(list((tmp_path / "figures").iterdir())) > 0
    assert [path.name for path in tmp_path.iterdir()] == ["figures"]
