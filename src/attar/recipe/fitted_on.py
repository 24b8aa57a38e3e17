"""Which texts a recipe was fitted on, told by how many they are and by their hash."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True)
class Sampled:
    """How quantiles were estimated where there are too many vectors to sort, and how far their ranks may be off.

    Parameters
    ----------
    how : str
        The method.
    rows : int
        The number of rows that were looked at.
    of : int
        The number of rows there are.
    rank_error : float
        The largest error of a rank, as a share of the rows.
    confidence : float
        The probability that the error is not larger.
    """

    how: str
    rows: int  # that were looked at
    of: int
    rank_error: float  # a share of the rows, not exceeded with this confidence
    confidence: float


@dataclass(frozen=True)
class Corpus:
    """Which texts something was fitted on.

    Parameters
    ----------
    texts : int
        The number of texts.
    sha256 : str
        A hash of the texts in order.
    sampled : Sampled, optional
        How quantiles were estimated, if they were.
    """

    texts: int
    sha256: str
    sampled: Sampled | None = None

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self:
        """Describe a corpus.

        Parameters
        ----------
        texts : sequence of str
            Its texts in order.

        Returns
        -------
        Corpus
            Their number and hash.
        """
        digest = hashlib.sha256()
        for text in texts:
            digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
        return cls(len(texts), digest.hexdigest())

    def then(self, other: Corpus) -> Corpus:
        """This corpus and more texts after it.

        Parameters
        ----------
        other : Corpus
            The texts after it.

        Returns
        -------
        Corpus
            Both together; the hash depends on how they were divided.
        """
        return Corpus(self.texts + other.texts, hashlib.sha256((self.sha256 + other.sha256).encode()).hexdigest())


@dataclass(frozen=True)
class FittedOn:
    """The texts that a recipe was fitted on.

    Parameters
    ----------
    target : Corpus, optional
        The texts that are embedded, or stand for them.
    background : Corpus, optional
        The background corpus.
    """

    target: Corpus | None = None
    background: Corpus | None = None

    def with_target(self, texts: Sequence[str]) -> FittedOn:
        """The same with more target texts.

        Parameters
        ----------
        texts : sequence of str
            Texts after those that were seen before.

        Returns
        -------
        FittedOn
            A new one.
        """
        seen = Corpus.of(texts)
        return replace(self, target=seen if self.target is None else self.target.then(seen))

    def with_background(self, texts: Sequence[str] | None) -> FittedOn:
        """The same with another background corpus.

        Parameters
        ----------
        texts : sequence of str or None
            Its texts; None changes nothing.

        Returns
        -------
        FittedOn
            A new one, or itself.
        """
        return self if texts is None else replace(self, background=Corpus.of(texts))
