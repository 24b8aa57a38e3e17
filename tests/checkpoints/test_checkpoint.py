"""FolderCheckpoint: what it tells of a folder, and that nothing is read before it is asked for."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest
import safetensors.numpy

from attar.checkpoints import default, open_checkpoint
from attar.errors import InputError, ModelError


@pytest.fixture
def folder(tiny_bert_dir, tmp_path) -> Path:
    return Path(shutil.copytree(tiny_bert_dir, tmp_path / "model"))


def test_what_a_folder_holds(folder):
    checkpoint = open_checkpoint(folder)
    arrays = safetensors.numpy.load_file(folder / "model.safetensors")
    assert (checkpoint.name, checkpoint.folder, checkpoint.location) == (str(folder), folder, str(folder))
    assert checkpoint.settings["model_type"] == "bert"
    assert checkpoint.arrays().keys() == arrays.keys()
    assert checkpoint.n_parameters == sum(array.size for array in arrays.values())
    assert checkpoint.tokenizer()[0].token_to_id("[MASK]") == 4
    assert (checkpoint.token_limit, checkpoint.licence, checkpoint.is_tuned_for_sentences) == (None, None, False)


def test_the_hash_is_of_the_hashes_of_the_weights(folder):
    inner = hashlib.sha256((folder / "model.safetensors").read_bytes()).digest()
    assert open_checkpoint(folder).sha256 == hashlib.sha256(inner).hexdigest()


def test_what_sentence_transformers_and_a_card_add(folder):
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 20}')
    (folder / "modules.json").write_text("[]")
    (folder / "README.md").write_text("---\ntags: [x]\nlicense: apache-2.0\n---\n# A card\nlicense: other\n")
    checkpoint = open_checkpoint(folder)
    assert (checkpoint.token_limit, checkpoint.licence, checkpoint.is_tuned_for_sentences) == (20, "apache-2.0", True)


@pytest.mark.parametrize("limit", [0, -1, "20", None])
def test_a_limit_that_is_none(folder, limit):
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": limit}))
    assert open_checkpoint(folder).token_limit is None


@pytest.mark.parametrize("content", ["{", "[1]"])
def test_a_damaged_limit_is_named(folder, content):
    (folder / "sentence_bert_config.json").write_text(content)
    with pytest.raises(ModelError, match=r"sentence_bert_config\.json"):
        open_checkpoint(folder).token_limit  # noqa: B018


def test_a_card_without_a_head(folder):
    (folder / "README.md").write_text("license: mit\n")
    assert open_checkpoint(folder).licence is None


def test_nothing_is_fetched_before_it_is_asked_for(monkeypatch):
    monkeypatch.setattr("attar.checkpoints.hub.hub_folder", lambda *_, **__: pytest.fail("fetched"))
    checkpoint = open_checkpoint("someone/model", "v1")
    assert (checkpoint.name, checkpoint.revision, checkpoint.local) == ("someone/model", "v1", None)


def test_the_default_model():
    assert open_checkpoint().name == "default"
    assert open_checkpoint("default").folder == default.folder()
    assert open_checkpoint().is_tuned_for_sentences


def test_an_unknown_format_of_weights(folder):
    with pytest.raises(InputError, match="unknown weights_format 'npz'"):
        open_checkpoint(folder, weights_format="npz")
