"""What a table folder holds, whatever its layout, and the reading that all layouts share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy.typing as npt
import tokenizers

from attar.errors import ModelError


@dataclass(frozen=True)
class TableParts:
    """The arguments of a Table."""

    vectors: Mapping[int, npt.NDArray[Any]]  # layer: (V, D)
    tokenizer: tokenizers.Tokenizer
    weights: npt.NDArray[Any] | None = None
    counts: npt.NDArray[Any] | None = None
    normalize: bool = False
    skip_unknown: bool = False
    made: Mapping[str, Any] = field(default_factory=dict)


def read_tokenizer(path: Path) -> tokenizers.Tokenizer:
    try:
        return tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises plain Exception
        raise ModelError(f"can't read the tokenizer {path}: {error}") from None


def read_json_object(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise ModelError(f"{path} can't be read as JSON: {error}") from None
    if not isinstance(content, dict):
        raise ModelError(f"{path} should hold a JSON object; it holds a {type(content).__name__}")
    return content
