"""Compiled WordPiece must give the very ids that `tokenizers` gives, for every text and vocabulary."""

from __future__ import annotations

import gzip
import os
import pickle
import random
import signal
import string
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import numpy as np
import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, models, normalizers, pre_tokenizers

import tiny_models
from attar.engine import fastest_ids, word_pieces
from attar.engine.fastest_ids import FastestIds
from attar.engine.library import open_library
from attar.tokens.tokenizer import TextTokenizer

if open_library() is None:
    pytest.skip("the C kernels are not built, not allowed, or too new for this processor", allow_module_level=True)


def pair(tokenizer):
    """The compiled source of ids and the plain one."""
    texts = TextTokenizer(tokenizer, frame=False)
    compiled = FastestIds(tokenizer, texts.vocabulary, texts.ids).compiled
    assert compiled is not None
    return compiled, texts.ids


def assert_same(fast, plain, texts):
    for found, wanted in zip(fast(texts), plain(texts), strict=True):
        np.testing.assert_array_equal(found, wanted)


def small(pieces, most=100, **preparation):
    vocabulary = {piece: i for i, piece in enumerate(dict.fromkeys(["[UNK]", *pieces]))}
    tokenizer = tokenizers.Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=most))
    tokenizer.normalizer = normalizers.BertNormalizer(**preparation)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def plain_only(texts):
    raise AssertionError(f"{texts} were left to tokenizers")


def test_a_text_worked_out_by_hand():
    fast, _ = pair(small(["un", "##aff", "##able", "##af", "!", "é", "e", "##e"]))  # ids 1 to 8, unknown 0
    ids, lengths = fast(["Unaffable!", "unaffa un", "", "É e", " \t", "a!!"])
    assert ids.tolist() == [1, 2, 3, 5, 0, 1, 7, 7, 0, 5, 5]
    assert lengths.tolist() == [4, 2, 0, 2, 0, 3]


@settings(max_examples=300, deadline=None)
@given(
    pieces=st.lists(
        st.text("ab#é中", min_size=1, max_size=12) | st.text("ab", min_size=1, max_size=3).map("##{}".format)
    ),
    texts=st.lists(st.text("abABÉé中# .\0", max_size=40), max_size=5),
    most=st.integers(1, 20),
    lowercase=st.booleans(),
)
def test_any_vocabulary(pieces, texts, most, lowercase):
    assert_same(*pair(small(pieces, most, lowercase=lowercase)), texts)


@settings(max_examples=200, deadline=None)
@given(texts=st.lists(st.text(max_size=30), max_size=8))
def test_any_text(texts):
    assert_same(*pair(tiny_models.wordpiece()), texts)


@pytest.mark.parametrize(
    "changes",
    [{}, {"lowercase": False}, {"strip_accents": False}, {"handle_chinese_chars": False}, {"clean_text": False}],
    ids=str,
)
@pytest.mark.parametrize("first", [0, 0x3000])
def test_characters_among_others(changes, first):
    alphabet = [chr(c) for c in range(0x20, 0x250)]
    fast, plain = pair(small(alphabet + [f"##{c}" for c in alphabet], **changes))
    characters = [chr(c) for c in range(first, first + 0x3000) if not 0xD800 <= c < 0xE000]
    rng = random.Random(first)
    texts = [f"a{c}b {c}" for c in characters]
    texts += ["".join(rng.choices(characters + list("abcABC ,.") * 500, k=30)) for _ in range(500)]
    assert_same(fast, plain, texts)


@pytest.mark.slow
def test_every_character(mobilebert_dir):
    fast, plain = pair(tokenizers.Tokenizer.from_file(str(mobilebert_dir / "tokenizer.json")))
    for first in range(0, 0x110000, 0x8000):
        assert_same(
            fast, plain, [f"a{chr(c)}b {chr(c)}" for c in range(first, first + 0x8000) if not 0xD800 <= c < 0xE000]
        )


@pytest.mark.parametrize("letter", ["x", "é", "中", "ж", "\U00010428"])
def test_words_at_the_limit_of_length(letter):
    fast, plain = pair(small([letter, f"##{letter}", "a", "##a"], most=20, handle_chinese_chars=False, lowercase=False))
    texts = [letter * n + end for n in range(17, 24) for end in ("", "a", "aa a", ",")]
    assert_same(fast, plain, texts)
    assert fast(texts)[1].max() == 21  # 20 letters are not too many, and a word of its own follows


