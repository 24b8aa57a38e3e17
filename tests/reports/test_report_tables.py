from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from sample_cells import cell, sample, write_run

from attar.errors import InputError
from attar.reports.cells import Cells, Variant
from attar.reports.formats import latex, markdown
from attar.reports.tables import ReportTable, Value, all_tables, best_table, mark_best, recipe_table, template_table
from attar.sweep.best import best_recipes, find_best
from attar.sweep.store import FILE, Store
from attar.tasks import published


@pytest.fixture(scope="module")
def cells() -> Cells:
    return Cells(tuple(sample()))


def test_the_means_of_a_family_by_hand(cells: Cells) -> None:
    table = recipe_table(cells, "bert-base-uncased", "sts")
    assert table.columns == ("T0", "no template", "+ -0.5 Avg.", "+ 0.5 Avg.", "Avg.")
    values = dict(table.rows)
    plain = values["mean", "none"]
    # (0.4 + 0.5) / 2 + 0.001 for two layers - 0.005 for a mix of 0 ... and T0 at layer 3 alone
    assert [round(v.score, 3) for v in plain if v] == [45.5, 44.6 + 0.0, 44.1, 45.1, 44.6]
    assert values["idf", "zscore"][1].score == pytest.approx(51.6)  # type: ignore[union-attr]
    assert values["mask", "none"][1] is None


def left_out(table: ReportTable) -> list[str]:
    return [note for note in table.notes if note.startswith("not in this table")]


def test_captions_name_the_layers_and_notes_what_is_left_out(cells: Cells) -> None:
    table = recipe_table(cells, "bert-base-uncased", "sts")
    assert table.title == "bert-base-uncased: sts, mean of STS12, STS13; layers 1+3, with a template 3"
    assert left_out(table) == ["not in this table: 4 other sets of layers; all cells are in the report as csv"]
    assert latex([table]).splitlines()[1] == r"\caption{" + table.title + "}"
    assert latex([table]).splitlines()[-2] == rf"\par {table.notes[-1]}."
    assert markdown([table]).startswith(f"### {table.title}\n")
    assert markdown([table]).endswith(f"\n\n{table.notes[-1]}.\n")


def test_layers_that_are_there_stand_in_for_the_papers() -> None:
    rows = [cell("STS12", layers="3", weights=w, shape=s) for w in ("mean", "idf") for s in ("none", "zscore")]
    table = recipe_table(Cells(tuple(rows)), "bert-base-uncased", "STS12")
    assert table.title.endswith("STS12; layers 3, as there is no cell at 1+3")
    assert [labels for labels, _ in table.rows] == list(product(("mean", "idf"), ("none", "zscore")))
    assert left_out(table) == []
    assert "zscore" in markdown(all_tables(Cells(tuple(rows))))
    # Of several sets the one with most recipes; for each template by itself.
    rows += [cell("STS12", layers="2", weights=w) for w in ("mean", "idf", "mask", "debiased", "first")]
    rows += [cell("STS12", layers="0", template="T0"), cell("STS12", layers="3", template="T4")]
    table = recipe_table(Cells(tuple(rows)), "bert-base-uncased", "STS12")
    assert table.title.endswith("layers 2, with T0 0, with T4 3, as there is no cell at 1+3 or 3")
    # The table of templates too: at the last layer if anything is there, else where most is.
    assert template_table(Cells(tuple(rows)), "bert-base-uncased", "sts").title.endswith("templates at layer 3")
    both = [cell("STS12"), cell("STS12", weights="idf"), cell("STS12", layers="2")]
    found = template_table(Cells(tuple(both)), "bert-base-uncased", "sts")
    assert found.title.endswith("templates at layer 1+3")
    assert found.columns == ("mean", "idf")


def test_mixes_and_templates_with_avg_have_columns() -> None:
    rows = [cell("STS12", layers="3", template="T4", mix=mix) for mix in (0.0, 0.5, 1.0)]
    rows += [cell("STS12", mix=mix) for mix in (0.0, 0.3)]
    table = recipe_table(Cells(tuple(rows)), "bert-base-uncased", "STS12")
    assert table.columns == ("T4", "T4 + 0.5 Avg.", "T4 Avg.", "no template", "+ 0.3 Avg.")
    assert left_out(table) == []
    note = template_table(Cells(tuple(rows)), "bert-base-uncased", "sts").notes
    assert note == ("templates with Avg. stand in the tables of recipes",)
    # Too many for a table, and plain means without a template alone: heat maps have them.
    rows += [cell("STS12", mix=mix) for mix in (-0.5, 0.1, 0.2, 0.5)]
    rows += [cell("STS12", mix=0.2, shape="zscore")]
    table = recipe_table(Cells(tuple(rows)), "bert-base-uncased", "STS12")
    assert table.columns == ("T4", "T4 + 0.5 Avg.", "T4 Avg.", "no template", "+ 0.2 Avg.", "+ 0.5 Avg.")
    assert left_out(table)[0].startswith(
        "not in this table: Avg. by the weights -0.5, 0.1, 0.3, of which there are plain"
    )


def test_recipes_that_some_tasks_lack_are_counted() -> None:
    rows = (cell("STS12"), cell("STS13"), cell("STS12", weights="idf"))
    table = recipe_table(Cells(rows), "bert-base-uncased", "sts")
    assert len(table.rows) == 1
    assert left_out(table)[0].startswith("not in this table: 1 recipe that some of these tasks lack; all cells")


