"""A corpus to vectors: shards of rows in, Parquet parts out, in order, with a manifest of checksums at the end."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from attar.corpus.executors import Executor
from attar.corpus.inputs.batches import batches
from attar.corpus.inputs.ids import check_ids
from attar.corpus.inputs.shards import Shard, ShardPlan, make_plan
from attar.corpus.jobs.job_folder import JobFolder
from attar.corpus.jobs.manifest import write_manifest
from attar.corpus.jobs.step import Meter, run_step
from attar.corpus.recipe_source import RecipeSource
from attar.errors import InputError
from attar.io.texts import check_texts
from attar.pipeline import TextCounts
from attar.types import Floats


@dataclass(frozen=True)
class EmbedShard:
    """Work of an executor: a Shard to its part file and mark."""

    recipe: RecipeSource
    out: str
    id_type: str
    keep_text: bool

    def __call__(self, shard: Shard) -> str:
        embedder, folder = self.recipe.embedder(), JobFolder(Path(self.out))
        counts, dims = TextCounts(), 0
        product = f"{shard.name}.parquet"
        with folder.writing(product) as aside:
            with _PartWriter(aside, self.id_type, self.keep_text) as part:
                for first, rows in batches(shard):
                    texts = [text for _, text in rows]
                    vectors = embedder.encode(texts)
                    ids = [row_id for row_id, _ in rows] if shard.has_ids else range(first, first + len(rows))
                    part.write(ids, vectors, texts)
                    counts += embedder.counts_
                    dims = vectors.shape[1]
            size = aside.stat().st_size
            with open(aside, "rb") as file:
                sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        facts = {"rows": shard.rows, "dims": dims, "bytes": size, "sha256": sha256, "counts": asdict(counts)}
        folder.mark(shard.name, product, facts)
        return shard.name


class _PartWriter:
    """Rows to a Parquet file, a row group at a time; the same rows always give the same bytes."""

    def __init__(self, path: Path, id_type: str, keep_text: bool) -> None:
        self.path, self.id_type, self.keep_text = path, id_type, keep_text
        self._writer: Any = None

    def write(self, ids: Sequence[Any], vectors: Floats, texts: list[str]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            columns: dict[str, Any] = {"id": pa.array(ids, type=pa.type_for_alias(self.id_type))}
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise InputError(f"ids from {ids[0]!r} on are not all {self.id_type}: {error}") from None
        flat = pa.array(np.ascontiguousarray(vectors).reshape(-1))
        columns["vector"] = pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
        if self.keep_text:
            columns["text"] = pa.array(check_texts(texts)[0], type=pa.string())  # as they were embedded
        table = pa.table(columns)
        if self._writer is None:
            plain = {"vector.list.element": "none"}  # floats of vectors do not shrink
            packed = {name: "zstd" for name in columns if name != "vector"}
            self._writer = pq.ParquetWriter(
                self.path, table.schema, compression=plain | packed, use_dictionary=False, write_statistics=["id"]
            )
        self._writer.write_table(table)

    def __enter__(self) -> _PartWriter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()


def embed_corpus(
    recipe: str | Path,
    texts: Sequence[str],
    out: str | Path,
    executor: Executor,
    *,
    model: str | Path | None = None,
    shards: int | None = None,
    column: str | None = None,
    id_column: str | None = None,
    keep_text: bool = False,
    overwrite: bool = False,
    progress: bool = True,
) -> dict[str, Any]:
    """Embed a corpus of any size to `out`/part-00000.parquet and so on, computed in shards.

    A rerun computes what is missing. Another recipe, input or choice than that of an earlier run is refused.

    Parameters
    ----------
    recipe : str or Path
        A recipe folder, the name or text of a recipe, or the folder of a model or table.
    texts : sequence of str
        Files or patterns of files.
    out : str or Path
        The folder of the parts.
    executor : Executor
        Who does the work; see `open_executor`.
    model : str or Path, optional
        Another model than the recipe's own.
    shards : int, optional
        How many parts to make.
    column : str, optional
        The column of texts in files that have columns.
    id_column : str, optional
        The column of ids; `id` if all inputs have it, else the number of the row.
    keep_text : bool
        Write the texts too.
    overwrite : bool
        Empty the folder of another or finished run first.
    progress : bool
        Show progress.

    Returns
    -------
    dict
        The manifest: every part with its rows, bytes and checksum, and what was counted.

    Raises
    ------
    InputError
        If no texts are found or a file can't be read.
    OutputError
        If the folder can't be written, or was begun with other settings.
    DataError
        If shards failed.
    """
    folder = JobFolder.at(out)
    source = RecipeSource.of(recipe, model)
    known = folder.known_sources()
    plan = make_plan(executor, texts, shards=shards, column=column, id_column=id_column, known=known, out=folder.path)
    check_ids(plan.sources, id_column)
    with folder.begun(_identity(source, plan, keep_text), plan.to_json(), overwrite=overwrite):
        work = EmbedShard(source, str(folder.path), plan.id_type, keep_text)
        run_step(executor, folder, "", work, plan.shards, Meter(plan.n_shards, plan.rows, progress))
        manifest = write_manifest(folder, plan, source.fingerprint, source.recipe)
    TextCounts(**manifest["counts"]).report()
    return manifest


def _identity(source: RecipeSource, plan: ShardPlan, keep_text: bool) -> dict[str, Any]:
    """What a rerun must have in common with the run that began the folder."""
    return {
        "recipe": source.fingerprint,
        "input": plan.sha256,
        "number of shards": plan.n_shards,
        "columns": ["id", "vector", "text"] if keep_text else ["id", "vector"],
    }
