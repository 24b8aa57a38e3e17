"""The tokenizer files of a model folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from attar.checkpoints.tokenizer_files import any_tokenizer, load_tokenizer, mask_token_named
from attar.errors import MissingExtra, ModelError


@pytest.mark.parametrize("content", ["", "{", "[]", '"x"', "{}", '{"model": {"type": "WordPiece"}}', "\x00\xff"])
def test_a_damaged_tokenizer_is_named(tmp_path, content):
    (tmp_path / "tokenizer.json").write_text(content, encoding="latin-1")
    with pytest.raises(ModelError, match=r"tokenizer\.json") as raised:
        load_tokenizer(tmp_path)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", ["tokenizer_config.json", "special_tokens_map.json"])
@pytest.mark.parametrize("token", ["<gap>", {"content": "<gap>"}])
def test_mask_token_of_a_folder(tmp_path, name, token):
    assert mask_token_named(tmp_path) is None
    (tmp_path / name).write_text(json.dumps({"mask_token": token}))
    assert mask_token_named(tmp_path) == "<gap>"


@pytest.mark.parametrize("content", ["{", "[1]", "\xff"])
def test_damaged_tokenizer_settings_are_named(tmp_path, content):
    (tmp_path / "tokenizer_config.json").write_text(content, encoding="latin-1")
    with pytest.raises(ModelError, match=r"tokenizer_config\.json"):
        mask_token_named(tmp_path)


def test_what_transformers_would_make_needs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ncat\n")
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtra, match=r"pip install 'attar\[models\]'"):
        any_tokenizer(tmp_path)


def test_a_sentence_piece_model_needs_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "xlm-roberta"}')
    (tmp_path / "sentencepiece.bpe.model").write_bytes(b"\n\x0e\n\x05<unk>")
    monkeypatch.setattr("attar.checkpoints.tokenizer_files.find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"no tokenizer\.json: .* pip install sentencepiece"):
        any_tokenizer(tmp_path)


def test_files_of_another_kind_of_tokenizer(tmp_path: Path) -> None:
    """transformers would make one that knows no word."""
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    (tmp_path / "vocab.json").write_text('{"a": 0, "b": 1}')
    with pytest.raises(ModelError, match="without pieces"):
        any_tokenizer(tmp_path)
