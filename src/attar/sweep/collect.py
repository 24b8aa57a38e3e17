"""The forward pass of a sweep: each text of a plan once through the model, pooled under all weights at all layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from attar.encoders.table import Table
from attar.io.progress import bar
from attar.pipeline import TextCounts
from attar.pooling import join_windows, scale_weights
from attar.sweep.blocks import is_written, write_block
from attar.sweep.plan import AVERAGE, MODEL, LayerGroups, PassPlan
from attar.types import Encoder, Floats, Tokens
from attar.weights import Weighting


@dataclass(frozen=True)
class FittedWeights:
    """Weights of a plan, ready: the shared ones by name, the local ones by subject and name."""

    shared: Mapping[str, Weighting]
    local: Mapping[tuple[str, str], Weighting]


def block_path(folder: Path, side: str, group: int, b: int) -> Path:
    return folder / f"{side}-{group}-{b:05d}.npy"


def n_texts_done(plan: PassPlan, folder: Path) -> int:
    """How many texts have been through the model already."""
    return sum(len(plan.block(b)) for b in range(plan.n_blocks) if not missing_blocks(plan, folder, b))


def missing_blocks(plan: PassPlan, folder: Path, b: int) -> list[tuple[Path, str, tuple[int, ...]]]:
    """What is not written yet of a block: file, side and layers."""
    return [
        (path, side, layers)
        for side, groups in plan.layers.items()
        for group, layers in enumerate(groups)
        if not is_written(path := block_path(folder, side, group, b), plan.n_slots(b), len(plan.block(b)), len(layers))
    ]


def collect(
    encoder: Encoder, plan: PassPlan, fitted: FittedWeights, average: Table | None, folder: Path, progress: bool = True
) -> None:
    """Write the blocks that are not there yet."""
    sources: dict[str, Encoder] = {MODEL: encoder} | ({} if average is None else {AVERAGE: average})
    counts = TextCounts(texts=len(plan.texts))
    with bar(len(plan.texts), "texts", progress) as advance:
        for b in range(plan.n_blocks):
            missing = missing_blocks(plan, folder, b)
            if missing:
                tokens = encoder.tokenize([plan.texts[i] for i in plan.block(b)])
                weights, lost = token_weights(plan, b, tokens, fitted)
                counts.add(tokens, lost, encoder.vocabulary)
                for path, side, layers in missing:
                    write_block(path, join_windows(sources[side].pool(tokens, weights, layers), tokens))
            advance(len(plan.block(b)))
    counts.report()


def token_weights(
    plan: PassPlan, b: int, tokens: Tokens, fitted: FittedWeights
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """The weights of a block's tokens in every slot, and which texts lost all tokens to one of them.

    Shape: (A, T), (n_texts,)
    """
    found = np.zeros((plan.n_slots(b), len(tokens.ids)), dtype=np.float32)
    lost = np.zeros(tokens.n_texts, dtype=bool)
    for a, name in enumerate(plan.shared):
        found[a], without = scale_weights(fitted.shared[name].weigh(tokens), tokens)
        lost[tokens.texts[without]] = True
    members = [plan.members[i] for i in plan.block(b)]
    text_of = tokens.texts[tokens.sequence_of]  # (T,)
    for subject in dict.fromkeys(name for names in members for name in names):
        places = np.array([names.index(subject) if subject in names else -1 for names in members])[text_of]
        for name in plan.local:
            scaled, without = scale_weights(fitted.local[subject, name].weigh(tokens), tokens)
            lost[[text for text in tokens.texts[without] if subject in members[text]]] = True
            for place in np.unique(places[places >= 0]):
                slot = len(plan.shared) + int(place) * len(plan.local) + plan.local.index(name)
                found[slot] = np.where(places == place, scaled, found[slot])
    return found, lost


def group_layers(layers: Sequence[int], encoder: Encoder) -> LayerGroups:
    """Layers of the same width together."""
    groups: dict[int, list[int]] = {}
    for layer in sorted(layers):
        groups.setdefault(encoder.width(layer), []).append(layer)
    return tuple(tuple(group) for group in groups.values())
