"""Known architectures straight from their files: the same states as transformers gives, or left to transformers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import safetensors.torch
import torch
import transformers

import tiny_models
from attar import Embedder, Transformer
from attar.checkpoints import open_checkpoint
from attar.engine import packing
from attar.engine.direct import DirectModel
from attar.engine.kernels import compiled_kernels
from attar.engine.loading import load_model, open_directly
from attar.engine.model import LayeredModel
from attar.engine.torch_kernels import TorchKernels
from attar.types import Tokens

SMALL = {
    "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 44, "vocab_size": 60,
    "max_position_embeddings": 40,
}  # fmt: skip
THIN = {"embedding_size": 16, "intra_bottleneck_size": 16, "true_hidden_size": 16}
KNOWN = {
    "bert": transformers.BertConfig(**SMALL),
    "bert, three heads of 8": transformers.BertConfig(**SMALL | {"hidden_size": 24, "num_attention_heads": 3}),
    "bert, heads of 5": transformers.BertConfig(**SMALL | {"hidden_size": 10}),
    "bert, relu": transformers.BertConfig(**SMALL, hidden_act="relu", layer_norm_eps=1e-3, type_vocab_size=1),
    "roberta": transformers.RobertaConfig(**SMALL, pad_token_id=1),
    "roberta, other padding": transformers.RobertaConfig(**SMALL, pad_token_id=3),
    "xlm-roberta": transformers.XLMRobertaConfig(**SMALL, pad_token_id=1),
    "camembert": transformers.CamembertConfig(**SMALL, pad_token_id=1),
    "electra": transformers.ElectraConfig(**SMALL, embedding_size=32),
    "electra, narrow table": transformers.ElectraConfig(**SMALL, embedding_size=16),
    "distilbert": transformers.DistilBertConfig(
        vocab_size=60, dim=32, n_layers=3, n_heads=2, hidden_dim=44, max_position_embeddings=40
    ),
    "mobilebert": transformers.MobileBertConfig(**SMALL, **THIN),
    "mobilebert, one network": transformers.MobileBertConfig(**SMALL, **THIN, num_feedforward_networks=1),
}
OTHERS = {
    "decoder": transformers.BertConfig(**SMALL, is_decoder=True),
    "another gelu": transformers.BertConfig(**SMALL, hidden_act="gelu_new"),
    "norms in mobilebert": transformers.MobileBertConfig(**SMALL, **THIN, normalization_type="layer_norm"),
    "attention in the bottleneck": transformers.MobileBertConfig(**SMALL, **THIN, use_bottleneck_attention=True),
    "albert": transformers.AlbertConfig(**SMALL, embedding_size=16),
    "bloom": transformers.BloomConfig(vocab_size=60, hidden_size=32, n_layer=3, n_head=2),
}
SEQUENCES = [[5, 6, 7, 8, 9, 10, 11], [12], [13, 14, 15], [16, 17, 18], list(range(5, 40))]


def save(folder: Path, config, kind=transformers.AutoModel) -> Path:
    width = 0.1 if config.model_type == "mobilebert" else 0.2  # without norms, wide draws lose digits
    tiny_models.spread(kind.from_config(config), width=width).save_pretrained(str(folder))
    return folder


@pytest.fixture(scope="module", autouse=True)
def _registered() -> None:
    packing.register()


@pytest.fixture
def bert_dir(tmp_path) -> Path:
    return save(tmp_path / "model", KNOWN["bert"])


def states(model, sequences=None) -> dict[tuple[int, int], np.ndarray]:
    found = {}

    def visit(batch, layer, rows) -> None:
        for n, start, end in zip(batch.sequences, batch.offsets[:-1], batch.offsets[1:], strict=True):
            found[int(n), layer] = rows[start:end].copy()

    model.run(Tokens.of(SEQUENCES if sequences is None else sequences), range(model.n_layers + 1), visit)
    return found


def check(folder: Path) -> DirectModel:
    """Opens it directly, and compares every state with transformers'."""
    model = open_directly(open_checkpoint(folder))
    assert model is not None
    reference = transformers.AutoModel.from_pretrained(str(folder), dtype=torch.float32).eval()
    found = states(model)
    for n, ids in enumerate(SEQUENCES):
        with torch.inference_mode():
            wanted = reference(torch.tensor([ids]), output_hidden_states=True).hidden_states
        for layer, right in enumerate(wanted):
            off = np.abs(found[n, layer] - right[0].numpy()).max() / right.abs().max()
            assert off < 1e-5, (n, layer)
    np.testing.assert_array_equal(model.table, reference.get_input_embeddings().weight.detach())
    assert len(found) == len(SEQUENCES) * (model.n_layers + 1)
    return model


@pytest.mark.parametrize("name", KNOWN)
def test_same_states_as_transformers(name, tmp_path):
    config = KNOWN[name]
    model = check(save(tmp_path / "model", config))
    layered = LayeredModel(transformers.AutoModel.from_pretrained(str(tmp_path / "model")))
    assert (model.n_layers, model.width, model.max_tokens) == (layered.n_layers, layered.width, layered.max_tokens)


