"""Candidates: the recipes among which is chosen."""

from __future__ import annotations

from dataclasses import dataclass

from attar.encoders.prompted import PROMPT, takes_prompt
from attar.types import Encoder

NO_TEMPLATE = "none"
NO_SHAPE = "none"
MASKED_TEMPLATE = "T4"  # for models that know masks
CENTRED, SCALED, TOPLESS = "center", "zscore", "abtt:1"
SPREAD = 8  # layers that stand for all


@dataclass(frozen=True, order=True)
class Candidate:
    """A recipe apart from its model, with layers as numbers."""

    template: str
    layers: tuple[int, ...]
    weights: str
    shape: str

    def __str__(self) -> str:
        return " | ".join((self.template, ",".join(map(str, self.layers)), self.weights, self.shape))

    @property
    def shapers(self) -> str:
        """The shapers of the recipe that is saved: unit length last, which changes no cosine and helps k-means."""
        return "unit" if self.shape == NO_SHAPE else f"{self.shape},unit"


def plain_candidate(encoder: Encoder) -> Candidate:
    """What the encoder does where nobody chooses."""
    return Candidate(NO_TEMPLATE, encoder.usual_layers, encoder.usual_weights, NO_SHAPE)


def kept_candidate(encoder: Encoder) -> Candidate:
    """What is kept where nothing is sure to be better: plain, or the prompt for causal models, whose plain mean is poor
    (docs/causal.md)."""
    return prompt_candidate(encoder) if takes_prompt(encoder) else plain_candidate(encoder)


def prompt_candidate(encoder: Encoder) -> Candidate:
    """The named recipe of causal models."""
    return Candidate(PROMPT, (encoder.n_layers,), "answer", SCALED)


def named_candidates(encoder: Encoder) -> dict[str, Candidate]:
    """The named recipes that are meant for such an encoder, as candidates."""
    ends = _ends(encoder)
    named = {
        "plain": plain_candidate(encoder),
        "similarity": Candidate(NO_TEMPLATE, ends, "idf", "zscore"),
        "classification": Candidate(NO_TEMPLATE, ends, "mean", NO_SHAPE),
    }
    if takes_prompt(encoder):
        return named | {"prompt": prompt_candidate(encoder)}
    return named | {"clustering": Candidate(NO_TEMPLATE, ends, "debiased", NO_SHAPE)}


def candidates(encoder: Encoder, grouped: bool = False) -> tuple[Candidate, ...]:
    """All candidates of an encoder, each once; first comes the one that is kept where nothing is sure to be better.

    Where vectors are for groups, no direction is taken away: the strongest one of texts that fall into few groups is
    the one between the groups.
    """
    shapes = (NO_SHAPE, CENTRED, SCALED) if grouped else (NO_SHAPE, SCALED, TOPLESS)
    found = dict.fromkeys([kept_candidate(encoder), *named_candidates(encoder).values()])
    for template, weights in _grid(encoder).items():
        for layers in layer_sets(encoder):
            for weighting in weights:
                found.update(dict.fromkeys(Candidate(template, layers, weighting, shape) for shape in shapes))
    return tuple(found)


def layer_sets(encoder: Encoder) -> tuple[tuple[int, ...], ...]:
    """The sets of layers to try: one by one from low to high, and averages of some."""
    first, last = encoder.first_layer, encoder.n_layers
    if not encoder.contextual or first == last:  # a table holds some layers only
        return tuple(dict.fromkeys([encoder.usual_layers, *((layer,) for layer in encoder.usual_layers)]))
    middle = round(last / 2)
    step = max(1, -(-last // SPREAD))
    wanted = [
        *((layer,) for layer in (1, middle, last)),
        _ends(encoder),
        tuple(sorted({middle, last})),
        tuple(range(max(1, last - 3), last + 1)),
        tuple(sorted(range(last, 0, -step))) if not encoder.causal else (round(0.8 * last),),
    ]
    same_width = [s for s in wanted if s and s[0] >= first and len({encoder.width(layer) for layer in s}) == 1]
    return tuple(dict.fromkeys(same_width))


def _ends(encoder: Encoder) -> tuple[int, ...]:
    if not encoder.contextual:
        return encoder.usual_layers
    return tuple(sorted({min(max(1, encoder.first_layer), encoder.n_layers), encoder.n_layers}))


def _grid(encoder: Encoder) -> dict[str, tuple[str, ...]]:
    """The weights to try under each template that the encoder can be given."""
    usual = (encoder.usual_weights, "mean", "idf")
    if not encoder.contextual:
        return {NO_TEMPLATE: tuple(dict.fromkeys((*usual, "sif", "debiased")))}
    if encoder.causal:
        plain = {NO_TEMPLATE: tuple(dict.fromkeys((*usual, "position", "last")))}
        return plain | {PROMPT: ("answer",)} if takes_prompt(encoder) else plain
    plain = {NO_TEMPLATE: tuple(dict.fromkeys((*usual, "debiased")))}
    if encoder.tuned_for_sentences or encoder.vocabulary.mask_id is None:
        return plain
    return plain | {MASKED_TEMPLATE: ("mean", "idf", "debiased", "mask")}
