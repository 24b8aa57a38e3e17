"""How many words a model of whole words does not know."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np

from attar.types import Tokens

log = logging.getLogger("attar")


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