def test_long_pieces():
    long = "abcdefghijklmnopqrstuvwxyz" * 2
    pieces = [long[:n] for n in range(1, 53)] + [f"##{long[n:]}" for n in range(40)]
    texts = [long[a:b] for a in range(0, 52, 3) for b in range(a, 53)]
    assert_same(*pair(small(pieces)), texts)


def test_pieces_that_begin_alike():
    signs = string.ascii_letters + string.digits
    words = [f"abcdefgh{a}" for a in signs] + [f"abcdefgh{a}{b}" for a in signs for b in signs]
    known = [*words[:62:2], *words[62::2]]
    assert_same(*pair(small(known, lowercase=False)), words)


@pytest.mark.parametrize("letter", ["x", "é", "ж"])
def test_a_word_without_end(letter):
    assert_same(*pair(small([letter, f"##{letter}"], most=1000)), [letter * 1000, letter * 1001, letter * 100_000])


def test_a_character_that_becomes_too_many_is_left_to_others():
    fast, _ = pair(tiny_models.wordpiece())
    fast._normalize = lambda character: character * 3
    assert set(fast._page(1)["kind"]) == {word_pieces._ASK}  # of two bytes each
    fast._normalize = lambda character: character * 2
    assert word_pieces._LETTER in fast._page(1)["kind"]


def test_marks_that_stay_are_put_in_order_by_others():
    """U+08D4 and U+1E94A are too new for what tokenizers strips, but not for what it orders."""
    pieces = ["a", "##\u08d4", "##\U0001e94a", "##\u0301", "##b"]
    texts = ["a\u08d4\U0001e94a", "a\U0001e94a\u08d4", "a\u0301\u08d4b"]
    for changes in ({}, {"lowercase": False}, {"strip_accents": False}):
        assert_same(*pair(small(pieces, **changes)), texts)


def test_special_tokens_in_texts_are_text():
    tokenizer = small(["a", "mask", "##ed", "masked", "[", "]"])
    tokenizer.add_special_tokens([AddedToken("masked", special=True), AddedToken("sep", special=True)])
    fast, plain = pair(tokenizer)
    assert_same(fast, plain, ["a masked [sep]", "sep", "[UNK]"])
    assert tokenizer.token_to_id("sep") not in fast(["sep a sep"])[0]  # added, and no piece of the model's


def test_most_texts_are_read_here():
    tokenizer = tiny_models.wordpiece()
    texts = TextTokenizer(tokenizer, frame=False)
    fast = word_pieces.WordPieces(open_library("all").functions, tokenizer, texts.vocabulary, plain_only)
    fast(["a cat – “naïve” café", "中文 жук", "\U0001f600 \u0301", "x" * 300])
    with pytest.raises(AssertionError, match="left to tokenizers"):
        fast(["\u302e"])  # a mark that stays, and is put in order with others


def test_texts_that_others_must_read_keep_their_places():
    fast, plain = pair(tiny_models.wordpiece())
    odd = ["the \0 cat", "\u0378 dog", "a \u302e\u16d1 b", "", "\0", "жук", "中"]
    for order in range(20):
        texts = odd + ["the cat sat"] * 5
        random.Random(order).shuffle(texts)
        assert_same(fast, plain, texts)
        assert_same(*pair(tiny_models.wordpiece()), texts)  # with every page yet to learn


def test_a_text_of_all_pages():
    text = "".join(chr(c) for c in range(0x40, 0x110000, 0x100) if not 0xD800 <= c < 0xE000)
    assert_same(*pair(tiny_models.wordpiece()), [text, "the cat"])


def test_lone_surrogates_are_left_to_tokenizers():
    tokenizer = tiny_models.wordpiece()
    vocabulary = TextTokenizer(tokenizer, frame=False).vocabulary
    fast = word_pieces.WordPieces(open_library("all").functions, tokenizer, vocabulary, lambda texts: ("left", texts))
    assert fast(["a", "\ud800"]) == ("left", ["a", "\ud800"])


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_matter(monkeypatch, threads):
    monkeypatch.setattr(word_pieces, "usual_threads", lambda: threads)
    fast, plain = pair(tiny_models.wordpiece())
    rng = random.Random(5)
    words = ["cat", "playing", "xyzzy", "жук", "\0", "\u302e", "--", "É"]
    weights = [300, 300, 300, 3, 1, 1, 300, 300]
    assert_same(fast, plain, [" ".join(rng.choices(words, weights, k=rng.randint(0, 40))) for _ in range(3000)])
    assert_same(fast, plain, ["cat " * 100_000])


