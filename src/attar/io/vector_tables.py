"""Vectors and the columns that go along with them as an Arrow table: lists of fixed size, which databases know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from attar.errors import InputError
from attar.io.kept_columns import VECTOR, KeptColumns
from attar.types import Floats

if TYPE_CHECKING:
    import pyarrow as pa

ID = "id"


def table_of(rows: Floats, first: int, kept: KeptColumns | None, schema: pa.Schema | None) -> pa.Table:
    """The next rows of a file: id (row numbers from `first` on, where no kept column is called so), columns, vector.

    Parameters
    ----------
    rows : array of shape (N, D)
        The vectors.
    first : int
        How many rows came before.
    kept : KeptColumns, optional
        Gives the columns of these rows.
    schema : pa.Schema or None
        That of the rows before, whose types hold for all.

    Returns
    -------
    pa.Table

    Raises
    ------
    InputError
        If a column holds values of several kinds.
    """
    import pyarrow as pa

    given = {} if kept is None else kept.take(len(rows))
    types = _types(kept, schema)
    columns = {} if ID in given else {ID: pa.array(np.arange(first, first + len(rows)))}
    for name, values in given.items():
        columns[name] = _array(name, values, types.get(name))
    flat = pa.array(np.ascontiguousarray(rows, dtype=np.float32).reshape(-1))
    columns[VECTOR] = pa.FixedSizeListArray.from_arrays(flat, rows.shape[1])
    return pa.table(columns)


def _types(kept: KeptColumns | None, schema: pa.Schema | None) -> dict[str, Any]:
    if kept is None:
        return {}
    return kept.types if schema is None else {field.name: field.type for field in schema}


def _array(name: str, values: list[Any], kind: Any) -> pa.Array:
    """The first rows tell the kind of a column that the file does not tell; nothing but empty fields is text."""
    import pyarrow as pa

    try:
        made = pa.array(values, kind)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        reason = " ".join(str(error).split())[:160]
        raise InputError(f"the column {name!r} holds values of several kinds and can't be kept: {reason}") from None
    return made.cast(pa.string()) if pa.types.is_null(made.type) else made