def test_the_best_of_each_column_is_marked(cells: Cells) -> None:
    table = recipe_table(cells, "bert-base-uncased", "STS12")
    for column in range(2):
        marked = [labels for labels, values in table.rows if values[column] and values[column].best]  # type: ignore[union-attr]
        assert marked == [("idf", "zscore")]
    assert [v and v.best for v in mark_best([Value(1.04), None, Value(1.01)])] == [True, None, True]  # as printed


def test_published_values_stand_beside(cells: Cells) -> None:
    value = dict(recipe_table(cells, "bert-base-uncased", "STS12").rows)["idf", "zscore"]
    assert value[0].published == published.score("STS12", "T0", "idf-target", "zscore")  # type: ignore[union-attr]
    assert value[1].published == published.score("STS12", "BERT", "idf-target", "zscore")  # type: ignore[union-attr]
    mean = dict(recipe_table(cells, "bert-base-uncased", "sts").rows)["mean", "none"][1]
    printed = [published.score(task, "BERT") for task in ("STS12", "STS13")]
    assert mean.published == pytest.approx(sum(p for p in printed if p) / 2)  # type: ignore[union-attr]


def test_published_values_only_where_the_paper_has_the_same(cells: Cells) -> None:
    assert cells.published(cell("STS12")) == 45.1
    assert cells.published(cell("STS12", layers="3")) is None
    assert cells.published(cell("STS12", layers="3", template="T0")) == 48.7
    assert cells.published(cell("STS12", mix=0.25)) is None
    assert cells.published(cell("my own task")) is None
    assert cells.published(cell("MR")) is None


def test_templates_times_aggregations(cells: Cells) -> None:
    table = template_table(cells, "bert-base-uncased", "clustering")
    assert table.columns == ("mean", "idf", "mask")
    assert [labels for labels, _ in table.rows] == [("none",), ("T0",)]
    assert table.rows[0][1][2] is None
    assert table.rows[1][1][0].best  # type: ignore[union-attr]


def test_best_recipes_and_regrets_by_hand() -> None:
    rows = [
        cell("STS12", layers="3", score=0.5),  # plain
        cell("STS12", weights="idf", shape="zscore,unit", score=0.7),  # similarity
        cell("STS12", weights="idf", shape="whiten", score=0.8),
        cell("STS13", layers="3", score=0.9),
        cell("STS13", weights="idf", shape="whiten", score=0.6),
        cell("uniformity", score=0.1),
    ]
    found = {best.subject: best for best in best_recipes(rows)}
    assert set(found) == {"sts", "STS12", "STS13"}
    assert found["STS12"].recipe.shape == "whiten"
    assert found["STS12"].regrets == pytest.approx({"plain": 0.3, "similarity": 0.1})
    assert found["STS13"].regrets == {"plain": 0.0}
    assert (found["sts"].score, found["sts"].n_tasks) == (pytest.approx(0.7), 2)  # similarity lacks STS13
    assert str(find_best(rows, "STS13").recipe) == "bert-base-uncased | none | 3 | mean | none"
    with pytest.raises(InputError, match="did you mean 'STS12'"):
        find_best(rows, "STS2")


def test_best_over_models_and_ties() -> None:
    rows = [cell("tweet", model=m, score=s) for m, s in (("a", 0.3), ("b", 0.4))]
    assert find_best(rows, "clustering").model == "b"
    assert find_best(rows, "clustering", "a").model == "a"
    tie = [cell("tweet", weights=w) for w in ("mean", "idf")]
    assert find_best(tie, "tweet").recipe.weights == find_best(tie[::-1], "tweet").recipe.weights


def test_all_tables_of_several_runs(tmp_path: Path, cells: Cells) -> None:
    other = [replace(row, model="other", cell="other" + row.cell) for row in cells.rows]
    runs = [write_run(tmp_path / "a", list(cells.rows)), write_run(tmp_path / "b", other)]
    both = Cells.of_runs(runs)
    assert both.models == ["bert-base-uncased", "other"]
    assert len(all_tables(both)) == 2 * len(all_tables(cells)) - 2  # one table of best recipes, one of shaping
    assert len(best_table(both).rows) == 2 * len(best_table(cells).rows)


def test_a_run_without_scores_is_refused(tmp_path: Path) -> None:
    write_run(tmp_path / "run", [cell("STS12", score=None)])
    with pytest.raises(InputError, match=r"nothing to show of .*run: 1 cell has no score: "):
        Cells.of_runs([tmp_path / "run"])
    with pytest.raises(InputError, match="it has no cell yet; run attar sweep first"):
        Cells.of_runs([write_run(tmp_path / "empty", [])])


def test_labels_of_variants() -> None:
    assert Variant("none", 0.0).label == "no template"
    assert Variant("T4", 0.0).label == "T4"
    assert Variant("none", 1.0).label == "Avg."
    assert Variant("T4", 0.5).label == "T4 + 0.5 Avg."
    assert Variant("T4", 0.5).published is None


def test_runs_of_other_rows_are_not_put_together(tmp_path: Path) -> None:
    for name, texts in (("a", 20), ("b", 30)):
        (tmp_path / name).mkdir()
        with Store(tmp_path / name / FILE) as store:
            store.add(replace(cell("STS12"), cell=name, texts=texts))
    Cells.of_runs([tmp_path / "a"])
    with pytest.raises(InputError, match="STS12 is there with 20 and with 30 texts"):
        Cells.of_runs([tmp_path / "a", tmp_path / "b"])
