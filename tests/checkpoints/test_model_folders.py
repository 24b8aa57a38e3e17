"""Model folders: good, damaged, dangerous; and names that are no folder."""

from __future__ import annotations

import json
import pickle
import shutil
import socket
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import torch

import tiny_models
from attar import Embedder, Transformer
from attar.checkpoints import open_checkpoint
from attar.checkpoints.checks import check_folder
from attar.checkpoints.folder import is_folder
from attar.engine.loading import load_model
from attar.errors import InputError, ModelError


@pytest.fixture
def folder(tiny_bert_dir, tmp_path) -> Path:
    """A copy to damage."""
    return Path(shutil.copytree(tiny_bert_dir, tmp_path / "model"))


def failure(folder: Path | str, **settings) -> str:
    """The one line that says why the model can't be used."""
    with pytest.raises(ModelError) as raised:
        Embedder(Transformer(folder, **settings)).encode(["a cat"])
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 600
    return str(raised.value)


def rewrite(path: Path, **changes) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_good_folder_loads(folder):
    assert load_model(open_checkpoint(folder)).n_layers == 3


def test_sharded_weights_load(folder, tiny_bert_dir):
    import transformers

    (folder / "model.safetensors").unlink()
    transformers.AutoModel.from_pretrained(str(tiny_bert_dir)).save_pretrained(str(folder), max_shard_size="8KB")
    assert (folder / "model.safetensors.index.json").is_file()
    whole, parts = (Embedder(Transformer(f)).encode(["a cat sat"]) for f in (tiny_bert_dir, folder))
    assert whole.tolist() == parts.tolist()


def test_half_of_an_encoder_decoder_is_enough_if_it_is_the_encoder(tmp_path):
    import transformers

    tokenizer = tiny_models.unigram()
    settings = {"vocab_size": tokenizer.get_vocab_size(), "d_model": 16, "num_layers": 2, "d_kv": 8, "d_ff": 24}
    whole = tiny_models.spread(transformers.T5Model(transformers.T5Config(**settings, num_heads=2)))
    half = transformers.T5EncoderModel(whole.config)
    half.load_state_dict({k: v for k, v in whole.state_dict().items() if not k.startswith("decoder.")}, strict=False)
    folders = [tiny_models.save(tmp_path / m.__class__.__name__, m, tokenizer) for m in (whole, half)]
    a, b = (Embedder(Transformer(folder)).encode(["the cat sat"]) for folder in folders)
    assert a.tolist() == b.tolist()
    decoder = transformers.T5Model(whole.config).decoder.state_dict()
    safetensors.numpy.save_file(
        {f"decoder.{k}": v.numpy().copy() for k, v in decoder.items()}, folders[1] / "model.safetensors"
    )
    assert "lack" in failure(folders[1])


@pytest.mark.parametrize("content", ["", "{", "[]", "\xff\x00", '{"model_type": "no-such-model"}', "{}"])
def test_damaged_config(folder, content):
    (folder / "config.json").write_text(content, encoding="latin-1")
    assert str(folder) in failure(folder)


@pytest.mark.parametrize(
    "changes",
    [
        {"hidden_size": "x"},
        {"hidden_size": -1},
        {"hidden_size": 17},
        {"num_hidden_layers": None},
        {"num_attention_heads": 0},
        {"vocab_size": 7},
        {"model_type": 5},
        {"quantization_config": {"quant_method": "gptq", "bits": 4}},
    ],
    ids=str,
)
def test_config_that_does_not_fit_the_weights(folder, changes):
    rewrite(folder / "config.json", **changes)
    assert str(folder) in failure(folder)


def test_more_layers_than_the_weights_have(folder):
    rewrite(folder / "config.json", num_hidden_layers=5)
    assert "lack 32 of the model's arrays" in failure(folder)


@pytest.mark.parametrize("name", ["max_window_layers", "global_attn_every_n_layers"])
def test_settings_that_only_say_which_layers_may_be_beyond_their_number(name, folder):
    rewrite(folder / "config.json", **{name: 1000})
    assert load_model(open_checkpoint(folder)).n_layers == 3


def test_config_missing(folder):
    (folder / "config.json").unlink()
    assert failure(folder).endswith("it has no config.json")


def test_a_model_in_a_folder_of_its_own(folder, tmp_path):
    """As sentence-transformers once saved it."""
    shutil.move(folder, tmp_path / "saved/0_Transformer")
    (tmp_path / "saved/1_Pooling").mkdir()
    (tmp_path / "saved/1_Pooling/config.json").write_text("{}")
    assert failure(tmp_path / "saved").endswith("/saved/0_Transformer'")


@pytest.mark.parametrize("keep", [0, 7, 100, -1])
def test_cut_weights(folder, keep):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:keep])
    assert str(folder) in failure(folder)


def test_weights_of_noise(folder):
    (folder / "model.safetensors").write_bytes(bytes(range(256)) * 10)
    assert str(folder) in failure(folder)


def test_weights_that_lack_arrays(folder):
    path = folder / "model.safetensors"
    arrays = safetensors.numpy.load_file(path)
    gone = [name for name in arrays if "layer.1.attention.self.query" in name]
    safetensors.numpy.save_file({k: v for k, v in arrays.items() if k not in gone}, path, {"format": "pt"})
    told = failure(folder)
    assert "lack 2 of the model's arrays" in told
    assert "query" in told


