"""Whatever holds texts (list, array, column, generator) to clean Python strings, checked one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from attar.errors import InputError

_SURROGATE = re.compile("[\ud800-\udfff]")


def iter_texts(column: Any) -> Iterator[Any]:
    """The values of any one-dimensional holder of texts, in order."""
    if isinstance(column, (str, bytes, Mapping)) or not isinstance(column, Iterable):
        raise InputError(
            f"expected texts as a list, array, column or generator; given {type(column).__name__}: {_shown(column)}"
        )
    if hasattr(column, "to_pylist"):  # pyarrow
        return iter(column.to_pylist())
    shape = getattr(column, "shape", None)
    if shape is not None and len(shape) == 2 and shape[1] == 1:  # a table of one column, as scikit-learn hands it over
        return iter(_only_column(column))
    if shape is not None and len(shape) != 1:
        raise InputError(f"expected one column of texts; given {type(column).__name__} of shape {tuple(shape)}")
    return iter(column)


def _only_column(table: Any) -> Any:
    if hasattr(table, "iloc"):  # pandas
        return table.iloc[:, 0]
    if hasattr(table, "column_names"):  # datasets
        return table[table.column_names[0]]
    return table.to_series(0) if hasattr(table, "to_series") else table[:, 0]


def check_texts(values: Iterable[Any], start: int = 0) -> tuple[list[str], int]:
    """Plain strings that any tokenizer can take, and how many had lone surrogates (replaced by U+FFFD)."""
    texts = list(values)
    if set(map(type, texts)) - {str}:  # a look at each only where it is needed
        for i, value in enumerate(texts, start):
            if not isinstance(value, str):
                raise InputError(
                    f"text {i} is {_shown(value)} ({type(value).__name__}), not a string; "
                    "drop such rows or turn them into strings first"
                )
        texts = [str(value) for value in texts]
    try:
        "".join([text for text in texts if not text.isascii()]).encode()
    except UnicodeEncodeError:
        pass
    else:
        return texts, 0
    cleaned = [_SURROGATE.sub("\ufffd", text) for text in texts]
    return cleaned, sum(new != old for new, old in zip(cleaned, texts, strict=True))


def without_surrogates(value: Any) -> Any:
    """A text with lone surrogates replaced, as `check_texts` does; anything else as it is."""
    return _SURROGATE.sub("\ufffd", value) if isinstance(value, str) and not value.isascii() else value


def chunks(column: Any, size: int) -> Iterator[tuple[list[str], int]]:
    """Checked texts in lists of at most `size`, each with its number of replaced texts."""
    values = iter_texts(column)
    start = 0
    while chunk := list(islice(values, size)):
        yield check_texts(chunk, start)
        start += len(chunk)


def _shown(value: object) -> str:
    text = " ".join(repr(value).split())  # tables show themselves in many lines
    return text if len(text) <= 60 else text[:57] + "..."
