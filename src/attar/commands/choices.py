"""The options that describe an embedder, shared by the commands that make one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attar.errors import InputError

if TYPE_CHECKING:
    from attar.embedder import Embedder

_OPTIONS = [
    click.option("--recipe", metavar="FOLDER|NAME", help="A saved recipe, or a named one (see `attar recipes`)."),
    click.option("--model", metavar="DIR|NAME", help="A model folder or hub name. Default: the embedded MiniLM."),
    click.option("--layers", metavar="LIST", help="first,last or 1,6 or -1 or with weights 1:0.3,6:0.7."),
    click.option("--template", metavar="NAME|TEXT", help="T0 to T4, or words with one [X] and any [MASK]."),
    click.option(
        "--weights", metavar="NAME", help="mean, idf, debiased, mask, first, last or sif; mean+specials counts [CLS]."
    ),
    click.option("--shape", metavar="LIST", help="center zscore robust quantile quantile-normal whiten abtt:2 unit."),
    click.option("--max-tokens", type=int, metavar="N", help="Cut texts at N tokens instead of at the model's limit."),
    click.option("--windows", type=int, metavar="N", help="Do not cut: average windows that share N tokens."),
    click.option(
        "--threads",
        type=click.IntRange(min=1),
        metavar="N",
        help="Cores a transformer may use. Default: all there are.",
    ),
    click.option(
        "--precision",
        type=click.Choice(["float32", "float64", "int8"]),
        help="What a transformer computes in. int8: faster, less exact. float64: slow, exact. Default: float32.",
    ),
    click.option("--column", metavar="NAME", help="The column of texts in .csv, .tsv, .jsonl or .parquet."),
]


@dataclass(frozen=True)
class Choices:
    """What the user asked for."""

    recipe: str | None
    model: str | None
    layers: str | None
    template: str | None
    weights: str | None
    shape: str | None
    max_tokens: int | None
    windows: int | None
    threads: int | None
    precision: str | None
    column: str | None

    def about(self, *, recipe: str | None = None, model: str | None = None) -> Choices:
        """The same, of this recipe or model."""
        for name, given in (("recipe", recipe), ("model", model)):
            if given is not None and getattr(self, name) is not None:
                raise InputError(f"{given!r} and --{name} {getattr(self, name)!r} name it twice; give one of them")
        return replace(self, recipe=recipe or self.recipe, model=model or self.model)

    def embedder(self, background: bool = False) -> Embedder:
        """The embedder they describe: fitted if it is a saved recipe's, else new."""
        made = self._embedder(background)
        made.encoder = made.encoder_.configured(threads=self.threads, precision=self.precision)
        return made

    def _embedder(self, background: bool) -> Embedder:
        from attar import shapers, weights
        from attar.embedder import Embedder
        from attar.encoders.opening import open_encoder
        from attar.layers import parse_layers
        from attar.persist import is_saved, moved_encoder

        if self.recipe is not None and is_saved(self.recipe):
            self._refuse_changes(self.recipe)
            return Embedder.load(self.recipe, encoder=moved_encoder(Path(self.recipe), self.model))
        encoder = open_encoder(self.model, self.template, self.max_tokens, self.windows)
        made = Embedder.from_recipe(self.recipe or "plain", encoder)
        if self.layers is not None:
            made.layers = parse_layers(self.layers)
        if self.weights is not None:
            made.weights = weights.parse(self.weights)
        elif self.recipe is None:
            made.weights = weights.parse(encoder.usual_weights)
        if self.shape is not None:
            made.shapers = shapers.parse(self.shape)
        if background:
            _learn_from_background(made)
        return made

    def _refuse_changes(self, recipe: str) -> None:
        given = [
            n
            for n in ("layers", "template", "weights", "shape", "max_tokens", "windows")
            if getattr(self, n) is not None
        ]
        if given:
            flags = ", ".join("--" + n.replace("_", "-") for n in given)
            raise InputError(f"the saved recipe {recipe!r} is fitted and can't be changed by {flags}; fit a new one")


def _learn_from_background(embedder: Embedder) -> None:
    """A background corpus is for the parts marked @background; if none is, all parts learn from it."""
    parts: list[Any] = [embedder.weights, *embedder.shapers]
    learning = [part for part in parts if "on" in part.get_params()]
    if not any(part.on == "background" for part in learning):
        for part in learning:
            part.set_params(on="background")


def embedder_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options; the command gets them as one `choices`."""
    names = list(Choices.__dataclass_fields__)

    def gathered(**given: Any) -> Any:
        choices = Choices(**{name: given.pop(name) for name in names})
        return command(choices=choices, **given)

    gathered.__doc__ = command.__doc__
    gathered.__name__ = command.__name__
    wrapped: Callable[..., Any] = gathered
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped
