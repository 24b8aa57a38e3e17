"""Which texts a model can tell apart: those that have a token of their own that it knows."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from attar.types import Encoder, Floats, Role

log = logging.getLogger("attar")


def known_texts(encoder: Encoder, texts: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Whether each text has a token of its own that is not the unknown one. Shape: (N,)"""
    tokens = encoder.tokenize(list(texts))
    own = tokens.roles == Role.TEXT
    if encoder.vocabulary.unknown_id is not None:
        own &= tokens.ids != encoder.vocabulary.unknown_id
    found: npt.NDArray[np.bool_] = np.zeros(tokens.n_texts, dtype=bool)
    found[tokens.texts[tokens.sequence_of[own]]] = True
    return found


def without_unknown(vectors: Floats, encoder: Encoder, texts: Sequence[str]) -> Floats:
    """The vectors, zero where nothing of a text is known: all such texts look the same and are near to nothing.

    Shape: (N, D) -> (N, D)
    """
    known = known_texts(encoder, texts)
    if known.all():
        return vectors
    log.warning(
        "%s of %s texts have no token that the model knows; they are taken for duplicates only where they are equal",
        f"{np.count_nonzero(~known):,}",
        f"{len(texts):,}",
    )
    return np.where(known[:, None], vectors, np.float32(0))
