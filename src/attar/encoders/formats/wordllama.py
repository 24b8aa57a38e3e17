"""Tables laid out as in wordllama: weights/NAME_DIMS.safetensors and tokenizers/NAME_tokenizer_config.json."""

from __future__ import annotations

from pathlib import Path

from attar.encoders.formats.table_parts import TableParts, read_tokenizer
from attar.errors import ModelError
from attar.io.arrays import map_arrays, take

_ARRAY = "embedding.weight"


def is_here(folder: Path) -> bool:
    return (folder / "weights").is_dir() and (folder / "tokenizers").is_dir()


def read(folder: Path) -> TableParts:
    """The one table of the folder; wordllama averages all tokens and does not normalise unless asked."""
    found = sorted((folder / "weights").glob("*.safetensors"))
    if len(found) != 1:
        names = [path.name for path in found]
        raise ModelError(f"{str(folder / 'weights')!r} should hold one *.safetensors file; it holds {names}")
    name = found[0].stem.rpartition("_")[0]
    tokenizer = folder / "tokenizers" / f"{name}_tokenizer_config.json"
    if not tokenizer.is_file():
        raise ModelError(f"the table {found[0].name} needs the tokenizer {tokenizer}, which is missing")
    return TableParts(
        vectors={1: take(map_arrays(found[0]), _ARRAY, found[0])},
        tokenizer=read_tokenizer(tokenizer),
        made={"layout": "wordllama", "folder": name},
    )
