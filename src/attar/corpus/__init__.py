"""Jobs over corpora that outgrow memory or one machine: embed, fit, average; exact, resumable, surviving kills."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attar.corpus.averaging import average_corpus
    from attar.corpus.embedding import embed_corpus
    from attar.corpus.fitting.learning import fit_corpus
    from attar.corpus.jobs.manifest import verify_corpus

__all__ = ["average_corpus", "embed_corpus", "fit_corpus", "verify_corpus"]

_PLACES = {
    "average_corpus": "attar.corpus.averaging",
    "embed_corpus": "attar.corpus.embedding",
    "fit_corpus": "attar.corpus.fitting.learning",
    "verify_corpus": "attar.corpus.jobs.manifest",
}


def __getattr__(name: str) -> Any:  # checking checksums needs no model
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'attar.corpus' has no attribute {name!r}; it has {', '.join(__all__)}")
