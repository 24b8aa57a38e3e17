from __future__ import annotations

import csv
import io
import json
import struct
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner
from sample_cells import cell, sample, write_run

from attar.cli import attar
from attar.errors import InputError, OutputError
from attar.reports.cells import Cells
from attar.reports.figures import figures, means
from attar.reports.formats import cells_csv, escape_latex, latex, markdown, printed
from attar.reports.tables import ReportTable, Value, all_tables, best_table, shaping_table
from attar.scores.comparison import Difference
from attar.sweep.draws import ShapingEffect
from attar.tasks import published

TABLE = ReportTable(
    "a & b",
    ("x_y",),
    ("c", "d"),
    ((("one",), (Value(1.25, True, 2.0), None)), (("t|o",), (Value(1.0), Value(99.96)))),
)


def test_markdown_by_hand() -> None:
    assert markdown([TABLE]) == (
        "### a &amp; b\n\n| x\\_y | c | d |\n| --- | ---: | ---: |\n"
        "| one | **1.3** (2.0) |  |\n| t\\|o | 1.0 | 100.0 |\n"
    )


def test_latex_by_hand() -> None:
    lines = latex([TABLE]).splitlines()
    assert lines[1] == r"\caption{a \& b}"
    assert lines[2] == r"\begin{tabular}{lrr}"
    assert lines[4:8] == [
        r"x\_y & c & d \\",
        r"\midrule",
        r"one & \textbf{1.3} (2.0) & -- \\",
        r"t\textbar{}o & 1.0 & 100.0 \\",
    ]
    assert escape_latex("50% ~ {#1}\\^") == r"50\% \textasciitilde{} \{\#1\}\textbackslash{}\^{}"
    # A template that begins a line: \\ would take [X] as its argument, and OT1 prints < > | as other signs.
    assert escape_latex('[X] <a|b> "c"*') == (
        r"{[}X{]} \textless{}a\textbar{}b\textgreater{} \textquotedblright{}c\textquotedblright{}{*}"
    )


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
        "layers-bert-base-uncased-sts",
        "mix-bert-base-uncased-sts",
        "isotropy-bert-base-uncased-sts",
        "layers-bert-base-uncased-clustering",
        "mix-bert-base-uncased-clustering",
        "isotropy-bert-base-uncased-clustering",
        "layers-bert-base-uncased-classification",
        "mix-bert-base-uncased-classification",
        "alignment-bert-base-uncased",
    ]


@pytest.mark.parametrize("form", ["html", "csv", "md", "tex"])
def test_the_command_writes_every_form_the_same_twice(tmp_path: Path, form: str) -> None:
    run = write_run(tmp_path / "run", [row for row in sample() if row.task != "MR"])
    written = []
    for name in ("a", "b"):
        target = tmp_path / name
        result = CliRunner().invoke(attar, ["report", str(run), "--format", form, "-o", str(target)])
        assert result.exit_code == 0, result.output
        written.append(target.read_text(encoding="utf-8"))
    assert written[0] == written[1]
    t0, bert = (
        [published.score(task, column, "idf-target", "zscore") or 0.0 for task in ("STS12", "STS13")]
        for column in ("T0", "BERT")
    )
    held = {
        "html": "<title>Sentence vectors, recipe by recipe</title>",
        "csv": f"bert-base-uncased,none,1+3,idf,zscore,0,sts,spearman,6216,{bert[0]},,0.466000,0.366000,0.566000\n",
        "md": f"| idf | zscore | **52.5** ({printed(sum(t0) / 2)}) | **51.6** ({printed(sum(bert) / 2)}) |",
        "tex": rf"idf & zscore & \textbf{{52.5}} ({printed(sum(t0) / 2)}) & \textbf{{51.6}} ({printed(sum(bert) / 2)})",
    }
    assert held[form] in written[0]


FIGURES = {"mix": 2, "layers": 2, "isotropy": 2, "alignment": 1}


def report_figures(run: Path, form: str, folder: Path, expected: dict[str, int] = FIGURES) -> dict[str, bytes]:
    result = CliRunner().invoke(attar, ["report", str(run), "--format", form, "-o", str(folder)])
    assert result.exit_code == 0, result.output
    files = sorted(folder.iterdir())
    kinds = Counter(path.name.partition("-")[0] for path in files)
    assert kinds == expected
    assert {path.suffix for path in files} == {f".{form}"}
    return {path.stem: path.read_bytes() for path in files}


def test_svg_figures_hold_what_they_show(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [row for row in sample() if row.task != "MR"])
    written = report_figures(run, "svg", tmp_path / "a")
    assert report_figures(run, "svg", tmp_path / "b") == written  # no date, no random id
    for text in written.values():
        assert ElementTree.fromstring(text).tag.endswith("svg")
    # Every text that is drawn stands in a comment before its outlines.
    curves = written["layers-bert-base-uncased-sts"].decode()
    assert all(f"<!-- {label} -->" in curves for label in ("no template", "T0", "1+3", "layer", "score × 100"))
    assert "<!-- weight of Avg. -->" in written["mix-bert-base-uncased-sts"].decode()


