"""The one path as a torch module that a graph can be made of: ids and mask in, vector out."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from attar.encoders.mix import Mix
from attar.encoders.random import Random
from attar.encoders.table import Table
from attar.encoders.transformer import Transformer
from attar.errors import RecipeError
from attar.exports.base_model import load_base
from attar.exports.fitted_parts import FittedParts
from attar.exports.onnx.graph_functions import mix_gelus
from attar.exports.onnx.graph_shapes import shape_module
from attar.exports.onnx.graph_weights import TokenWeights
from attar.exports.static_rows import token_rows


class RecipeGraph(nn.Module):  # type: ignore[misc]
    """Everything from token ids to the vector; texts of a batch are filled up on the right."""

    def __init__(self, source: FittedParts) -> None:
        super().__init__()
        self.states = _states(source.encoder, source.layers, source.layer_weights)
        self.weights = TokenWeights(source)
        self.shapes = nn.ModuleList(shape_module(step) for step in source.steps)
        frame = source.encoder.frame
        self.may_be_empty = not frame.head and not frame.tail  # nothing is put around a text

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Shape: (N, T), (N, T) -> (N, D)"""
        seen = attention_mask
        if self.may_be_empty:  # models do not run on no tokens: such a text is given one, which has no weight
            input_ids, attention_mask = _not_empty(input_ids), _not_empty(attention_mask)
            first = torch.cumsum(torch.ones_like(attention_mask), dim=1) == 1
            empty = attention_mask.sum(dim=1, keepdim=True) == 0
            seen = attention_mask + (first & empty).to(attention_mask.dtype)
        states = self.states(input_ids, seen)  # (N, T, D)
        weights = self.weights(input_ids, attention_mask).to(states.dtype)  # (N, T)
        vectors = torch.matmul(weights[:, None, :], states)[:, 0]
        if not len(self.shapes):
            return vectors.float()
        shaped = vectors.double()  # shapers work in float64, as in Attar
        for shape in self.shapes:
            shaped = shape(shaped)
        return shaped.float()


def _not_empty(x: Tensor) -> Tensor:
    """The same, or a column of zeros where there is none; never longer, since positions may end there. Shape: (N, T)"""
    n = x.shape[1]
    least = torch.clamp(torch._shape_as_tensor(x)[1], min=1) if torch.jit.is_tracing() else torch.sym_max(n, 1)
    return torch.cat([x, torch.zeros_like(x.sum(dim=1, keepdim=True))], dim=1)[:, :least]


def _states(encoder: Any, layers: tuple[int, ...], layer_weights: tuple[float, ...]) -> nn.Module:
    """Token vectors of an encoder, layers mixed."""
    if isinstance(encoder, Transformer):
        return _TransformerStates(encoder, layers, layer_weights)
    if isinstance(encoder, (Table, Random)):
        return _StaticStates(encoder, layers, layer_weights)
    if isinstance(encoder, Mix) and not any(getattr(side, "skip_unknown", False) for side in (encoder.a, encoder.b)):
        return _MixedStates(encoder, layers, layer_weights)
    raise RecipeError(
        f"{encoder!r} can't be exported to onnx; exportable: Transformer, Table, Random, and a Mix of them (not of a "
        "table that leaves the unknown token out)"
    )


class _TransformerStates(nn.Module):  # type: ignore[misc]
    def __init__(self, encoder: Transformer, layers: tuple[int, ...], layer_weights: tuple[float, ...]) -> None:
        super().__init__()
        chosen = dict(zip(layers, layer_weights, strict=True))
        self.of_table = chosen.pop(-1, 0.0)
        self.chosen = chosen
        base = load_base(encoder, layers) if chosen else load_base(encoder, (0,))
        self.table = base.model.get_input_embeddings() if self.of_table else None
        self.model = base.model if chosen else None
        if base.model.dtype == torch.float64:
            mix_gelus(base.model)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        parts = [] if self.table is None else [self.of_table * self.table(ids)]
        if self.model is not None:
            states = self.model(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states
            parts += [weight * states[layer] for layer, weight in self.chosen.items()]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total


class _StaticStates(nn.Module):  # type: ignore[misc]
    def __init__(self, encoder: Table | Random, layers: tuple[int, ...], layer_weights: tuple[float, ...]) -> None:
        super().__init__()
        rows = token_rows(encoder, layers, layer_weights)
        if getattr(encoder, "skip_unknown", False) and encoder.vocabulary.unknown_id is not None:
            rows[encoder.vocabulary.unknown_id] = 0
        self.table = nn.Embedding.from_pretrained(torch.from_numpy(rows))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        rows: Tensor = self.table(ids)
        return rows


class _MixedStates(nn.Module):  # type: ignore[misc]
    def __init__(self, encoder: Mix, layers: tuple[int, ...], layer_weights: tuple[float, ...]) -> None:
        super().__init__()
        self.a, self.b = (_states(side, layers, layer_weights) for side in (encoder.a, encoder.b))
        self.w = encoder.w

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        mixed: Tensor = (1 - self.w) * self.a(ids, mask) + self.w * self.b(ids, mask)
        return mixed
