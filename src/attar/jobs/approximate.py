"""Approximate neighbours for large indexes: a graph finds candidates, and the vectors themselves order them.

The graph covers the first rows of an index. Rows that were added later are searched exactly until they are many; then
the graph takes them in.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from attar.errors import InputError
from attar.jobs.graph_file import GraphFile, faiss_library, read_graph
from attar.jobs.nearest import Neighbours, checked_cosines, nearest
from attar.types import Floats, Ints

TAIL = 65_536  # rows behind the graph that are searched exactly
_SEARCHED = 256  # candidates held while a query is answered
_CANDIDATES = 4  # times as many as are wanted are ordered by their exact cosines
_TWINS = 1_000  # rows of a node that are looked at


class Graph:
    """An opened graph, mapped into memory.

    Parameters
    ----------
    folder : Path
        The index.
    about : GraphFile
        What index.json says of it.
    dims : int
        Dims of the vectors.

    Raises
    ------
    InputError
        If a file is not as index.json says.
    MissingExtra
        If faiss is not installed.
    """

    def __init__(self, folder: Path, about: GraphFile, dims: int) -> None:
        path = folder / about.file
        try:
            size = path.stat().st_size
            table = np.load(folder / about.nodes_file, mmap_mode="r", allow_pickle=False)
        except Exception as error:  # numpy raises several kinds for a damaged header
            raise InputError(f"the graph {path} can't be read: {error}; build the index again") from None
        if size != about.bytes:
            raise InputError(f"{path} is not as index.json says: {size} bytes; build the index again")
        self._graph: Any = read_graph(path, mapped=True)
        nodes = int(self._graph.ntotal)
        if self._graph.d != dims or table.shape != (nodes + 1 + about.rows,) or table.dtype != np.int64:
            raise InputError(f"{path} is not as index.json says: {nodes} nodes; build the index again")
        self._starts, self._rows = table[: nodes + 1], table[nodes + 1 :]
        ordered = self._starts[0] == 0 and self._starts[-1] == about.rows and (np.diff(self._starts) > 0).all()
        if not ordered or self._rows.min() < 0 or self._rows.max() >= about.rows:
            raise InputError(f"{folder / about.nodes_file} is damaged; build the index again")

    def search(self, queries: Floats, parts: Sequence[Floats], top: int) -> Neighbours:
        """The nearest rows that the graph finds, in the order of their exact cosines.

        Parameters
        ----------
        queries : array of shape (Q, D)
            Of length 1.
        parts : sequence of arrays of shape (rows, D)
            The vectors that the graph was made of.
        top : int
            How many.

        Returns
        -------
        Neighbours of shape (Q, min(top, rows of the graph))
        """
        wanted = min(top, len(self._rows))
        settings = faiss_library().SearchParametersHNSW(efSearch=max(_SEARCHED, _CANDIDATES * wanted))
        asked = np.ascontiguousarray(queries, dtype=np.float32)
        _, nodes = self._graph.search(asked, min(_CANDIDATES * wanted, int(self._graph.ntotal)), params=settings)
        found = [
            self._ordered(query, self._rows_of(few), parts, wanted) for query, few in zip(asked, nodes, strict=True)
        ]
        return Neighbours(np.stack([one.cosines for one in found]), np.stack([one.rows for one in found]))

    def _rows_of(self, nodes: Ints) -> Ints:
        """All rows that nodes stand for."""
        held = nodes[(nodes >= 0) & (nodes < len(self._starts) - 1)]
        ends = np.minimum(self._starts[held + 1], self._starts[held] + _TWINS)
        ranges = [self._rows[start:end] for start, end in zip(self._starts[held], ends, strict=True)]
        return np.concatenate(ranges) if ranges else np.empty(0, dtype=np.int64)

    def _ordered(self, query: Floats, rows: Ints, parts: Sequence[Floats], wanted: int) -> Neighbours:
        """The best of the candidates; where there are too few, of all rows."""
        if len(rows) < wanted:
            exact = nearest(query[None], parts, wanted)
            return Neighbours(exact.cosines[0], exact.rows[0])
        cosines = checked_cosines(query[None], rows_of(parts, rows))[0]
        order = np.lexsort((rows, -cosines))[:wanted]
        return Neighbours(cosines[order], rows[order])


def rows_of(parts: Sequence[Floats], rows: Ints) -> Floats:
    """Some rows of a table in parts. Shape: (K,) to (K, D)"""
    ends = np.cumsum([len(part) for part in parts])
    found = np.empty((len(rows), parts[0].shape[1]), dtype=np.float32)
    part_of = np.searchsorted(ends, rows, side="right")
    for number in np.unique(part_of):
        here = part_of == number
        start = int(ends[number - 1]) if number else 0
        found[here] = parts[number][rows[here] - start]
    return found
