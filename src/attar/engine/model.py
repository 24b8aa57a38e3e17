"""LayeredModel: a loaded transformer that gives the hidden states of any layers for any Tokens, in one pass each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from attar.engine import packing
from attar.engine.batch import Batch, Visit, run_batches
from attar.engine.batching import equal_batches, length_groups, packed_batches
from attar.engine.block_hooks import BlockHooks, VisitStates
from attar.engine.fast_blocks import replace_blocks
from attar.engine.kernels import best_kernels
from attar.engine.products import PRODUCTS
from attar.errors import ModelError
from attar.types import Floats, Tokens


class LayeredModel:
    """Wraps a transformers model. Packs sequences end to end where its architecture allows; a probe decides."""

    run_by = "transformers"
    causal = False  # or not known to be

    def __init__(self, model: torch.nn.Module, precision: str = "float32", device: str = "cpu") -> None:
        self.table = _token_table(model)  # (V, D of layer -1)
        self.device = torch.device(device)
        self.model = model.eval().to(self.device)
        self._undo_fast_blocks: Callable[[], None] | None = None
        self.threads: int | None = None
        self._hooks = BlockHooks(model)
        with torch.inference_mode():
            self.n_layers, self.width = self._probe()
            self._first_position = self._packs()
        if precision not in ("float32", "float64"):
            self._take_products(precision)

    @property
    def packs(self) -> bool:
        return self._first_position is not None

    @property
    def max_tokens(self) -> int | None:
        """The longest sequence it has positions for; None where positions have no end."""
        most = getattr(self.model.config, "max_position_embeddings", None)
        if not isinstance(most, int) or most <= 0:
            return None
        embeddings = getattr(self.model, "embeddings", None)
        padding: int | None = getattr(embeddings, "padding_idx", None)
        if padding is None or isinstance(embeddings, torch.nn.Embedding):  # that one is the token table
            return most
        return most - padding - 1  # RoBERTa-like models number positions from after the padding id

    def run(self, tokens: Tokens, layers: Sequence[int], visit: Visit) -> None:
        """Every sequence once through the model, up to the highest wanted layer (0 to n_layers).

        Batches may run side by side: `visit` must be fit to be called by several threads, each with other sequences.
        """
        form = packed_batches if self.packs else equal_batches
        threads = self.threads if self.device.type == "cpu" else 1  # one batch at a time keeps another device busy
        run_batches(tokens, form, lambda batch: self._run_batch(tokens, batch, layers, visit), threads)

    def _run_batch(self, tokens: Tokens, batch: Batch, layers: Sequence[int], visit: Visit) -> None:
        ids = torch.from_numpy(tokens.ids[batch.places].astype(np.int64)).to(self.device)

        def flat(layer: int, states: torch.Tensor) -> None:
            visit(batch, layer, states.reshape(-1, states.shape[-1]).float().cpu().numpy())  # (T, D)

        with torch.inference_mode():
            if self._first_position is None:
                self._hooks.run({"input_ids": ids.view(len(batch.sequences), -1)}, layers, self.n_layers, flat)
            else:
                self._run_packed(ids, length_groups(batch.lengths), self._first_position, layers, flat)

    def _run_packed(
        self, ids: torch.Tensor, groups: list[tuple[int, int]], first: int, layers: Sequence[int], visit: VisitStates
    ) -> None:
        runs = [torch.arange(first, first + long, device=ids.device).repeat(many) for many, long in groups]
        positions = torch.cat(runs)
        inputs: dict[str, Any] = {"input_ids": ids[None], "position_ids": positions[None]}
        with packing.packed(groups):
            self._hooks.run(inputs, layers, self.n_layers, visit)

    def _probe(self) -> tuple[int, int]:
        """Number of layers and their width; refuses an architecture whose hidden states would not be the right ones."""
        inputs = {"input_ids": torch.arange(1, 15, device=self.device).remainder(len(self.table)).view(2, 7)}
        name = type(self.model).__name__
        try:
            n_layers = self._hooks.count(inputs)
            wanted = self.model(**inputs, output_hidden_states=True).hidden_states or ()
            found: list[torch.Tensor] = []
            self._hooks.run(inputs, range(n_layers + 1), n_layers, lambda _, states: found.append(states))
        except (TypeError, ValueError, RuntimeError, IndexError, KeyError, AttributeError) as error:
            raise ModelError(f"a {name} can't be run on token ids alone: {error}") from None
        if len(found) != len(wanted) or not all(_same(a, b) for a, b in zip(found, wanted, strict=True)):
            raise ModelError(
                f"the layers of a {name} can't be told apart reliably ({len(found)} found, {len(wanted)} expected); "
                "supported are encoders and decoders whose blocks pass on (batch, tokens, dims)"
            )
        return n_layers, int(found[0].shape[-1])

    def _packs(self) -> int | None:
        """The number of a sequence's first position if packing gives what single sequences give, else None."""
        if not getattr(self.model, "_supports_attention_backend", False):
            return None
        window = getattr(self.model.config, "sliding_window", None) or 0
        sizes = [3, 9, 9, 2 * window + 2] if 0 < window <= 128 else [3, 9, 9]
        generator = torch.Generator().manual_seed(0)
        parts = [torch.randint(1, len(self.table), (n,), generator=generator).to(self.device) for n in sizes]
        layers = range(self.n_layers + 1)
        wanted = torch.cat([self._states({"input_ids": part[None]}, layers) for part in parts], dim=1)
        groups = [(1, 3), (2, 9)] + [(1, size) for size in sizes[3:]]

        def same(first: int) -> bool:
            found: list[torch.Tensor] = []
            try:
                self._run_packed(torch.cat(parts), groups, first, layers, _collect(found))
            except (packing.CannotPack, TypeError, ValueError, RuntimeError, IndexError, AttributeError):
                return False
            return _same(torch.stack(found), wanted)

        plain = self.model.config._attn_implementation
        self.model.set_attn_implementation(packing.NAME)
        first = self._first_position_that(same)
        if first is None:
            self.model.set_attn_implementation(plain)
            return None
        if self.model.dtype != torch.float32 or self.device.type != "cpu":  # our kernels know no other
            return first
        undo = replace_blocks(self.model, best_kernels())
        if undo is not None and not same(first):
            undo()
            undo = None
        self._undo_fast_blocks = undo
        return first

    def _take_products(self, precision: str) -> None:
        """Blocks with quicker products in place of the exact ones, which were found to be right."""
        if self._undo_fast_blocks is None:
            raise ModelError(
                f"precision={precision!r} is not available for a {type(self.model).__name__}, only for BERT-like "
                "models (RoBERTa, DistilBERT, ALBERT, ELECTRA, MobileBERT ...); leave it at 'float32'"
            )
        self._undo_fast_blocks()
        replace_blocks(self.model, best_kernels(), PRODUCTS[precision])

    def _first_position_that(self, same: Callable[[int], bool]) -> int | None:
        behind_padding = (getattr(self.model.config, "pad_token_id", None) or 0) + 1
        for first in (0, behind_padding):
            if same(first):
                return first
        embeddings = getattr(self.model, "embeddings", None)
        if embeddings is not None:
            undo = packing.group_embeddings(embeddings)
            if same(0):
                return 0
            undo()
        return None

    def _states(self, inputs: dict[str, Any], layers: Sequence[int]) -> torch.Tensor:
        """Shape: (L, T, D)"""
        found: list[torch.Tensor] = []
        self._hooks.run(inputs, layers, self.n_layers, _collect(found))
        return torch.stack(found)


def _token_table(model: torch.nn.Module) -> Floats:
    try:
        table: Floats = model.get_input_embeddings().weight.detach().float().cpu().numpy()
    except (AttributeError, NotImplementedError):
        raise ModelError(f"a {type(model).__name__} has no table of tokens: it does not read texts") from None
    return table


def _collect(into: list[torch.Tensor]) -> VisitStates:
    return lambda _, states: into.append(states[0])


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and bool(torch.allclose(a, b, rtol=1e-4, atol=1e-4 * float(b.abs().max())))
