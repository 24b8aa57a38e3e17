"""An encoder from what a user names (a model, a table, word vectors, random ones) or from what a recipe says of it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from attar.checkpoints import default
from attar.errors import InputError, ModelError, RecipeError, unknown_name
from attar.io.foreign import read_json_object
from attar.types import Encoder

# kind: (module, class)
KINDS = {
    "transformer": ("attar.encoders.transformer", "Transformer"),
    "table": ("attar.encoders.table", "Table"),
    "random": ("attar.encoders.random", "Random"),
    "word_vectors": ("attar.encoders.word_vectors", "WordVectors"),
    "mix": ("attar.encoders.mix", "Mix"),
    "pooled": ("attar.encoders.pooled", "Pooled"),
    "attended": ("attar.encoders.attended", "Attended"),
    "dissected": ("attar.encoders.dissected", "Dissected"),
    "side_by_side": ("attar.encoders.side_by_side", "SideBySide"),
}
# the file that tells what a folder holds
_MARKS = {
    "attar_table.json": "table",
    "word_vectors.json": "word_vectors",
    "mix.json": "mix",
    "random.json": "random",
}
RANDOM = "random:"
_WORD_VECTOR_ENDINGS = (".vec", ".bin", ".txt", ".vec.gz", ".bin.gz", ".txt.gz")


def open_encoder(
    name: str | None,
    template: str | None = None,
    max_tokens: int | None = None,
    windows: int | None = None,
) -> Encoder:
    """Open an encoder by its name.

    Parameters
    ----------
    name : str or None
        A model folder or hub name, a folder of a table (Attar's, model2vec's), of word vectors or of a mix, a file
        of word vectors, or `random:MODEL` for random vectors of the tokens of that model (`random:` of the default
        model). None opens the embedded default model.
    template : str, optional
        The name or text of a template, for transformers.
    max_tokens, windows : int, optional
        Where texts are cut, or how many tokens windows share, for transformers.

    Returns
    -------
    Encoder
        Models are loaded on first use.

    Raises
    ------
    InputError
        If an option that only transformers have is given for another encoder.
    ModelError
        If there is no such model, or it can't be read.
    """
    other = _other_encoder(name)
    if other is None:
        from attar.encoders.transformer import Transformer

        return Transformer(name, template, max_tokens=max_tokens, windows=windows)
    for option, value in (("--template", template), ("--max-tokens", max_tokens), ("--windows", windows)):
        if value is not None:
            raise InputError(f"{option} is for transformers; {name!r} is a {type(other).__name__}")
    return other


def encoder_of(spec: Mapping[str, Any], folder: Path | None = None) -> Encoder:
    """The encoder that a recipe describes; `folder` holds its arrays, if it has any of its own."""
    kind = spec.get("type")
    if not isinstance(kind, str) or kind not in KINDS:
        raise RecipeError(str(unknown_name("encoder type", kind, KINDS)))
    try:
        encoder: Encoder = _class(kind).from_spec(spec, folder)
    except (KeyError, TypeError) as error:
        raise RecipeError(f"the encoder of the recipe is damaged: {type(error).__name__} {error}") from None
    return encoder


def saved_folder(spec: Mapping[str, Any], folder: Path | None) -> Path:
    """The folder of arrays that an encoder is loaded from; an error where there is none."""
    if folder is None:
        raise RecipeError(f"a recipe with a {spec['type']} is loaded from its folder, not from its description alone")
    return folder


def _class(kind: str) -> Any:
    module, name = KINDS[kind]
    return getattr(import_module(module), name)


def _other_encoder(name: str | None) -> Encoder | None:
    """What the name opens if it is not a transformer."""
    if name is None:
        return None
    if name.startswith(RANDOM):
        random: Encoder = _class("random")(name.removeprefix(RANDOM) or default.folder())
        return random
    path = Path(name).expanduser()
    if path.is_file() and path.name.endswith(_WORD_VECTOR_ENDINGS):
        words: Encoder = _class("word_vectors")(path)
        return words
    kind = _folder_kind(path) if path.is_dir() else None
    if kind is None:
        return None
    loaded: Encoder = _class(kind).load(path)
    return loaded


def _folder_kind(folder: Path) -> str | None:
    """The kind of static model a folder holds; None for one of transformers."""
    for mark, kind in _MARKS.items():
        if (folder / mark).is_file():
            return kind
    try:
        config = read_json_object(folder / "config.json", ModelError)
    except ModelError:  # told when it is opened
        return None
    return "table" if config.get("model_type") == "model2vec" else None
