"""The code blocks of docs/exports.md, run one after the other on a small recipe."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from attar import Embedder, Transformer, shapers

DOC = Path(__file__).resolve().parents[2] / "docs" / "exports.md"
TEXTS = ["the cat sat", "a dog ran", "seven trees", "music on the river", "blue light", "red light"] * 2


def blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", DOC.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.fixture
def workplace(tiny_bert_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Embedder(Transformer(tiny_bert_dir), 1, shapers=[shapers.ZScore()]).fit(TEXTS).save("my-recipe")
    return tmp_path


def test_export_block(workplace: Path) -> None:
    exec(blocks()[0], {})
    assert (workplace / "my-model/modules.json").is_file()


def test_scikit_learn_block(workplace: Path) -> None:
    names = {"texts": TEXTS, "labels": [0, 1] * 6}
    exec(blocks()[2], names)
    assert names["search"].best_params_  # type: ignore[attr-defined]
    assert (workplace / "token-vectors/token_vectors.sqlite").is_file()


def test_what_goes_where_names_all_formats() -> None:
    from attar.exports import FORMATS

    assert all(f"--to {name}" in DOC.read_text(encoding="utf-8") for name in FORMATS)