def test_no_weights(folder):
    (folder / "model.safetensors").unlink()
    assert "holds no weights" in failure(folder)


class Bomb:
    def __reduce__(self):
        return (Path.touch, (Path(BOMBED[0]),))


BOMBED: list[str] = []


def test_a_pickle_is_refused_and_never_opened(folder, tmp_path):
    BOMBED[:] = [str(tmp_path / "bombed")]
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Bomb(), protocol=2))
    told = failure(folder)
    assert "pytorch_model.bin" in told
    assert "weights_format='pickle'" in told
    assert not Path(BOMBED[0]).exists()


def test_a_pickle_asked_for_by_name_can_not_run_code_either(folder, tmp_path):
    BOMBED[:] = [str(tmp_path / "bombed")]
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Bomb(), protocol=2))
    failure(folder, weights_format="pickle")
    assert not Path(BOMBED[0]).exists()


def test_a_pickle_loads_when_asked_for_by_name(folder, tiny_bert_dir):
    arrays = safetensors.numpy.load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save({k: torch.from_numpy(v) for k, v in arrays.items()}, folder / "pytorch_model.bin")
    ours = Embedder(Transformer(folder, weights_format="pickle")).encode(["a cat"])
    np.testing.assert_allclose(ours, Embedder(Transformer(tiny_bert_dir)).encode(["a cat"]), rtol=1e-5, atol=1e-5)


def test_an_unknown_weights_format():
    with pytest.raises(InputError, match="unknown weights_format 'gguf'"):
        Transformer("x", weights_format="gguf")


@pytest.mark.parametrize(
    "weight_map",
    [
        {"a": "../outside.safetensors"},
        {"a": "/etc/passwd"},
        {"a": "sub/inside.safetensors"},
        {"a": "gone.safetensors"},
        {"a": ""},
        {"a": 5},
        {"a": ["model.safetensors"]},
        ["model.safetensors"],
        None,
    ],
    ids=str,
)
def test_an_index_that_names_anything_but_files_of_the_folder(folder, weight_map):
    shutil.copy(folder / "model.safetensors", folder.parent / "outside.safetensors")
    (folder / "sub").mkdir()
    shutil.copy(folder / "model.safetensors", folder / "sub" / "inside.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    assert "model.safetensors.index.json" in failure(folder)


@pytest.mark.parametrize("name", ["../outside.safetensors", "gone.safetensors", 5])
def test_a_config_that_names_weights_elsewhere(folder, name):
    shutil.copy(folder / "model.safetensors", folder.parent / "outside.safetensors")
    rewrite(folder / "config.json", transformers_weights=name)
    assert repr(name) in failure(folder)


def test_an_adapter_is_not_followed(folder):
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "some/model"}')
    assert "adapter" in failure(folder)


def test_code_of_a_folder_is_not_run(folder):
    (folder / "own.py").write_text("raise SystemExit('ran')")
    rewrite(folder / "config.json", model_type="own", auto_map={"AutoConfig": "own.C", "AutoModel": "own.M"})
    assert str(folder) in failure(folder)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"model": null}'])
def test_damaged_tokenizer(folder, content):
    (folder / "tokenizer.json").write_text(content)
    assert "tokenizer.json" in failure(folder)


def test_no_tokenizer(folder):
    (folder / "tokenizer.json").unlink()
    assert "has no tokenizer.json" in failure(folder)


def test_a_tokenizer_of_another_model(folder, tiny_roberta_dir):
    shutil.copy(tiny_roberta_dir / "tokenizer.json", folder / "tokenizer.json")
    assert "do not belong together" in failure(folder)


@pytest.mark.parametrize(
    "name",
    [
        "/no/such/folder",
        "./nowhere",
        "../nowhere",
        "~/nowhere",
        "~nobody-here/x",
        "a/b/c",
        "nowhere/",
        "has spaces",
        "",
        "x" * 5000,
        "a\0b",
        "a\\b",
    ],
    ids=lambda name: repr(name[:20]),
)
def test_a_path_that_leads_nowhere_is_never_looked_up_on_a_hub(name, monkeypatch):
    monkeypatch.setattr("attar.checkpoints.hub.hub_folder", lambda *_, **__: pytest.fail("looked up on a hub"))
    assert "no model folder at" in failure(name)


def test_a_name_inside_a_folder_that_exists_is_a_path(tmp_path, monkeypatch):
    (tmp_path / "models").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match="no model folder at 'models/typo'"):
        is_folder("models/typo")
    assert is_folder("models")
    assert not is_folder("someone/bert")
    assert not is_folder("bert-base-uncased")


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "model").touch()
    assert "no model folder" in failure(tmp_path / "model")
    with pytest.raises(ModelError, match="it has no config"):
        check_folder(tmp_path, "safetensors")


def test_a_hub_name_while_offline():
    told = failure("someone/no-such-model-here")
    assert "someone/no-such-model-here" in told
    assert "give a local folder" in told


def test_a_folder_never_touches_the_network(folder, monkeypatch):
    def refuse(*_):
        raise AssertionError("the network was touched")

    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    embedder = Embedder(Transformer(folder), layers=(1, 3)).fit(["a cat"])
    assert embedder.encode(["a cat"]).shape == (1, 16)
    embedder.save(folder.parent / "recipe")
    assert Embedder.load(folder.parent / "recipe").encode(["a cat"]).shape == (1, 16)
