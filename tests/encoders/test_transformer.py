"""Transformer: layers, widths, limits, templates, and what makes it an Encoder."""

from __future__ import annotations

import copy
import json
import pickle
import shutil

import numpy as np
import pytest
from sklearn.base import clone

import tiny_models
from attar import Embedder, Template, Transformer
from attar.checkpoints import default
from attar.errors import InputError, ModelError
from attar.types import Encoder, Role
from attar.weights import First, Mask, Mean

TEXTS = ["the cat sat on the mat", "a dog", "", "red, blue: music!"]


def test_it_is_an_encoder(tiny_bert):
    assert isinstance(tiny_bert, Encoder)
    assert (tiny_bert.first_layer, tiny_bert.n_layers) == (-1, 3)
    assert [tiny_bert.width(layer) for layer in (-1, 0, 3)] == [16, 16, 16]


def test_nothing_is_loaded_before_it_is_used():
    encoder = Transformer("/no/such/folder")
    assert encoder.spec  # an attribute; calling it would look for the folder
    assert repr(encoder) == "Transformer('/no/such/folder')"
    assert repr(Transformer("x", "T0", precision="int8")) == "Transformer('x', template='T0', precision='int8')"
    with pytest.raises(ModelError, match="no model folder"):
        encoder.n_layers  # noqa: B018


def test_layer_minus_one_is_the_token_table(tiny_bert):
    tokens = tiny_bert.tokenize(TEXTS)
    table = tiny_bert.token_vectors(tokens, [-1])[-1]
    same = np.flatnonzero(tokens.ids == tokens.ids[1])  # "the", twice in the first text
    assert len(same) == 2
    assert table[same[0]].tolist() == table[same[1]].tolist()
    assert not np.allclose(*tiny_bert.token_vectors(tokens, [0])[0][same])  # positions tell them apart


def test_a_narrower_token_table_can_not_be_mixed_but_stands_alone(tiny_electra_dir):
    encoder = Transformer(tiny_electra_dir)
    assert (encoder.width(-1), encoder.width(0), encoder.width(2)) == (8, 16, 16)
    assert Embedder(encoder, layers=-1).encode(TEXTS).shape == (4, 8)
    assert Embedder(encoder, layers=(0, 2)).encode(TEXTS).shape == (4, 16)
    with pytest.raises(InputError, match=r"different width can't be mixed \(layer -1: 8, layer 2: 16\)"):
        Embedder(encoder, layers=(-1, 2)).encode(TEXTS)


def test_a_last_layer_of_another_width_stands_alone(tmp_path):
    from transformers import OPTConfig, OPTModel

    tokenizer = tiny_models.without_frame()
    sizes = tiny_models.small(tokenizer) | {"ffn_dim": 24, "word_embed_proj_dim": 8}
    folder = tiny_models.save(tmp_path / "opt", tiny_models.spread(OPTModel(OPTConfig(**sizes))), tokenizer)
    encoder = Transformer(folder)
    assert [encoder.width(layer) for layer in (-1, 0, 2, 3)] == [8, 16, 16, 8]
    assert Embedder(encoder, (1, 2)).encode(["a cat"]).shape == (1, 16)
    assert Embedder(encoder, (-1, 3)).encode(["a cat"]).shape == (1, 8)
    with pytest.raises(InputError, match=r"layer 1: 16, layer 3: 8\); take only layers of one width"):
        Embedder(encoder, (1, 3)).encode(["a cat"])


def test_the_same_for_albert(tmp_path):
    import transformers

    tokenizer = tiny_models.wordpiece()
    config = transformers.AlbertConfig(**tiny_models.small(tokenizer) | {"embedding_size": 4})
    folder = tiny_models.save(tmp_path / "albert", tiny_models.spread(transformers.AlbertModel(config)), tokenizer)
    encoder = Transformer(folder)
    assert Embedder(encoder, layers=-1).encode(TEXTS).shape == (4, 4)
    with pytest.raises(InputError, match=r"layer -1: 4, layer 3: 16"):
        Embedder(encoder, layers=(-1, "last")).encode(TEXTS)


@pytest.mark.parametrize("layers", [[4], [-2], [0, 99]])
def test_layers_out_of_range_are_refused(tiny_bert, layers):
    tokens = tiny_bert.tokenize(["a"])
    with pytest.raises(InputError, match=r"out of range.*1 to 3"):
        tiny_bert.pool(tokens, np.ones((1, len(tokens.ids)), dtype=np.float32), layers)
    with pytest.raises(InputError, match="out of range"):
        tiny_bert.token_vectors(tokens, layers)


def test_all_wanted_layers_come_from_one_pass_and_none_above_them(tiny_bert_dir):
    encoder = Transformer(tiny_bert_dir)
    tokens = encoder.tokenize(TEXTS)
    ran: list[int] = []

    def watched(number: int, block):
        return lambda *given: ran.append(number) or block(*given)

    encoder._model._blocks = [watched(number, block) for number, block in enumerate(encoder._model._blocks, 1)]
    token_weights = np.ones((2, len(tokens.ids)), dtype=np.float32)
    encoder.pool(tokens, token_weights, [0, 1, 2])
    assert ran == [1, 2]
    ran.clear()
    encoder.pool(tokens, token_weights, [-1])
    assert ran == []


