"""Avg.: averages worked out by hand, in shards, stopped and resumed, against plain forward passes."""

from __future__ import annotations

import numpy as np
import pytest
from small_tables import Knowing, few_words

import tiny_models
from attar import Table, Transformer
from attar.encoders import average
from attar.encoders.average import average_tokens
from attar.encoders.token_sums import TokenSums
from attar.encoders.word_vectors import WordVectors
from attar.errors import InputError, ModelError, OutputError
from attar.types import Tokens

CORPUS = ["the cat", "the dog ran", "cat", "the the the the the", ""]
# With [CLS] and [SEP], at most 6 tokens: lengths 4, 5, 3, 6 (cut), 2.


def same(a: TokenSums, b: TokenSums) -> None:
    assert list(a.sums) == list(b.sums)
    for layer, total in a.sums.items():
        np.testing.assert_array_equal(total, b.sums[layer])
    np.testing.assert_array_equal(a.counts, b.counts)
    assert (a.n_texts, a.n_truncated, a.model) == (b.n_texts, b.n_truncated, b.model)


def test_by_hand():
    table = Table.average(Knowing(), CORPUS, layers=(1, 2), progress=False)
    assert table.layers == (1, 2)
    assert table.counts.tolist() == [0, 0, 5, 5, 0, 6, 2, 0, 1, 1]
    # "the" (id 5): place 1 in lengths 4 and 5, places 1 to 4 in length 6; layer k adds 10 k to the length
    np.testing.assert_allclose(table.by_layer[1][5], [5, (1 + 1 + 1 + 2 + 3 + 4) / 6, 10 + (4 + 5 + 4 * 6) / 6])
    # "cat" (id 6): place 2 of 4 and place 1 of 3
    np.testing.assert_allclose(table.by_layer[2][6], [6, 1.5, 20 + 3.5])
    # [CLS] (id 2) stands at 0 in all five texts, [SEP] (id 3) at their ends
    np.testing.assert_allclose(table.by_layer[1][2], [2, 0, 10 + (4 + 5 + 3 + 6 + 2) / 5])
    np.testing.assert_allclose(table.by_layer[1][3], [3, (3 + 4 + 2 + 5 + 1) / 5, 10 + 4])


def test_tokens_never_seen_get_their_input_embedding_and_are_counted():
    table = Table.average(Knowing(), CORPUS, layers=(1, 2), progress=False)
    assert table.by_layer[2][[0, 1, 4, 7]].tolist() == [[i] * 3 for i in (0, 1, 4, 7)]
    assert (table.made["seen"], table.made["unseen"]) == (6, 4)
    assert table.made["unseen_filled_with"] == {"1": "layer -1", "2": "layer -1"}
    narrow = Table.average(Knowing(token_table=2), CORPUS, layers=(1,), progress=False)
    assert narrow.by_layer[1][7].tolist() == [7, 0, 1]  # layer 0 of the token alone: place 0, length 1
    assert narrow.made["unseen_filled_with"] == {"1": "layer 0 of the token alone"}


def test_zeros_where_there_is_no_input_embedding():
    static = Table(np.ones((10, 2)), few_words())
    table = Table.average(static, ["cat"], layers="last", progress=False)
    assert table.by_layer[1].sum(axis=1).tolist() == [0, 0, 0, 0, 0, 0, 2, 0, 0, 0]
    assert table.made["unseen_filled_with"] == {"1": "zeros"}


def test_the_account():
    made = Table.average(Knowing(), iter(CORPUS), progress=False).made
    assert (made["texts"], made["tokens"], made["truncated"], made["how"]) == (5, 20, 1, "average")
    assert made["model"] == {"type": "knowing"}
    assert Table.average(Knowing(), CORPUS[::-1], progress=False).made["corpus_sha256"] != made["corpus_sha256"]


@pytest.mark.parametrize("cut", [0, 1, 3, 5])
def test_shards_merge_to_the_whole(cut):
    whole = average_tokens(Knowing(), CORPUS, (1, 2), progress=False)
    parts = [average_tokens(Knowing(), part, (1, 2), progress=False) for part in (CORPUS[:cut], CORPUS[cut:])]
    same(parts[0].merge(parts[1]), whole)
    table = Table.of_sums(parts[0].merge(parts[1]), Knowing())
    np.testing.assert_array_equal(table.by_layer[2], Table.of_sums(whole, Knowing()).by_layer[2])


@pytest.mark.parametrize("stop", [1, 2, 4])
def test_stopped_and_resumed_is_identical(tmp_path, monkeypatch, stop):
    monkeypatch.setattr(average, "PART", 1)
    path = tmp_path / "sums.safetensors"

    def stopping():
        yield from CORPUS[:stop]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        average_tokens(Knowing(), stopping(), (1, 2), checkpoint=path, progress=False)
    assert TokenSums.load(path).n_texts == stop
    encoder = Knowing()
    resumed = average_tokens(encoder, CORPUS, (1, 2), checkpoint=path, progress=False)
    assert encoder.calls == len(CORPUS) - stop
    same(resumed, average_tokens(Knowing(), CORPUS, (1, 2), progress=False))
    again = Knowing()
    average_tokens(again, CORPUS, (1, 2), checkpoint=path, progress=False)
    assert again.calls == 0  # all is done already


