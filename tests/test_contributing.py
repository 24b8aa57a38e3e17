"""CONTRIBUTING.md is followed to the letter in a copy of the project, and what it adds is used there."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import attar
import tiny_models

ROOT = Path(__file__).resolve().parent.parent
GUIDE = ROOT / "CONTRIBUTING.md"
FAMILIES = Path(attar.__file__).parent / "engine" / "families"
SECTIONS = ("Add a weighting", "Add a shaper", "Add a task", "Add an export", "Add a model family")
TEXTS = ["the cat sat", "a dog ran", "seven trees", "music on the river", "blue light", "red light"]
needs_families = pytest.mark.skipif(
    not FAMILIES.is_dir(), reason="engine/families/ is one module here, and the guide tells of a folder"
)


def sections() -> dict[str, str]:
    parts = re.split(r"^## (.*)$", GUIDE.read_text(encoding="utf-8"), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def follow(text: str, project: Path) -> list[str]:
    """Write the files of a section and make its changes; returns the paths that were written or changed."""
    blocks = re.findall(r"^`([\w./]+)`\n\n```(python|diff)\n(.*?)^```$", text, flags=re.M | re.S)
    assert len(blocks) == text.count("\n```") // 2, "every block says where it goes"
    for path, kind, block in blocks:
        target = project / path
        if kind == "python":
            assert not target.exists()
            target.write_text(block, encoding="utf-8")
        else:
            target.write_text(changed(target.read_text(encoding="utf-8"), block), encoding="utf-8")
    return [path for path, _, _ in blocks]


def changed(text: str, diff: str) -> str:
    """Each hunk applied where its lines stand, which is one place."""
    for hunk in re.split(r"^@@\n", diff, flags=re.M)[1:]:
        lines = hunk.splitlines()
        before = "\n".join(line[1:] for line in lines if line[:1] in " -")
        after = "\n".join(line[1:] for line in lines if line[:1] in " +")
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


class Copy:
    """A copy of the project in which all sections were followed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
        for name in ("src", "tests", "docs"):
            shutil.copytree(ROOT / name, folder / name, ignore=ignore)
        for name in ("pyproject.toml", ".importlinter"):
            shutil.copy(ROOT / name, folder / name)
        told = sections()
        self.paths = {
            name: follow(told[name], folder) for name in SECTIONS if FAMILIES.is_dir() or name != "Add a model family"
        }
        self.model = str(tiny_models.bert(folder / "tiny"))
        (folder / "texts.txt").write_text("\n".join(TEXTS * 10) + "\n")

    def run(self, *arguments: str) -> str:
        """What `python -m ...` prints, run in the copy."""
        environment = os.environ | {"PYTHONPATH": str(self.folder / "src"), "COLUMNS": "200"}
        done = subprocess.run(
            [sys.executable, "-m", *arguments], cwd=self.folder, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def tests(self, section: str, *more: str) -> None:
        """The section's own tests, and those that hold for every member of its table."""
        own = [path for path in self.paths[section] if path.startswith("tests/")]
        assert " passed" in self.run("pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=", *own, *more)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    pytest.importorskip("transformers")
    return Copy(tmp_path_factory.mktemp("project"))


def test_each_section_costs_its_file_its_test_and_its_line(copy: Copy) -> None:
    for section, paths in copy.paths.items():
        sources = [path for path in paths if path.startswith("src/")]
        (table,) = [path for path in sources if path.endswith("__init__.py")]
        assert len(sources) == 2, section
        assert [path.partition("/")[0] for path in paths if path not in sources].count("tests") == 1
        old, new = (Path(place, table).read_text().splitlines() for place in (ROOT, copy.folder))
        assert len(set(new) - set(old)) == (1 if section == "Add an export" else 2), table  # an import and a line


def test_it_is_as_tidy_as_the_rest(copy: Copy) -> None:
    written = [path for paths in copy.paths.values() for path in paths if path.endswith(".py")]
    copy.run("ruff", "check", *written)
    copy.run("ruff", "format", "--check", *written)


def test_a_weighting(copy: Copy) -> None:
    copy.tests("Add a weighting", "tests/weights/test_weight_names.py")
    assert "letters" in copy.run("attar", "encode", "--help")


def test_a_shaper(copy: Copy) -> None:
    copy.tests(
        "Add a shaper",
        "tests/shapers/test_shaper_names.py",
        "tests/shapers/test_shaper_contract.py",
        "-k=length or name",
    )
    assert "length" in copy.run("attar", "encode", "--help")


def test_weights_and_shaper_are_fitted_saved_loaded_and_swept(copy: Copy) -> None:
    chosen = ("--model", copy.model, "--weights", "letters+specials", "--shape", "length,unit")
    copy.run("attar", "encode", "texts.txt", *chosen, "-o", "direct.npy")
    copy.run("attar", "fit", *chosen, "--on", "texts.txt", "-o", "saved")
    copy.run("attar", "encode", "texts.txt", "--recipe", "saved", "-o", "loaded.npy")
    assert (copy.folder / "direct.npy").read_bytes() == (copy.folder / "loaded.npy").read_bytes()
    recipe = json.loads((copy.folder / "saved/recipe.json").read_text())
    assert '"Letters"' in json.dumps(recipe)
    (copy.folder / "groups.tsv").write_text("text\tlabel\n" + "".join(f"{t}\t{len(t) > 9}\n" for t in TEXTS))
    (copy.folder / "grid.toml").write_text(
        'tasks = ["clustering:groups.tsv"]\nweights = ["mean", "letters"]\n'
        'shapes = [[], ["length", "unit"]]\nruns = 2\n'
    )
    copy.run("attar", "sweep", "--grid", "grid.toml", "--model", copy.model, "-o", "run")
    copy.run("attar", "report", "run", "--format", "csv", "-o", "report.csv")
    cells = list(csv.DictReader((copy.folder / "report.csv").read_text().splitlines()))
    assert {(cell["weights"], cell["shape"]) for cell in cells} >= {("letters", "none"), ("letters", "length,unit")}
    assert all(cell["score"] for cell in cells)


def test_a_task(copy: Copy) -> None:
    copy.tests(
        "Add a task", *(f"tests/tasks/test_{n}.py" for n in ("catalogue", "tasks_doc", "task_names", "task_check"))
    )
    assert "headlines" in copy.run("attar", "tasks")
    (copy.folder / "data").mkdir()
    lines = [f"{'short' if len(text) < 11 else 'long'}\t{text}" for text in TEXTS]
    (copy.folder / "data/headlines.txt").write_text("\n".join(lines) + "\n")
    (found,) = json.loads(
        copy.run("attar", "score", copy.model, "--tasks", "headlines", "--data", "data", "--json").splitlines()[-1]
    )
    assert (found["task"], found["metric"], found["published"]) == ("headlines", "accuracy", None)
    assert 50 <= found["score"] <= 100


def test_an_export(copy: Copy) -> None:
    copy.tests("Add an export", "tests/exports/test_exports_doc.py::test_what_goes_where_names_all_formats")
    assert "word2vec" in copy.run("attar", "export", "--help")
    copy.run(
        "attar", "fit", "--model", copy.model, "--layers=-1", "--shape", "center", "--on", "texts.txt", "-o", "static"
    )
    copy.run("attar", "export", "static", "--to", "word2vec", "-o", "words")
    assert (copy.folder / "words/vectors.txt").read_text().splitlines()[0].endswith(" 16")


@needs_families
def test_a_model_family(copy: Copy) -> None:
    copy.tests("Add a model family")