def test_a_template_with_masks(tiny_bert_dir):
    encoder = Transformer(tiny_bert_dir, template="T0")
    tokens = encoder.tokenize(["a cat"])
    vectors = encoder.token_vectors(tokens, [3])[3]
    masks = vectors[tokens.roles == Role.MASK]
    assert len(masks) == 1
    np.testing.assert_allclose(Embedder(encoder, weights=Mask()).encode(["a cat"]), masks, rtol=1e-6)


@pytest.mark.parametrize("name", ["T0", "T1", "T2", "T3", "T4"])
def test_masks_are_averaged(tiny_bert_dir, name):
    encoder = Transformer(tiny_bert_dir, template=Template.named(name))
    tokens = encoder.tokenize(["a cat"])
    masks = encoder.token_vectors(tokens, [3])[3][tokens.roles == Role.MASK]
    found = Embedder(encoder, weights=Mask()).encode(["a cat"])
    np.testing.assert_allclose(found[0], masks.mean(axis=0), rtol=1e-5, atol=1e-6)


def test_mask_weights_want_masks(tiny_bert, tiny_bert_dir, tiny_gpt2_dir):
    with pytest.raises(InputError, match="need a template"):
        Embedder(tiny_bert, weights=Mask()).encode(["a cat"])
    with pytest.raises(InputError, match="need a template"):
        Embedder(Transformer(tiny_bert_dir, template="the [X]"), weights=Mask()).encode(["a cat"])
    with pytest.raises(ModelError, match="no mask token"):
        Embedder(Transformer(tiny_gpt2_dir, template="T0"), weights=Mask()).encode(["a cat"])


@pytest.mark.parametrize("template", [5, ["T0"], b"T0"])
def test_a_template_of_another_kind_is_refused(template):
    with pytest.raises(InputError, match="template"):
        Transformer("x", template=template)


def test_a_bad_template_is_refused_before_anything_is_loaded():
    with pytest.raises(InputError, match="exactly one"):
        Transformer("/no/such/folder", template="no slot here")
    with pytest.raises(InputError, match="unknown template"):
        Transformer("/no/such/folder", template="T7")


def test_texts_are_cut_at_the_models_limit_and_counted(tiny_bert, caplog):
    embedder = Embedder(tiny_bert)
    long = "cat " * 100
    vectors = embedder.encode([long, "cat " * 62, "cat"])
    np.testing.assert_allclose(vectors[0], vectors[1], rtol=0, atol=1e-6)  # 64 positions less [CLS] and [SEP]
    assert embedder.counts_.truncated == 1
    assert "1 of 3 distinct texts were cut" in caplog.text


def test_the_limit_is_the_users_the_sentence_folders_or_the_models(tiny_bert_dir, tiny_roberta_dir, tmp_path):
    assert Transformer(tiny_bert_dir).token_limit == 64
    assert Transformer(tiny_roberta_dir).token_limit == 62
    assert Transformer(tiny_bert_dir, max_tokens=10).token_limit == 10
    assert max(Transformer(tiny_bert_dir, max_tokens=10).tokenize(["cat " * 99]).lengths) == 10
    folder = shutil.copytree(tiny_bert_dir, tmp_path / "model")
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 20}))
    assert Transformer(folder).token_limit == 20
    assert Transformer(folder, max_tokens=30).token_limit == 30
    (folder / "sentence_bert_config.json").write_text("{")
    with pytest.raises(ModelError, match="sentence_bert_config"):
        Embedder(Transformer(folder)).encode(["a"])


def test_more_tokens_than_positions_are_refused(tiny_bert_dir):
    with pytest.raises(InputError, match="max_tokens=65 is more than the model's 64 positions"):
        Embedder(Transformer(tiny_bert_dir, max_tokens=65)).encode(["a"])


def test_windows_are_averaged_by_hand(tiny_bert_dir):
    whole = Transformer(tiny_bert_dir, max_tokens=5, windows=1)
    # Room for 3 words: "red blue cat", then "cat dog mat".
    embedder = Embedder(whole)
    found = embedder.encode(["red blue cat dog mat"])
    parts = Embedder(Transformer(tiny_bert_dir)).encode(["red blue cat", "cat dog mat"])
    np.testing.assert_allclose(found[0], parts.mean(axis=0), rtol=1e-5, atol=1e-6)
    assert embedder.counts_.truncated == 0


def test_first_token_and_last_layer_is_the_cls_vector(tiny_bert):
    tokens = tiny_bert.tokenize(["the cat"])
    cls = tiny_bert.token_vectors(tokens, [3])[3][0]
    np.testing.assert_allclose(Embedder(tiny_bert, weights=First()).encode("the cat"), cls, rtol=1e-6)


