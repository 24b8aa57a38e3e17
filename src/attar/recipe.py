"""Recipe: what an embedder does, as plain data: JSON in, JSON out, and an id that is its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

import numpy as np

from attar import shapers, weights
from attar.encoders.opening import encoder_of
from attar.encoders.transformer import Transformer
from attar.errors import InputError, RecipeError, unknown_name
from attar.layers import LayerChoice, layer_weight, plain_layer, several
from attar.types import Encoder

FORMAT = 1
_SHAPERS = {
    shaper.__name__: shaper
    for shaper in (
        shapers.Center,
        shapers.ZScore,
        shapers.Robust,
        shapers.Quantile,
        shapers.Whiten,
        shapers.AllButTheTop,
        shapers.Unit,
    )
}


@dataclass(frozen=True)
class Sampled:
    """How quantiles were found where there are too many vectors to sort, and how far their ranks may be off."""

    how: str
    rows: int  # that were looked at
    of: int
    rank_error: float  # a share of the rows, not exceeded with this confidence
    confidence: float


@dataclass(frozen=True)
class Corpus:
    """Which texts something was fitted on: how many, and a hash of them in order; whether quantiles are estimates."""

    texts: int
    sha256: str
    sampled: Sampled | None = None

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self:
        digest = hashlib.sha256()
        for text in texts:
            digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
        return cls(len(texts), digest.hexdigest())

    def then(self, other: Corpus) -> Corpus:
        """This one and more texts after it."""
        return Corpus(self.texts + other.texts, hashlib.sha256((self.sha256 + other.sha256).encode()).hexdigest())


@dataclass(frozen=True)
class FittedOn:
    """The texts that were embedded or stand for them, and the background corpus."""

    target: Corpus | None = None
    background: Corpus | None = None

    def with_target(self, texts: Sequence[str]) -> FittedOn:
        seen = Corpus.of(texts)
        return replace(self, target=seen if self.target is None else self.target.then(seen))

    def with_background(self, texts: Sequence[str] | None) -> FittedOn:
        return self if texts is None else replace(self, background=Corpus.of(texts))


@dataclass(frozen=True)
class Part:
    """A weighting or a shaper: its class and its parameters."""

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, estimator: Any) -> Self:
        given = estimator.get_params(deep=False)
        params = {name: value.item() if isinstance(value, np.generic) else value for name, value in given.items()}
        try:
            json.dumps(params)
        except TypeError:
            raise RecipeError(f"{type(estimator).__name__} has parameters that JSON can't hold: {params!r}") from None
        return cls(type(estimator).__name__, params)

    def make(self, classes: Mapping[str, type], kind: str) -> Any:
        if self.name not in classes:
            raise RecipeError(str(unknown_name(kind, self.name, classes)))
        try:
            made = classes[self.name](**self.params)
            made.check_params()
        except (TypeError, InputError) as error:
            raise RecipeError(f"{self.name} can't be made from {dict(self.params)!r}: {error}") from None
        return made


@dataclass(frozen=True)
class Recipe:
    """Encoder, layers, weights and shapers, and what they were fitted on."""

    encoder: Mapping[str, Any]
    layers: tuple[tuple[int | str, float | None], ...]  # (layer, weight); no weights: all the same
    weights: Part
    shapers: tuple[Part, ...] = ()
    fitted_on: FittedOn | None = None

    @classmethod
    def of(
        cls, encoder: Encoder, layers: LayerChoice, weighting: Any, shaping: Sequence[Any], fitted_on: FittedOn | None
    ) -> Self:
        """Of the parts of an embedder."""
        if isinstance(layers, Mapping):
            pairs: list[tuple[int | str, float | None]] = [(plain_layer(k), layer_weight(v)) for k, v in layers.items()]
        else:
            pairs = [(plain_layer(k), None) for k in several(layers)]
        return cls(encoder.spec(), tuple(pairs), Part.of(weighting), tuple(Part.of(s) for s in shaping), fitted_on)

    @classmethod
    def named(cls, name: str) -> Self:
        """One of the recipes that the paper's findings give; see `attar recipes`."""
        if name not in NAMED:
            raise unknown_name("recipe", name, NAMED)
        layers, weighting, shape, _ = NAMED[name]
        return cls.of(Transformer(), layers, weights.parse(weighting), shapers.parse(shape), None)

    @property
    def layer_choice(self) -> LayerChoice:
        if any(weight is not None for _, weight in self.layers):
            return {layer: 1.0 if weight is None else weight for layer, weight in self.layers}
        return tuple(layer for layer, _ in self.layers)

    @property
    def id(self) -> str:
        """The same for the same recipe, whatever it was fitted on."""
        return hashlib.sha256(canonical(replace(self, fitted_on=None).to_json()).encode()).hexdigest()[:16]

    def make_encoder(self) -> Encoder:
        return encoder_of(self.encoder)

    def make_weights(self) -> Any:
        return self.weights.make(weights.CLASSES, "weights")

    def make_shapers(self) -> list[Any]:
        return [part.make(_SHAPERS, "shaper") for part in self.shapers]

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "encoder": dict(self.encoder),
            "layers": [list(pair) for pair in self.layers],
            "weights": asdict(self.weights),
            "shapers": [asdict(part) for part in self.shapers],
            "fitted_on": asdict(self.fitted_on) if self.fitted_on is not None else None,
        }

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """Refuses whatever `to_json` would not have written."""
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            given = data.get("format") if isinstance(data, dict) else type(data).__name__
            raise RecipeError(
                f"not a recipe of format {FORMAT}: {given!r}; it was written by another version or altered"
            )
        try:
            fitted = data["fitted_on"]
            return cls(
                encoder=_expect(dict, data["encoder"], "encoder"),
                layers=tuple(_layer(pair) for pair in _expect(list, data["layers"], "layers")),
                weights=_part(data["weights"]),
                shapers=tuple(_part(part) for part in _expect(list, data["shapers"], "shapers")),
                fitted_on=None if fitted is None else FittedOn(*(_corpus(fitted[k]) for k in ("target", "background"))),
            )
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, RecipeError):
                raise
            raise RecipeError(f"the recipe is damaged: {type(error).__name__} {error}") from None


