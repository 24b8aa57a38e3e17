"""A command works only in a folder of its own kind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from attar.corpus.jobs.job_folder import JobFolder
from attar.demo.run import run as demo
from attar.errors import OutputError
from attar.io.atomic import make_own_folder
from attar.reports.figures import file_name, holds_figures
from attar.sweep.run import is_run


def test_made_or_taken_or_refused(tmp_path: Path) -> None:
    def own(names: object) -> bool:
        return "mark" in names  # type: ignore[operator]

    target = tmp_path / "out"
    make_own_folder(target, own, "a box")
    make_own_folder(target, own, "a box")  # empty
    (target / "mark").touch()
    (target / "more").touch()
    make_own_folder(target, own, "a box")
    (target / "mark").unlink()
    with pytest.raises(OutputError, match=r"it holds other things, such as 'more', and it is not a box"):
        make_own_folder(target, own, "a box")
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="it is a file"):
        make_own_folder(tmp_path / "file", own, "a box")


@pytest.fixture
def saved_recipe(tmp_path: Path) -> Path:
    folder = tmp_path / "recipe"
    folder.mkdir()
    (folder / "recipe.json").write_text("{}")
    return folder


def test_demo_and_corpus_refuse_a_recipe(saved_recipe: Path) -> None:
    for start in (demo, JobFolder.at):
        with pytest.raises(OutputError, match=r"such as 'recipe.json'"):
            start(saved_recipe)
    assert os.listdir(saved_recipe) == ["recipe.json"]


@pytest.mark.parametrize(
    ("names", "own"),
    [
        (["recipe.json"], False),
        (["recipe.json", "run.json"], False),
        (["cells.sqlite", "lock", "run.json", "my-notes.txt"], True),
        (["lock"], True),
        (["lock", "run.json"], True),
    ],
)
def test_what_is_a_run(names: list[str], own: bool) -> None:
    assert is_run(names) is own


def test_what_is_a_folder_of_figures() -> None:
    assert holds_figures(["layers-bert-sts.svg", "mix-bert-sts.png"])
    assert not holds_figures(["layers-bert-sts.svg", "recipe.json"])


def test_figures_keep_to_their_folder_whatever_the_model_is_called() -> None:
    assert file_name("layers-../../etc/passwd-sts", set()) == "layers-..-..-etc-passwd-sts"
    assert file_name("mix-a", {"mix-a"}) == "mix-a-2"
