"""Word vector files: each format by hand, the same words from all of them, and what is refused."""

from __future__ import annotations

import gzip
import itertools
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.encoders.formats import word_files
from attar.encoders.formats.word_files import inspect, read_words
from attar.errors import InputError, ModelError

WORDS = ["the", "caf\u00e9", "n't", "1.5", "\u65e5\u672c"]
VECTORS = np.array([[0.5, -1.25, 3], [1e-3, 2, -7.5], [0, 0, 1], [9, 8, 7], [-0.125, 1, 2]], dtype=np.float32)


def text_lines(words=WORDS, vectors=VECTORS, end="\n"):
    return [f"{word} {' '.join(repr(float(x)) for x in row)}{end}" for word, row in zip(words, vectors, strict=True)]


def header(words=WORDS, vectors=VECTORS):
    return f"{len(words)} {vectors.shape[1]}\n"


def binary(words=WORDS, vectors=VECTORS, end=b"\n"):
    rows = [word.encode() + b" " + row.tobytes() + end for word, row in zip(words, vectors, strict=True)]
    return header(words, vectors).encode() + b"".join(rows)


FORMS = {
    "word2vec text": (header() + "".join(text_lines())).encode(),
    "word2vec text with spaces at line ends": (header() + "".join(text_lines(end=" \n"))).encode(),
    "word2vec text with Windows line ends": (header() + "".join(text_lines(end="\r\n"))).encode(),
    "tabs": (header() + "".join(text_lines()).replace(" ", "\t")).encode(),
    "no line end at the end": (header() + "".join(text_lines())[:-1]).encode(),
    "GloVe": "".join(text_lines()).encode(),
    "binary": binary(),
    "binary without line ends": binary(end=b""),
}


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same(tmp_path, form, zipped):
    path = tmp_path / "vectors"
    path.write_bytes(gzip.compress(FORMS[form]) if zipped else FORMS[form])
    words, vectors = read_words(path)
    assert words == WORDS
    assert vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors, VECTORS)
    assert inspect(path).binary == ("binary" in form)


@pytest.mark.parametrize("form", FORMS)
def test_only_the_first_words(tmp_path, form):
    path = tmp_path / "vectors"
    path.write_bytes(FORMS[form])
    words, vectors = read_words(path, limit=2)
    assert words == WORDS[:2]
    np.testing.assert_array_equal(vectors, VECTORS[:2])
    assert read_words(path, limit=99)[0] == WORDS


@pytest.mark.parametrize("form", ["word2vec text", "GloVe", "binary", "binary without line ends"])
@pytest.mark.parametrize("block", [1, 7, 30, 64])
def test_the_size_of_blocks_does_not_matter(tmp_path, monkeypatch, form, block):
    monkeypatch.setattr(word_files, "_BLOCK", block)
    path = tmp_path / "vectors"
    path.write_bytes(FORMS[form])
    words, vectors = read_words(path)
    assert words == WORDS
    np.testing.assert_array_equal(vectors, VECTORS)


def test_words_that_hold_spaces(tmp_path):
    words = ["the", ". . .", "at a@b.c", "x"]
    path = tmp_path / "glove.txt"
    path.write_text("".join(text_lines(words, VECTORS[:4])))
    assert read_words(path)[0] == words
    np.testing.assert_array_equal(read_words(path)[1], VECTORS[:4])


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 30), st.integers(2, 6), st.booleans(), st.integers(0, 99))
def test_round_trips(tmp_path_factory, n, dims, as_binary, seed):
    vectors = np.random.default_rng(seed).normal(size=(n, dims)).astype(np.float32)
    words = [f"w{i}" for i in range(n)]
    path = tmp_path_factory.mktemp("words") / "v"
    text = header(words, vectors) + "".join(text_lines(words, vectors))
    path.write_bytes(binary(words, vectors) if as_binary else text.encode())
    found_words, found = read_words(path)
    assert found_words == words
    np.testing.assert_array_equal(found, vectors)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not a file of word vectors"),
        (b"hello\n", "not a file of word vectors"),
        (b"one two three\n", "not a file of word vectors"),
        (b"0 3\n", "0 words of 3 dims"),
        (b"3 2\na 1 2\nb 3 4\n", "ends after 2"),
        (b"2 3\na 1 2\nb 3 4\n", "declares 3 numbers per word in its first line, but its second line has 2"),
        (b"a 1 2\nb 3\nc 4 5\n", r"line 2: expected a word and 2 numbers; found b'b 3"),
        (b"2 2\na 1 2\nb 3 x\n", "line 3"),
        (b"2 2\na 1 2\nb nan 3\n", r"word 1 \('b'\) is not finite"),
        (b"9000000000 800\na 1\n", "numbers per word"),
        (binary()[:-9], "ends after 4"),
        (gzip.compress(FORMS["GloVe"], mtime=0)[:-20], "damaged"),
        (b"2 2\nx" + b"\xff" * 3_000_000, "has no end"),
    ],
    ids=itertools.count(),
)
def test_what_is_refused(tmp_path, content, said):
    path = tmp_path / "vectors"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=said):
        read_words(path)


def test_a_header_that_asks_for_too_much_memory(tmp_path):
    path = tmp_path / "vectors"
    path.write_bytes(b"90000000000000000 4\na 1 2 3 4\n")
    with pytest.raises(ModelError, match="more than fits in memory"):
        read_words(path)


def test_no_such_file(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read_words(tmp_path / "none")


def test_memory_is_the_array_and_a_block(tmp_path, monkeypatch):
    monkeypatch.setattr(word_files, "_BLOCK", 1 << 16)
    vectors = np.random.default_rng(0).normal(size=(4000, 100)).astype(np.float32)
    path = tmp_path / "vectors"
    path.write_text(header(range(4000), vectors) + "".join(text_lines(range(4000), vectors)))
    tracemalloc.start()
    read_words(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < vectors.nbytes + 2_000_000  # the text is 8 MB, as lists of numbers it would be 13
