"""The background corpus: counted whole for idf, a part of it through the model, a part of it for Avg."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from attar.errors import InputError
from attar.recipe import Corpus
from attar.sweep.cells import Corpora
from attar.sweep.grid import Grid
from attar.sweep.sampling import draw
from attar.tokens.sentences import read_corpus


@dataclass(frozen=True)
class Background:
    """The texts of a file: its lines, or the sentences of its paragraphs."""

    counted: tuple[str, ...] = ()
    embedded: tuple[str, ...] = ()
    averaged: tuple[str, ...] = ()

    @classmethod
    def read(cls, path: Path | None, grid: Grid, *, split: bool = False) -> Self:
        """What a grid needs of it; refused where it needs one and none is given. `split`: into sentences."""
        if path is None:
            if grid.needs_background:
                raise InputError(
                    "the grid has parts that learn from a background corpus (@background, isoscore, mix): "
                    "give --background FILE, a text file such as Wikitext-2"
                )
            return cls()
        counted = tuple(read_corpus(path, split=split))
        if not counted:
            raise InputError(f"the background corpus {str(path)!r} holds no {'sentences' if split else 'texts'}")
        return cls(counted, some(counted, grid.background_texts), some(counted, grid.average_texts))

    @property
    def corpora(self) -> Corpora:
        return Corpora(*(Corpus.of(texts).sha256 for texts in (self.counted, self.embedded, self.averaged)))


def some(texts: tuple[str, ...], wanted: int | None) -> tuple[str, ...]:
    """So many of them, drawn once and for all, in their order."""
    chosen = draw(len(texts), wanted)
    return texts if chosen is None else tuple(texts[int(i)] for i in chosen)
