"""What is exported: the fitted parts of an embedder, taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from attar.encoders.cached import Cached
from attar.errors import RecipeError
from attar.layers import resolve_layers
from attar.members import listed
from attar.recipe import Recipe
from attar.shapers import MEMBERS, AffineShaper, Quantile, Unit
from attar.shapers.affine import Affine
from attar.types import Encoder
from attar.weights import Weighting

if TYPE_CHECKING:
    from attar.embedder import Embedder

Step = Affine | Quantile | Unit


@dataclass(frozen=True)
class FittedParts:
    """Encoder, layers, weights, and the shapers with every run of affine ones folded into one map."""

    recipe: Recipe
    encoder: Encoder
    layers: tuple[int, ...]
    layer_weights: tuple[float, ...]
    weights: Weighting
    steps: tuple[Step, ...]
    n_dims: int

    @classmethod
    def of(cls, embedder: Embedder) -> Self:
        n_dims = embedder.encode([]).shape[1]  # also prepares what learns nothing; refuses what has not learned yet
        encoder = embedder.encoder_.encoder if isinstance(embedder.encoder_, Cached) else embedder.encoder_
        layers, layer_weights = resolve_layers(embedder.layers, encoder)
        if not encoder.pools_linearly:
            raise RecipeError(
                f"{encoder!r} can't be exported: other libraries take weighted means of tokens; exportable is the same "
                "recipe without a pooling"
            )
        if getattr(encoder, "windows", None) is not None:
            raise RecipeError(
                f"windows={getattr(encoder, 'windows', None)} can't be exported: other libraries cut long texts; "
                "exportable is the same recipe without windows"
            )
        if getattr(encoder, "precision", None) in ("int8", "bfloat16", "auto"):
            raise RecipeError(
                f"precision={getattr(encoder, 'precision', None)!r} can't be exported: other libraries have other such "
                "products; exportable is the same recipe in float32 or float64"
            )
        if encoder.frame.joined:
            raise RecipeError(
                "a prompt can't be exported: its words are tokenised together with each text, and other libraries put "
                "fixed tokens around it; exportable is the same recipe without a template"
            )
        steps = fold_runs(embedder.shapers_)
        return cls(embedder.recipe, encoder, layers, layer_weights, embedder.weights_, steps, n_dims)


def fold_runs(shapers: Sequence[Any]) -> tuple[Step, ...]:
    """Fitted shapers, every run of affine ones as one map."""
    steps: list[Step] = []
    for shaper in shapers:
        if isinstance(shaper, AffineShaper):
            last = steps[-1] if steps else None
            if isinstance(last, Affine):
                steps[-1] = last.then(shaper.affine())
            else:
                steps.append(shaper.affine())
        elif isinstance(shaper, (Quantile, Unit)):
            steps.append(shaper)
        else:
            raise RecipeError(
                f"{type(shaper).__name__} can't be exported; exportable are the shapers of attar.shapers: "
                f"{listed(MEMBERS)}"
            )
    return tuple(steps)
