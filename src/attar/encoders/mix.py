"""Mix: two encoders in one vector, as in the paper's BERT + Avg."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from attar.encoders.bag import mean_vectors
from attar.encoders.formats.table_parts import read_json_object
from attar.encoders.opening import encoder_of, saved_folder
from attar.errors import InputError, ModelError
from attar.io.atomic import new_folder
from attar.types import Encoder, Floats, Frame, Tokens, TokenVectors, Vocabulary

if TYPE_CHECKING:
    import tokenizers

_ABOUT = "mix.json"


class Mix(Encoder):
    """(1 - w) a + w b, at the same layers of both.

    Texts are tokenised by `a`; both sides must have the same vocabulary and the same widths.

    Parameters
    ----------
    a, b : Encoder
        The two sides.
    w : float
        The weight of `b`; any finite number, a negative one too.

    Raises
    ------
    InputError
        If `w` is not a finite number.

    Examples
    --------
    >>> Mix(Transformer("bert-base-uncased"), Table.load("my-avg"), w=0.5)  # doctest: +SKIP
    """

    kind = "mix"

    def __init__(self, a: Encoder, b: Encoder, w: float = 0.5) -> None:
        self.a = a
        self.b = b
        self.w = _weight(w)

    def encode(self, texts: Any, layers: Sequence[int] | None = None) -> Floats:
        """The mean of each text's own tokens.

        Parameters
        ----------
        texts : iterable of str
            N texts.
        layers : sequence of int, optional
            The layers to average; the last one unless given.

        Returns
        -------
        ndarray of float32, of shape (N, D)
            One row per text.
        """
        return mean_vectors(self, texts, (self.n_layers,) if layers is None else layers)

    @property
    def n_layers(self) -> int:
        """The last layer that both sides have."""
        return min(side.n_layers for side in self._sides)

    @property
    def first_layer(self) -> int:
        return max(side.first_layer for side in self._sides)

    @property
    def vocabulary(self) -> Vocabulary:
        return self.a.vocabulary

    def width(self, layer: int) -> int:
        a, b = (side.width(layer) for side in self._sides)
        if a != b:
            raise ModelError(f"layer {layer} is {a} wide on one side of the mix and {b} on the other; they must agree")
        return a

    def tokenize(self, texts: Sequence[str]) -> Tokens:
        return self._sides[0].tokenize(texts)

    def pool(self, tokens: Tokens, token_weights: Floats, layers: Sequence[int]) -> Floats:
        self._check_widths(layers)
        if self.w == 0:
            return self.a.pool(tokens, token_weights, layers)
        if self.w == 1:
            return self.b.pool(tokens, token_weights, layers)
        return blend(*self.pool_sides(tokens, token_weights, layers), self.w)

    def pool_sides(self, tokens: Tokens, token_weights: Floats, layers: Sequence[int]) -> tuple[Floats, Floats]:
        """Pool each side by itself: `blend` gives any number of `w` from it, for one forward pass.

        Parameters
        ----------
        tokens : Tokens
            N sequences of T tokens in all.
        token_weights : ndarray of shape (A, T)
            One row per weighting.
        layers : sequence of int
            L layers.

        Returns
        -------
        tuple of two ndarrays of float32, of shape (A, N, L, D)
            The pooled vectors of `a` and of `b`.
        """
        self._check_widths(layers)
        return self.a.pool(tokens, token_weights, layers), self.b.pool(tokens, token_weights, layers)

    def token_vectors(self, tokens: Tokens, layers: Sequence[int]) -> TokenVectors:
        self._check_widths(layers)
        a, b = (side.token_vectors(tokens, layers) for side in self._sides)
        return TokenVectors({layer: blend(a[layer], b[layer], self.w) for layer in layers})

    def spec(self) -> dict[str, Any]:
        return {"type": self.kind, "w": self.w, "a": self.a.spec(), "b": self.b.spec()}

    @property
    def fingerprint(self) -> str | None:
        """A hash of what both sides have: tells whether a recipe meets the models it was fitted with."""
        prints = [side.fingerprint for side in (self.a, self.b)]
        return None if None in prints else hashlib.sha256("".join(map(str, prints)).encode()).hexdigest()

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any], folder: Path | None = None) -> Self:
        return cls.load(saved_folder(spec, folder))

    def save_arrays(self, folder: Path) -> None:
        self.save(folder)

    @property
    def contextual(self) -> bool:  # type: ignore[override]
        return self.a.contextual or self.b.contextual

    @property
    def texts_at_once(self) -> int:  # type: ignore[override]
        return min(self.a.texts_at_once, self.b.texts_at_once)

    @property
    def tuned_for_sentences(self) -> bool:
        return self.a.tuned_for_sentences

    @property
    def usual_weights(self) -> str:
        usual = self.a.usual_weights
        return "mean" if usual == self.a.tuned_weights else usual  # one token of a table says nothing

    @property
    def backend_tokenizer(self) -> tokenizers.Tokenizer | None:
        return self.a.backend_tokenizer

    @property
    def made_one_layer_by(self) -> str | None:
        return self.a.made_one_layer_by

    @property
    def frame(self) -> Frame:
        return self.a.frame

    @property
    def token_limit(self) -> int | None:
        return self.a.token_limit

    def with_template(self, template: str | None) -> Mix:
        return Mix(self.a.with_template(template), self.b, self.w)

    def configured(self, *, threads: int | None = None, precision: str | None = None, device: str | None = None) -> Mix:
        return Mix(self.a.configured(threads=threads, precision=precision, device=device), self.b, self.w)

    def save(self, folder: str | Path, *, overwrite: bool = False) -> None:
        """Write mix.json and what the sides keep in files; a transformer is only referred to.

        Parameters
        ----------
        folder : str or Path
            The folder to write; it appears whole or not at all.
        overwrite : bool
            Replace an earlier mix.

        Raises
        ------
        OutputError
            If the folder exists, or can't be written.
        """
        with new_folder(Path(folder).expanduser(), _ABOUT, overwrite=overwrite) as aside:
            for name, side in (("a", self.a), ("b", self.b)):
                side.save_arrays(aside / name)
            content = json.dumps({"format": 1} | self.spec(), indent=2, ensure_ascii=False)
            (aside / _ABOUT).write_text(content + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read what `save` wrote.

        Parameters
        ----------
        folder : str or Path
            The folder of a saved mix.

        Returns
        -------
        Mix
            Equal to the one that was saved.

        Raises
        ------
        ModelError
            If the folder holds no mix, or it is damaged.
        """
        place = Path(folder).expanduser()
        about = read_json_object(place / _ABOUT)
        a, b = about.get("a"), about.get("b")
        if about.get("format") != 1 or not isinstance(a, dict) or not isinstance(b, dict):
            raise ModelError(f"{place / _ABOUT} is not a mix of format 1; it was written by another version or altered")
        try:
            weight = _weight(about.get("w"))
        except InputError as error:
            raise ModelError(f"{place / _ABOUT} is damaged: {error}") from None
        return cls(encoder_of(a, place / "a"), encoder_of(b, place / "b"), weight)

    @cached_property
    def _sides(self) -> tuple[Encoder, Encoder]:
        """Both sides, once it is known that their token ids mean the same."""
        left, right = self.a.vocabulary.pieces, self.b.vocabulary.pieces
        if left != right:
            differ = next((i for i, (x, y) in enumerate(zip(left, right, strict=False)) if x != y), None)
            found = f"{len(left)} and {len(right)} tokens"
            if differ is not None:
                found += f"; token {differ} is {left[differ]!r} and {right[differ]!r}"
            raise ModelError(f"the sides of a mix must have the same vocabulary; these have {found}")
        return self.a, self.b

    def _check_widths(self, layers: Sequence[int]) -> None:
        for layer in layers:
            self.width(layer)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # never changes

    def __repr__(self) -> str:
        return f"Mix({self.a!r}, {self.b!r}, w={self.w})"


def blend(a: Floats, b: Floats, w: float) -> Floats:
    """(1 - w) a + w b"""
    return np.float32(1 - w) * a + np.float32(w) * b


def _weight(w: Any) -> float:
    if isinstance(w, bool) or not isinstance(w, (int, float, np.integer, np.floating)) or not math.isfinite(w):
        raise InputError(f"w={w!r} is not a weight: give a number, 0 for the first side alone, 1 for the second")
    return float(w)
