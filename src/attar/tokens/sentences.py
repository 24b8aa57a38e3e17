"""Sentences of a Wikitext file, or of any file with one paragraph per line.

The splitter is a rule, not a model. A sentence ends at `.`, `!` or `?` (with the quotes and brackets that close after
it) where a space follows and then a capital, a digit, an opening quote or bracket, or `<unk>`. It does not end after an
initial (`J.`), a short form with points inside (`U.S.`, `e.g.`) or one of the abbreviations below. Wikitext writes the
point of a sentence as a token of its own (`word . Next`): such a point always counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from attar.errors import DataError
from attar.io.bounds import bounded_line
from attar.io.reading import read_texts
from attar.io.unpacked import open_data

_HEADING = re.compile(r"=+ .* =+")
_ARTEFACT = re.compile(r" @([-,.])@ ")  # "role @-@ playing", "2 @,@ 000", "3 @.@ 5"
_END = re.compile(r"[.!?](?=[\"')\]”’]*(?: |$))")
_ABBREVIATION = re.compile(
    "Mrs?|Ms|Dr|Prof|St|Nos?|Op|Jr|Sr|Lt|Col|Gen|Capt|Sgt|Rev|Hon|Gov|Sen|Rep|Inc|Ltd|Co|Corp|Bros|Dept|"
    "vs?|pp?|ca?|cf|eds?|al|figs?|vols?|est|approx|lit|var|ssp"
)


def sentences(path: str | Path, min_characters: int = 10) -> Iterator[str]:
    """Stream the sentences of a plain or gzipped file of paragraphs; headings (` = Title = `) are left out.

    Parameters
    ----------
    path : str or Path
        The file, one paragraph per line.
    min_characters : int
        Shorter sentences are left out.

    Yields
    ------
    str
        The sentences, in order.

    Raises
    ------
    DataError
        If the file can't be read or is not UTF-8.
    """
    return sentences_of(_lines(Path(path)), min_characters)


def read_corpus(source: str | Path, column: str | None = None, *, split: bool = False) -> Iterator[str]:
    """The texts of a corpus: one per line (or of a column), or with `split` the sentences of its paragraphs."""
    if not split:
        return read_texts(str(source), column)
    return sentences(source) if column is None else sentences_of(read_texts(str(source), column))


def sentences_of(lines: Iterable[str], min_characters: int = 10) -> Iterator[str]:
    """The same of paragraphs that are read already."""
    for paragraph in map(str.strip, lines):
        if paragraph and not _HEADING.fullmatch(paragraph):
            for sentence in split_sentences(_ARTEFACT.sub(r"\1", paragraph)):
                if len(sentence) >= min_characters:
                    yield sentence


def split_sentences(paragraph: str) -> Iterator[str]:
    """The sentences of a paragraph, in order; put together again with spaces they are the paragraph."""
    start = 0
    for match in _END.finditer(paragraph):
        end = match.end()
        while end < len(paragraph) and paragraph[end] in "\"')]”’":
            end += 1
        end = _past_closing_tokens(paragraph, end)
        if (
            end + 1 < len(paragraph)
            and _starts_sentence(paragraph, end + 1)
            and _ends_sentence(paragraph, match.start())
        ):
            yield paragraph[start:end]
            start = end + 1
    if paragraph[start:]:
        yield paragraph[start:]


def _past_closing_tokens(paragraph: str, end: int) -> int:
    """Take in quotes and brackets that stand alone after the point; a plain quote closes if one is open."""
    while paragraph[end : end + 1] == " ":
        token = paragraph[end + 1 : end + 2]
        alone = paragraph[end + 2 : end + 3] in (" ", "")
        closes = token in (")", "]", "”") or (token == '"' and paragraph.count('"', 0, end) % 2 == 1)
        if not (token and alone and closes):
            break
        end += 2
    return end


def _starts_sentence(paragraph: str, at: int) -> bool:
    first = paragraph[at]
    return first.isupper() or first.isdigit() or first in "“‘\"'([" or paragraph.startswith("<unk>", at)


def _ends_sentence(paragraph: str, point: int) -> bool:
    if paragraph[point] != ".":
        return True
    word = paragraph[paragraph.rfind(" ", 0, point) + 1 : point].lstrip("\"'(“‘[")
    if word == "":
        return True
    is_initial = len(word) == 1 and word.isalpha()
    return not (is_initial or "." in word.rstrip(".") or _ABBREVIATION.fullmatch(word))


def _lines(path: Path) -> Iterator[str]:
    try:
        with open_data(path) as file:
            for line in iter(lambda: bounded_line(file, str(path)), b""):
                yield line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path} is not valid UTF-8 (byte 0x{error.object[error.start]:02x}): save it as UTF-8"
        ) from error
