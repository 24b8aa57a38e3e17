from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from click.testing import CliRunner
from sample_cells import cell, sample, write_run

from attar.cli import attar
from attar.reports.cells import Cells
from attar.reports.figures import figures, means
from attar.reports.formats import cells_csv, escape_latex, latex, markdown
from attar.reports.tables import Table, Value

TABLE = Table(
    "a & b",
    ("x_y",),
    ("c", "d"),
    ((("one",), (Value(1.25, True, 2.0), None)), (("t|o",), (Value(1.0), Value(99.96)))),
)


def test_markdown_by_hand() -> None:
    assert markdown([TABLE]) == (
        "### a & b\n\n| x_y | c | d |\n| --- | ---: | ---: |\n| one | **1.2** (2.0) |  |\n| t\\|o | 1.0 | 100.0 |\n"
    )


def test_latex_by_hand() -> None:
    lines = latex([TABLE]).splitlines()
    assert lines[1] == r"\caption{a \& b}"
    assert lines[2] == r"\begin{tabular}{lrr}"
    assert lines[4:8] == [
        r"x\_y & c & d \\",
        r"\midrule",
        r"one & \textbf{1.2} (2.0) & -- \\",
        r"t|o & 1.0 & 100.0 \\",
    ]
    assert escape_latex("50% ~ {#1}\\^") == r"50\% \textasciitilde{} \{\#1\}\textbackslash{}\^{}"


def test_one_sorted_row_a_cell_without_timings() -> None:
    rows = sample()
    text = cells_csv(Cells(tuple(rows)))
    lines = list(csv.reader(io.StringIO(text)))
    assert lines[0][:7] == ["task", "model", "template", "layers", "weights", "shape", "mix"]
    assert lines[0][-3:] == ["score", "low", "high"]
    assert len(lines) == len(rows) + 1
    assert lines[1:] == sorted(lines[1:])
    assert cells_csv(Cells(tuple(rows[::-1]))) == text
    assert "seconds" not in lines[0]


def test_a_cell_that_failed_has_no_score_but_a_reason() -> None:
    (line,) = csv.DictReader(io.StringIO(cells_csv(Cells((cell("STS12", score=None),)))))
    assert (line["score"], line["low"], line["error"]) == ("", "", "it failed")


def test_what_figures_show_by_hand() -> None:
    rows = [cell("STS12", score=0.4), cell("STS13", score=0.6), cell("STS12", layers="2", score=0.1)]
    found = means(rows, 2, lambda row: (row.layers,))
    assert found == {("1+3",): (pytest.approx(50.0), pytest.approx(14.142, abs=1e-3))}
    names = [name for name, _ in figures(Cells(tuple(sample())))]
    assert names == [
        "layers-tiny-sts",
        "mix-tiny-sts",
        "isotropy-tiny-sts",
        "layers-tiny-clustering",
        "mix-tiny-clustering",
        "isotropy-tiny-clustering",
        "layers-tiny-classification",
        "mix-tiny-classification",
        "alignment-tiny",
    ]


@pytest.mark.parametrize("form", ["html", "csv", "md", "tex", "svg"])
def test_the_command_writes_every_form_the_same_twice(tmp_path: Path, form: str) -> None:
    run = write_run(tmp_path / "run", [row for row in sample() if row.task != "MR"])
    written = []
    for name in ("a", "b"):
        target = tmp_path / name
        result = CliRunner().invoke(attar, ["report", str(run), "--format", form, "-o", str(target)])
        assert result.exit_code == 0, result.output
        files = sorted(target.iterdir()) if target.is_dir() else [target]
        written.append([path.read_bytes() for path in files])
    if form == "svg":  # ids of clip paths are drawn anew
        assert [len(b) for b in written[0]] == [len(b) for b in written[1]]
        assert all(b.startswith(b"<?xml") for b in written[0])
        assert len(written[0]) == 7
    else:
        assert written[0] == written[1]


def test_best_on_the_command_line(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", sample())
    shown = CliRunner().invoke(attar, ["best", str(run), "--for", "sts"]).output
    assert "template T0, layers 1+3, idf, zscore" in shown
    assert "regret: plain 8.1" in shown  # (0.45 + 0.05 + 0.01 + 0.02 + 0.001) - 0.45
