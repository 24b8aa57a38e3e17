"""Reads hidden states at the input of each block, and stops the forward pass after the last wanted layer.

The hidden state of layer k is what goes into block k + 1; that of the last layer is what the model returns. So states
are right where something stands between blocks, where blocks share weights, and where only the last state is normed.
What a model pads its input with by itself (Longformer, BigBird) is left out.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import nn

from attar.errors import ModelError

VisitStates = Callable[[int, torch.Tensor], None]  # (layer, hidden states)


class _Stop(BaseException):
    """Leaves the forward pass early; no library catches it by accident."""


class BlockHooks:
    """Hooks on the blocks of a model; each thread watches its own forward pass."""

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._local = threading.local()
        for block in _blocks(model):
            block.register_forward_pre_hook(self._before_block, with_kwargs=True)

    def run(self, inputs: dict[str, Any], layers: Iterable[int], last: int, visit: VisitStates) -> None:
        """One forward pass; calls visit(layer, states) for the wanted layers from 0 to `last`, in order."""
        wanted = set(layers)
        self._local.seen = 0
        self._local.length = inputs["input_ids"].shape[-1]
        self._local.wanted = wanted
        self._local.visit = visit
        self._local.top = max(wanted) if max(wanted) < last else None
        try:
            output = self._model(**inputs)
        except _Stop:
            return
        finally:
            self._local.visit = None
        if last in wanted:
            visit(last, output.last_hidden_state)

    def count(self, inputs: dict[str, Any]) -> int:
        """How many blocks a forward pass goes through."""
        self._local.seen, self._local.wanted, self._local.top = 0, set(), None
        self._local.visit = lambda layer, states: None
        self._model(**inputs)
        self._local.visit = None
        return int(self._local.seen)

    def _before_block(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if getattr(self._local, "visit", None) is None:
            return
        layer = self._local.seen
        self._local.seen += 1
        if layer in self._local.wanted:
            states = args[0] if args else kwargs["hidden_states"]
            self._local.visit(layer, states[:, : self._local.length])
            if layer == self._local.top:
                raise _Stop


def _blocks(model: nn.Module) -> list[nn.Module]:
    """The blocks: what transformers itself records hidden states from, else the list as long as the config says."""
    recorded = getattr(model, "_can_record_outputs", None) or {}
    kind = recorded.get("hidden_states")
    if isinstance(kind, type):
        found = [module for module in model.modules() if isinstance(module, kind)]
        if found:
            return found
    n_layers = getattr(model.config, "num_hidden_layers", None) or getattr(model.config, "num_layers", None)
    lists = [m for m in model.modules() if isinstance(m, nn.ModuleList) and len(m) == n_layers]
    if not lists:
        raise ModelError(
            f"can't find the blocks of a {type(model).__name__}; "
            "supported are transformers whose blocks stand in one list"
        )
    return list(lists[0])
