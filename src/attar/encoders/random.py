"""Random: the paper's random embeddings (RE), a baseline without any knowledge of language."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import tokenizers

from attar.encoders.bag import check_layers, mean_vectors
from attar.encoders.formats.table_parts import read_json_object
from attar.encoders.normals import normals
from attar.encoders.opening import saved_folder
from attar.encoders.static_tokens import own_tokenizer
from attar.engine.sums import pool_rows
from attar.errors import InputError, ModelError
from attar.io.atomic import new_folder
from attar.tokens.tokenizer import TextTokenizer
from attar.types import Encoder, Floats, Tokens, TokenVectors, Vocabulary

_LAYERS = (1,)
_BLOCK = 64  # tokens made at once: small enough for the processor's cache
_ABOUT, _TOKENIZER = "random.json", "tokenizer.json"


class Random(Encoder):
    """Each token has a random vector, drawn from a normal distribution around 0 and computed whenever it is needed.

    The same `seed` gives the same vectors on every machine; `attar.encoders.normals` says how.

    Parameters
    ----------
    tokenizer_or_folder : tokenizers.Tokenizer, str or Path
        A tokenizer, or a folder with tokenizer.json.
    dims : int
        The number of dims, D.
    std : float
        The standard deviation of every dim, above 0.
    seed : int
        From 0 to 2**64 - 1.

    Raises
    ------
    InputError
        If a number is out of range.
    """

    kind = "random"

    def __init__(
        self,
        tokenizer_or_folder: tokenizers.Tokenizer | str | Path,
        dims: int = 768,
        std: float = 0.1,
        seed: int = 0,
    ) -> None:
        self.tokenizer_or_folder = tokenizer_or_folder
        self.dims = _whole("dims", dims, 1, 2**32)
        self.seed = _whole("seed", seed, 0, 2**64 - 1)
        self.std = float(std)
        if not 0 < self.std < float("inf"):
            raise InputError(f"std={std!r} is not a spread; give a number above 0")

    def vectors(self, ids: Any) -> Floats:
        """The vectors of tokens.

        Parameters
        ----------
        ids : array of shape (T,)
            Token ids.

        Returns
        -------
        ndarray of float32, of shape (T, D)
            One row per token.
        """
        ids = np.asarray(ids)
        vectors = np.empty((len(ids), self.dims), dtype=np.float32)
        for start in range(0, len(ids), _BLOCK):
            vectors[start : start + _BLOCK] = normals(self.seed, ids[start : start + _BLOCK], self.dims) * self.std
        return vectors

    def encode(self, texts: Any) -> Floats:
        """The mean of each text's token vectors.

        Parameters
        ----------
        texts : iterable of str
            N texts.

        Returns
        -------
        ndarray of float32, of shape (N, D)
            One row per text.
        """
        return mean_vectors(self, texts, _LAYERS)

    @property
    def n_layers(self) -> int:
        return 1

    @property
    def first_layer(self) -> int:
        return 1

    @property
    def vocabulary(self) -> Vocabulary:
        return self.tokenizer.vocabulary

    @property
    def backend_tokenizer(self) -> tokenizers.Tokenizer:
        return self.tokenizer.backend

    def width(self, layer: int) -> int:
        return self.dims

    def tokenize(self, texts: Sequence[str]) -> Tokens:
        return self.tokenizer(texts)

    def pool(self, tokens: Tokens, token_weights: Floats, layers: Sequence[int]) -> Floats:
        check_layers(layers, _LAYERS)
        distinct, rows = np.unique(tokens.ids, return_inverse=True)
        pooled = pool_rows(self.vectors(distinct), rows.astype(np.int32), token_weights, tokens.offsets)
        return np.repeat(pooled[:, :, None], len(layers), axis=2)

    def token_vectors(self, tokens: Tokens, layers: Sequence[int]) -> TokenVectors:
        check_layers(layers, _LAYERS)
        distinct, rows = np.unique(tokens.ids, return_inverse=True)
        return TokenVectors({1: self.vectors(distinct)[rows]})

    def spec(self) -> dict[str, Any]:
        return {
            "type": self.kind,
            "dims": self.dims,
            "std": self.std,
            "seed": self.seed,
            "tokenizer_sha256": self.fingerprint,
        }

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any], folder: Path | None = None) -> Self:
        return cls.load(saved_folder(spec, folder))

    def save_arrays(self, folder: Path) -> None:
        self.save(folder)

    def save(self, folder: str | Path, *, overwrite: bool = False) -> None:
        """Write random.json and tokenizer.json: the vectors follow from the seed.

        Parameters
        ----------
        folder : str or Path
            The folder to write; it appears whole or not at all.
        overwrite : bool
            Replace an earlier one.

        Raises
        ------
        OutputError
            If the folder exists, or can't be written.
        """
        about = {"format": 1, "dims": self.dims, "std": self.std, "seed": self.seed}
        with new_folder(Path(folder).expanduser(), _ABOUT, overwrite=overwrite) as aside:
            self.tokenizer.backend.save(str(aside / _TOKENIZER), pretty=False)
            (aside / _ABOUT).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read what `save` wrote.

        Parameters
        ----------
        folder : str or Path
            The folder.

        Returns
        -------
        Random
            Equal to the one that was saved.

        Raises
        ------
        ModelError
            If the folder holds something else, or it is damaged.
        """
        path = Path(folder).expanduser() / _ABOUT
        about = read_json_object(path)
        try:
            if about["format"] != 1:
                raise ModelError(f"{path} is of format {about['format']!r}; this version reads 1")
            return cls(folder, dims=about["dims"], std=about["std"], seed=about["seed"])
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError(f"{path} is damaged: {type(error).__name__} {error}") from None

    @cached_property
    def tokenizer(self) -> TextTokenizer:
        return own_tokenizer(self.tokenizer_or_folder)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the tokenizer, which together with dims, std and seed determines all vectors."""
        return hashlib.sha256(self.tokenizer.backend.to_str().encode()).hexdigest()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # never changes

    def __repr__(self) -> str:
        return f"Random(dims={self.dims}, std={self.std}, seed={self.seed})"


def _whole(name: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise InputError(f"{name}={value!r} is not a whole number from {least} to {most}")
    return int(value)
