"""What happened to texts on the way, so that nothing is dropped silently."""

from __future__ import annotations

import logging
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from attar.pooling import Pooled
from attar.types import Ints, Role, Tokens, Vocabulary

log = logging.getLogger("attar")


@dataclass
class Counts:
    """Numbers of texts."""

    texts: int = 0
    distinct: int = 0
    replaced: int = 0  # had lone surrogates, replaced by U+FFFD
    truncated: int = 0  # were cut at the model's or the user's limit
    empty: int = 0  # have no token of their own
    fell_back: int = 0  # lost all tokens to the weighting and got the mean instead
    unknown: int = 0  # consist of tokens that the vocabulary does not know

    def add(self, pooled: Pooled, vocabulary: Vocabulary) -> None:
        """Count what pooling saw."""
        tokens = pooled.tokens
        n_own = _per_text(tokens, tokens.roles == Role.TEXT)
        self.distinct += tokens.n_texts
        self.truncated += int(tokens.truncated.sum())
        self.empty += int((n_own == 0).sum())
        self.fell_back += int((pooled.lost.any(axis=0) & (n_own > 0)).sum())
        if vocabulary.unknown_id is not None:
            unknown = (tokens.ids == vocabulary.unknown_id) & (tokens.roles == Role.TEXT)
            self.unknown += int(((_per_text(tokens, unknown) == n_own) & (n_own > 0)).sum())

    def __iadd__(self, other: Counts) -> Counts:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))
        return self

    def sentences(self) -> list[str]:
        """One sentence for each thing that happened."""
        of = f"of {self.distinct:,} distinct texts"
        told = (
            (self.replaced, "texts held lone surrogates, which became U+FFFD"),
            (self.truncated, f"{of} were cut at the limit of tokens (windows would read them whole)"),
            (self.empty, f"{of} have no token of their own and got the mean of what frames them, or zeros"),
            (self.fell_back, f"{of} lost every token to the weighting and got the plain mean"),
            (self.unknown, f"{of} consist only of tokens unknown to the model"),
        )
        return [f"{n:,} {what}" for n, what in told if n]

    def report(self) -> None:
        for sentence in self.sentences():
            log.warning("%s", sentence)


def _per_text(tokens: Tokens, marked: npt.NDArray[np.bool_]) -> Ints:
    """How many tokens of each text are marked. Shape: (T,) -> (n_texts,)"""
    n_before = np.concatenate([[0], np.cumsum(marked, dtype=np.int64)])
    per_sequence = np.diff(n_before[tokens.offsets])
    if len(tokens) == tokens.n_texts:
        return per_sequence
    return np.bincount(tokens.texts, weights=per_sequence, minlength=tokens.n_texts).astype(np.int64)
