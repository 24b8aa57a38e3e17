"""Texts to words, for models that know whole words."""

from __future__ import annotations

import re

from attar.errors import InputError

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
