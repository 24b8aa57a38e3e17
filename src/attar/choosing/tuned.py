"""Whether a model was tuned for sentences, as far as its folder tells."""

from __future__ import annotations

from pathlib import Path

from attar.checkpoints import default
from attar.types import Encoder

MARKS = ("modules.json", "sentence_bert_config.json", "config_sentence_transformers.json")


def is_tuned(encoder: Encoder) -> bool:
    """True for the embedded default and for folders that sentence-transformers has written."""
    model = encoder.spec().get("model")
    if model is None:
        return False
    if model == default.NAME:
        return True
    folder = Path(getattr(encoder, "folder", model)).expanduser()
    return any((folder / name).is_file() for name in MARKS)
