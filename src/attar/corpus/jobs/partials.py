"""Partial results in files: sums never live only in a worker's memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from attar.corpus.inputs.shards import ShardPlan
from attar.corpus.jobs.job_folder import JobFolder
from attar.corpus.jobs.step import mark_of
from attar.io.arrays import map_arrays

Arrays = Mapping[str, npt.NDArray[Any]]


def write_partial(folder: JobFolder, mark: str, arrays: Arrays, facts: Mapping[str, Any]) -> None:
    """The file, then its mark."""
    from safetensors.numpy import save_file

    with folder.writing(f"{mark}.safetensors") as aside:
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, str(aside))
    folder.mark(mark, f"{mark}.safetensors", facts)


def read_partials(folder: JobFolder, step: str, plan: ShardPlan) -> Iterator[Arrays]:
    """One after the other in the order of the shards, so that sums are the same whichever worker finished first."""
    for shard in plan.shards():
        yield read_partial(folder, mark_of(step, shard))


def read_partial(folder: JobFolder, mark: str) -> Arrays:
    """Mapped into memory, not read."""
    return map_arrays(folder.path / f"{mark}.safetensors")
