"""Wrapper: an encoder around another one that makes vectors in another way, by one value that recipes record."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from attar.encoders.around import Around
from attar.encoders.opening import encoder_of, open_encoder
from attar.errors import InputError, RecipeError
from attar.types import Encoder, Floats, Tokens, TokenVectors


class Wrapper(Around):
    """An encoder around another one. Of several only one can stand around a model.

    A subclass has `kind`, `setting`, `value`, its `__init__(encoder, value)`, and what it does differently.
    """

    setting: ClassVar[str]  # the name of its one value, in recipes

    def __init__(self, encoder: Encoder | str | Path | None, value: str) -> None:
        self.encoder = (
            encoder if isinstance(encoder, Encoder) else open_encoder(None if encoder is None else str(encoder))
        )
        if isinstance(self.encoder, Wrapper) or not self.encoder.pools_linearly:
            inner = self.encoder
            theirs, mine = inner.shown_setting() if isinstance(inner, Wrapper) else "pooling", self.shown_setting()
            several = "; name several as one: pooling='max,min'" if theirs == mine == "pooling" else ""
            raise InputError(f"{self.encoder!r} has a {theirs} already, and can't have a {mine} too{several}")

    @property
    @abstractmethod
    def value(self) -> str:
        """What it does, as text."""

    @classmethod
    def shown_setting(cls) -> str:
        """The name of its value in the text of a recipe."""
        return cls.setting.replace("_", "-")

    @property
    def fingerprint(self) -> str | None:
        """A hash of the encoder's own and of the value."""
        own = self.encoder.fingerprint
        return None if own is None else hashlib.sha256(f"{own} {self._marked}".encode()).hexdigest()

    @property
    def _marked(self) -> str:
        return f"{self.setting} {self.value}"

    @abstractmethod
    def pool(self, tokens: Tokens, token_weights: Floats, layers: Sequence[int]) -> Floats: ...

    def token_vectors(self, tokens: Tokens, layers: Sequence[int]) -> TokenVectors:
        return self.encoder.token_vectors(tokens, layers)

    def with_template(self, template: str | None) -> Self:
        return type(self)(self.encoder.with_template(template), self.value)

    def configured(
        self, *, threads: int | None = None, precision: str | None = None, device: str | None = None
    ) -> Self:
        return type(self)(self.encoder.configured(threads=threads, precision=precision, device=device), self.value)

    def spec(self) -> dict[str, Any]:
        return {"type": self.kind, self.setting: self.value, "encoder": self.encoder.spec()}

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any], folder: Path | None = None) -> Self:
        inner, value = spec["encoder"], spec[cls.setting]
        if not isinstance(inner, Mapping) or not isinstance(value, str):
            raise RecipeError(f"the encoder of the recipe is damaged: {cls.shown_setting()} {value!r}")
        try:
            return cls(encoder_of(inner, folder), value)
        except InputError as error:
            raise RecipeError(f"the encoder of the recipe is damaged: {error}") from None

    def describe(self) -> dict[str, Any]:
        facts = {self.shown_setting(): self.value, "width": self.width(self.n_layers)}
        return {**self.encoder.describe(), **facts}

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # never changes

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.encoder!r}, {self.value!r})"

    @property
    def tuned_weights(self) -> str:
        return "mean"  # what stands around the model is not what it was tuned with

    @property
    def usual_weights(self) -> str:
        usual = self.encoder.usual_weights
        return "mean" if usual == self.encoder.tuned_weights else usual


class LayerWrapper(Wrapper):
    """An encoder around another one that makes one layer of several."""

    only: ClassVar[tuple[int, ...]] = (1,)  # all layers that there are of it

    @property
    def n_layers(self) -> int:
        return 1

    @property
    def first_layer(self) -> int:
        return 1

    @property
    def made_one_layer_by(self) -> str | None:
        return f"{self.shown_setting()} {self.value}"

    @property
    def usual_layers(self) -> tuple[int, ...]:
        return self.only