def test_a_causal_model_and_texts_without_a_frame(tiny_gpt2_dir):
    encoder = Transformer(tiny_gpt2_dir)
    vectors = Embedder(encoder, layers=(0, 2)).encode(["the cat", "", "the dog"])
    assert vectors[1].tolist() == [0] * 16  # no token at all
    first = Embedder(encoder, weights=First()).encode(["the cat", "the dog"])
    np.testing.assert_allclose(first[0], first[1], rtol=1e-5)  # what comes later is not seen


def test_spec_round_trip(tiny_bert_dir):
    encoder = Transformer(tiny_bert_dir, template="T1", max_tokens=20, windows=3)
    spec = json.loads(json.dumps(encoder.spec()))
    again = Transformer.from_spec(spec)
    assert again.spec() == encoder.spec()
    assert again.template == Template.named("T1")
    texts = ["the cat " * 20, "dog"]
    np.testing.assert_array_equal(Embedder(again).encode(texts), Embedder(encoder).encode(texts))


def test_a_description_can_not_ask_for_a_pickle(tiny_bert_dir):
    spec = Transformer(tiny_bert_dir).spec() | {"weights_format": "pickle"}
    with pytest.raises(ModelError, match="pickle"):
        Transformer.from_spec(spec)


def test_a_relative_folder_is_described_by_its_full_path(tiny_bert_dir, monkeypatch):
    monkeypatch.chdir(tiny_bert_dir.parent)
    assert Transformer(tiny_bert_dir.name).spec()["model"] == str(tiny_bert_dir.resolve())


def test_copies_share_the_model_and_pickles_leave_it_behind(tiny_bert):
    assert copy.deepcopy(tiny_bert) is tiny_bert
    assert clone(Embedder(tiny_bert)).encoder is tiny_bert
    again = pickle.loads(pickle.dumps(tiny_bert))
    assert "_model" not in vars(again)
    np.testing.assert_array_equal(Embedder(again).encode(["a cat"]), Embedder(tiny_bert).encode(["a cat"]))


def test_fingerprint_tells_models_apart(tiny_bert_dir, tmp_path):
    other = tiny_models.bert(tmp_path / "other", seed=1)
    copied = shutil.copytree(tiny_bert_dir, tmp_path / "copied")
    prints = [Transformer(folder).fingerprint for folder in (tiny_bert_dir, copied, other)]
    assert prints[0] == prints[1] != prints[2]


def test_fingerprint_of_no_model_is_an_error_of_ours(tmp_path):
    with pytest.raises(ModelError, match=r"config.json"):
        Transformer(tmp_path).fingerprint  # noqa: B018


def test_fingerprint_of_a_hub_model_is_of_its_weights(tiny_bert_dir, tmp_path, monkeypatch):
    """Even where only its small files were needed so far."""
    import huggingface_hub

    asked = []

    def download(name, revision, allow_patterns):
        asked.append(allow_patterns)
        small = shutil.ignore_patterns("*.safetensors")
        ignore = None if "*.safetensors" in allow_patterns else small
        return str(shutil.copytree(tiny_bert_dir, tmp_path / str(len(asked)), ignore=ignore))

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    encoder = Transformer("someone/tiny-bert")
    assert not (encoder.folder / "model.safetensors").exists()
    assert encoder.fingerprint == Transformer(tiny_bert_dir).fingerprint


def test_a_folder_with_only_a_vocabulary_file(tiny_bert_dir, tmp_path):
    folder = shutil.copytree(tiny_bert_dir, tmp_path / "model")
    vocabulary = tiny_models.wordpiece().get_vocab()
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.__getitem__)) + "\n")
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer"}))
    ours, theirs = Transformer(folder).tokenize(TEXTS), Transformer(tiny_bert_dir).tokenize(TEXTS)
    assert ours.ids.tolist() == theirs.ids.tolist()
    assert ours.roles.tolist() == theirs.roles.tolist()


def test_the_default_model_is_the_official_one():
    assert default.verify() == default.SHA256
    encoder = Transformer()
    assert encoder.spec()["model"] == "default"
    assert (encoder.n_layers, encoder.width(6), encoder.token_limit) == (6, 384, 256)


def test_a_default_model_that_was_altered_is_told(tmp_path, monkeypatch):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.safetensors").write_bytes(b"other")
    monkeypatch.setattr(default, "folder", lambda: tmp_path / "model")
    with pytest.raises(ModelError, match="not the official ones"):
        default.verify()


def test_mean_with_specials_counts_the_frame(tiny_bert):
    tokens = tiny_bert.tokenize(["the cat"])
    vectors = tiny_bert.token_vectors(tokens, [2])[2]
    found = Embedder(tiny_bert, layers=2, weights=Mean(specials=True)).encode("the cat")
    np.testing.assert_allclose(found, vectors.mean(axis=0), rtol=1e-5, atol=1e-6)
