"""The paper's random-embedding column: the logic of cells on made-up data, and a few real cells."""

from __future__ import annotations

import csv
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import tokenizers
from scipy.stats import spearmanr
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler
from tokenizers import models, pre_tokenizers

from attar import Random, tasks

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
BACKGROUND = [f"the {word} is on the mat near a {other}" for word in ("cat", "dog", "man") for other in ("hat", "rat")]


@pytest.fixture(scope="module")
def column() -> ModuleType:
    sys.path.insert(0, str(EXAMPLES))
    try:
        import random_embeddings
    finally:
        sys.path.remove(str(EXAMPLES))
    return random_embeddings


@pytest.fixture(scope="module")
def report(column: ModuleType) -> ModuleType:
    return sys.modules["random_report"]


@pytest.fixture(scope="module")
def random() -> Random:
    words = ["[UNK]", "the", "a", "is", "on", "near", "mat", "cat", "dog", "man", "hat", "rat"]
    tokenizer = tokenizers.Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return Random(tokenizer, dims=32, seed=3)


@pytest.fixture(scope="module")
def real_vectors(column: ModuleType, mobilebert_dir: Path) -> list[Any]:
    """Three draws for the vocabulary of bert-base-uncased, which MobileBERT shares."""
    draws = [Random(mobilebert_dir, seed=seed) for seed in range(3)]
    background = column.Background.of(draws[0], BACKGROUND, BACKGROUND, 4)
    return [column.Vectors(random, background) for random in draws]


def cell(report: ModuleType, published: float | None, *scores: float) -> Any:
    return report.Cell("sts", "STS13", "mean", "none", scores, published)


def test_a_cell_is_reproduced_within_half_a_point_or_two_sd(report: ModuleType) -> None:
    assert cell(report, 50.5, 50.0, 50.0, 50.0).reproduced is True  # no spread: half a point
    assert cell(report, 50.6, 50.0, 50.0, 50.0).reproduced is False
    assert cell(report, 51.9, 49.0, 50.0, 51.0).reproduced is True  # mean 50, sd 1: two points
    assert cell(report, 52.1, 49.0, 50.0, 51.0).reproduced is False
    assert cell(report, None, 49.0, 50.0, 51.0).reproduced is None
    assert cell(report, 50.0, 50.0, 50.0).reproduced is None  # two seeds say nothing of the spread


def test_cells_gather_seeds_and_find_what_was_printed(report: ModuleType) -> None:
    draws = [
        report.Draw("sts", "STS-B", "idf-target", "none", seed, 1, score, 0.1) for seed, score in ((1, 60.0), (0, 62.0))
    ]
    [found] = report.cells_of(draws)
    assert found.scores == (62.0, 60.0)
    assert found.mean == 61.0
    assert found.published == tasks.published.score("STS-B", "RE", "idf-target", "none")


def test_every_printed_cell_of_a_task_is_computed(column: ModuleType) -> None:
    task = tasks.StsTask("STS12", ("a",), ("b",), np.array([1.0]))
    found = column.cells(task)
    printed = {
        (row.aggregation, row.postprocess)
        for row in tasks.published.rows()
        if row.model == "RE" and row.task == "STS12"
    }
    assert len(printed) == 28
    other_readings = {
        (reading, postprocess)
        for reading, like in (("idf-lines", "idf-background"), ("debiased-36", "debiased"))
        for aggregation, postprocess in printed
        if aggregation == like
    }
    assert len(other_readings) == 14
    assert set(found) == printed | other_readings | {("mean", "abtt:2")}  # of which the paper prints only the average


def test_vectors_are_those_of_random_shaped_as_scikit_learn_does(column: ModuleType, random: Random) -> None:
    texts = ("the cat", "a dog on the mat", "the man is near", "a hat", "the rat")
    wanted = [("mean", "none"), ("mean", "zscore"), ("mean", "whiten@background")]
    made = column.Vectors(random, column.Background.of(random, BACKGROUND, BACKGROUND, 4))
    shaped = {postprocess: vectors for _, postprocess, vectors in made.shaped(texts, wanted)}
    plain = random.encode(texts)
    np.testing.assert_allclose(shaped["none"], plain, atol=1e-6)
    np.testing.assert_allclose(shaped["zscore"], StandardScaler().fit_transform(plain), atol=1e-3)
    background = random.encode([BACKGROUND[i] for i in (0, 1, 3, 4)])  # 4 of 6, evenly spread
    pca = PCA(whiten=True, n_components=3).fit(background)  # of 4 texts: 3 axes
    np.testing.assert_allclose(abs(shaped["whiten@background"][:, :3]), abs(pca.transform(plain)), atol=1e-3)


def test_idf_is_of_the_corpus_that_the_aggregation_names(column: ModuleType, random: Random) -> None:
    lines = ["cat hat", "hat"]
    made = column.Vectors(random, column.Background.of(random, lines, BACKGROUND, 4))
    texts = ("cat hat", "the cat", "hat rat", "hat")
    names = ("idf-target", "idf-background", "idf-lines")
    shaped = {a: vectors for a, _, vectors in made.shaped(texts, [(name, "none") for name in names])}
    cat, hat = random.encode(["cat", "hat"])
    # Of the 6 background texts 2 show "cat", 3 show "hat" and all show "the"; of these 4 texts 2, 3 and 1.
    by_background = (np.log(3) * cat + np.log(2) * hat) / np.log(6)
    by_target = (np.log(4 / 2) * cat + np.log(4 / 3) * hat) / np.log(8 / 3)
    np.testing.assert_allclose(shaped["idf-background"][0], by_background, atol=1e-6)
    np.testing.assert_allclose(shaped["idf-background"][1], cat, atol=1e-6)
    np.testing.assert_allclose(shaped["idf-target"][0], by_target, atol=1e-6)
    np.testing.assert_allclose(shaped["idf-lines"][0], cat, atol=1e-6)  # both lines show "hat": weight 0


