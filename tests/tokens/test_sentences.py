"""Sentences out of paragraphs."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attar.errors import DataError
from attar.tokens.sentences import sentences, split_sentences

# Each worked out by hand: the bar is where a sentence must end.
TOKENISED = [
    "The ship sailed on . | It never came back .",
    "It is 3.5 km long . | 12 men built it .",
    "Is it so ? | It is ! | Good .",
    '" Come in . " | She went in .',
    'He wrote " it rains . | It pours . " | Nobody read it .',
    "They left ( in haste . ) | Others stayed .",
    "In the U.S. Navy , Dr. Grey and J. R. Brown served . | <unk> did not .",
    "No. 5 was his St. Paul Op. 9 piece .",
    "So it went ... and on , . said he .",
    '" One . " | " Two . "',
]
PLAIN = [
    "The ship sailed on. | It never came back.",
    "Is it so? | It is! | Good.",
    "Was it I? | Surely not Mr! | Nor Dr? | Good.",
    'She said "come in." | Then she left.',
    "It rained (all day.) | Then it stopped.",
    "Mr. Grey met Dr. A. B. Brown of the U.S. Army at 5 p.m. on Monday. | They spoke.",
    "He asked Yahoo! about it, i.e. nothing.",
    "He said no. | She said yes.",
]


@pytest.mark.parametrize("marked", TOKENISED + PLAIN)
def test_where_sentences_end(marked: str) -> None:
    assert list(split_sentences(marked.replace(" | ", " "))) == marked.split(" | ")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([*"ABab.!?\"')( 1", " . ", " The ", "<unk>", "Mr."]), max_size=30).map("".join))
def test_nothing_is_lost(paragraph: str) -> None:
    parts = list(split_sentences(paragraph))
    assert " ".join(parts) == paragraph
    assert all(parts)


@pytest.mark.parametrize("gzipped", [False, True])
def test_a_file_is_streamed_without_headings_artefacts_and_short_sentences(tmp_path: Path, gzipped: bool) -> None:
    text = (
        " \n = A Title = \n \n"
        " A role @-@ playing game sold 2 @,@ 000 copies at 3 @.@ 5 each . Yes . It was <unk> by all . \n"
        " = = Part = = \n x = 5 is a sum \n"
    )
    path = tmp_path / "wiki.txt"
    path.write_bytes(gzip.compress(text.encode()) if gzipped else text.encode())
    expected = ["A role-playing game sold 2,000 copies at 3.5 each .", "It was <unk> by all .", "x = 5 is a sum"]
    assert list(sentences(path)) == expected
    assert "Yes ." in list(sentences(path, min_characters=1))


def test_ten_characters_are_enough(tmp_path: Path) -> None:
    path = tmp_path / "short.txt"
    path.write_text("123456789\n1234567890\n")
    assert list(sentences(path)) == ["1234567890"]


def test_files_that_can_not_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.txt can't be read"):
        next(sentences(tmp_path / "none.txt"))
    (tmp_path / "bad.txt").write_bytes(b"caf\xe9 and more text\n")
    with pytest.raises(DataError, match=r"bad\.txt is not valid UTF-8 \(byte 0xe9\)"):
        next(sentences(tmp_path / "bad.txt"))
    (tmp_path / "cut.txt.gz").write_bytes(gzip.compress(b"many words here\n" * 50)[:30])
    with pytest.raises(DataError, match=r"cut\.txt\.gz is damaged gzip"):
        list(sentences(tmp_path / "cut.txt.gz"))


def test_real_wikitext(data_dir: Path) -> None:
    found = list(sentences(data_dir / "wikitext-2.valid.txt.gz"))
    assert 7000 < len(found) < 9000
    assert min(map(len, found)) >= 10
    assert not any(sentence.startswith("= ") or " @-@ " in sentence for sentence in found)
