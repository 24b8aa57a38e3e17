"""What all clients ask for: vectors of texts from an embedder that is ready, or one that a library kept as text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attar.embedder import Embedder, open_embedder
from attar.errors import InputError, RecipeError
from attar.io.texts import iter_texts
from attar.types import Floats

UNSAVED = "unsaved"  # the revision of what no recipe can describe


def ready(embedder: Embedder | str | Path | None) -> Embedder:
    """An embedder that can encode: one given, a saved recipe's folder, or None for the embedded model.

    Raises
    ------
    InputError
        If it must see texts first: other libraries give it a few at a time, which is not enough to learn from.
    """
    made = Embedder() if embedder is None else embedder
    if isinstance(made, (str, Path)):
        made = open_embedder(str(made))
    if not isinstance(made, Embedder):
        raise InputError(f"{made!r} is not an Embedder; give one, or the folder of a saved recipe")
    if not made.__sklearn_is_fitted__():
        raise InputError("the Embedder must see texts first: call fit(documents), or load a recipe that was saved")
    return made


def revision_of(embedder: Embedder) -> str:
    """What a library keeps beside the recipe's folder, to know it again."""
    try:
        return embedder.recipe.revision
    except RecipeError:  # a transformer that JSON can't hold, say
        return UNSAVED


def reopened(recipe: str | None, revision: str | None) -> Embedder:
    """What a library kept the folder of (None: no folder) and, since version 0.2, the revision.

    Raises
    ------
    InputError
        If it is not what the kept vectors were made by: queries would be in another space, without a sign of it.
    """
    made = ready(recipe)
    if revision in (None, revision_of(made)):
        return made
    if recipe is None:
        raise InputError(
            "this was made with an Embedder in memory, of which a library can keep nothing: give that Embedder again, "
            "or save it and give the folder of the recipe"
        )
    raise InputError(
        f"the recipe {recipe!r} was replaced or fitted anew since vectors were made with it: embed the texts again, "
        "or put the earlier recipe back"
    )


def vectors_of(embedder: Embedder, texts: Any) -> Floats:
    """Vectors of texts in a list, array or column. Shape: (N, D)

    Raises
    ------
    InputError
        If one is not a text: None and NaN would have vectors of the words "None" and "nan".
    """
    found: Floats = embedder.encode(iter_texts(texts))
    return found


def lists_of(embedder: Embedder, texts: Any) -> list[list[float]]:
    """The same as lists of numbers, which is what some libraries want."""
    found: list[list[float]] = vectors_of(embedder, texts).tolist()
    return found
