"""Words that texts share: what a grouping tells of them. Groups that mean something tell which words to expect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attar.tokens.words import words_of
from attar.types import Doubles, Ints

SMOOTHINGS = (10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 10000.0)  # words of all texts that are added to each group


@dataclass(frozen=True)
class SharedWords:
    """The words that at least two of N texts have. A word counts once in a text."""

    n_texts: int
    texts: Ints  # (E,) the text of each occurrence
    words: Ints  # (E,) the word of each occurrence

    @classmethod
    def of(cls, texts: Sequence[str]) -> SharedWords:
        """The shared words of these texts."""
        found = [words_of(text) for text in texts]
        times = Counter(word for words in found for word in words)
        place = {word: i for i, word in enumerate(sorted(word for word, n in times.items() if n > 1))}
        pairs = [(i, place[word]) for i, words in enumerate(found) for word in sorted(words) if word in place]
        both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return cls(len(texts), both[:, 0], both[:, 1])

    @property
    def per_text(self) -> float:
        """How many of these words a text has on average."""
        return len(self.words) / max(1, self.n_texts)

    def gains(self, labels: Ints) -> Doubles:
        """How much better each text's words are foretold by the other texts of its group than by all other texts.

        The logarithm of the ratio of both chances, summed over the words of the text, in nats. Counts of a group are
        smoothed by those of all texts; how strongly is decided by what foretells best on average.

        Parameters
        ----------
        labels : array of shape (N,)
            The group of each text, from 0 on.

        Returns
        -------
        array of shape (N,)
        """
        if not len(self.words):
            return np.zeros(self.n_texts)
        n_words, n_groups = int(self.words.max()) + 1, int(labels.max()) + 1
        group = labels[self.texts].astype(np.int64)
        inside = np.bincount(group * n_words + self.words, minlength=n_groups * n_words)  # (groups x words,)
        lengths = np.bincount(self.texts, minlength=self.n_texts)
        own = lengths[self.texts]
        everywhere = (np.bincount(self.words)[self.words] - 1) / (len(self.words) - own)
        others = inside[group * n_words + self.words] - 1
        size = np.bincount(group, minlength=n_groups)[group] - own
        ratios = ((others + smoothing * everywhere) / (size + smoothing) / everywhere for smoothing in SMOOTHINGS)
        foretold: Doubles = max((np.log(ratio) for ratio in ratios), key=lambda logs: float(logs.sum()))
        return np.asarray(np.bincount(self.texts, foretold, minlength=self.n_texts), dtype=np.float64)
