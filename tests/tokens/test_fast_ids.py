"""Fast ids must be the very ids that `tokenizers` gives, for every text."""

from __future__ import annotations

import gzip
import json
import pickle
import random
import re
import sys
from itertools import islice

import numpy as np
import pytest
import tokenizers
from tokenizers import models, pre_tokenizers

import tiny_models
from attar.tokens import fast_ids as fast_tokens
from attar.tokens.fast_ids import TRUSTED, FastIds
from attar.tokens.tokenizer import TextTokenizer

pytest.importorskip("tokie")


def pair(tokenizer):
    """The fast source of ids and the plain one."""
    texts = TextTokenizer(tokenizer, frame=False)
    return FastIds(tokenizer, texts.ids), texts.ids


def assert_same(fast, plain, texts):
    for found, wanted in zip(fast(texts), plain(texts), strict=True):
        np.testing.assert_array_equal(found, wanted)


def trusted_characters() -> list[str]:
    spans = re.findall(r"(.)(?:-(.))?", TRUSTED, flags=re.DOTALL)
    return [chr(c) for a, b in spans for c in range(ord(a), ord(b or a) + 1)]


def odd_texts(n: int, seed: int, pool: list[str]) -> list[str]:
    """Letters, accents, spaces and whatever else, in any order."""
    rng = random.Random(seed)
    mixed = pool + [chr(c) for c in range(0x300, 0x370)] * 3 + list("abcdefgABC.,[]'-# ") * 60
    return ["".join(rng.choices(mixed, k=rng.randint(0, 30))) for _ in range(n)]


MAKERS = {
    "wordpiece": tiny_models.wordpiece,
    "byte level": tiny_models.byte_level,
    "no frame": tiny_models.without_frame,
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_odd_texts(make):
    fast, plain = pair(make())
    pool = random.Random(0).sample(trusted_characters(), 400)
    assert fast.is_fast
    assert_same(fast, plain, odd_texts(2000, 1, pool))


def test_characters_that_are_not_trusted():
    fast, plain = pair(tiny_models.wordpiece())
    untrusted = ["\x7f", "\u0378", "\u0379", "\u2e52", "\U000e0fff", "\u1abf", "\ua8c5", "\ufdd0"]
    texts = odd_texts(400, 2, untrusted * 20) + [f"cat{c}dog" for c in untrusted]
    assert_same(fast, plain, texts)


def test_special_tokens_in_texts_are_text():
    fast, plain = pair(tiny_models.wordpiece())
    texts = ["[MASK]", "a [SEP] b", "[CLS][PAD]", "[UNK] cat"] * 100
    assert_same(fast, plain, texts)
    ids, _ = fast(texts)
    assert not set(ids.tolist()) & {0, 2, 3, 4}


def test_texts_of_untrusted_characters_alone_and_none_at_all():
    fast, plain = pair(tiny_models.wordpiece())
    assert_same(fast, plain, ["\x7f a"] * 300)
    assert_same(fast, plain, [])
    assert_same(fast, plain, [""] * 300)


@pytest.mark.parametrize("slow", [0, 1, 150, 299])
def test_slow_texts_among_fast_ones_keep_their_places(slow):
    fast, plain = pair(tiny_models.wordpiece())
    texts = ["the cat"] * 300
    texts[slow] = "the \x7f dog playing"
    assert_same(fast, plain, texts)


def test_few_texts_do_not_load_it(monkeypatch):
    fast, plain = pair(tiny_models.wordpiece())
    monkeypatch.setitem(sys.modules, "tokie", None)
    assert_same(fast, plain, ["the cat"] * 10)
    assert not fast.is_fast  # nor is it needed
    assert_same(fast, plain, ["the cat"] * 1000)


def test_kinds_that_were_not_compared_stay_slow():
    fast, plain = pair(tiny_models.unigram())
    assert not fast.is_fast
    assert_same(fast, plain, ["the cat"] * 300)


def test_added_words_stay_slow():
    tokenizer = tiny_models.wordpiece()
    tokenizer.add_tokens(["catdog"])
    fast, plain = pair(tokenizer)
    assert not fast.is_fast
    assert_same(fast, plain, ["a catdog"] * 300)


def test_the_self_test_notices_other_ids(monkeypatch):
    fast, _ = pair(tiny_models.wordpiece())
    honest = fast_tokens._flat
    monkeypatch.setattr(
        fast_tokens, "_flat", lambda tokie, texts: (honest(tokie, texts)[0] + 1, honest(tokie, texts)[1])
    )
    assert not fast.is_fast


def test_a_tokenizer_it_can_not_read_stays_slow():
    tokenizer = tokenizers.Tokenizer(models.BPE({"a": 0, "b": 1, "<u>": 2}, [], unk_token="<u>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Punctuation()
    fast, plain = pair(tokenizer)
    assert_same(fast, plain, ["a.b c", "", "é"] * 100)


def test_it_travels_between_processes():
    fast, plain = pair(tiny_models.wordpiece())
    assert fast.is_fast
    assert_same(pickle.loads(pickle.dumps(fast)), plain, ["the cat sat"] * 300)


def test_the_real_vocabulary_on_real_text(mobilebert_dir, data_dir):
    fast, plain = pair(tokenizers.Tokenizer.from_file(str(mobilebert_dir / "tokenizer.json")))
    assert fast.is_fast
    with gzip.open(data_dir / "enwiki-featured.txt.gz", "rt", encoding="utf-8") as file:
        assert_same(fast, plain, list(islice(file, 3000)))
    assert_same(fast, plain, odd_texts(3000, 3, random.Random(1).sample(trusted_characters(), 2000)))


@pytest.mark.parametrize(
    "changes", [{"lowercase": False}, {"strip_accents": True}, {"handle_chinese_chars": False}], ids=str
)
def test_variants_of_the_real_tokenizer(mobilebert_dir, changes):
    settings = json.loads((mobilebert_dir / "tokenizer.json").read_text(encoding="utf-8"))
    settings["normalizer"] |= changes
    fast, plain = pair(tokenizers.Tokenizer.from_str(json.dumps(settings)))
    assert_same(fast, plain, odd_texts(1000, 4, random.Random(2).sample(trusted_characters(), 1000)))


@pytest.mark.slow
def test_every_trusted_character_with_the_real_vocabulary(mobilebert_dir):
    fast, plain = pair(tokenizers.Tokenizer.from_file(str(mobilebert_dir / "tokenizer.json")))
    assert_same(fast, plain, [f"a{c}b {c}" for c in trusted_characters()])


def test_many_calls_of_few_texts_load_it():
    fast, plain = pair(tiny_models.wordpiece())
    for n in range(fast_tokens._WORTHWHILE):
        assert ("_fast" in vars(fast)) is False, n
        assert_same(fast, plain, ["the cat sat"])
    assert fast.is_fast
    assert_same(fast, plain, ["a dog ran", "\ud7fb of no kind that is trusted", ""])
