"""Parts of a recipe read from JSON; whatever `Recipe.to_json` would not have written is refused."""

from __future__ import annotations

from typing import Any

from attar.errors import RecipeError
from attar.layers import layer_weight, plain_layer
from attar.recipe.component import Component
from attar.recipe.fitted_on import Corpus, Sampled


def expect(kind: type, value: Any, what: str) -> Any:
    if not isinstance(value, kind):
        raise RecipeError(f"{what} of the recipe should be a {kind.__name__}; found {value!r}")
    return value


def layer(pair: Any) -> tuple[int | str, float | None]:
    number, weight = expect(list, pair, "a layer")
    return plain_layer(number), None if weight is None else layer_weight(weight)


def corpus(data: Any) -> Corpus | None:
    if data is None:
        return None
    expect(dict, data, "an account of texts")
    sampled = data.get("sampled")  # recipes of earlier versions do not have it
    return Corpus(
        expect(int, data["texts"], "a number of texts"),
        expect(str, data["sha256"], "a sha256"),
        None if sampled is None else Sampled(**expect(dict, sampled, "an account of a sample")),
    )


def component(data: Any) -> Component:
    expect(dict, data, "a part")
    return Component(expect(str, data["name"], "a name"), expect(dict, data["params"], "parameters"))
