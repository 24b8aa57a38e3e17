"""Around: an encoder that changes one thing about another one, and passes all else on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attar.types import Encoder, Frame, Tokens, Vocabulary

if TYPE_CHECKING:
    import tokenizers


class Around(Encoder):
    """What holds of the encoder inside holds of this one, unless a subclass says otherwise."""

    encoder: Encoder

    @property
    def n_layers(self) -> int:
        return self.encoder.n_layers

    @property
    def first_layer(self) -> int:
        return self.encoder.first_layer

    @property
    def made_one_layer_by(self) -> str | None:
        return self.encoder.made_one_layer_by

    @property
    def usual_layers(self) -> tuple[int, ...]:
        return self.encoder.usual_layers

    @property
    def usual_weights(self) -> str:
        return self.encoder.usual_weights

    @property
    def causal(self) -> bool:
        return self.encoder.causal

    @property
    def tuned_for_sentences(self) -> bool:
        return self.encoder.tuned_for_sentences

    @property
    def tuned_weights(self) -> str:
        return self.encoder.tuned_weights

    @property
    def tuned_beyond(self) -> tuple[str, ...]:
        return self.encoder.tuned_beyond

    @property
    def contextual(self) -> bool:  # type: ignore[override]
        return self.encoder.contextual

    @property
    def device(self) -> str:  # type: ignore[override]
        return self.encoder.device

    @property
    def texts_at_once(self) -> int:  # type: ignore[override]
        return self.encoder.texts_at_once

    @property
    def vocabulary(self) -> Vocabulary:
        return self.encoder.vocabulary

    @property
    def backend_tokenizer(self) -> tokenizers.Tokenizer | None:
        return self.encoder.backend_tokenizer

    @property
    def frame(self) -> Frame:
        return self.encoder.frame

    @property
    def token_limit(self) -> int | None:
        return self.encoder.token_limit

    @property
    def fingerprint(self) -> str | None:
        return self.encoder.fingerprint

    def width(self, layer: int) -> int:
        return self.encoder.width(layer)

    def tokenize(self, texts: Sequence[str]) -> Tokens:
        return self.encoder.tokenize(texts)

    def describe(self) -> dict[str, Any]:
        return self.encoder.describe()

    def save_arrays(self, folder: Path) -> None:
        self.encoder.save_arrays(folder)
