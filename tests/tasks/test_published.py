"""The printed scores, and that they hang together."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from attar import Embedder, Random, Recipe, Transformer, tasks
from attar.errors import InputError
from attar.evaluation import evaluate
from attar.reports.cells import Cells
from attar.sweep import Grid, Part, sweep
from attar.tasks import load, published

IDF_ROWS = {"idf-W": "idf-target", "idf-T": "idf-background"}


def test_all_cells_are_there() -> None:
    rows = published.rows()
    assert len(rows) == 3614
    assert Counter(row.table for row in rows) == {"A": 3332, "2": 154, "3": 128}
    assert Counter(row.family for row in rows) == {"sts": 2020, "clustering": 1560, "classification": 34}
    assert all(0 <= row.score <= 100 for row in rows)
    appendix = {row.task for row in rows if row.table == "A"}
    assert appendix == {*tasks.names("sts"), *tasks.names("clustering")}


@pytest.mark.parametrize(
    ("cell", "score"),
    [
        (("sts", "T4", "idf-background", "quantile"), 71.6),  # the best of the paper
        (("clustering", "BERT+Avg", "idf-background", "unit"), 64.8),
        (("classification", "T0"), 80.5),
        (("STS12", "RE", "idf-target"), 55.4),
        (("STS12", "RE", "idf-background"), 55.1),
        (("stsb", "RE", "idf-target"), 69.8),
        (("tweet", "BERT", "idf-target"), 50.5),
        (("sts", "RE", "mean", "abtt:2"), 54.4),
        (("sts", "BERT", "mean", "whiten@background"), 63.1),
        (("clustering", "BERT", "mean", "quantile@background"), 60.1),
        (("sts", "T4", "mask", "quantile"), 70.5),
        (("STS12", "BERT", "mask"), None),  # there is no mask without a template
        (("SST2", "BERT"), None),  # only the average of classification was printed
        (("STS12", "BERT", "mean", "abtt:2"), None),
    ],
)
def test_values_read_off_the_paper(cell: tuple[str, ...], score: float | None) -> None:
    assert published.score(*cell) == score


def test_the_printed_labels_are_kept_beside_the_true_ones() -> None:
    for row in published.rows():
        assert row.aggregation == published.AGGREGATIONS[row.printed_aggregation]
        assert row.postprocess == published.POSTPROCESSES[row.printed_postprocess]
    printed = {(row.printed_aggregation, row.aggregation) for row in published.rows()}
    assert {(a, b) for a, b in printed if a.startswith("idf")} == set(IDF_ROWS.items())


def test_averages_are_the_means_of_the_tasks_within_rounding() -> None:
    cells: dict[tuple[str, ...], list[float]] = {}
    for row in published.rows():
        if row.table == "A":
            cells.setdefault((row.family, row.model, row.aggregation, row.postprocess), []).append(row.score)
    compared = 0
    for row in published.rows():
        scores = cells.get((row.family, row.model, row.aggregation, row.postprocess), [])
        if row.task == "average" and scores:
            compared += 1
            assert len(scores) == len(tasks.names(row.family))
            assert np.mean(scores) == pytest.approx(row.score, abs=0.1)  # both sides are rounded to 0.1
    assert compared == 232


def test_cells_printed_twice_agree() -> None:
    scores: dict[tuple[str, ...], set[float]] = {}
    for row in published.rows():
        scores.setdefault((row.family, row.task, row.model, row.aggregation, row.postprocess), set()).add(row.score)
    assert len(scores) == 3614 - 16
    assert all(len(values) == 1 for values in scores.values())


def test_word_vectors_without_wikitext_counts_equal_plain_averaging_in_the_row_called_background() -> None:
    """B2S has words that no count of Wikitext-2 covers; had the printed labels been right, this would be odd."""
    for name in tasks.names("sts"):
        assert published.score(name, "B2S", "idf-background") == published.score(name, "B2S", "mean")
    targets = [published.score(name, "B2S", "idf-target") for name in tasks.names("sts")]
    assert targets != [published.score(name, "B2S", "mean") for name in tasks.names("sts")]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (("STS12", "GPT"), "unknown published model 'GPT'; allowed: T0, T4, BERT"),
        (("STS12", "BERT", "avg"), "unknown published aggregation 'avg'.*allowed: mean, idf-target"),
        (("STS12", "BERT", "mean", "whitening"), "unknown published post-processing 'whitening'"),
        (("STS99", "BERT"), "unknown task 'STS99'"),
    ],
)
def test_unknown_names(cell: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        published.score(*cell)


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("bert-base-uncased | none | first,last | mean", ("BERT", "mean", "none")),
        ("google-bert/bert-base-uncased | none | 1,12 | idf | zscore", ("BERT", "idf-target", "zscore")),
        ("bert-base-uncased | none | first,last | idf@background | whiten", ("BERT", "idf-background", "whiten")),
        ("bert-base-uncased | T0 | last | mask", ("T0", "mask", "none")),
        ("bert-base-uncased | none | 1,12 | mean | none | mix 0.5", ("BERT+Avg", "mean", "none")),
        ("bert-base-uncased | none | 1,12 | mean | none | mix 1.0", ("Avg", "mean", "none")),
        ("distilbert-base-uncased | none | first,last | mean", None),
        ("me/my-bert-base-uncased | none | first,last | mean", None),
        ("default | none | first,last | mean", None),
        ("bert-base-uncased | none | last | mean", None),
        ("bert-base-uncased | T0 | first,last | mask", None),
        ("bert-base-uncased | T1 | last | mask", None),
        ("bert-base-uncased | T0 | last | mask | none | mix 0.5", None),
        ("bert-base-uncased | none | 1,12 | mean | none | mix 0.25", None),
        ("bert-base-uncased | none | first,last | mean+specials", None),
        ("bert-base-uncased | none | first,last | mean | zscore,unit", None),
    ],
)
def test_what_stands_beside_a_recipe(text: str, cell: tuple[str, str, str] | None) -> None:
    found = published.beside(Recipe.parse(text), "STS12", 2 * 3108, 12)
    assert found == (None if cell is None else published.score("STS12", *cell))
    assert cell is None or found is not None
    assert published.beside(Recipe.parse(text), "my own task", 2 * 3108, 12) is None
    assert published.beside(Recipe.parse(text), "MR", 10662, 12) is None  # not printed task by task
    assert published.beside(Recipe.parse(text), "STS12", 2 * 400, 12) is None  # a sample, or another task of that name


def test_the_texts_of_a_task_count_pairs_twice() -> None:
    recipe = Recipe.parse("bert-base-uncased | none | 1,12 | mean")
    assert published.beside(recipe, "STS-B", 2 * 1379, 12) == published.score("STS-B", "BERT")  # its test part
    assert published.beside(recipe, "STS-B", 2 * 1500, 12) is None  # its dev part
    assert published.beside(recipe, "agnews", 8000, 12) == published.score("agnews", "BERT")


def test_random_vectors_have_a_column_of_their_own(tiny_bert_dir: Path) -> None:
    for dims, wanted in ((768, published.score("STS12", "RE")), (300, None)):
        recipe = Embedder(Random(tiny_bert_dir, dims=dims)).recipe
        assert published.beside(recipe, "STS12", 2 * 3108, 1) == wanted


@pytest.mark.parametrize(
    ("name", "pairs", "has_figure"),
    [("bert-base-uncased", 3108, True), ("distilbert-base-uncased", 3108, False), ("bert-base-uncased", 9, False)],
)
def test_score_and_report_decide_alike(
    name: str, pairs: int, has_figure: bool, tiny_bert_dir: Path, tmp_path: Path
) -> None:
    """Only the paper's model has a figure beside it, and only on as many texts as the paper's task has."""
    rows = [f"the cat {i}\tthe red dog {i * i}\t{i % 6}\n" for i in range(pairs)]
    (tmp_path / "STS12.tsv").write_text("text1\ttext2\tscore\n" + "".join(rows))
    task, model = str(tmp_path / "STS12.tsv"), str(shutil.copytree(tiny_bert_dir, tmp_path / name))
    result = evaluate(Embedder(Transformer(model), ("first", "last")), load(task))
    sweep(Grid((Part((task,), layers=(("first", "last"),)),), (model,)), tmp_path / "run")
    cells = Cells.of_runs([tmp_path / "run"])
    wanted = published.score("STS12", "BERT") if has_figure else None
    assert [cells.published(row) for row in cells.rows] == [wanted]
    assert result.published == wanted
