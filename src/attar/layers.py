"""Which layers, and how much of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from attar.errors import InputError
from attar.types import Encoder

# A number, "first", "last", several of them, a weight for each, or any of these as text ("first,last", "1:0.3,12:0.7").
LayerChoice = int | str | Sequence[int | str] | Mapping[int | str, float]


def resolve_layers(choice: LayerChoice, encoder: Encoder) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """The layers as numbers, and their weights, which sum to 1 unless given."""
    choice = layers_of(choice)
    if isinstance(choice, Mapping):
        numbers = tuple(_number(layer, encoder, choice) for layer in choice)
        weights = tuple(layer_weight(value) for value in choice.values())
    else:
        numbers = tuple(_number(layer, encoder, choice) for layer in several(choice))
        weights = (1 / len(numbers),) * len(numbers) if numbers else ()
    if not numbers:
        raise InputError("no layer given; name at least one, such as 'last' or (1, 12)")
    if len(set(numbers)) != len(numbers):
        _refuse_others(choice, encoder)
        raise InputError(f"a layer is named twice: {', '.join(map(str, numbers))}; give a weight to each layer instead")
    if not any(weights):
        raise InputError(
            f"the weights of all layers are 0: {choice!r}; nothing would be left, give one of them a weight"
        )
    return numbers, weights


def unweighted_layers(choice: LayerChoice, encoder: Encoder) -> tuple[int, ...]:
    """The layers as numbers, where each is kept for itself and weights would be lost."""
    if isinstance(choice, Mapping):
        raise InputError(
            f"layers with weights, {dict(choice)!r}, are for encoding: here every layer is kept for itself; "
            "name the layers only, such as 1,6"
        )
    return resolve_layers(choice, encoder)[0]


def layers_of(choice: LayerChoice) -> LayerChoice:
    """The choice itself, or what its text says."""
    return parse_layers(choice) if isinstance(choice, str) else choice


def layer_pairs(choice: LayerChoice) -> tuple[tuple[int | str, float | None], ...]:
    """The choice as a recipe keeps it: each layer and its weight, None where there are no weights."""
    choice = layers_of(choice)
    if isinstance(choice, Mapping):
        return tuple((plain_layer(layer), layer_weight(weight)) for layer, weight in choice.items())
    return tuple((plain_layer(layer), None) for layer in several(choice))


def layers_text(pairs: Sequence[tuple[int | str, float | None]]) -> str:
    """What `parse_layers` reads."""
    return ",".join(str(layer) if weight is None else f"{layer}:{weight!r}" for layer, weight in pairs)


def several(choice: Any) -> list[Any]:
    """The layers of a choice without weights, one or many."""
    return [choice] if isinstance(choice, str) or not isinstance(choice, Iterable) else list(choice)


def parse_layers(spec: str) -> LayerChoice:
    """`first,last`, `1,6`, `1+6` as sweeps write it, `-1`, or with weights `1:0.3,12:0.7`."""
    plus = spec if ":" in spec else spec.replace("+", ",")  # 1e+05 is a weight
    parts = [part.strip() for part in plus.split(",")]
    if any(":" in part for part in parts):
        pairs = [part.partition(":") for part in parts]
        weights = {_parse_layer(layer, spec): _parse_weight(weight, spec) for layer, _, weight in pairs}
        if len(weights) < len(pairs):
            raise InputError(f"can't read the layers {spec!r}: a layer is named twice")
        return weights
    return tuple(_parse_layer(part, spec) for part in parts)


def _parse_layer(part: str, spec: str) -> int | str:
    if part in ("first", "last"):
        return part
    try:
        return int(part)
    except ValueError:
        raise InputError(f"can't read the layers {spec!r}: {part!r} is not a number, 'first' or 'last'") from None


def _parse_weight(part: str, spec: str) -> float:
    try:
        return float(part)
    except ValueError:
        raise InputError(f"can't read the layers {spec!r}: {part!r} is not a weight; write 1:0.3,12:0.7") from None


def plain_layer(layer: Any) -> int | str:
    """A layer as it is written down: a number, "first" or "last"."""
    if isinstance(layer, str) and layer in ("first", "last"):
        return layer
    if isinstance(layer, bool) or not isinstance(layer, (int, np.integer)):
        raise InputError(f"layer {layer!r} is not a number, 'first' or 'last'")
    return int(layer)


def layer_weight(value: Any) -> float:
    """How much of a layer."""
    try:
        weight = float(value)
    except (TypeError, ValueError):
        raise InputError(f"layer weight {value!r} is not a number") from None
    if not abs(weight) < float("inf"):
        raise InputError(f"layer weight {value!r} is not finite")
    return weight


def _number(layer: Any, encoder: Encoder, choice: LayerChoice) -> int:
    plain = plain_layer(layer)
    if isinstance(plain, int):
        number = plain
    else:
        number = encoder.n_layers if plain == "last" else min(max(1, encoder.first_layer), encoder.n_layers)
    if not encoder.first_layer <= number <= encoder.n_layers:
        _refuse_others(choice, encoder)
        raise InputError(
            f"layer {number} is out of range: this encoder has {encoder.first_layer} to {encoder.n_layers}"
        )
    return number


def _refuse_others(choice: LayerChoice, encoder: Encoder) -> None:
    """Says what to write where there is one layer alone, and why; nothing where there are several."""
    if encoder.first_layer == encoder.n_layers:
        setting = encoder.made_one_layer_by
        alone = f"{encoder!r} has one layer alone" if setting is None else f"{setting!r} makes one layer of several"
        given = layers_text(layer_pairs(choice))
        raise InputError(f"can't take the layers {given}: {alone}; write last in their place")
