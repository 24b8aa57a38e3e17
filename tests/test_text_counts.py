"""What happened to texts on the way."""

from __future__ import annotations

import dataclasses
import logging
import threading

import pytest

from attar import Embedder, Transformer
from attar.pipeline import TextCounts
from attar.weights import Debiased


def test_every_kind_is_counted_by_hand(tiny_bert_dir, caplog):
    embedder = Embedder(Transformer(tiny_bert_dir, max_tokens=6), weights=Debiased())
    embedder.encode(["cat", "cat", "the the", "", "  ", "中 文", "cat dog cat dog cat", "mat \ud800"])
    assert dataclasses.asdict(embedder.counts_) == {
        "texts": 8,
        "distinct": 7,
        "replaced": 1,
        "truncated": 1,
        "empty": 2,
        "fell_back": 1,  # "the the"
        "unknown": 1,  # the ideographs
        "zero": 0,
    }
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 5
    assert "2 of 7 distinct texts have no token of their own" in caplog.text


def test_texts_of_tokens_that_a_unigram_model_does_not_know(tmp_path):
    import transformers

    import tiny_models

    tokenizer = tiny_models.unigram()
    config = transformers.XLMRobertaConfig(**tiny_models.small(tokenizer) | {"pad_token_id": 1})
    folder = tiny_models.save(tmp_path / "xlmr", tiny_models.spread(transformers.XLMRobertaModel(config)), tokenizer)
    embedder = Embedder(Transformer(folder))
    embedder.encode(["cat", "cat 中", "中文"])
    assert embedder.counts_.unknown == 0  # the bare ▁ before 中文 is a piece it knows
    embedder.encode([""])
    assert embedder.counts_.empty == 1


def test_counts_add_up():
    total = TextCounts(texts=2, empty=1)
    total += TextCounts(texts=3, truncated=2)
    assert total == TextCounts(texts=5, empty=1, truncated=2)


def test_nothing_happened_nothing_said(tiny_bert, caplog):
    embedder = Embedder(tiny_bert)
    embedder.encode(["cat", "dog"])
    assert embedder.counts_ == TextCounts(texts=2, distinct=2)
    assert embedder.counts_.sentences() == []
    assert caplog.text == ""


@pytest.mark.parametrize("field", ["replaced", "truncated", "empty", "fell_back", "unknown"])
def test_each_count_has_its_sentence(field):
    (sentence,) = TextCounts(**{field: 1234}).sentences()
    assert sentence.startswith("1,234 ")


def test_chunks_add_their_counts(tiny_bert):
    embedder = Embedder(tiny_bert)
    list(embedder.encode_chunks(["cat", "", "cat", "dog", "\udcff"], size=2))
    assert embedder.counts_ == TextCounts(texts=5, distinct=5, replaced=1, empty=2)  # U+FFFD is no token here


def test_each_thread_reports_its_own(tiny_bert, caplog):
    class Interrupted(Embedder):
        """While `encode([""])` is under way, another thread embeds texts of which nothing is to say."""

        def _pipeline_on(self, device):
            if self.counts_.texts == 1:
                other = threading.Thread(target=self.encode, args=(["the cat", "a dog"],))
                other.start()
                other.join()
            return super()._pipeline_on(device)

    Interrupted(tiny_bert).encode([""])
    assert [record.message for record in caplog.records] == [
        "1 of 1 distinct text have no token of their own (they are empty, say): their vectors say nothing"
    ]
