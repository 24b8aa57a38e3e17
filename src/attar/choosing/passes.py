"""One pass for each template: sampled texts and the probe through the model once, pooled under all weights."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from attar import shapers, weights
from attar.choosing.candidates import NO_SHAPE, NO_TEMPLATE, Candidate
from attar.choosing.probe import Probe
from attar.pipeline import fit_weights
from attar.shapers import Moments, Unit
from attar.shapers.chain import Evidence, fit_chain
from attar.sweep.cells import is_local
from attar.sweep.collect import FittedWeights, collect, group_layers, n_texts_done
from attar.sweep.passes import PassSpec, open_pass
from attar.sweep.plan import MODEL, make_plan
from attar.sweep.pooled import PooledBlocks
from attar.sweep.subjects import Subject
from attar.types import Encoder, Floats
from attar.weights import Weighting

log = logging.getLogger("attar")
TEXTS, PROBE = "texts", "probe"
BLOCK_TEXTS = 256


@dataclass(frozen=True)
class Units:
    """Vectors of length 1 by one candidate. Zero vectors stay zero."""

    candidate: Candidate
    texts: Floats  # (N, D)
    probe: Floats  # (P, D)


def each_candidate(
    encoder: Encoder,
    wanted: Sequence[Candidate],
    texts: Sequence[str],
    probe: Probe,
    folder: Path,
    progress: bool = False,
) -> Iterator[Units]:
    """The vectors of every candidate in turn; what is in the folder already is not computed again.

    Parameters
    ----------
    encoder : Encoder
        Without a template.
    wanted : sequence of Candidate
        Which candidates.
    texts : sequence of str
        Distinct texts.
    probe : Probe
        Embedded as a corpus of its own: weights and shapers learn from its texts alone.
    folder : Path
        Where pooled vectors are kept.
    progress : bool
        Show a bar while texts go through the model.
    """
    subjects = (Subject(TEXTS, TEXTS, tuple(texts), None), Subject(PROBE, PROBE, probe.texts, None))
    for template in dict.fromkeys(c.template for c in wanted):
        mine = [c for c in wanted if c.template == template]
        pooled = _collect(encoder.with_template(_named(template)), template, mine, subjects, folder, progress)
        for layers, weighting in dict.fromkeys((c.layers, c.weights) for c in mine):
            raw = {s.name: pooled.vectors(s.name, s.name, weighting, layers, 0) for s in subjects}
            sides = {name: Evidence(v, moments=Moments.of(v)) for name, v in raw.items()}
            for candidate in mine:
                if (candidate.layers, candidate.weights) == (layers, weighting):
                    found = {name: _shaped(candidate.shape, side) for name, side in sides.items()}
                    yield Units(candidate, *(found[s.name][pooled.distinct(s.name)[1]] for s in subjects))


def _named(template: str) -> str | None:
    return None if template == NO_TEMPLATE else template


def _shaped(shape: str, evidence: Evidence) -> Floats:
    chain = () if shape == NO_SHAPE else shapers.parse(shape)
    vectors = fit_chain(chain, {"target": evidence})["target"].vectors
    assert vectors is not None
    units: Floats = Unit().transform(vectors)
    return units


def _collect(
    encoder: Encoder,
    template: str,
    mine: Sequence[Candidate],
    subjects: Sequence[Subject],
    folder: Path,
    progress: bool,
) -> PooledBlocks:
    """Pass what is missing through the model."""
    named = sorted({c.weights for c in mine})
    local = [name for name in named if is_local(name)]
    shared = [name for name in named if name not in local]
    layers = sorted({layer for c in mine for layer in c.layers})
    plan = make_plan(subjects, (), shared, local, {MODEL: group_layers(layers, encoder)}, BLOCK_TEXTS)
    spec = PassSpec(
        model=encoder.fingerprint or repr(encoder),
        template=_named(template),
        subjects={s.name: s.fingerprint for s in subjects},
        counted=None,
        embedded=None,
        averaged=None,
        shared=tuple(shared),
        local=tuple(local),
        layers=tuple(layers),
        average_layers=(),
        block_texts=BLOCK_TEXTS,
    )
    place = open_pass(folder, spec)
    held = n_texts_done(plan, place)
    there = f", {held:,} of them already" if held else ""
    log.info("template %s: %s texts once through the model%s", template, f"{len(plan.texts):,}", there)
    fitted = FittedWeights(
        {name: _fitted(name, encoder, ()) for name in shared},
        {(s.name, name): _fitted(name, encoder, s.texts) for s in subjects for name in local},
    )
    collect(encoder, plan, fitted, None, place, progress)
    return PooledBlocks(plan, place)


def _fitted(name: str, encoder: Encoder, texts: Sequence[str]) -> Weighting:
    made = weights.parse(name)
    fit_weights(made, encoder, {"target": texts})
    return made
