"""The arrays that a model is made of, by the names of its parts: from a file, or from the modules of torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt

from attar.engine.decoder_block import Linear
from attar.engine.stored import Stored
from attar.io.arrays import as_float32, is_float
from attar.io.quantized import StoredRows
from attar.types import Floats


class Dense(NamedTuple):
    """Shape: (D out, D in), (D out)"""

    weight: Floats
    bias: Floats

    def checked(self, n_out: int, n_in: int) -> Self:
        """Itself; a ValueError where it has other shapes. (Compiled code reads past the end of too small an array.)"""
        if self.weight.shape != (n_out, n_in) or self.bias.shape != (n_out,):
            raise ValueError(f"expected ({n_out}, {n_in}), found {self.weight.shape} with {self.bias.shape} biases")
        return self


class Parts(Protocol):
    """Raises a LookupError for a part that is not there, a ValueError for one of another shape."""

    def dense(self, name: str) -> Dense: ...

    def joined(self, names: Sequence[str]) -> Dense:
        """Dense layers that read the same input as one, their results side by side."""
        ...

    def scaling(self, name: str, width: int) -> tuple[Floats, Floats]:
        """Gain and offset of a norm. Shape: (width), (width)"""
        ...


class ArrayParts:
    """Parts of arrays by name; remembers which were asked for. `brief`: dense layers of decoders multiply bfloat16."""

    def __init__(
        self,
        arrays: Mapping[str, npt.NDArray[Any] | StoredRows],
        prefix: str = "",
        used: set[str] | None = None,
        brief: bool = False,
    ) -> None:
        self._arrays = arrays
        self.prefix = prefix
        self.brief = brief
        self.used: set[str] = set() if used is None else used

    def below(self, prefix: str) -> ArrayParts:
        """The parts of a part."""
        return ArrayParts(self._arrays, self.prefix + prefix, self.used, self.brief)

    def array(self, name: str, shape: tuple[int, ...] | None = None) -> Floats:
        """As float32, and where it is of that type in its file, as it lies there."""
        array = self._arrays[self.prefix + name]
        array = array.unpacked() if isinstance(array, StoredRows) else array
        if not is_float(array) or (shape is not None and array.shape != shape):
            raise ValueError(f"{self.prefix + name} has the shape {array.shape} and the type {array.dtype}")
        self.used.add(self.prefix + name)
        return as_float32(array)

    def stored(self, name: str, shape: tuple[int, int]) -> Stored:
        """As it lies in its file."""
        array = self._arrays[self.prefix + name]
        found = Stored.taking(array) if isinstance(array, StoredRows) else Stored.of(array)
        if found.shape != shape:
            raise ValueError(f"{self.prefix + name} has the shape {found.shape}; expected {shape}")
        self.used.add(self.prefix + name)
        return found

    def linear(self, name: str, n_out: int, n_in: int) -> Linear:
        """A dense layer of a decoder, which may have no biases."""
        bias = f"{name}.bias"
        has_bias = self.prefix + bias in self._arrays
        offsets = self.array(bias, (n_out,)) if has_bias else None
        return Linear(self.stored(f"{name}.weight", (n_out, n_in)), offsets, self.brief)

    def dense(self, name: str) -> Dense:
        return Dense(self.array(f"{name}.weight"), self.array(f"{name}.bias"))

    def joined(self, names: Sequence[str]) -> Dense:
        found = [self.dense(name) for name in names]
        return Dense(np.concatenate([d.weight for d in found]), np.concatenate([d.bias for d in found]))

    def scaling(self, name: str, width: int) -> tuple[Floats, Floats]:
        return self.array(f"{name}.weight", (width,)), self.array(f"{name}.bias", (width,))
