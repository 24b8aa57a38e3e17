"""Grid: which models, templates, layers, weights, shapers, Avg. weights and tasks to put together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from attar import poolings, shapers, weights
from attar.encoders.precision import PRECISIONS
from attar.errors import InputError, unknown_name
from attar.layers import layer_pairs, resolve_layers
from attar.recipe import Component, Recipe
from attar.recipe.text import NONE as NO_TEMPLATE
from attar.tokens.templates import Template
from attar.types import Encoder

EACH = "each"  # as a set of layers: every layer alone

Layers = tuple[int | str, ...]


@dataclass(frozen=True)
class Part:
    """One product of choices; all of its combinations are cells.

    Parameters
    ----------
    tasks : tuple of str
        Tasks, families, files or measures.
    templates : tuple of str
        Names or texts of templates; "none" for none.
    layers : tuple of tuples
        Sets of layers to average: numbers, "first", "last"; ("each",) stands for every layer alone.
    weights : tuple of str
        Token weights as text.
    shapes : tuple of tuples of str
        Chains of shapers as text.
    mix : tuple of float
        Weights of Avg.
    """

    tasks: tuple[str, ...]
    templates: tuple[str, ...] = (NO_TEMPLATE,)
    layers: tuple[Layers, ...] = (("first", "last"),)
    weights: tuple[str, ...] = ("mean",)
    shapes: tuple[tuple[str, ...], ...] = ((),)
    mix: tuple[float, ...] = (0.0,)

    def check(self) -> None:
        """Check every name before anything is computed.

        Raises
        ------
        InputError
            If a name is unknown, there is no task, or only weights of masks without a template that has masks.
        """
        for template in self.templates:
            template_of(template)
        for name in self.weights:
            weights.parse(name)
        if all(map(needs_masks, self.weights)) and not any(map(has_masks, self.templates)):
            raise InputError(
                f"weights {list(self.weights)} take the masks of a template, and templates {list(self.templates)} have "
                "none; add a template that has, such as 'T0', or other weights, such as 'mean'"
            )
        for shape in self.shapes:
            shapers.parse(",".join(shape))
        if not self.tasks:
            raise InputError('the grid names no tasks; write tasks = ["sts", "tweet"] or such')
        for w in self.mix:
            if not abs(w) < 100:
                raise InputError(f"mix = {w!r} is not a weight of Avg.; the paper goes from -1 to 1.25")

    def recipes(self, template: str, encoder: Encoder) -> Iterator[Recipe]:
        """The recipes of this part for one template and model, with layers as numbers.

        Parameters
        ----------
        template : str
            One of the grid's templates; one that is not in this part has no recipes.
        encoder : Encoder
            The model.

        Yields
        ------
        Recipe
            Each combination of layers, weights, shapers and mix; only those without Avg. where there can be none.
        """
        if template not in self.templates:
            return
        masked, spec = has_masks(template), encoder.spec()
        weighting = [Component.of(weights.parse(name)) for name in self.weights if masked or not needs_masks(name)]
        chains = [tuple(map(Component.of, shapers.parse(",".join(shape)))) for shape in self.shapes]
        mixes = self.mix if takes_average(encoder) else tuple(w for w in self.mix if w == 0)
        for layers, weigh, chain, w in product(layer_sets(self.layers, encoder), weighting, chains, mixes):
            recipe = Recipe(spec, layer_pairs(layers), weigh, chain)
            yield recipe.mixed(w) if w else recipe


@dataclass(frozen=True)
class Grid:
    """Parts, and what all of them share.

    Parameters
    ----------
    parts : tuple of Part
        Products of choices; their cells are put together.
    models : tuple of str or None
        Models as `open_encoder` opens them; None is the embedded default.
    rows : int, optional
        At most so many rows of each task; None for all.
    runs : int
        Runs of k-means.
    background_texts : int, optional
        How many background texts go through the model, for shapers fitted on them and for isoscore; None for all.
    average_texts : int, optional
        How many background texts Avg. is made from; None for all.
    poolings : tuple of str
        Poolings as text; "mean" is the usual one. Each other one makes a model of its own, with a pass of its own.
    precision : str, optional
        What transformers compute in. Any but float32 makes models of their own.

    Raises
    ------
    InputError
        If a name is unknown or a number is not a whole number above 0.
    """

    parts: tuple[Part, ...]
    models: tuple[str | None, ...] = (None,)
    rows: int | None = None  # of each task
    runs: int = 10  # of k-means
    background_texts: int | None = 5000  # through the model, for shapers fitted on the background and for isoscore
    average_texts: int | None = None  # for Avg.
    poolings: tuple[str, ...] = ("mean",)
    precision: str | None = None

    def __post_init__(self) -> None:
        for pooling in self.poolings:
            poolings.parse(pooling)
        if not self.poolings:
            raise InputError("poolings = [] of the grid leaves no cell; leave it out for the mean, or fill it")
        if not self.models:
            raise InputError("models = [] of the grid leaves no cell; leave it out for the embedded model, or fill it")
        if self.precision is not None and self.precision not in PRECISIONS:
            raise unknown_name("precision", self.precision, PRECISIONS)
        for part in self.parts:
            part.check()
        for name in ("rows", "runs", "background_texts", "average_texts"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
                raise InputError(f"{name} = {value!r} is not a whole number above 0")

    @property
    def templates(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(template for part in self.parts for template in part.templates))

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(task for part in self.parts for task in part.tasks))

    @property
    def needs_background(self) -> bool:
        """Whether anything in it learns from a background corpus."""
        named = [name for part in self.parts for name in (*part.weights, *(s for shape in part.shapes for s in shape))]
        return any(name.endswith("@background") for name in named) or "isoscore" in self.tasks or self.mixes

    @property
    def mixes(self) -> bool:
        return any(w != 0 for part in self.parts for w in part.mix)


def takes_average(encoder: Encoder) -> bool:
    """Whether a sweep can mix Avg. with it: a static model is its own Avg., and only weighted means are mixed."""
    return encoder.contextual and encoder.pools_linearly


def template_of(name: str) -> Template | None:
    """The template of this name or text."""
    return None if name == NO_TEMPLATE else Template.parse(name)


def template_text(name: str) -> str | None:
    """The words of the template of this name or text."""
    template = template_of(name)
    return None if template is None else template.text


def has_masks(template: str) -> bool:
    made = template_of(template)
    return made is not None and made.n_masks > 0


def needs_masks(weighting: str) -> bool:
    return weights.parse(weighting).needs_masks


def layer_sets(wanted: tuple[Layers, ...], encoder: Encoder) -> list[tuple[int, ...]]:
    """Sets of layer numbers, each once; those that a small model does not have twice over (1 and 1) are merged."""
    found: dict[tuple[int, ...], None] = {}
    for layers in wanted:
        if layers == (EACH,):
            found.update(dict.fromkeys((layer,) for layer in range(encoder.first_layer, encoder.n_layers + 1)))
        else:
            numbers = [resolve_layers(layer, encoder)[0][0] for layer in layers]
            found[tuple(sorted(set(numbers)))] = None
    same_width = [s for s in found if len({encoder.width(layer) for layer in s}) == 1]
    if len(same_width) < len(found):
        odd = next(s for s in found if s not in same_width)
        raise InputError(
            f"layers {'+'.join(map(str, odd))} have different widths and can't be averaged; take each of them alone"
        )
    return same_width