def test_layers_under_a_prompt_are_drawn_as_its_answers(tmp_path: Path) -> None:
    places = [(layer, task) for layer in ("1", "2", "3") for task in ("STS12", "STS13")]
    rows = [cell(task, layer) for layer, task in places]
    rows += [cell(task, layer, weights="answer", template="knowledge") for layer, task in places]
    curves = report_figures(write_run(tmp_path / "run", rows), "svg", tmp_path / "a", {"layers": 1})
    drawn = curves["layers-bert-base-uncased-sts"].decode()
    assert "<!-- no template -->" in drawn
    assert "<!-- knowledge (answer) -->" in drawn


def test_png_figures_are_pictures(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [row for row in sample() if row.task != "MR"])
    written = report_figures(run, "png", tmp_path / "a")
    assert {"layers-bert-base-uncased-sts", "mix-bert-base-uncased-sts"} <= set(written)
    for content in written.values():
        assert content.startswith(b"\x89PNG\r\n")
        assert struct.unpack(">II", content[16:24]) == (960, 600)  # 6.4 by 4 inches at 150 dots
        pixels = plt_imread(content)
        assert pixels[..., :3].std() > 0.05  # something is drawn


def test_figures_do_not_replace_a_file(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", sample())
    (tmp_path / "taken").write_text("mine")
    result = CliRunner().invoke(attar, ["report", str(run), "--format", "svg", "-o", str(tmp_path / "taken")])
    assert isinstance(result.exception, OutputError)
    assert (tmp_path / "taken").read_text() == "mine"


@pytest.mark.parametrize("form", ["svg", "png"])
def test_no_figure_is_an_error_and_leaves_no_folder(tmp_path: Path, form: str) -> None:
    run = write_run(tmp_path / "run", [cell("STS12"), cell("STS12", layers="2")])
    result = CliRunner().invoke(attar, ["report", str(run), "--format", form, "-o", str(tmp_path / "figures")])
    assert isinstance(result.exception, InputError)
    assert "layer curves need three sets of layers with plain means, heat maps four mixes" in str(result.exception)
    assert "wrote" not in result.output
    assert not (tmp_path / "figures").exists()


def plt_imread(content: bytes) -> npt.NDArray[np.float32]:
    from matplotlib.image import imread

    pixels: npt.NDArray[np.float32] = imread(io.BytesIO(content), format="png")
    return pixels


def test_best_on_the_command_line(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", sample())
    shown = CliRunner().invoke(attar, ["best", str(run), "--for", "sts"]).output
    assert "bert-base-uncased | T0 | 1,3 | idf | zscore\n" in shown
    assert shown.count("bert-base-uncased |") == 1
    assert "regret: plain 8.1" in shown  # (0.45 + 0.05 + 0.01 + 0.02 + 0.001) - 0.45


def test_a_family_of_one_task_is_printed_once(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", sample())
    lines = CliRunner().invoke(attar, ["best", str(run)]).output.splitlines()
    subjects = [line.split()[0] for line in lines if "bert-base-uncased |" in line]
    assert subjects == ["sts", "MR", "STS12", "STS13", "tweet"]  # not clustering, which is tweet
    assert CliRunner().invoke(attar, ["best", str(run), "--for", "clustering"]).output.startswith("clustering ")
    data = json.loads(CliRunner().invoke(attar, ["best", str(run), "--json"]).output)
    assert [one["subject"] for one in data] == subjects
    cells = Cells(tuple(sample()))
    assert [labels[0] for labels, _ in best_table(cells).rows] == subjects
    assert {labels[0] for labels, _ in shaping_table(cells).rows} == set(subjects)
    titles = [table.title for table in all_tables(cells)]
    assert "bert-base-uncased: tweet; layers 1+3, with a template 3" in titles
    assert not any("bert-base-uncased: clustering;" in title for title in titles)


def test_zero_has_no_sign() -> None:
    assert [printed(number) for number in (-0.04, -0.051, 0.0, -0.0)] == ["0.0", "-0.1", "0.0", "0.0"]
    effect = ShapingEffect("STS12", "m", "unit", Difference(-0.0004, -0.0004, 0.0004), 1)
    assert str(effect) == "unit costs 0.0 (0.0 to 0.0)"


def test_columns_that_are_empty_in_all_rows_are_left_out() -> None:
    rows = [cell("STS12", layers="3"), cell("STS12", weights="idf", score=0.6)]
    table = best_table(Cells(tuple(rows)))
    assert table.columns == ("score", "expected elsewhere", "regret of plain")
    assert [len(values) for _, values in table.rows] == [3]
