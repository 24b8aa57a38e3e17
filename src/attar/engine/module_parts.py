"""The parts of a torch module, in its own memory."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from attar.engine.parts import Dense
from attar.types import Floats


class ModuleParts:
    """Arrays that share the module's memory; float32 only."""

    def __init__(self, module: nn.Module) -> None:
        self._module = module

    def dense(self, name: str) -> Dense:
        part = self._part(name)
        return Dense(_array(part.weight), _array(part.bias))

    def joined(self, names: Sequence[str]) -> Dense:
        """One weight for all; their own become views of it, so that nothing is held twice."""
        parts = [self._part(name) for name in names]
        weight = torch.cat([part.weight.detach() for part in parts])
        start = 0
        for part in parts:
            part.weight.data = weight[start : start + len(part.weight)]
            start += len(part.weight)
        return Dense(_array(weight), _array(torch.cat([part.bias.detach() for part in parts])))

    def scaling(self, name: str, width: int) -> tuple[Floats, Floats]:
        part = self._part(name)
        if {part.weight.shape, part.bias.shape} != {(width,)}:
            raise ValueError(f"{name!r} has the shape {tuple(part.weight.shape)}, not ({width},)")
        return _array(part.weight), _array(part.bias)

    def _part(self, name: str) -> nn.Module:
        try:
            part = self._module.get_submodule(name)
        except AttributeError:
            raise LookupError(f"a {type(self._module).__name__} has no part {name!r}") from None
        for array in ("weight", "bias"):
            if not isinstance(getattr(part, array, None), torch.Tensor):
                raise LookupError(f"{name!r} of a {type(self._module).__name__} has no {array}")
        return part


def _array(tensor: torch.Tensor) -> Floats:
    array: Floats = tensor.detach().numpy()
    return array
