"""What an embedder learns from texts: token counts, then the shapers one after the other. Nothing is trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.base import clone
from sklearn.utils import get_tags

from attar.errors import InputError
from attar.press import Press, Pressed, parts
from attar.shapers import AffineShaper, Moments, MomentShaper
from attar.shapers import of as shapers_of
from attar.types import Encoder, Floats, Tokens
from attar.weights import Weighting
from attar.weights import of as weights_of

Corpora = Mapping[str, Sequence[str]]  # "target" and perhaps "background"


def learns(shaper: Any) -> bool:
    """Whether a shaper has to see vectors before it can work."""
    return bool(get_tags(shaper).requires_fit)


def new_weights(weights: Any) -> Weighting:
    """Unfitted ones after those given, or their text form; None stands for the mean."""
    fresh: Weighting = clone(weights_of(weights))
    fresh.check_params()
    return fresh


def new_shapers(shapers: Any) -> list[Any]:
    """Unfitted ones after those given: Attar's, their text forms, or any of scikit-learn's transformers."""
    fresh = [clone(shaper) for shaper in shapers_of(shapers)]
    for shaper in fresh:
        if hasattr(shaper, "check_params"):
            shaper.check_params()
    return fresh


def check_corpora(fitted: Sequence[Any], corpora: Corpora) -> None:
    """Every part has the texts that it is to learn from."""
    for name, texts in corpora.items():
        if not texts:
            raise InputError(f"no {name} texts to learn from: the list is empty")
    for part in fitted:
        if not (part.needs_texts if isinstance(part, Weighting) else learns(part)):
            continue
        if getattr(part, "on", "target") not in corpora:
            raise InputError(
                f"{type(part).__name__} is to learn from a background corpus: call fit(texts, background=corpus)"
            )


def fit_weights(weights: Weighting, encoder: Encoder, corpora: Corpora) -> Weighting:
    """From token counts of the corpus that the weights name, or from the vocabulary alone."""
    if not weights.needs_texts:
        return weights.fit(Tokens.of([]), encoder.vocabulary)
    for part in parts(corpora[weights.on]):
        weights.partial_fit(encoder.tokenize(part), encoder.vocabulary)
    return weights


def fit_shapers(
    shapers: Sequence[Any], press: Press, corpora: Corpora, wanted: Sequence[str] = (), progress: bool = False
) -> dict[str, Pressed]:
    """Fit the chain; the shaped vectors of the corpora that were needed for it or are wanted."""
    needed = {getattr(shaper, "on", "target") for shaper in shapers if learns(shaper)} | set(wanted)
    pressed = {name: press.distinct(corpora[name], progress) for name in needed}
    for shaper in shapers:
        if learns(shaper):
            seen = pressed[getattr(shaper, "on", "target")]
            shaper.fit(seen.vectors[seen.rows])  # a text counts as often as it stands there
        pressed = {
            name: Pressed(shaper.transform(seen.vectors), seen.rows, seen.counts) for name, seen in pressed.items()
        }
    return pressed


def check_partial(weights: Weighting, shapers: Sequence[Any]) -> None:
    """Whether sums suffice: weights alone, or affine shapers that need only moments of what goes into the chain."""
    learning = [shaper for shaper in shapers if learns(shaper)]
    for shaper in learning:
        if not isinstance(shaper, MomentShaper):
            raise InputError(f"{type(shaper).__name__} can't learn bit by bit: sums do not suffice; use fit")
        before = shapers[: list(shapers).index(shaper)]
        if not all(isinstance(earlier, AffineShaper) for earlier in before):
            raise InputError(
                f"{type(shaper).__name__} can't learn bit by bit behind a shaper that is not affine; use fit"
            )
    if weights.needs_texts and learning:
        raise InputError(
            f"{type(weights).__name__} weights and shapers can't learn bit by bit together: the weights would change "
            "under the vectors; use fit"
        )


def fit_from_moments(shapers: Sequence[Any], moments: Moments) -> None:
    """Fit a chain of affine shapers from the moments of what goes into it: affine maps carry moments along."""
    for shaper in shapers:
        if isinstance(shaper, MomentShaper):
            shaper.fit_moments(moments)
            affine = shaper.affine()
            moments = moments.affine(affine.linear, affine.offset)


def shape(shapers: Sequence[Any], vectors: Floats) -> Floats:
    """Through the fitted chain."""
    for shaper in shapers:
        vectors = shaper.transform(vectors)
    return vectors
