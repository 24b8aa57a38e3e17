"""An encoder from what a user names: a model, a table, word vectors or random ones."""

from __future__ import annotations

import json
from pathlib import Path

from attar.checkpoints import default
from attar.encoders.transformer import Transformer
from attar.errors import InputError
from attar.types import Encoder

RANDOM = "random:"
_WORD_VECTOR_ENDINGS = (".vec", ".bin", ".txt", ".vec.gz", ".bin.gz", ".txt.gz")


def open_encoder(
    name: str | None,
    template: str | None = None,
    max_tokens: int | None = None,
    windows: int | None = None,
) -> Encoder:
    """A model folder or hub name, a table's folder (ours, model2vec's), a file of word vectors, or `random:MODEL`.

    `random:MODEL` gives random vectors to the tokens of that model's tokenizer, `random:` to the default model's.
    """
    other = _other_encoder(name)
    if other is None:
        return Transformer(name, template, max_tokens=max_tokens, windows=windows)
    for option, value in (("--template", template), ("--max-tokens", max_tokens), ("--windows", windows)):
        if value is not None:
            raise InputError(f"{option} is for transformers; {name!r} is a {type(other).__name__}")
    return other


def _other_encoder(name: str | None) -> Encoder | None:
    if name is None:
        return None
    if name.startswith(RANDOM):
        from attar.encoders.random import Random

        return Random(name.removeprefix(RANDOM) or default.folder())
    path = Path(name).expanduser()
    if path.is_file() and path.name.endswith(_WORD_VECTOR_ENDINGS):
        from attar.encoders.word_vectors import WordVectors

        return WordVectors(path)
    if path.is_dir() and _is_table(path):
        from attar.encoders.table import Table

        return Table.load(path)
    return None


def _is_table(folder: Path) -> bool:
    """A table of ours, or a model2vec folder, whose config names no architecture of transformers."""
    if (folder / "attar_table.json").is_file():
        return True
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and config.get("model_type") == "model2vec"