@pytest.mark.parametrize("name", ["roberta", "roberta, other padding", "bert"])
def test_tokens_that_are_padding_elsewhere(name, tmp_path, monkeypatch):
    pad = KNOWN[name].pad_token_id
    monkeypatch.setattr(sys.modules[__name__], "SEQUENCES", [[5, pad, 7, pad, pad, 9], [12], [pad], [13, 14, pad, 2]])
    check(save(tmp_path / "model", KNOWN[name]))


@pytest.mark.parametrize("name", ["bert, three heads of 8", "roberta", "distilbert", "electra", "mobilebert"])
def test_same_attention_to_oneself_as_transformers(name, tmp_path):
    folder = save(tmp_path / "model", KNOWN[name])
    model = open_directly(open_checkpoint(folder))
    reference = transformers.AutoModel.from_pretrained(str(folder), attn_implementation="eager").eval()
    tokens = Tokens.of(SEQUENCES)
    for layer, head in ((1, 1), (3, 0)):
        found = model.own_attention(tokens, layer, head)
        for ids, start, end in zip(SEQUENCES, tokens.offsets[:-1], tokens.offsets[1:], strict=True):
            with torch.inference_mode():
                wanted = reference(torch.tensor([ids]), output_attentions=True).attentions[layer - 1][0, head]
            np.testing.assert_allclose(found[start:end], wanted.diagonal().numpy(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", ["bert", "electra, narrow table", "mobilebert"])
def test_the_same_where_nothing_was_compiled(name, tmp_path, monkeypatch):
    monkeypatch.setattr("attar.engine.kernels.best_kernels", TorchKernels)
    monkeypatch.setattr("attar.engine.products.compiled_kernels", lambda: None)
    check(save(tmp_path / "model", KNOWN[name]))


@pytest.mark.parametrize("name", ["bert", "roberta", "electra, narrow table", "distilbert", "mobilebert"])
def test_a_file_that_holds_a_head_too(name, tmp_path):
    check(save(tmp_path / "model", KNOWN[name], transformers.AutoModelForMaskedLM))


@pytest.mark.parametrize("name", ["bert", "mobilebert"])
def test_weights_kept_in_half_precision(name, tmp_path):
    folder = save(tmp_path / "model", KNOWN[name])
    rewrite_arrays(folder, lambda name, array: (name, array.astype(np.float16)))
    check(folder)


def test_names_of_the_first_checkpoints(bert_dir):
    """As in bert-base-uncased: a prefix, gamma and beta, and buffers of positions."""

    def old(name: str, array: np.ndarray) -> tuple[str, np.ndarray]:
        return "bert." + name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ), array

    rewrite_arrays(bert_dir, old, {"bert.embeddings.position_ids": np.arange(40)[None], "cls.bias": np.zeros(3)})
    check(bert_dir)


def test_several_files(bert_dir):
    model = transformers.AutoModel.from_pretrained(str(bert_dir))
    (bert_dir / "model.safetensors").unlink()
    model.save_pretrained(str(bert_dir), max_shard_size="20KB")
    assert len(list(bert_dir.glob("*.safetensors"))) > 1
    check(bert_dir)


@pytest.mark.parametrize("name", OTHERS)
def test_other_computations_are_left_to_transformers(name, tmp_path):
    folder = save(tmp_path / "model", OTHERS[name])
    assert open_directly(open_checkpoint(folder)) is None
    assert isinstance(load_model(open_checkpoint(folder)), LayeredModel)


@pytest.mark.parametrize(
    "changes",
    [
        {"layer_norm_eps": None},
        {"layer_norm_eps": "x"},
        {"hidden_act": None},
        {"hidden_act": ["gelu"]},
        {"num_hidden_layers": 2},
        {"num_hidden_layers": 4},
        {"num_attention_heads": 5},
        {"num_attention_heads": True},
        {"hidden_size": 16},
        {"vocab_size": 59},
        {"max_position_embeddings": 41},
        {"type_vocab_size": 3},
        {"position_embedding_type": "relative_key"},
        {"quantization_config": {"bits": 4}},
        {"transformers_weights": "model.safetensors"},
        {"model_type": "no such"},
        {"model_type": ["bert"]},
    ],
    ids=str,
)
def test_settings_that_are_not_as_expected(bert_dir, changes):
    path = bert_dir / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    assert open_directly(open_checkpoint(bert_dir)) is None


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("encoder.layer.1.output.LayerNorm.weight", lambda a: a[:-1]),
        ("encoder.layer.1.attention.self.query.weight", lambda a: a[:, :-1]),
        ("encoder.layer.2.intermediate.dense.bias", lambda a: a[:-1]),
        ("encoder.layer.0.output.dense.weight", lambda a: a.T),
        ("embeddings.LayerNorm.bias", lambda a: a[None]),
        ("embeddings.word_embeddings.weight", lambda a: a.astype(np.int64)),
    ],
)
def test_arrays_of_another_shape_are_never_read(bert_dir, part, change):
    rewrite_arrays(bert_dir, lambda name, a: (name, np.ascontiguousarray(change(a)) if name == part else a))
    assert open_directly(open_checkpoint(bert_dir)) is None


