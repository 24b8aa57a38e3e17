"""What runs that were stopped leave, for the next one to go on from."""

from __future__ import annotations

from pathlib import Path

from attar import Embedder, Transformer
from attar.encoders.average import average_tokens
from attar.jobs.building import _encoding, _previous, _write_parts
from attar.jobs.index import Index

TEXTS = ["the cat sat on the mat", "a dog ran", "seven blue dogs", "music in the tree"]


def make_kept(here: Path, fitted: Embedder) -> None:
    """Sums of a table half made, an index half built, and an index with a graph."""
    average_tokens(Transformer(here / "model"), TEXTS[:2], (1, 3), checkpoint=here / "half.sums", progress=False)
    work = here / ".half-index.unfinished"
    work.mkdir()
    (work / "lock").touch()
    rows = list(enumerate(TEXTS))
    _write_parts(work, fitted, rows, _encoding(fitted, lambda n: None), _previous(work, fitted))
    Index.build(here / "near", fitted, TEXTS * 10, range(len(TEXTS) * 10), approximate=True)
