"""Fit at corpus scale: token counts, then moments and a sample of vectors, each mapped over shards and merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from attar.corpus.executors import Executor
from attar.corpus.fitting.chain import Needs
from attar.corpus.fitting.gathering import CountTokens, Gather, add_counts, merge_moments, merge_sample
from attar.corpus.fitting.kll import Kll, check_sketches
from attar.corpus.fitting.sampling import ROWS, BottomK
from attar.corpus.inputs.shards import ShardPlan, make_plan
from attar.corpus.jobs.job_folder import JobFolder
from attar.corpus.jobs.partials import read_partials
from attar.corpus.jobs.step import Meter, run_step
from attar.corpus.recipe_source import RecipeSource
from attar.embedder import Embedder
from attar.errors import unknown_name
from attar.io.atomic import check_target_folder
from attar.persist import RECIPE
from attar.pipeline import check_corpora, fit_weights, new_shapers, new_weights
from attar.recipe import Component, Corpus, FittedOn, Sampled
from attar.shapers.chain import Evidence, fit_chain
from attar.weights import Weighting

Quantiles = Literal["sample", "kll"]


def fit_corpus(
    embedder: Embedder,
    texts: Sequence[str],
    out: str | Path,
    executor: Executor,
    *,
    background: Sequence[str] = (),
    shards: int | None = None,
    column: str | None = None,
    quantiles: Quantiles = "sample",
    sample: int = ROWS,
    overwrite: bool = False,
    progress: bool = True,
) -> Embedder:
    """Fit an embedder on a corpus of any size, computed in shards, and save it.

    Counts and moments are exact. Quantiles are estimated; the recipe records how far they may be off. Partial results
    lie beside `out` until it is there: a rerun continues where the last one ended.

    Parameters
    ----------
    embedder : Embedder
        What to fit; it is fitted in place.
    texts : sequence of str
        Files or patterns of files.
    out : str or Path
        The folder of the recipe.
    executor : Executor
        Who does the work; see `open_executor`.
    background : sequence of str
        Files or patterns of the background corpus.
    shards : int, optional
        How many shards to cut the texts into.
    column : str, optional
        The column of texts in files that have columns.
    quantiles : {"sample", "kll"}
        Estimate quantiles from a sample of vectors, or from sketches of all of them.
    sample : int
        The size of the sample.
    overwrite : bool
        Replace an earlier recipe.
    progress : bool
        Show progress.

    Returns
    -------
    Embedder
        The same embedder, fitted and saved.

    Raises
    ------
    InputError
        If no texts are found, a file can't be read, or sketches can't fit the chain of shapers.
    OutputError
        If the folder can't be written, or was begun with other settings.
    """
    target = Path(out).expanduser().absolute()
    check_target_folder(target, RECIPE, overwrite=overwrite)
    folder = JobFolder.at(target.with_name(f".{target.name}.fitting"))
    if quantiles not in get_args(Quantiles):
        raise unknown_name("way to quantiles", quantiles, get_args(Quantiles))
    weights, shapers = new_weights(embedder.weights), new_shapers(embedder.shapers)
    if quantiles == "kll":
        check_sketches(shapers)
    patterns = {"target": texts} | ({"background": background} if background else {})
    check_corpora((weights, *shapers), patterns)
    known = folder.known_sources()
    plans = {
        name: make_plan(executor, given, shards=shards, column=column, known=known) for name, given in patterns.items()
    }
    job = _Fitting(executor, folder, plans, embedder, None if quantiles == "kll" else sample, progress)
    sources = [source.to_json() for plan in plans.values() for source in plan.sources]
    with folder.begun(job.identity(), {"sources": sources}, overwrite=overwrite):
        fitted_weights = job.count(weights)
        sampled = job.shape(fitted_weights, shapers)
        embedder.weights_, embedder.shapers_ = fitted_weights, shapers
        seen = {name: Corpus(plan.rows, plan.sha256, sampled.get(name)) for name, plan in plans.items()}
        embedder.fitted_on_ = FittedOn(seen["target"], seen.get("background"))
        embedder.save(target, overwrite=overwrite)
        folder.remove()
    return embedder


@dataclass(frozen=True)
class _Fitting:
    executor: Executor
    folder: JobFolder
    plans: Mapping[str, ShardPlan]
    embedder: Embedder
    sample: int | None  # rows; None: sketches
    progress: bool

    def identity(self) -> dict[str, Any]:
        """What a rerun must have in common with the run that began the folder."""
        encoder = self.embedder.encoder_
        recipe = self.embedder.recipe.to_json()
        return {
            "model": encoder.fingerprint or recipe["encoder"],
            "recipe": [recipe["layers"], recipe["weights"], recipe["shapers"]],
            "input": [[name, plan.sha256] for name, plan in self.plans.items()],
            "number of shards": [plan.n_shards for plan in self.plans.values()],
            "sample": "kll" if self.sample is None else self.sample,
        }

    def count(self, weights: Weighting) -> Weighting:
        """Weights, fitted on the corpus that they name."""
        if not weights.needs_texts:
            fit_weights(weights, self.embedder.encoder_, {})
            return weights
        plan, part = self.plans[weights.on], Component.of(weights)
        base = self._source("encoder", Embedder(self.embedder.encoder_, self.embedder.layers))
        work = CountTokens(base, str(self.folder.path), "count", part.name, part.params)
        run_step(self.executor, self.folder, "count", work, plan.shards, self._meter(plan))
        return weights.set_state(add_counts(self.folder, "count", plan))

    def shape(self, weights: Weighting, shapers: Sequence[Any]) -> dict[str, Sampled | None]:
        """Fit the shapers; what the recipe says about samples."""
        needs = Needs.of(shapers)
        if not needs.corpora:
            return {}
        unshaped = Embedder(self.embedder.encoder_, self.embedder.layers, weights)
        unshaped.weights_, unshaped.shapers_ = weights, ()
        source = self._source("unshaped", unshaped)
        moments, samples = {}, {}
        sampled: dict[str, Sampled | None] = {}
        for name in sorted(needs.corpora):
            plan, step = self.plans[name], f"gather-{name}"
            sketch = name in needs.samples and self.sample is None
            rows = BottomK(self.sample, plan.rows) if name in needs.samples and self.sample is not None else None
            work = Gather(source, str(self.folder.path), step, needs.scatter_of(name), rows, sketch)
            run_step(self.executor, self.folder, step, work, plan.shards, self._meter(plan))
            if name in needs.moments:
                moments[name] = merge_moments(self.folder, step, plan)
            if rows is not None:
                samples[name] = merge_sample(self.folder, step, plan, rows)
                sampled[name] = rows.account()
            if sketch:
                merged = Kll.merged(read_partials(self.folder, step, plan))
                samples[name], sampled[name] = merged.levels(), merged.account(plan.rows)
        fit_chain(shapers, {name: Evidence(samples.get(name), moments=moments.get(name)) for name in needs.corpora})
        return sampled

    def _source(self, name: str, embedder: Embedder) -> RecipeSource:
        """A recipe folder that all workers can load; one that an earlier run has left is the same."""
        path = self.folder.path / name
        if not path.exists():
            embedder.save(path)
        return RecipeSource.of(path)

    def _meter(self, plan: ShardPlan) -> Meter:
        return Meter(plan.n_shards, plan.rows, self.progress)
