"""Attended: tokens weigh as much as they attend to themselves in one head (Ditto, Chen et al., 2023)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from attar.encoders.transformer import Transformer
from attar.encoders.wrapper import Wrapper
from attar.errors import InputError
from attar.pooling import scale_weights
from attar.types import Encoder, Floats, Tokens


class Attended(Wrapper):
    """A transformer whose token weights are multiplied by the diagonal of the attention of one head.

    In some heads of the first layers a token attends the more to itself the more it tells (the authors take head 10 of
    layer 1 of BERT base, chosen on the development set of STS-B). The layers below that head are computed once more.

    Parameters
    ----------
    encoder : Transformer, str, Path or None
        The model, or what opens it; None for the embedded default model.
    attention : str
        Layer and head, both from 1: "1:10".

    Raises
    ------
    InputError
        If the encoder is not a transformer, or has no such head.

    Examples
    --------
    >>> Embedder(Attended("bert-base-uncased", "1:10"), layers="first,last")  # doctest: +SKIP
    """

    kind = "attended"
    setting = "attention"
    pools_linearly = False  # what a token weighs depends on the others

    def __init__(self, encoder: Encoder | str | Path | None = None, attention: str = "1:10") -> None:
        self.layer, self.head = _layer_and_head(attention)
        super().__init__(encoder, attention)
        if not isinstance(self.encoder, Transformer):
            raise InputError(f"{self.encoder!r} has no attention; give a transformer")

    @property
    def value(self) -> str:
        return f"{self.layer}:{self.head}"

    def pool(self, tokens: Tokens, token_weights: Floats, layers: Sequence[int]) -> Floats:
        assert isinstance(self.encoder, Transformer)
        own = self.encoder.own_attention(tokens, self.layer, self.head)
        weights = np.stack([scale_weights(row * own, tokens)[0] for row in token_weights])
        return self.encoder.pool(tokens, weights, layers)


def _layer_and_head(text: str) -> tuple[int, int]:
    layer, _, head = str(text).partition(":")
    try:
        return int(layer), int(head)
    except ValueError:
        raise InputError(f"can't read the attention {text!r}; write layer and head, both from 1: 1:10") from None
