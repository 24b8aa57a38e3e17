"""The rows of a shard, as many at a time as fit in memory."""

from __future__ import annotations

from collections.abc import Iterator

from attar.corpus.inputs.rows import Row
from attar.corpus.inputs.shards import Shard
from attar.pipeline import CHUNK

CHARACTERS = 1 << 24  # of texts held at once; one text alone may be longer


def batches(shard: Shard, size: int = CHUNK) -> Iterator[tuple[int, list[Row]]]:
    """At most `size` rows each time, with the number of the first one; fewer where texts are long."""
    first, held = shard.first_row, 0
    batch: list[Row] = []
    for row in shard.read():
        batch.append(row)
        held += len(row[1])
        if len(batch) == size or held >= CHARACTERS:
            yield first, batch
            first, held, batch = first + len(batch), 0, []
    if batch:
        yield first, batch
