"""Index: documents, ids, vectors, and the fitted recipe that queries go through."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa

from attar.embedder import Embedder
from attar.errors import InputError
from attar.io.locks import exclusive
from attar.io.progress import Advance, nothing
from attar.io.texts import check_texts
from attar.jobs.approximate import TAIL, Graph
from attar.jobs.building import Row, build_folder, document_rows, report_zeros, row_parts, unit_rows
from attar.jobs.graph_file import GraphFile, build_graph, check_installed, is_wanted
from attar.jobs.index_files import RECIPE, About, map_texts, map_vectors, read_rows, texts_file, write_part
from attar.jobs.known import known_texts
from attar.jobs.nearest import Neighbours, joined, nearest
from attar.types import Encoder, Floats

log = logging.getLogger("attar")


@dataclass(frozen=True)
class Hit:
    """A document that was found."""

    id: int | str
    text: str
    cosine: float
    row: int  # its place in the index


class Index:
    """Documents of a folder: searched exactly by one blocked product over mapped vectors, or by a graph if it has one.

    >>> index = Index.build("my-index", Embedder(), texts)  # doctest: +SKIP
    >>> Index.open("my-index").search("how do I undo a commit?", top=3)  # doctest: +SKIP
    """

    def __init__(self, folder: Path, about: About, encoder: Encoder | None = None) -> None:
        self.folder = folder
        self._encoder = encoder
        self._map(about)

    def _map(self, about: About) -> None:
        self.about = about
        self._parts: list[Floats] = map_vectors(self.folder, about)
        self._tables: list[pa.Table] = map_texts(self.folder, about)
        self._ends = np.cumsum(about.parts)
        self._graph_file = GraphFile.read(about.approximate)
        if self._graph_file is not None and self._graph_file.rows not in self._ends:
            raise InputError(f"the graph of {str(self.folder)!r} ends within a part; build the index again")
        self.__dict__.pop("_graph", None)

    @classmethod
    def build(
        cls,
        folder: str | Path,
        embedder: Embedder,
        texts: Iterable[str],
        ids: Iterable[Any] | None = None,
        *,
        overwrite: bool = False,
        approximate: bool | None = None,
        advance: Advance = nothing,
    ) -> Self:
        """Embed texts, fitting the embedder on them where it must learn, and write the folder, whole or not at all.

        Parameters
        ----------
        folder : where the index goes; beside it the work of a run that was killed waits for the next run
        embedder : fitted, or to be fitted on these texts
        texts : the documents
        ids : distinct whole numbers or strings; None numbers the texts from 0
        overwrite : replace an index that is there
        approximate : make a graph for approximate search; None: beyond a million texts, if faiss is installed
        advance : hears how many texts are done

        Raises
        ------
        InputError : no texts, a text that is no string, an id that comes twice
        OutputError : the folder can't be written
        MissingExtra : a graph is asked for and faiss is not installed
        """
        rows: Iterable[Row] = enumerate(texts) if ids is None else zip(ids, texts, strict=True)
        build_folder(Path(folder), embedder, rows, overwrite=overwrite, approximate=approximate, advance=advance)
        opened = cls.open(folder)
        opened.__dict__["embedder"] = embedder
        return opened

    @classmethod
    def open(cls, folder: str | Path, *, encoder: Encoder | None = None) -> Self:
        """Map an index; `encoder` stands in where its model has moved."""
        place = Path(folder).expanduser()
        return cls(place, About.read(place), encoder)

    @cached_property
    def embedder(self) -> Embedder:
        """The fitted recipe of the documents, loaded on first use."""
        return Embedder.load(self.folder / RECIPE, encoder=self._encoder)

    @property
    def parts(self) -> Sequence[Floats]:
        """The vectors, of length 1 or zero. Shapes: (rows of the part, D)"""
        return self._parts

    def __len__(self) -> int:
        return self.about.n_rows

    @cached_property
    def _graph(self) -> Graph:
        assert self._graph_file is not None
        return Graph(self.folder, self._graph_file, self.about.dims)

    def search(self, query: str, top: int = 5, *, exact: bool = False) -> list[Hit]:
        """The documents nearest to a query, nearest first."""
        return self.search_all([query], top, exact=exact)[0]

    def search_all(self, queries: Sequence[str], top: int = 5, *, exact: bool = False) -> list[list[Hit]]:
        """The same for many queries at once.

        Parameters
        ----------
        queries : texts; they go through the recipe that the documents went through
        top : how many documents for each; fewer where the index has fewer
        exact : compare with all documents, also where the index has a graph

        Returns
        -------
        A list of hits for each query; none for a blank one, and none where the model knows no token of it. Documents
        whose vector is zero, near to nothing, are none.
        """
        known = known_texts(self.embedder.encoder_, check_texts(queries)[0])
        vectors = unit_rows(self.embedder.encode(list(queries)))
        for query, vector in zip(queries, vectors, strict=True):
            if not vector.any():
                log.warning("the query %r has a zero vector: nothing is near to it", query[:60])
        found = self.hits(self.nearest(vectors, top, exact=exact))
        return [[hit for hit in hits if one and hit.cosine] for one, hits in zip(known, found, strict=True)]

    def nearest(self, vectors: Floats, top: int, *, exact: bool = False) -> Neighbours:
        """The rows nearest to vectors of length 1: by the graph, and exactly behind it. Shape: (Q, D)"""
        if exact or self._graph_file is None:
            return nearest(vectors, self._parts, top)
        if top < 1:
            raise InputError(f"{top} neighbours were asked for; give 1 or more")
        covered = self._graph_file.rows
        n_parts = int(np.searchsorted(self._ends, covered)) + 1
        behind = self._parts[n_parts:]
        found = self._graph.search(vectors, self._parts[:n_parts], top)
        if not behind:
            return found
        later = nearest(vectors, behind, top)
        return joined(found, replace(later, rows=later.rows + covered), top)

    def hits(self, found: Neighbours) -> list[list[Hit]]:
        """Rows that a search found, as documents."""
        return [
            [self._hit(int(row), float(cosine)) for row, cosine in zip(rows, cosines, strict=True)]
            for rows, cosines in zip(found.rows, found.cosines, strict=True)
        ]

    def _hit(self, row: int, cosine: float) -> Hit:
        part = int(np.searchsorted(self._ends, row, side="right"))
        at = row - (int(self._ends[part - 1]) if part else 0)
        found = read_rows(self._tables[part], texts_file(self.folder, part), at, 1)
        return Hit(found["id"][0], found["text"][0], min(cosine, 1.0), row)

    def add(
        self,
        texts: Iterable[str],
        ids: Iterable[Any] | None = None,
        advance: Advance = nothing,
        *,
        approximate: bool | None = None,
    ) -> int:
        """Embed more texts by the recipe as it was fitted and put them behind the others; how many they were.

        The index is as it was until all are written. A note says when the recipe has seen less than half of the texts.
        `approximate` makes or drops a graph; without it, a graph that is there takes the texts in when they are many.
        """
        rows: Iterable[Row] = enumerate(texts, len(self)) if ids is None else zip(ids, texts, strict=True)
        return self.add_rows(rows, advance, approximate)

    def add_rows(self, rows: Iterable[Row], advance: Advance = nothing, approximate: bool | None = None) -> int:
        """The same for pairs of id and text."""
        if approximate:
            check_installed()
        n_before = len(self)
        with exclusive(self.folder / "lock"):
            self._map(About.read(self.folder))  # another process may have added some
            about = self._add_parts(rows, advance)
            self._map(about)
            about = self._renew_graph(approximate)
        self._map(about)
        report_zeros(about.zeros, about.n_rows)
        report_age(about)
        return len(self) - n_before

    def _add_parts(self, rows: Iterable[Row], advance: Advance) -> About:
        known: set[Any] = set()
        for number, table in enumerate(self._tables):
            known.update(read_rows(table.select(["id"]), texts_file(self.folder, number))["id"])
        about = self.about
        for ids, texts in row_parts(rows, known):
            made = np.concatenate(list(self.embedder.encode_chunks(texts, advance=advance)))
            vectors, zeros = document_rows(self.embedder, texts, made)
            self._check_ids(ids)
            write_part(self.folder, len(about.parts), ids, texts, vectors)
            about = about.with_part(len(ids), zeros)
        if about.n_rows == self.about.n_rows:
            raise InputError("there are no texts to add")
        about.write(self.folder)
        return about

    def _renew_graph(self, asked: bool | None) -> About:
        """After texts were added: a graph made, continued or dropped, where that is due."""
        earlier, about = self._graph_file, self.about
        if asked is False:
            about = replace(about, approximate={})
        elif earlier is None and is_wanted(about.n_rows, asked):
            about = replace(about, approximate=asdict(build_graph(self.folder, self._parts)))
        elif earlier is not None and (asked or about.n_rows - earlier.rows > TAIL):
            about = replace(about, approximate=asdict(build_graph(self.folder, self._parts, earlier)))
        if about is not self.about:
            about.write(self.folder)
            if earlier is not None and about.approximate.get("file") != earlier.file:
                for name in (earlier.file, earlier.nodes_file):
                    (self.folder / name).unlink(missing_ok=True)
        return about

    def _check_ids(self, ids: Sequence[Any]) -> None:
        kinds = (int, str) if pa.types.is_integer(self._tables[0].schema.field("id").type) else (str, int)
        wrong = next((i for i in ids if not isinstance(i, kinds[0])), None)
        if wrong is not None:
            raise InputError(f"the id {wrong!r} is no {kinds[0].__name__}, as the ids of this index are")


def report_age(about: About) -> None:
    """Says when the fit has grown old."""
    if about.fitted_on is not None and about.n_rows > 2 * about.fitted_on:
        log.warning(
            "the fit has grown old: the recipe learned from %s texts and the index holds %s; build it anew from all "
            "texts to let it learn from them",
            f"{about.fitted_on:,}",
            f"{about.n_rows:,}",
        )
