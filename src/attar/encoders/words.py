"""For models of whole words: how texts are split into words, and how many of those the model does not know."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass

import numpy as np

from attar.errors import InputError
from attar.types import Tokens

log = logging.getLogger("attar")

# Treebank-like: "don't" is "do" and "n't", "Ann's" is "ann" and "'s"; numbers, hyphenated words and U.S. stay whole.
WORDS = r"(?:\w\.){2,}|\w+(?=n['’]t\b)|n['’]t\b|['’](?:s|m|d|re|ve|ll)\b|\d+(?:[.,:]\d+)*(?!\w)|\w+(?:-\w+)*|[^\w\s]"
NAMED = {"words": WORDS, "whitespace": r"\S+"}


def word_pattern(split: str) -> re.Pattern[str]:
    """A name ("words", "whitespace") or a regular expression that matches a word."""
    try:
        return re.compile(NAMED.get(split, split), re.IGNORECASE)
    except (re.error, TypeError) as error:
        names = ", ".join(map(repr, NAMED))
        raise InputError(f"split={split!r} is neither {names} nor a regular expression for a word: {error}") from None


@dataclass
class Coverage:
    """How much of some texts word vectors know."""

    words: int = 0
    unknown: int = 0
    texts: int = 0
    texts_without: int = 0  # texts none of whose words is known

    def add(self, tokens: Tokens, unknown_id: int) -> None:
        known = tokens.ids != unknown_id
        n_known = np.bincount(tokens.sequence_of[known], minlength=len(tokens))
        self.words += len(known)
        self.unknown += int((~known).sum())
        self.texts += len(tokens)
        self.texts_without += int((n_known == 0).sum())

    def report(self) -> None:
        if self.unknown or self.texts_without:
            log.warning(
                "%s of %s words have no vector; %s of %s texts have no word that has one and got the zero vector",
                *(f"{n:,}" for n in (self.unknown, self.words, self.texts_without, self.texts)),
            )
