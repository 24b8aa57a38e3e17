"""Index: documents, ids, vectors, and the fitted recipe that queries go through."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa

from attar.embedder import Embedder
from attar.errors import InputError
from attar.io.locks import exclusive
from attar.io.progress import Advance, nothing
from attar.jobs.building import Row, build_folder, report_zeros, row_parts, unit_rows
from attar.jobs.index_files import RECIPE, About, map_texts, map_vectors, write_part
from attar.jobs.nearest import Neighbours, nearest
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
    """Documents of a folder, searched exactly by one blocked product over mapped vectors.

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

    @classmethod
    def build(
        cls,
        folder: str | Path,
        embedder: Embedder,
        texts: Iterable[str],
        ids: Iterable[Any] | None = None,
        *,
        overwrite: bool = False,
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
        advance : hears how many texts are done

        Raises
        ------
        InputError : no texts, a text that is no string, an id that comes twice
        OutputError : the folder can't be written
        """
        rows: Iterable[Row] = enumerate(texts) if ids is None else zip(ids, texts, strict=True)
        build_folder(Path(folder), embedder, rows, overwrite=overwrite, advance=advance)
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

    def search(self, query: str, top: int = 5) -> list[Hit]:
        """The documents nearest to a query, nearest first."""
        return self.search_all([query], top)[0]

    def search_all(self, queries: Sequence[str], top: int = 5) -> list[list[Hit]]:
        """The same for many queries at once.

        Parameters
        ----------
        queries : texts; they go through the recipe that the documents went through
        top : how many documents for each; fewer where the index has fewer

        Returns
        -------
        A list of hits for each query
        """
        vectors, _ = unit_rows(self.embedder.encode(list(queries)))
        for query, vector in zip(queries, vectors, strict=True):
            if not vector.any():
                log.warning("the query %r has a zero vector: nothing is near to it", query[:60])
        return self.hits(nearest(vectors, self._parts, top))

    def hits(self, found: Neighbours) -> list[list[Hit]]:
        """Rows that a search found, as documents."""
        return [
            [self._hit(int(row), float(cosine)) for row, cosine in zip(rows, cosines, strict=True)]
            for rows, cosines in zip(found.rows, found.cosines, strict=True)
        ]

    def _hit(self, row: int, cosine: float) -> Hit:
        part = int(np.searchsorted(self._ends, row, side="right"))
        at = row - (int(self._ends[part - 1]) if part else 0)
        table = self._tables[part]
        return Hit(table.column("id")[at].as_py(), table.column("text")[at].as_py(), min(cosine, 1.0), row)

    def add(self, texts: Iterable[str], ids: Iterable[Any] | None = None, advance: Advance = nothing) -> int:
        """Embed more texts by the recipe as it was fitted and put them behind the others; how many they were.

        The index is as it was until all are written. A note says when the recipe has seen less than half of the texts.
        """
        return self.add_rows(enumerate(texts, len(self)) if ids is None else zip(ids, texts, strict=True), advance)

    def add_rows(self, rows: Iterable[Row], advance: Advance = nothing) -> int:
        """The same for pairs of id and text."""
        n_before = len(self)
        with exclusive(self.folder / "lock"):
            self._map(About.read(self.folder))  # another process may have added some
            about = self._add_parts(rows, advance)
        self._map(about)
        report_zeros(about.zeros, about.n_rows)
        report_age(about)
        return len(self) - n_before

    def _add_parts(self, rows: Iterable[Row], advance: Advance) -> About:
        known: set[Any] = set()
        for table in self._tables:
            known.update(table.column("id").to_pylist())
        about = self.about
        for ids, texts in row_parts(rows, known):
            vectors, zeros = unit_rows(np.concatenate(list(self.embedder.encode_chunks(texts, advance=advance))))
            self._check_ids(ids)
            write_part(self.folder, len(about.parts), ids, texts, vectors)
            about = about.with_part(len(ids), zeros)
        if about.n_rows == self.about.n_rows:
            raise InputError("there are no texts to add")
        about.write(self.folder)
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