# name: layers, weights, shape, when to take it
NAMED: dict[str, tuple[LayerChoice, str, str, str]] = {
    "plain": (
        ("last",),
        "mean",
        "",
        "the baseline: mean of the last layer; often best for a model tuned for sentences",
    ),
    "similarity": (("first", "last"), "idf", "zscore,unit", "search, deduplication, ranking by cosine"),
    "clustering": (("first", "last"), "debiased", "unit", "k-means and other clustering"),
    "classification": (("first", "last"), "mean", "", "a linear classifier on top"),
    "prompt": (("last",), "answer", "zscore,unit", "causal language models; with --template cot, eol or knowledge"),
}


def canonical(data: Any) -> str:
    """JSON in the one form that hashes are taken of."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def _expect(kind: type, value: Any, what: str) -> Any:
    if not isinstance(value, kind):
        raise RecipeError(f"{what} of the recipe should be a {kind.__name__}; found {value!r}")
    return value


def _layer(pair: Any) -> tuple[int | str, float | None]:
    layer, weight = _expect(list, pair, "a layer")
    return plain_layer(layer), None if weight is None else layer_weight(weight)


def _corpus(data: Any) -> Corpus | None:
    if data is None:
        return None
    sampled = data.get("sampled")  # recipes of earlier versions do not have it
    return Corpus(
        _expect(int, data["texts"], "a number of texts"),
        _expect(str, data["sha256"], "a sha256"),
        None if sampled is None else Sampled(**_expect(dict, sampled, "an account of a sample")),
    )


def _part(data: Any) -> Part:
    _expect(dict, data, "a part")
    return Part(_expect(str, data["name"], "a name"), _expect(dict, data["params"], "parameters"))