def test_threads_of_the_caller():
    fast, plain = pair(tiny_models.wordpiece())
    parts = [[f"cat {chr(c)} dog" for c in range(start, start + 300)] for start in range(0xA0, 0xD000, 300)]
    with ThreadPoolExecutor(4) as pool:
        for part, (ids, lengths) in zip(parts, pool.map(fast, parts), strict=True):
            np.testing.assert_array_equal(ids, plain(part)[0])
            np.testing.assert_array_equal(lengths, plain(part)[1])


def test_arrays_of_texts():
    fast, plain = pair(small(["a", "b"]))
    for texts in (np.array(["a b", "b"]), np.array([], dtype=str)):
        assert_same(fast, plain, texts)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_process_forked_while_a_thread_learns(monkeypatch):
    fast, _ = pair(small(["a"]))
    learning, forked = threading.Event(), threading.Event()
    page = fast._page

    def slowly(number):
        learning.set()
        forked.wait(10)
        return page(number)

    monkeypatch.setattr(fast, "_page", slowly)
    thread = threading.Thread(target=fast, args=(["\u0411"],))
    thread.start()
    learning.wait(10)
    child = os.fork()
    if not child:
        signal.alarm(10)  # ends it, should it wait for ever
        forked.set()
        os._exit(fast(["\u0531"])[1].tolist() != [1])
    forked.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0


def test_no_texts():
    ids, lengths = pair(tiny_models.wordpiece())[0]([])
    assert len(ids) == len(lengths) == 0


def added_words():
    tokenizer = tiny_models.wordpiece()
    tokenizer.add_tokens(["catdog"])
    return tokenizer


def other_preparation():
    tokenizer = tiny_models.wordpiece()
    tokenizer.normalizer = normalizers.Lowercase()
    return tokenizer


def other_words():
    tokenizer = tiny_models.wordpiece()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def two_pieces_with_one_id():
    tokenizer = tokenizers.Tokenizer(models.WordPiece({"[UNK]": 0, "the": 1, "cat": 1}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    return tokenizer


@pytest.mark.parametrize(
    "make",
    [
        *(
            tiny_models.byte_level,
            tiny_models.unigram,
            two_pieces_with_one_id,
            added_words,
            other_preparation,
            other_words,
        ),
        *(lambda: small(["a"], most=1001), lambda: small(["a" * 64])),
    ],
)
def test_other_kinds_go_another_way(make):
    tokenizer = make()
    texts = TextTokenizer(tokenizer, frame=False)
    fast = FastestIds(tokenizer, texts.vocabulary, texts.ids)
    assert fast.compiled is None
    assert_same(fast, texts.ids, ["the cat", "a" * 64, "a catdog"])


def test_other_ids_are_noticed(monkeypatch):
    def wrong(self, texts):
        ids, lengths = honest(self, texts)
        return ids + 1, lengths

    honest = word_pieces.WordPieces.__call__
    monkeypatch.setattr(word_pieces.WordPieces, "__call__", wrong)
    tokenizer = tiny_models.wordpiece()
    texts = TextTokenizer(tokenizer, frame=False)
    fast = FastestIds(tokenizer, texts.vocabulary, texts.ids)
    assert fast.compiled is None
    assert_same(fast, texts.ids, ["the cat"])


def test_without_the_library(monkeypatch):
    monkeypatch.setattr(fastest_ids, "open_library", lambda: None)
    tokenizer = tiny_models.wordpiece()
    texts = TextTokenizer(tokenizer, frame=False)
    fast = FastestIds(tokenizer, texts.vocabulary, texts.ids)
    assert fast.compiled is None
    assert_same(fast, texts.ids, ["the cat"] * 300)


def test_where_bytes_stand_the_other_way_round(monkeypatch):
    monkeypatch.setattr(sys, "byteorder", "big")
    tokenizer = tiny_models.wordpiece()
    texts = TextTokenizer(tokenizer, frame=False)
    assert FastestIds(tokenizer, texts.vocabulary, texts.ids).compiled is None


def test_it_travels_between_processes():
    tokenizer = tiny_models.wordpiece()
    texts = TextTokenizer(tokenizer, frame=False)
    fast = FastestIds(tokenizer, texts.vocabulary, texts.ids)
    assert fast.compiled is not None
    again = pickle.loads(pickle.dumps(fast))
    assert_same(again, texts.ids, ["the cat sat"])
    assert again.compiled is not None


def test_the_real_vocabulary_on_real_text(mobilebert_dir, data_dir):
    fast, plain = pair(tokenizers.Tokenizer.from_file(str(mobilebert_dir / "tokenizer.json")))
    with gzip.open(data_dir / "enwiki-featured.txt.gz", "rt", encoding="utf-8") as file:
        assert_same(fast, plain, list(islice(file, 3000)))
