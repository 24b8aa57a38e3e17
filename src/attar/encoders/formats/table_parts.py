"""What a table folder holds, whatever its layout, and the reading that all layouts share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy.typing as npt
import tokenizers

from attar.checkpoints.checks import read_json
from attar.checkpoints.tokenizer_files import open_tokenizer


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
    return open_tokenizer(path)


def read_json_object(path: Path) -> dict[str, Any]:
    return read_json(path)
