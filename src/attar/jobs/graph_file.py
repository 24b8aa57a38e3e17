"""The file of an approximate graph: what index.json says of it, and how it is made.

The graph is faiss's HNSW over 8-bit copies of the vectors, which choose candidates; the vectors themselves order them.
Vectors whose copies are equal are one node, for a node with many twins would lead nowhere but to them; a table beside
the graph says which rows a node stands for.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from attar.errors import InputError, MissingExtra
from attar.io.atomic import new_file
from attar.io.progress import Advance, nothing
from attar.types import Floats, Ints

log = logging.getLogger("attar")

BEYOND = 1_000_000  # rows: exact search is quick enough up to here
LIBRARY, EXTRA = "faiss", "approximate"
_CONNECTIVITY, _EXPANSION = 16, 128  # neighbours of a node, and candidates held while it is put in
_LEARNED = 65_536  # rows that the ranges of the 8-bit copies are taken from
_AT_ONCE = 8_192  # rows put in between two looks at the keyboard
_BLOCK = 1 << 20


@dataclass(frozen=True)
class GraphFile:
    """What index.json says of a graph."""

    file: str
    rows: int
    bytes: int
    sha256: str
    library: str = LIBRARY

    @property
    def nodes_file(self) -> str:
        """Which rows each node stands for."""
        return f"{self.file}.npy"

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> GraphFile | None:
        """None where the index has no graph.

        Raises
        ------
        InputError
            If it is anything that was not written here.
        """
        if not content:
            return None
        kinds = {"file": str, "rows": int, "bytes": int, "sha256": str, "library": str}
        if set(content) != set(kinds) or any(type(content[name]) is not kind for name, kind in kinds.items()):
            raise InputError(f"index.json describes its graph as {str(dict(content))[:80]}; build the index again")
        found = cls(**content)
        if found.library != LIBRARY or Path(found.file).name != found.file or found.rows < 1:
            raise InputError(f"index.json names the graph {found.file[:80]!r}, which can't be; build the index again")
        return found


def check_installed() -> None:
    """Says early that the library is missing.

    Raises
    ------
    MissingExtra
        With the line that installs it.
    """
    faiss_library()


def faiss_library() -> Any:
    """The module faiss; MissingExtra where it is not installed."""
    try:
        import faiss
    except ImportError:
        raise MissingExtra("an approximate index", EXTRA) from None
    return faiss


def is_wanted(rows: int, asked: bool | None) -> bool:
    """Whether an index gets a graph: as asked, else where it is large and the library is there, which is then said."""
    if asked is not None or rows <= BEYOND:
        return bool(asked)
    try:
        check_installed()
    except MissingExtra as error:
        log.warning("search is exact, and slow beyond %s texts; %s", f"{BEYOND:,}", error)
        return False
    log.info("the index has more than %s texts, so an approximate graph is made too; --exact leaves it out", BEYOND)
    return True


def build_graph(
    folder: Path, parts: Sequence[Floats], earlier: GraphFile | None = None, advance: Advance = nothing
) -> GraphFile:
    """Write a graph of all rows, or continue an earlier one; each file is whole or not there.

    Parameters
    ----------
    folder : Path
        Where the graph goes.
    parts : sequence of arrays of shape (rows, D)
        All vectors, of length 1.
    earlier : GraphFile, optional
        A graph of the first rows, which is continued; its files stay.
    advance : callable
        Hears how many rows are in.

    Returns
    -------
    GraphFile
        What index.json is to say.
    """
    graph = _new(parts) if earlier is None else read_graph(folder / earlier.file, mapped=False)
    nodes = _Nodes(graph)
    for part in parts:
        for start in range(0, len(part), _AT_ONCE):
            rows = np.ascontiguousarray(part[start : start + _AT_ONCE])
            nodes.put_in(rows)
            advance(len(rows))
    table = nodes.table()
    made = GraphFile(f"graph-{nodes.n_rows}.{LIBRARY}", nodes.n_rows, 0, "")
    with new_file(folder / made.nodes_file) as aside, open(aside, "wb") as file:
        np.save(file, table)
    with new_file(folder / made.file) as aside:
        faiss_library().write_index(graph, str(aside))
        return replace(made, bytes=aside.stat().st_size, sha256=digest(aside))


class _Nodes:
    """Rows put into a graph, those of equal copies as one node."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.n_rows = 0
        self._seen: dict[bytes, int] = {}  # a copy's hash: its node
        self._node_of: list[Ints] = []

    def put_in(self, rows: Floats) -> None:
        """The next rows; the graph is only given the nodes that it does not have."""
        copies = self.graph.storage.sa_encode(rows)
        nodes = np.empty(len(rows), dtype=np.int64)
        before = len(self._seen)
        fresh: list[int] = []
        for i, copy in enumerate(copies):
            nodes[i] = self._seen.setdefault(hashlib.blake2b(copy.tobytes(), digest_size=16).digest(), len(self._seen))
            if nodes[i] >= max(before + len(fresh), self.graph.ntotal):
                fresh.append(i)
        if fresh:
            self.graph.add(rows[fresh])
        self._node_of.append(nodes)
        self.n_rows += len(rows)

    def table(self) -> Ints:
        """Where each node's rows begin, the end, and then the rows themselves. Shape: (nodes + 1 + rows,)"""
        nodes = np.concatenate(self._node_of)
        starts = np.concatenate([[0], np.cumsum(np.bincount(nodes, minlength=len(self._seen)))])
        table: Ints = np.concatenate([starts, np.argsort(nodes, kind="stable")]).astype(np.int64)
        return table


def _new(parts: Sequence[Floats]) -> Any:
    """An empty graph, which keeps 8 bits of each dim: enough to choose candidates."""
    faiss = faiss_library()
    dims = parts[0].shape[1]
    graph = faiss.IndexHNSWSQ(dims, faiss.ScalarQuantizer.QT_8bit, _CONNECTIVITY, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction = _EXPANSION
    every = max(1, sum(map(len, parts)) // _LEARNED)
    graph.train(np.concatenate([np.asarray(part[::every]) for part in parts]))
    return graph


def read_graph(path: Path, *, mapped: bool) -> Any:
    """A graph by its file.

    Raises
    ------
    InputError
        If faiss can't read it, or it is of another kind.
    MissingExtra
        If faiss is not installed.
    """
    faiss = faiss_library()
    try:
        found = faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC if mapped else 0)
    except (RuntimeError, OSError, MemoryError) as error:
        reason = " ".join(str(error).split())[-160:]
        raise InputError(f"{path} can't be read: {reason}; build the index again") from None
    if not isinstance(found, faiss.IndexHNSWSQ):
        raise InputError(f"{path} can't be read: it holds a {type(found).__name__}; build the index again")
    return found


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    found = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            found.update(block)
    return found.hexdigest()
