"""Recipe: what an embedder does, as plain data: JSON in, JSON out, and an id that is its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from attar import poolings, shapers, weights
from attar.checkpoints import default
from attar.encoders.mix import Mix
from attar.encoders.opening import encoder_of, open_encoder
from attar.encoders.table import Table
from attar.encoders.transformer import Transformer
from attar.encoders.wrappers import WRAPPERS
from attar.errors import InputError, RecipeError, unknown_name
from attar.layers import LayerChoice, layer_pairs, layers_text, resolve_layers
from attar.recipe.checked import component, corpus, expect, layer
from attar.recipe.component import Component
from attar.recipe.fitted_on import FittedOn
from attar.recipe.text import MARK, NONE, check_setting, join_fields, read_mix, read_value, split_text, write_value
from attar.tokens.templates import Template
from attar.types import Encoder

FORMAT = 1
AVERAGE = "average"  # the type of a side that is still to be made: the static table of the other one
POOLING = "pooling"  # the setting of an encoder around another, with a pooling of its own
BY_NAME = "named"  # the type of an encoder of which only the name is known


@dataclass(frozen=True)
class Recipe:
    """What an embedder does, as plain data. `str` of it is its text form, which `parse` reads.

    Parameters
    ----------
    encoder : mapping
        The description of the encoder, as its `spec` gives it.
    layers : tuple of (layer, weight)
        Layers are numbers, "first" or "last"; weights are None where all layers count the same.
    weights : Component
        The token weights.
    shapers : tuple of Component
        The shapers, in order.
    fitted_on : FittedOn, optional
        The texts that it was fitted on, if it was.

    Examples
    --------
    >>> Recipe.parse("default | none | first,last | idf | zscore,unit").shape
    'zscore,unit'
    """

    encoder: Mapping[str, Any]
    layers: tuple[tuple[int | str, float | None], ...]  # (layer, weight); no weights: all the same
    weights: Component
    shapers: tuple[Component, ...] = ()
    fitted_on: FittedOn | None = None

    @classmethod
    def of(
        cls, encoder: Encoder, layers: LayerChoice, weighting: Any, shaping: Sequence[Any], fitted_on: FittedOn | None
    ) -> Self:
        """The recipe of the parts of an embedder.

        Parameters
        ----------
        encoder : Encoder
            The encoder.
        layers : layers
            A number, "first", "last", several of them, or a mapping to weights.
        weighting : Weighting
            The token weights.
        shaping : sequence of shapers
            The shapers, in order.
        fitted_on : FittedOn or None
            The texts that the parts were fitted on.

        Returns
        -------
        Recipe
            A description of them, without what they learned.
        """
        parts = tuple(Component.of(shaper) for shaper in shaping)
        return cls(encoder.spec(), layer_pairs(layers), Component.of(weighting), parts, fitted_on)

    @classmethod
    def named(cls, name: str) -> Self:
        """One of the recipes that follow the paper's findings; see `attar recipes`.

        Parameters
        ----------
        name : str
            "plain", "similarity", "clustering" or "classification".

        Returns
        -------
        Recipe
            With the embedded default model.

        Raises
        ------
        InputError
            If the name is unknown.
        """
        if name not in NAMED:
            raise unknown_name("recipe", name, NAMED)
        return cls.parse(NAMED[name][0])

    @classmethod
    def named_for(cls, name: str, encoder: Encoder) -> Self:
        """What the name of a recipe stands for with an encoder.

        The named recipes are for raw models. One that was tuned for sentences loses by them, so for it "plain" and
        "classification" stand for its plain mean, or for the token that it was tuned with, and all other names for the
        same at length 1.

        Parameters
        ----------
        name : str
            As of `named`.
        encoder : Encoder
            The encoder that it is to be used with; the recipe itself names the embedded default model.

        Returns
        -------
        Recipe
            With the embedded default model.

        Raises
        ------
        InputError
            If the name is unknown.
        """
        found = cls.named_when(name, tuned=encoder.tuned_for_sentences)
        own = encoder.tuned_weights
        return found if own == "mean" else replace(found, weights=Component.of(weights.parse(own)))

    @classmethod
    def named_when(cls, name: str, *, tuned: bool) -> Self:
        """What the name of a recipe stands for with an encoder of which only this is known.

        Parameters
        ----------
        name : str
            As of `named`.
        tuned : bool
            Whether the encoder was tuned for sentences.

        Returns
        -------
        Recipe
            As `named_for` gives it with such an encoder.

        Raises
        ------
        InputError
            If the name is unknown.
        """
        found = cls.named(name)
        if name == "plain" or not tuned:
            return found
        return cls.named("plain") if name == "classification" else cls.parse(TUNED)

    @classmethod
    def parse(cls, text: str) -> Self:
        """The recipe that a text form or the name of a recipe stands for.

        Parameters
        ----------
        text
            `MODEL | TEMPLATE | LAYERS | WEIGHTS | SHAPERS | SETTING ...`, such as
            `bert-base-uncased | T4 | first,last | idf | abtt:1,unit | mix 0.5`; see `attar.recipe.text`. Without a `|`
            it is the name of a recipe, such as `similarity`.

        Returns
        -------
        Recipe
            `str` of it is the text form again; nothing is loaded yet.

        Raises
        ------
        InputError
            If a field can't be read.
        ModelError
            If the model is a folder that is not there.
        """
        if MARK not in text:
            return cls.named(text.strip())
        (model, template, *rest), settings = split_text(text)
        mix = settings.pop("mix", None)
        around = {
            w.setting: settings.pop(w.shown_setting()) for w in WRAPPERS.values() if w.shown_setting() in settings
        }
        encoder = _described(model, None if template == NONE else template)
        allowed = [key.replace("_", "-") for key in encoder if key not in ("type", "model", "template")]
        for name, value in settings.items():
            encoder[check_setting(name, allowed, text)] = read_value(value)
        made = cls._of_texts(encoder, *rest)
        for setting, value in around.items():
            if len(around) > 1:
                raise InputError(f"the recipe {text!r} asks for {' and '.join(around)}; only one of them is possible")
            made = made.pooled(value) if setting == POOLING else made._with_side(made._side, (setting, value))
        return made if mix is None else made.mixed(*read_mix(mix, text))

    @classmethod
    def of_fields(cls, model: str, template: str, layers: str, weighting: str, shape: str, mix: float) -> Self:
        """A recipe from the columns of a table; nothing is looked up.

        Parameters
        ----------
        model : str
            The name of a transformer, taken as it is.
        template : str
            The name or text of a template, or "none".
        layers : str
            Layers as text, such as "first,last".
        weighting : str
            Token weights as text, such as "idf".
        shape : str
            Shapers as text, such as "zscore,unit", or "none".
        mix : float
            The weight of Avg.

        Returns
        -------
        Recipe
            With the default settings of a transformer.
        """
        text = None if template == NONE else Template.parse(template).text
        made = cls._of_texts(Transformer().spec() | {"model": model, "template": text}, layers, weighting, shape)
        return made.mixed(mix) if mix else made

    @classmethod
    def _of_texts(cls, encoder: Mapping[str, Any], layers: str, weighting: str, shape: str) -> Self:
        parts = tuple(Component.of(shaper) for shaper in shapers.parse(shape))
        return cls(encoder, layer_pairs(layers), Component.of(weights.parse(weighting)), parts)

    def __str__(self) -> str:
        """The text form, which `parse` reads."""
        return join_fields([*self.fields[:5], *self._settings()])

    def __hash__(self) -> int:
        return hash(self.fields)

    @property
    def fields(self) -> tuple[str, str, str, str, str, float]:
        """Model, template, layers, weights and shapers as in the text form, and the weight of Avg."""
        template = NONE if self.template is None else self.template.name
        return self.model, template, layers_text(self.layers), self.weights.text, self.shape, self.mix

    @property
    def model(self) -> str:
        """The name that opens the model; of one without a name, what it is and a hash in brackets."""
        spec = self._side
        label = f"({spec.get('type')} {hashlib.sha256(canonical(dict(spec)).encode()).hexdigest()[:12]})"
        return str(spec.get("model", label))

    @property
    def template(self) -> Template | None:
        """The words around each text."""
        text = self._side.get("template")
        return None if text is None else Template(text)

    @property
    def shape(self) -> str:
        """The shapers as text."""
        return ",".join(part.text for part in self.shapers) or NONE

    @property
    def mix(self) -> float:
        """The weight of what is mixed with the model; 0 where nothing is."""
        return float(self.encoder["w"]) if self._is_mix else 0.0

    def mixed(self, w: float, name: str | None = None) -> Self:
        """The same recipe with its model mixed with a static one.

        Parameters
        ----------
        w : float
            The weight of the static model; the transformer has 1 - w.
        name : str, optional
            What opens the static model; without it, Avg. of the model itself.

        Returns
        -------
        Recipe
            With another encoder.
        """
        other = {"type": AVERAGE} if name is None else {"type": BY_NAME, "model": name}
        return replace(self, encoder={"type": "mix", "w": float(w), "a": dict(self._wrapped_side), "b": other})

    @property
    def pooling(self) -> str | None:
        """How token vectors are pooled, as text; None for the weighted mean."""
        return self.wrapping[1] if self.wrapping is not None and self.wrapping[0] == POOLING else None

    @property
    def wrapping(self) -> tuple[str, str] | None:
        """What stands around the model, a setting and its value: a pooling, layers side by side; None for nothing."""
        wrapper = WRAPPERS.get(str(self._wrapped_side.get("type")))
        return None if wrapper is None else (wrapper.setting, str(self._wrapped_side[wrapper.setting]))

    def pooled(self, pooling: str | None) -> Self:
        """The same recipe with another pooling of its model.

        Parameters
        ----------
        pooling : str or None
            Poolings as text, such as "max" or "mean,max"; "mean" and None for the weighted mean.

        Returns
        -------
        Recipe
            With another encoder.

        Raises
        ------
        InputError
            If the pooling can't be read.
        """
        text = None if pooling is None else poolings.text(poolings.parse(pooling))
        return self._with_side(self._side, None if text in (None, "mean") else (POOLING, text))

    def on_model(self, model: str) -> Self:
        """The same recipe with another model; template and settings stay.

        Parameters
        ----------
        model : str
            What opens the model: a folder, a hub name and others; see `open_encoder`.

        Returns
        -------
        Recipe
            With another encoder.

        Raises
        ------
        InputError
            If the model has no name or does not take the template.
        ModelError
            If there is no such model.
        """
        made = _described(model, None if self.template is None else self.template.text)
        made |= {key: self._side[key] for key in ("max_tokens", "windows", "precision") if key in made}
        return self._with_side(made, self.wrapping)

    def opened_by(self, name: str | None) -> Self:
        """The same recipe with a name that opens its model, where the description alone does not.

        Parameters
        ----------
        name : str or None
            What opens the model; None changes nothing.

        Returns
        -------
        Recipe
            With another encoder, or itself.
        """
        if name is None or "model" in self._side:
            return self
        return self._with_side({"type": BY_NAME, "model": name}, self.wrapping)

    def with_settings(self, **settings: Any) -> Self:
        """The same recipe with other settings of its transformer.

        Parameters
        ----------
        **settings : object
            template, max_tokens, windows or others that `Transformer` takes.

        Returns
        -------
        Recipe
            With another encoder.

        Raises
        ------
        InputError
            If the model is not a transformer.
        """
        if self._side.get("type") != "transformer":
            name = next(iter(settings)).replace("_", "-")
            raise InputError(f"--{name} is for transformers; {self.model!r} is not a transformer")
        return self._with_side({**self._side, **settings}, self.wrapping)

    def learning_from_background(self) -> Self:
        """The same recipe for use with a background corpus.

        The corpus is for the parts marked @background; where none is, all parts learn from it.

        Returns
        -------
        Recipe
            Itself, or one with all parts marked.
        """
        parts = (self.weights, *self.shapers)
        if any(part.params.get("on") == "background" for part in parts):
            return self
        weighting, *shaping = (part.on_background() for part in parts)
        return replace(self, weights=weighting, shapers=tuple(shaping))

    @property
    def _is_mix(self) -> bool:
        return self.encoder.get("type") == "mix"

    @property
    def _wrapped_side(self) -> Mapping[str, Any]:
        """The description of the model with what stands around it, mixed or not."""
        side: Mapping[str, Any] = self.encoder["a"] if self._is_mix else self.encoder
        return side

    @property
    def _side(self) -> Mapping[str, Any]:
        """The description of the model itself, whatever stands around it and whatever it is mixed with."""
        side = self._wrapped_side
        model: Mapping[str, Any] = side["encoder"] if side.get("type") in WRAPPERS else side
        return model

    def _with_side(self, side: Mapping[str, Any], wrapping: tuple[str, str] | None) -> Self:
        """The same recipe with another model."""
        made = dict(side)
        if wrapping is not None:
            setting, value = wrapping
            kind = next(kind for kind, wrapper in WRAPPERS.items() if wrapper.setting == setting)
            made = {"type": kind, setting: value, "encoder": made}
        return replace(self, encoder={**self.encoder, "a": made} if self._is_mix else made)

    def _settings(self) -> Iterator[str]:
        if self.wrapping is not None:
            setting, value = self.wrapping
            yield f"{setting.replace('_', '-')} {value}"
        if self._is_mix:
            other = self.encoder["b"]
            label = "" if other.get("type") == AVERAGE else f" with {replace(self, encoder=other).model}"
            yield f"mix {self.mix!r}{label}"
        if self._side.get("type") == "transformer":
            for name, usual in Transformer().spec().items():
                if name not in ("type", "model", "template") and self._side.get(name, usual) != usual:
                    yield f"{name.replace('_', '-')} {write_value(self._side[name])}"

    @property
    def is_unit(self) -> bool:
        """Whether its vectors are of length 1, so that inner products are cosines."""
        return bool(self.shapers) and self.shapers[-1].name == "Unit"

    @property
    def layer_choice(self) -> LayerChoice:
        if any(weight is not None for _, weight in self.layers):
            return {layer: 1.0 if weight is None else weight for layer, weight in self.layers}
        return tuple(layer for layer, _ in self.layers)

    @property
    def id(self) -> str:
        """The same for the same recipe, whatever it was fitted on."""
        return hashlib.sha256(canonical(replace(self, fitted_on=None).to_json()).encode()).hexdigest()[:16]

    @property
    def revision(self) -> str:
        """The same for the same recipe fitted on the same texts."""
        fitted = self.fitted_on
        corpora = [] if fitted is None else [c.sha256[:16] for c in (fitted.target, fitted.background) if c is not None]
        return "-".join([self.id, *corpora])

    def make_encoder(self, background: Sequence[str] | None = None) -> Encoder:
        """Open the encoder that the recipe describes.

        Parameters
        ----------
        background : sequence of str, optional
            The corpus that Avg. is made from, where the recipe mixes it in.

        Returns
        -------
        Encoder
            A new one; models are loaded on first use.

        Raises
        ------
        InputError
            If it mixes the model with Avg. and there is no background corpus.
        ModelError
            If the model can't be found or read.
        """
        if not self._is_mix or self.encoder["b"].get("type") not in (AVERAGE, BY_NAME):
            return _opened(self.encoder)
        model = _opened(self._wrapped_side)
        if self.encoder["b"]["type"] == BY_NAME:
            return Mix(model, _opened(self.encoder["b"]), self.mix)
        if background is None:
            raise InputError(
                f"{str(self)!r} mixes the model with Avg., its static table, which is made from a background corpus: "
                "give one (--background FILE)"
            )
        numbers, _ = resolve_layers(self.layer_choice, model)
        averaged = model if model.pools_linearly else _opened(self._side)
        if averaged.n_layers != model.n_layers:
            raise InputError(f"{str(self)!r} can't be mixed with Avg., which has each layer for itself")
        return Mix(model, Table.average(averaged.with_template(None), background, numbers), self.mix)

    def make_weights(self) -> Any:
        """New, unfitted token weights as the recipe describes them."""
        return self.weights.make(weights.CLASSES, "weights")

    def make_shapers(self) -> list[Any]:
        """New, unfitted shapers as the recipe describes them."""
        return [part.make(shapers.CLASSES, "shaper") for part in self.shapers]

    def to_json(self) -> dict[str, Any]:
        """The recipe as JSON values, which `from_json` reads."""
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
        """Read what `to_json` wrote.

        Parameters
        ----------
        data : object
            JSON values.

        Returns
        -------
        Recipe
            Equal to the one that was written.

        Raises
        ------
        RecipeError
            If it is anything that `to_json` would not have written.
        """
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            given = data.get("format") if isinstance(data, dict) else type(data).__name__
            raise RecipeError(
                f"not a recipe of format {FORMAT}: {given!r}; it was written by another version or altered"
            )
        try:
            fitted = None if data["fitted_on"] is None else expect(dict, data["fitted_on"], "fitted_on")
            return cls(
                encoder=expect(dict, data["encoder"], "encoder"),
                layers=tuple(layer(pair) for pair in expect(list, data["layers"], "layers")),
                weights=component(data["weights"]),
                shapers=tuple(component(part) for part in expect(list, data["shapers"], "shapers")),
                fitted_on=None if fitted is None else FittedOn(*(corpus(fitted[k]) for k in ("target", "background"))),
            )
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, RecipeError):
                raise
            raise RecipeError(f"the recipe is damaged: {type(error).__name__} {error}") from None


# name: (text form, when to take it)
NAMED: dict[str, tuple[str, str]] = {
    "plain": (
        "default | none | last | mean | none",
        "the baseline: mean of the last layer; often best for a model tuned for sentences",
    ),
    "similarity": ("default | none | first,last | idf | zscore,unit", "search, deduplication, ranking by cosine"),
    "clustering": ("default | none | first,last | debiased | unit", "k-means and other clustering"),
    "classification": ("default | none | first,last | mean | none", "a linear classifier on top"),
    "prompt": ("default | knowledge | last | answer | zscore,unit", "a causal language model: give it with --model"),
    "prompts": (
        "default | cot+knowledge | last | answer | zscore,unit",
        "the same with two prompts averaged, at twice the work",
    ),
}

TUNED = "default | none | last | mean | unit"  # what names stand for where the model was tuned


def canonical(data: Any) -> str:
    """JSON in the one form that hashes are taken of.

    Parameters
    ----------
    data : object
        Anything that JSON can hold.

    Returns
    -------
    str
        Keys sorted, no spaces.
    """
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def _described(model: str, template: str | None) -> dict[str, Any]:
    """What opens the model: all about a transformer, of anything else its name."""
    if model.startswith("("):
        raise InputError(f"the model {model!r} has no name to open it by; load the folder of its recipe instead")
    encoder = open_encoder(None if model == default.NAME else model, template)
    return encoder.spec() if encoder.kind == "transformer" else {"type": BY_NAME, "model": model}


def _opened(spec: Mapping[str, Any]) -> Encoder:
    wrapper = WRAPPERS.get(str(spec.get("type")))
    if wrapper is not None:
        return wrapper(_opened(spec["encoder"]), str(spec[wrapper.setting]))
    return open_encoder(str(spec["model"])) if spec.get("type") == BY_NAME else encoder_of(spec)
