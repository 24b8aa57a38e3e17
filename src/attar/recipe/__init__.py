"""Recipe: what an embedder does, as plain data: JSON, a short text form, and an id that is its hash."""

from __future__ import annotations

from attar.recipe.component import Component
from attar.recipe.fitted_on import Corpus, FittedOn, Sampled
from attar.recipe.recipe import FORMAT, NAMED, TUNED, Recipe, canonical

__all__ = ["FORMAT", "NAMED", "TUNED", "Component", "Corpus", "FittedOn", "Recipe", "Sampled", "canonical"]