def test_an_array_that_nobody_asked_for(bert_dir):
    rewrite_arrays(bert_dir, lambda *given: given, {"encoder.layer.1.attention.self.distance": np.zeros((3, 3))})
    assert open_directly(open_checkpoint(bert_dir)) is None


def test_damaged_weights(bert_dir):
    path = bert_dir / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-5])
    assert open_directly(open_checkpoint(bert_dir)) is None


def test_numbers_that_are_not_finite_come_through(bert_dir):
    def broken(name: str, array: np.ndarray) -> tuple[str, np.ndarray]:
        return name, np.where(np.arange(60)[:, None] == 7, np.float32(np.nan), array) if len(array) == 60 else array

    rewrite_arrays(bert_dir, broken)
    model = open_directly(open_checkpoint(bert_dir))
    assert model is not None
    found = states(model, [[5, 6], [7, 8]])
    assert np.isfinite(found[0, 3]).all()
    assert np.isnan(found[1, 3]).all()


def test_weights_of_bfloat16_are_read_as_they_are(bert_dir):
    path = bert_dir / "model.safetensors"
    halves = {name: torch.from_numpy(a).bfloat16() for name, a in safetensors.numpy.load_file(path).items()}
    safetensors.torch.save_file(halves, path, {"format": "pt"})
    found = states(open_directly(open_checkpoint(bert_dir)), [[5, 6], [7, 8]])
    safetensors.torch.save_file({name: a.float() for name, a in halves.items()}, path, {"format": "pt"})
    wanted = states(open_directly(open_checkpoint(bert_dir)), [[5, 6], [7, 8]])
    assert found.keys() == wanted.keys()
    assert all(np.array_equal(found[at], wanted[at]) for at in wanted)


def test_a_model_of_a_hub_is_fetched_whole_only_if_known(bert_dir, tmp_path, monkeypatch):
    asked, other = [], save(tmp_path / "other", OTHERS["bloom"])

    def hub_folder(name, revision, *, weights=False):
        asked.append((name, revision, weights))
        return bert_dir if name == "some/bert" else other

    monkeypatch.setattr("attar.checkpoints.hub.hub_folder", hub_folder)
    assert isinstance(open_directly(open_checkpoint("some/bert", "main")), DirectModel)
    assert open_directly(open_checkpoint("some/bloom", "main")) is None
    assert asked == [("some/bert", "main", False), ("some/bert", "main", True), ("some/bloom", "main", False)]


def rewrite_arrays(folder: Path, change, more: dict[str, np.ndarray] | None = None) -> None:
    path = folder / "model.safetensors"
    arrays = dict(change(name, array) for name, array in safetensors.numpy.load_file(path).items())
    safetensors.numpy.save_file(arrays | (more or {}), path, {"format": "pt"})


def without_torch(code: str) -> subprocess.CompletedProcess[str]:
    """Run where torch and transformers can't be imported."""
    missing = (
        "import sys\n"
        "from importlib.abc import MetaPathFinder\n"
        "class Missing(MetaPathFinder):\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in ('torch', 'transformers'):\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Missing())\n"
        "from attar import Embedder, Transformer, shapers, weights\n"
    )
    return subprocess.run([sys.executable, "-c", missing + code], capture_output=True, text=True, check=False)


@pytest.mark.skipif(compiled_kernels() is None, reason="where nothing was compiled, torch's kernels are used")
def test_no_torch_for_a_known_architecture(tiny_bert_dir):
    recipe = f"Embedder(Transformer({str(tiny_bert_dir)!r}), 1, weights.Idf(), [shapers.ZScore()])"
    texts = [f"{animal} {letter}" for animal in ("cat", "dog") for letter in tiny_models.LETTERS[:25]]
    done = without_torch(f"print({recipe}.fit_transform({texts!r}).shape)")
    assert (done.stdout.strip(), done.stderr) == ("(50, 16)", "")


def test_an_unknown_architecture_says_what_it_needs(tmp_path):
    folder = save(tmp_path / "model", OTHERS["bloom"])
    tiny_models.without_frame().save(str(folder / "tokenizer.json"))
    done = without_torch(f"Embedder(Transformer({str(folder)!r})).encode(['a cat'])")
    assert "pip install 'attar[models]'" in done.stderr.splitlines()[-1]


def test_both_ways_give_the_same_vectors(tiny_bert_dir, monkeypatch):
    texts = [f"the cat {'sat ' * (n % 9)}on mat" for n in range(20)]
    wanted = Embedder(Transformer(tiny_bert_dir), (1, 3)).encode(texts)
    monkeypatch.setattr("attar.engine.loading.open_directly", lambda *_: None)
    other = Transformer(tiny_bert_dir)
    found = Embedder(other, (1, 3)).encode(texts)
    assert isinstance(other._model, LayeredModel)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-5)
