"""Every snippet of the documentation is run, page by page, in a folder with small models and texts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import doc_snippets
import doc_stage

ROOT = Path(__file__).resolve().parent.parent
ELSEWHERE = {"clients.md"}  # tests/clients runs it
PAGES = [path for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))] if path.name not in ELSEWHERE]
PAGES = [page for page in PAGES if any(block.language != "text" for block in doc_snippets.blocks_of(page))]


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("stage")
    doc_stage.build(folder)
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(
    page: Path, stage: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    folders = {kind: shutil.copytree(stage, tmp_path / kind) for kind in ("shell", "other")}
    monkeypatch.setattr("attar.demo.run.installed_causal_model", lambda: stage / "smollm2.gguf")
    names = doc_stage.names(stage)
    for block in doc_snippets.blocks_of(page):
        monkeypatch.chdir(folders["shell" if block.language == "sh" else "other"])
        if block.language == "sh":
            for line in doc_snippets.lines_of(block):
                with subtests.test(line):
                    doc_snippets.run_line(line)
        else:
            with subtests.test(block.text.splitlines()[0]):
                doc_snippets.run_block(block, names)


def test_a_wrong_snippet_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match="no file"):
        doc_snippets.run_line("attar encode nowhere.txt -o v.npy")
    with pytest.raises(NameError):
        doc_snippets.run_block(doc_snippets.Block("python", "", "unknown_name\n"), {})
