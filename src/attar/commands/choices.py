"""The options that describe an embedder, shared by the commands that make one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attar.commands.gathered import gathered
from attar.commands.running import Running, running_options
from attar.errors import InputError

if TYPE_CHECKING:
    from attar.embedder import Embedder
    from attar.recipe import Recipe


class TableOption(click.Option):
    """An option whose help lists the members of a table, which is imported only when help is shown.

    `table` is "module:NAME" of a mapping from names to lines that have a `help`; in the help of the option, {names}
    stands for the names alone and {members} for each name with its own help.
    """

    def __init__(self, *args: Any, table: str, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.table = table

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        module, _, name = self.table.partition(":")
        table = getattr(import_module(module), name)
        members = "; ".join(f"{key}: {line.help}" for key, line in table.items())
        self.help = (self.help or "").replace("{names}", ", ".join(table)).replace("{members}", members)
        return super().get_help_record(ctx)


_OPTIONS = [
    click.option(
        "--recipe",
        metavar="FOLDER|NAME|TEXT",
        help="A saved recipe, a named one (see `attar recipes`), or one as text: 'MODEL | T4 | first,last | idf'.",
    ),
    click.option(
        "--model", metavar="DIR|NAME", help="A model folder, GGUF file or hub name. Default: the embedded MiniLM."
    ),
    click.option("--layers", metavar="LIST", help="first,last or 1,6 (also 1+6) or -1 or with weights 1:0.3,6:0.7."),
    click.option(
        "--template",
        metavar="NAME|TEXT",
        help="T0 to T4; eol, cot, knowledge, echo, meta, cot+knowledge; or own words with [X].",
    ),
    click.option(
        "--weights",
        metavar="NAME",
        cls=TableOption,
        table="attar.weights:MEMBERS",
        help="How tokens count: {names}. mean+specials counts [CLS], idf@background learns from --background, "
        "sif+english and usif+english take the frequencies of English words (pip install 'attar[english]').",
    ),
    click.option(
        "--shape",
        metavar="LIST",
        cls=TableOption,
        table="attar.shapers:MEMBERS",
        help="What vectors go through, with commas between: {names}.",
    ),
    click.option(
        "--pooling",
        metavar="LIST",
        cls=TableOption,
        table="attar.poolings:MEMBERS",
        help="In place of the weighted mean of token vectors: {names}. Several, with commas, stand side by side.",
    ),
    click.option("--max-tokens", type=int, metavar="N", help="Cut texts at N tokens instead of at the model's limit."),
    click.option("--windows", type=int, metavar="N", help="Do not cut: average windows that share N tokens."),
]


@dataclass(frozen=True)
class Choices:
    """A recipe, and the options that change it."""

    recipe: str | None
    model: str | None
    layers: str | None
    template: str | None
    weights: str | None
    shape: str | None
    pooling: str | None
    max_tokens: int | None
    windows: int | None
    running: Running

    def about(self, *, recipe: str | None = None, model: str | None = None) -> Choices:
        """The same, of this recipe or model."""
        for name, given in (("recipe", recipe), ("model", model)):
            if given is not None and getattr(self, name) is not None:
                raise InputError(f"{given!r} and --{name} {getattr(self, name)!r} name it twice; give one of them")
        return replace(self, recipe=recipe or self.recipe, model=model or self.model)

    def embedder(self, background: Sequence[str] | None = None) -> Embedder:
        """The embedder they describe: fitted if it is a saved recipe's, else new.

        What learns from a background corpus does so where there is one; Avg. is made from it.
        """
        made = self._embedder(background)
        made.encoder = self.running.of(made.encoder_)
        return made

    def _embedder(self, background: Sequence[str] | None) -> Embedder:
        from attar.embedder import Embedder, open_embedder
        from attar.persist import find_recipe
        from attar.recipe import Component
        from attar.weights import parse as parse_weights

        found = find_recipe(self.recipe or "plain", self.model)
        if isinstance(found, Path):
            self._refuse_changes(str(self.recipe))
            return open_embedder(str(self.recipe), self.model)
        recipe = self._changed(found)
        encoder = recipe.make_encoder(background)
        if self.recipe is None and self.weights is None:
            recipe = replace(recipe, weights=Component.of(parse_weights(encoder.usual_weights)))
        if background is not None:
            recipe = recipe.learning_from_background()
        return Embedder.from_recipe(recipe, encoder)

    def _changed(self, recipe: Recipe) -> Recipe:
        """The recipe with what other options say in place of its own."""
        from attar.layers import layer_pairs
        from attar.recipe import Component
        from attar.shapers import parse as parse_shapers
        from attar.tokens.templates import Template
        from attar.weights import parse as parse_weights

        if self.model is not None:
            recipe = recipe.on_model(self.model)
        template = None if self.template is None else Template.parse(self.template)
        settings = {"template": template and template.text, "max_tokens": self.max_tokens, "windows": self.windows}
        given = {name: value for name, value in settings.items() if value is not None}
        if given:
            recipe = recipe.with_settings(**given)
        if self.layers is not None:
            recipe = replace(recipe, layers=layer_pairs(self.layers))
        if self.weights is not None:
            recipe = replace(recipe, weights=Component.of(parse_weights(self.weights)))
        if self.shape is not None:
            recipe = replace(recipe, shapers=tuple(map(Component.of, parse_shapers(self.shape))))
        if self.pooling is not None:
            recipe = recipe.pooled(self.pooling)
        return recipe

    def _refuse_changes(self, recipe: str) -> None:
        given = [
            n
            for n in ("layers", "template", "weights", "shape", "pooling", "max_tokens", "windows")
            if getattr(self, n) is not None
        ]
        if given:
            flags = ", ".join("--" + n.replace("_", "-") for n in given)
            raise InputError(f"the saved recipe {recipe!r} is fitted and can't be changed by {flags}; fit a new one")


def embedder_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options; the command gets them as one `choices`."""
    return gathered(command, [*_OPTIONS, running_options], "choices", Choices)
