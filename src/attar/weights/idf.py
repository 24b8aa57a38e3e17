"""Inverse document frequency: rare tokens count more."""

from __future__ import annotations

from typing import Self

import numpy as np

from attar.errors import RecipeError
from attar.types import Floats, Ints, Role, State, Tokens, Vocabulary
from attar.weights.roles import counted
from attar.weights.weighting import Weighting


class Idf(Weighting):
    """ln(N / df) for each occurrence of a token; a token that no document shows counts as if seen once.

    A document is one text; its template is not part of it.

    Parameters
    ----------
    specials : bool
        Whether special tokens such as [CLS] and [SEP] count.
    template : bool
        Whether the words of the template count.
    masks : bool
        Whether the masks of the template count.
    on : {"target", "background"}
        The texts that an Embedder fits it on: those it embeds, or a background corpus.
    """

    learned = ("document_frequency_", "n_documents_")
    document_frequency_: Ints
    n_documents_: Ints
    by_token = True
    needs_texts = True

    def __init__(self, specials: bool = False, template: bool = True, masks: bool = True, on: str = "target") -> None:
        self.specials = specials
        self.template = template
        self.masks = masks
        self.on = on

    def fit(self, tokens: Tokens, vocabulary: Vocabulary) -> Self:
        for name in self.learned:
            if hasattr(self, name):
                delattr(self, name)
        return self.partial_fit(tokens, vocabulary)

    def partial_fit(self, tokens: Tokens, vocabulary: Vocabulary) -> Self:
        """Count more documents; counts of parts add up to the counts of the whole.

        Parameters
        ----------
        tokens : Tokens
            The tokenised documents; only their own tokens are counted.
        vocabulary : Vocabulary
            The tokens of the model by id.

        Returns
        -------
        Idf
            Itself, fitted on these documents and all before.
        """
        own = tokens.roles == Role.TEXT
        document = tokens.texts[tokens.sequence_of[own]]
        seen = np.unique(document * len(vocabulary) + tokens.ids[own])  # each token once per document
        frequency = np.bincount(seen % len(vocabulary), minlength=len(vocabulary)).astype(np.int64)
        n_documents = np.array([tokens.n_texts], dtype=np.int64)
        if hasattr(self, "document_frequency_"):
            frequency = frequency + self.document_frequency_
            n_documents = n_documents + self.n_documents_
        self.document_frequency_ = frequency  # (V,)
        self.n_documents_ = n_documents  # (1,)
        return self

    def check_state(self, state: State) -> None:
        frequency, n_documents = state["document_frequency"], state["n_documents"]
        if n_documents.shape != (1,) or int(frequency.max()) > int(n_documents[0]):
            raise RecipeError(
                f"the counts of Idf do not fit together: {n_documents[:3].tolist()} documents, of which "
                f"{int(frequency.max())} show a token; fit and save again"
            )

    @property
    def idf_(self) -> Floats:
        """Shape: (V,)"""
        self.check_fitted()
        n = max(int(self.n_documents_[0]), 1)
        return np.log(n / np.maximum(self.document_frequency_, 1)).astype(np.float32)

    def weigh(self, tokens: Tokens) -> Floats:
        idf = self.idf_
        self.check_ids(tokens, idf)
        keep = counted(tokens, self.specials, self.template, self.masks)
        return np.where(keep, idf[tokens.ids], np.float32(0))