def test_of_the_frequent_tokens_three_are_kept(column: ModuleType, random: Random) -> None:
    made = column.Vectors(random, column.Background.of(random, BACKGROUND, BACKGROUND, 4))
    wanted = [("debiased", "none"), ("debiased-36", "none")]
    shaped = {a: vectors for a, _, vectors in made.shaped(("the man on a cat",), wanted)}
    man, cat = random.encode(["man", "cat"])
    np.testing.assert_allclose(shaped["debiased"][0], (man + cat) / 2, atol=1e-6)
    np.testing.assert_allclose(shaped["debiased-36"][0], cat, atol=1e-6)


def test_scores_are_of_a_hundred(column: ModuleType) -> None:
    random = np.random.default_rng(0)
    vectors = random.normal(size=(40, 8)).astype(np.float32)
    pairs = tasks.StsTask("mine", ("a",) * 20, ("b",) * 20, random.random(20))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    expected = 100 * spearmanr((unit[:20] * unit[20:]).sum(axis=1), pairs.scores).statistic
    assert column.score(vectors, pairs, runs=1, seed=0) == pytest.approx(expected, abs=1e-6)
    apart = np.repeat(np.eye(2, 8, dtype=np.float32) * 9, 20, axis=0) + vectors / 100
    groups = tasks.ClusterTask("mine", ("a",) * 40, np.repeat([0, 1], 20), ("x", "y"))
    assert column.score(apart, groups, runs=1, seed=0) == 100


def test_draws_survive_the_file_and_the_report_names_misses(
    column: ModuleType, report: ModuleType, tmp_path: Path
) -> None:
    printed = tasks.published.score("STS13", "RE", "mean", "none")
    assert printed is not None
    near = [report.Draw("sts", "STS13", "mean", "none", seed, 1, printed + seed / 10, 0.5) for seed in (0, 1, 2)]
    far = [report.Draw("sts", "STS13", "mean", "whiten", seed, 1, 12.25 + seed / 4, 0.5) for seed in (0, 1, 2)]
    kept = tmp_path / "draws.csv"
    column.add_draws(kept, near)
    column.add_draws(kept, far)
    assert column.read_draws(kept) == near + far
    report.write_report(tmp_path, column.read_draws(kept), "command line")
    with (tmp_path / "random-embeddings.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["postprocess"], row["reproduced"]) for row in rows] == [("none", "yes"), ("whiten", "no")]
    assert rows[1]["scores"] == "12.25 12.50 12.75"
    text = (tmp_path / "random-embeddings.md").read_text(encoding="utf-8")
    assert "| sts | 2 | 2 | 1 | **50 %** |" in text
    assert "| STS13 | mean | whiten | 75.1 | 12.5 ± 0.2 |" in text
    assert "command line" in text


def test_every_row_of_the_report_has_the_cells_of_its_headings(report: ModuleType, tmp_path: Path) -> None:
    families = [("sts", "STS13"), ("classification", "MR")]
    draws = [
        report.Draw(family, task, aggregation, "none", seed, 1, 50.0, 0.5)
        for family, task in families
        for aggregation in report.AGGREGATIONS
        for seed in (0, 1, 2)
    ]
    report.write_report(tmp_path, draws, "command line")
    lines = (tmp_path / "random-embeddings.md").read_text(encoding="utf-8").splitlines()
    assert any(line.startswith("| classification | only averages |") for line in lines)
    pairs = [(above, line) for above, line in pairwise(lines) if above.startswith("|") and line.startswith("|")]
    assert [line for above, line in pairs if above.count("|") != line.count("|")] == []


def test_units_go_seed_by_seed_within_a_family(column: ModuleType) -> None:
    found = column.units(["STS12", "tweet", "STS13"], {"sts": 2, "clustering": 1, "classification": 1})
    assert found == [(0, "STS12"), (0, "STS13"), (1, "STS12"), (1, "STS13"), (0, "tweet")]


@pytest.mark.parametrize("name", ["STS13", "STS-B"])
def test_plain_and_idf_means_reproduce_the_paper(
    column: ModuleType, report: ModuleType, name: str, real_vectors: list[Any], data_dir: Path
) -> None:
    task = tasks.load(name, data_dir)
    wanted = [("mean", "none"), ("mean", "zscore"), ("idf-target", "none"), ("idf-target", "zscore")]
    draws = [
        report.Draw("sts", name, aggregation, postprocess, seed, 1, column.score(shaped, task, 1, seed), 0.0)
        for seed, vectors in enumerate(real_vectors)
        for aggregation, postprocess, shaped in vectors.shaped(task.texts, wanted)
    ]
    cells = report.cells_of(draws)
    assert [len(cell.scores) for cell in cells] == [3] * 4
    assert not [cell for cell in cells if not cell.reproduced]
