"""One pass for each template: texts through the model once, pooled under all weights."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from attar import shapers, weights
from attar.choosing.candidates import NO_SHAPE, NO_TEMPLATE, Candidate
from attar.pipeline import fit_weights
from attar.shapers import Moments, Unit
from attar.shapers.chain import Evidence, fit_chain
from attar.sweep.cells import is_local
from attar.sweep.collect import FittedWeights, collect, group_layers, n_texts_done
from attar.sweep.passes import PassSpec, find_pass, open_pass
from attar.sweep.plan import MODEL, make_plan
from attar.sweep.pooled import PooledBlocks
from attar.sweep.subjects import Subject
from attar.types import Encoder, Floats, Ints
from attar.weights import Weighting

log = logging.getLogger("attar")
BLOCK_TEXTS = 256


@dataclass(frozen=True)
class Units:
    """Vectors of length 1 by one candidate, of several corpora. Zero vectors stay zero."""

    candidate: Candidate
    pooled: Mapping[str, Floats]  # name of the corpus: (N, D) before they are shaped

    @cached_property
    def of(self) -> Mapping[str, Floats]:
        """Name of the corpus: (N, D), shaped and of length 1."""
        return {name: _shaped(self.candidate.shape, vectors) for name, vectors in self.pooled.items()}

    def of_some(self, name: str, rows: Ints) -> Floats:
        """Of some texts of a corpus, as if there were no others: the shaper learns from them alone. Shape: (n, D)"""
        return _shaped(self.candidate.shape, self.pooled[name][rows])


def each_candidate(
    encoder: Encoder,
    wanted: Sequence[Candidate],
    corpora: Mapping[str, Sequence[str]],
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
    corpora : mapping of str to sequence of str
        Distinct texts by name. Weights and shapers learn from each corpus alone.
    folder : Path
        Where pooled vectors are kept.
    progress : bool
        Show a bar while texts go through the model.
    """
    for template in dict.fromkeys(c.template for c in wanted):
        mine = [c for c in wanted if c.template == template]
        templated = encoder.with_template(_named(template))
        pooled = {
            name: _collect(templated, template, mine, Subject(name, name, tuple(texts), None), folder, progress)
            for name, texts in corpora.items()
        }
        for layers, weighting in dict.fromkeys((c.layers, c.weights) for c in mine):
            raw = {
                name: blocks.vectors(name, name, weighting, layers, 0)[blocks.distinct(name)[1]]
                for name, blocks in pooled.items()
            }
            for candidate in mine:
                if (candidate.layers, candidate.weights) == (layers, weighting):
                    yield Units(candidate, raw)


def _named(template: str) -> str | None:
    return None if template == NO_TEMPLATE else template


def _shaped(shape: str, pooled: Floats) -> Floats:
    vectors: Floats | None = pooled
    if shape != NO_SHAPE:
        evidence = {"target": Evidence(pooled, moments=Moments.of(pooled))}
        vectors = fit_chain(shapers.parse(shape), evidence)["target"].vectors
    assert vectors is not None
    units: Floats = Unit().transform(vectors)
    return units


def _collect(
    encoder: Encoder, template: str, mine: Sequence[Candidate], subject: Subject, folder: Path, progress: bool
) -> PooledBlocks:
    """Pass what is missing through the model."""
    named = sorted({c.weights for c in mine})
    needed = PassSpec(
        model=encoder.fingerprint or repr(encoder),
        template=_named(template),
        subjects={subject.name: subject.fingerprint},
        counted=None,
        embedded=None,
        averaged=None,
        shared=tuple(name for name in named if not is_local(name)),
        local=tuple(name for name in named if is_local(name)),
        layers=tuple(sorted({layer for c in mine for layer in c.layers})),
        average_layers=(),
        block_texts=BLOCK_TEXTS,
    )
    spec = find_pass(folder, needed, needed.subjects)
    groups = {MODEL: group_layers(spec.layers, encoder)}
    plan = make_plan([subject], (), spec.shared, spec.local, groups, BLOCK_TEXTS)
    place = open_pass(folder, spec)
    held = n_texts_done(plan, place)
    there = f", {held:,} of them already" if held else ""
    what = {"texts": "of your texts", "probe": "texts of the probe", "topics": "texts on topics"}.get(
        subject.name, subject.name
    )
    log.info("template %s: %s %s go through the model once%s", template, f"{len(plan.texts):,}", what, there)
    fitted = FittedWeights(
        {name: _fitted(name, encoder, ()) for name in spec.shared},
        {(subject.name, name): _fitted(name, encoder, subject.texts) for name in spec.local},
    )
    collect(encoder, plan, fitted, None, place, progress)
    return PooledBlocks(plan, place)


def _fitted(name: str, encoder: Encoder, texts: Sequence[str]) -> Weighting:
    made = weights.parse(name)
    fit_weights(made, encoder, {"target": texts})
    return made
