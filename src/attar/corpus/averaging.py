"""The Avg. of a corpus at scale: sums of token vectors shard by shard, merged by slices of the vocabulary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from attar.corpus.executors import Executor
from attar.corpus.inputs.shards import Shard, ShardPlan, make_plan
from attar.corpus.jobs.job_folder import JobFolder
from attar.corpus.jobs.partials import read_partial, write_partial
from attar.corpus.jobs.step import Meter, mark_of, run_step
from attar.corpus.recipe_source import RecipeSource
from attar.embedder import Embedder
from attar.encoders.average import average_tokens
from attar.encoders.formats.table_folder import ABOUT
from attar.encoders.table import Table
from attar.encoders.token_sums import TokenSums
from attar.errors import InputError
from attar.io.atomic import check_target_folder
from attar.layers import LayerChoice, unweighted_layers
from attar.tokens.sentences import sentences_of
from attar.types import Encoder

ROWS_A_SHARD = 400_000  # sentences: about 10 million tokens
SLICE_BYTES = 1 << 26  # of sums that a merging worker holds


@dataclass(frozen=True)
class SumTokens:
    """Work of an executor: a Shard to the sums of its tokens' vectors."""

    recipe: RecipeSource  # for its encoder
    folder: str
    layers: tuple[int, ...]
    sentences: bool

    def __call__(self, shard: Shard) -> str:
        texts: Iterator[str] = (text for _, text in shard.read())
        if self.sentences:
            texts = sentences_of(line for text in texts for line in text.split("\n"))
        sums = average_tokens(self.recipe.embedder().encoder_, texts, self.layers, progress=False)
        arrays = {f"layer.{layer}": total for layer, total in sums.sums.items()} | {"counts": sums.counts}
        facts = {"rows": shard.rows, "texts": sums.n_texts, "truncated": sums.n_truncated, "model": sums.model}
        write_partial(JobFolder(Path(self.folder)), mark_of("sum", shard), arrays, facts)
        return shard.name


@dataclass(frozen=True)
class TokenRange:
    """A slice of the vocabulary."""

    name: str
    start: int
    stop: int

    @property
    def rows(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True)
class MergeSlice:
    """Work of an executor: the sums of all shards for some tokens, added in the order of the shards."""

    folder: str
    n_shards: int

    def __call__(self, tokens: TokenRange) -> str:
        folder = JobFolder(Path(self.folder))
        total: dict[str, npt.NDArray[Any]] = {}
        for number in range(self.n_shards):
            for name, array in read_partial(folder, f"sum-part-{number:05d}").items():
                rows = np.array(array[tokens.start : tokens.stop])
                total[name] = rows if number == 0 else total[name] + rows
        write_partial(folder, f"merge-{tokens.name}", total, {"rows": tokens.rows})
        return tokens.name


def average_corpus(
    encoder: Encoder,
    texts: Sequence[str],
    out: str | Path,
    executor: Executor,
    *,
    layers: LayerChoice = ("first", "last"),
    shards: int | None = None,
    column: str | None = None,
    sentences: bool = False,
    overwrite: bool = False,
    progress: bool = True,
) -> Table:
    """The same as `Table.average` over a corpus of any size, computed in shards.

    Partial sums lie beside `out` until it is there: a rerun continues where the last one ended.

    Parameters
    ----------
    encoder : Encoder
        The model whose token vectors are averaged.
    texts : sequence of str
        Files or patterns of files.
    out : str or Path
        The folder of the table.
    executor : Executor
        Who does the work; see `open_executor`.
    layers : layers
        Numbers, "first" or "last"; each is averaged by itself.
    shards : int, optional
        How many shards to cut the texts into.
    column : str, optional
        The column of texts in files that have columns.
    sentences : bool
        Texts are paragraphs: split them; headings and short sentences are left out.
    overwrite : bool
        Replace an earlier table.
    progress : bool
        Show progress.

    Returns
    -------
    Table
        The table that was saved.

    Raises
    ------
    InputError
        If no texts are found or a file can't be read.
    OutputError
        If the folder can't be written, or was begun with other settings.
    """
    target = Path(out).expanduser().absolute()
    check_target_folder(target, ABOUT, overwrite=overwrite)
    folder = JobFolder.at(target.with_name(f".{target.name}.averaging"))
    numbers = tuple(sorted(unweighted_layers(layers, encoder)))
    plan = make_plan(
        executor, texts, shards=shards, column=column, known=folder.known_sources(), rows_a_shard=ROWS_A_SHARD
    )
    model = TokenSums.empty(encoder, ()).model
    identity = {
        "model": model,
        "layers": list(numbers),
        "input": plan.sha256,
        "number of shards": plan.n_shards,
        "choice of sentences": sentences,
    }
    with folder.begun(identity, plan.to_json(), overwrite=overwrite):
        if not (folder.path / "encoder").exists():
            Embedder(encoder, numbers[0]).save(folder.path / "encoder")
        work = SumTokens(RecipeSource.of(folder.path / "encoder"), str(folder.path), numbers, sentences)
        run_step(executor, folder, "sum", work, plan.shards, Meter(plan.n_shards, plan.rows, progress))
        sums = _merge(executor, folder, plan, encoder, numbers)
        if not sums.n_texts:
            raise InputError(f"{', '.join(map(repr, texts))} holds no sentence in {plan.rows:,} paragraphs")
        table = Table.of_sums(sums, encoder)
        table.save(target, overwrite=overwrite)
        folder.remove()
        return table


def _merge(
    executor: Executor, folder: JobFolder, plan: ShardPlan, encoder: Encoder, layers: Sequence[int]
) -> TokenSums:
    """Slices by the executor, put together in files that are mapped into memory."""
    n_tokens = len(encoder.vocabulary)
    ranges = list(_ranges(n_tokens, sum(encoder.width(layer) for layer in layers)))
    merge = MergeSlice(str(folder.path), plan.n_shards)
    run_step(executor, folder, "merge", merge, lambda: ranges, Meter(len(ranges), n_tokens, wanted=False))
    facts = [folder.facts(mark_of("sum", shard)) for shard in plan.shards()]
    shapes = {layer: (n_tokens, encoder.width(layer)) for layer in layers}
    sums = TokenSums(
        {
            layer: np.lib.format.open_memmap(folder.path / f"layer{layer}.npy", mode="w+", shape=shape)
            for layer, shape in shapes.items()
        },
        np.zeros(n_tokens, dtype=np.int64),
        sum(fact["texts"] for fact in facts),
        sum(fact["truncated"] for fact in facts),
        plan.sha256,
        facts[0]["model"],
    )
    for tokens in ranges:
        arrays = read_partial(folder, f"merge-{tokens.name}")
        sums.counts[tokens.start : tokens.stop] = arrays["counts"]
        for layer, total in sums.sums.items():
            total[tokens.start : tokens.stop] = arrays[f"layer.{layer}"]
    return sums


def _ranges(n_tokens: int, width: int) -> Iterator[TokenRange]:
    step = max(1, SLICE_BYTES // (8 * width))
    for start in range(0, n_tokens, step):
        yield TokenRange(f"tokens-{start:07d}", start, min(start + step, n_tokens))