def test_a_pass_that_breaks_leaves_only_whole_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(average, "PART", 2)
    path = tmp_path / "sums.safetensors"
    encoder = Knowing()
    honest = encoder.token_vectors

    def breaking(tokens: Tokens, layers):
        if encoder.calls == 1:
            raise RuntimeError("out of memory")
        return honest(tokens, layers)

    monkeypatch.setattr(encoder, "token_vectors", breaking)
    with pytest.raises(RuntimeError, match="out of memory"):
        average_tokens(encoder, CORPUS, (1,), checkpoint=path, every=0, progress=False)
    assert TokenSums.load(path).n_texts == 2


def test_another_corpus_or_model_does_not_go_on(tmp_path):
    path = tmp_path / "sums.safetensors"
    average_tokens(Knowing(), CORPUS[:3], (1,), checkpoint=path, progress=False)
    with pytest.raises(InputError, match="begun with another corpus"):
        average_tokens(Knowing(), CORPUS[::-1], (1,), checkpoint=path, progress=False)
    with pytest.raises(InputError, match="the corpus ends before that"):
        average_tokens(Knowing(), CORPUS[:2], (1,), checkpoint=path, progress=False)
    with pytest.raises(InputError, match="other shapes by layer"):
        average_tokens(Knowing(), CORPUS, (1, 2), checkpoint=path, progress=False)
    other = Knowing()
    other.spec = lambda: {"type": "other"}
    with pytest.raises(InputError, match="another model"):
        average_tokens(other, CORPUS, (1,), checkpoint=path, progress=False)
    with pytest.raises(OutputError, match="no folder"):
        average_tokens(Knowing(), CORPUS, (1,), checkpoint=tmp_path / "no" / "sums", progress=False)


def test_the_size_of_pieces_does_not_matter(monkeypatch):
    corpus = [" ".join(np.random.default_rng(i).choice(["the", "cat", "dog"], i % 5)) for i in range(40)]
    whole = average_tokens(Knowing(), corpus, (1, 2), progress=False)
    monkeypatch.setattr(average, "PART", 7)
    monkeypatch.setattr("attar.types._LEAST_TOKENS", 5)
    monkeypatch.setattr("attar.types._HELD_BYTES", 1)
    same(average_tokens(Knowing(), corpus, (1, 2), progress=False), whole)


def test_a_corpus_of_nothing():
    sums = average_tokens(Knowing(), [], (1,), progress=False)
    assert sums.n_texts == 0
    assert Table.of_sums(sums, Knowing()).made["seen"] == 0


def test_against_plain_forward_passes(tmp_path):
    """A tiny BERT run text by text with transformers itself."""
    import torch
    from transformers import BertModel

    folder = tiny_models.bert(tmp_path / "bert")
    corpus = ["the cat sat on the mat", "a dog", "the dog ran to the river"]
    table = Table.average(Transformer(folder), corpus, layers=(0, 1, 3), progress=False)
    model, tokenizer = BertModel.from_pretrained(folder).eval(), tiny_models.wordpiece()
    seen: dict[int, list] = {}
    for text in corpus:
        ids = tokenizer.encode(text).ids
        with torch.inference_mode():
            states = model(torch.tensor([ids]), output_hidden_states=True).hidden_states
        for place, i in enumerate(ids):
            seen.setdefault(i, []).append([states[layer][0, place].numpy() for layer in (0, 1, 3)])
    for i, vectors in seen.items():
        wanted = np.mean(vectors, axis=0)
        found = [table.by_layer[layer][i] for layer in (0, 1, 3)]
        np.testing.assert_allclose(found, wanted, atol=1e-5)
        assert table.counts[i] == len(vectors)
    unseen = tokenizer.token_to_id("music")
    np.testing.assert_allclose(table.by_layer[3][unseen], model.get_input_embeddings().weight[unseen].detach().numpy())
    assert table.encode(["the music"]).shape == (1, 16)


def test_damaged_sums_are_refused(tmp_path):
    path = tmp_path / "sums.safetensors"
    average_tokens(Knowing(), CORPUS, (1,), checkpoint=path, progress=False)
    content = path.read_bytes()
    for broken in (b"", content[:100], content[:-8], content.replace(b"token sums 1", b"token sums 2")):
        path.write_bytes(broken)
        with pytest.raises(ModelError, match="sums"):
            average_tokens(Knowing(), CORPUS, (1,), checkpoint=path, progress=False)


def test_the_bar_shows_tokens_per_second(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    average_tokens(Knowing(), CORPUS, (1,))
    assert "tokens/s" in capsys.readouterr().err


def test_an_encoder_without_a_tokenizer():
    words = WordVectors.of(["cat", "dog"], np.eye(2))
    with pytest.raises(InputError, match="which a table needs"):
        Table.average(words, ["cat"], (1,), progress=False)
