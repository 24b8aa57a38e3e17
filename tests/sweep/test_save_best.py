from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from attar import Embedder
from attar.cli import attar
from attar.errors import InputError
from attar.sweep import Grid, Part, Settings, sweep
from attar.sweep.sampling import sample_task
from attar.sweep.subjects import Subject
from attar.tasks import load
from attar.types import Floats

ROWS = 20  # of the 30 that the task has


def command(*arguments: object) -> Result:
    return CliRunner().invoke(attar, [str(argument) for argument in arguments])


def run_of(folder: Path, data: Path, grid: Grid, monkeypatch: pytest.MonkeyPatch) -> list[Floats]:
    """Sweep a grid and catch the vectors that it scores."""
    scored: list[Floats] = []
    plain = Subject.score

    def caught(self: Subject, vectors: Floats, runs: int) -> object:
        scored.append(vectors)
        return plain(self, vectors, runs)

    monkeypatch.setattr(Subject, "score", caught)
    sweep(grid, folder, Settings(background=data / "background.txt", sentences=True, jobs=1, progress=False))
    return scored


@pytest.mark.parametrize(
    ("template", "weighting", "shape", "mix"),
    [
        ("none", "mean", (), 0.0),
        ("none", "idf", ("zscore", "unit"), 0.0),
        ("T0", "mask", ("zscore",), 0.0),
        ("none", "idf@background", ("zscore@background", "unit"), 0.0),
        ("none", "debiased", ("abtt:2", "quantile@background"), 0.0),
        ("none", "idf", ("zscore",), 0.5),
        ("none", "mean", (), 1.0),
    ],
)
def test_what_is_saved_gives_the_vectors_that_the_sweep_scored(
    tmp_path: Path,
    small_data: Path,
    tiny_bert_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    template: str,
    weighting: str,
    shape: tuple[str, ...],
    mix: float,
) -> None:
    part = Part((str(small_data / "pairs.tsv"),), (template,), ((1, 3),), (weighting,), (shape,), (mix,))
    grid = Grid((part,), (str(tiny_bert_dir),), rows=ROWS, background_texts=40, average_texts=25)
    (scored,) = run_of(tmp_path / "run", small_data, grid, monkeypatch)
    saved = command("best", tmp_path / "run", "--for", "pairs", "--save", tmp_path / "recipe")
    assert saved.exit_code == 0, saved.output

    texts = sample_task(load(small_data / "pairs.tsv"), ROWS).texts
    vectors = Embedder.load(tmp_path / "recipe").encode(texts)
    spread = scored.std()
    np.testing.assert_allclose(vectors, scored, atol=0.03 * spread)  # the sweep's went through float16

    (tmp_path / "texts.txt").write_text("\n".join(texts) + "\n")
    encoded = command("encode", tmp_path / "texts.txt", "--recipe", tmp_path / "recipe", "-o", tmp_path / "v.npy")
    assert encoded.exit_code == 0, encoded.output
    np.testing.assert_allclose(np.load(tmp_path / "v.npy"), vectors, atol=1e-5 * spread)


def test_of_a_family_it_learns_from_all_its_tasks(
    tmp_path: Path, small_data: Path, tiny_bert_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = tmp_path / "more.tsv"
    more.write_text("text1\ttext2\tscore\n" + "".join(f"the dog ran\tthe red tree {i}\t{i}\n" for i in range(8)))
    part = Part((str(small_data / "pairs.tsv"), str(more)), weights=("idf",), shapes=(("zscore",),))
    run_of(tmp_path / "run", small_data, Grid((part,), (str(tiny_bert_dir),), rows=ROWS), monkeypatch)
    assert command("best", tmp_path / "run", "--for", "sts", "--save", tmp_path / "recipe").exit_code == 0
    fitted_on = Embedder.load(tmp_path / "recipe").fitted_on_
    assert fitted_on.target is not None
    assert fitted_on.target.texts == 2 * ROWS + 2 * 8
    assert fitted_on.background is None


def test_one_recipe_must_be_meant_and_no_folder_is_lost(
    tmp_path: Path, small_data: Path, tiny_bert_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = (str(small_data / "pairs.tsv"), f"clustering:{small_data / 'groups.tsv'}")
    run_of(tmp_path / "run", small_data, Grid((Part(tasks),), (str(tiny_bert_dir),), runs=1), monkeypatch)
    several = command("best", tmp_path / "run", "--save", tmp_path / "recipe")
    assert isinstance(several.exception, InputError)
    assert "there are 2; say which --for: groups, pairs" in str(several.exception)
    arguments = ("best", tmp_path / "run", "--for", "sts", "--save", tmp_path / "recipe")
    assert command(*arguments).exit_code == 0
    assert "exists" in str(command(*arguments).exception)
    assert command(*arguments, "--overwrite").exit_code == 0
