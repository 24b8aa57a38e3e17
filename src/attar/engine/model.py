"""LayeredModel: a loaded transformer that gives the hidden states of any layers for any Tokens, in one pass each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
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
from attar.engine.sparse_attention import sparse, whole_up_to
from attar.errors import ModelError
from attar.types import Floats, Ints, Tokens

_LIMITS = ("max_position_embeddings", "max_encoder_position_embeddings", "max_seq_len")  # settings that may name it
_PROBED = 128  # tokens: windows up to this long are tried out when a model is loaded


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
        self._plain_attention: str = self.model.config._attn_implementation
        self._turn = threading.Lock()
        window, places = packing.window(self.model.config), packing.other_places_from(self.model.config)
        self._window = window if window is not None and window <= _PROBED else 0
        untried = [] if window is None or self._window else [window]
        self._whole_up_to = whole_up_to(model)
        whole = [] if self._whole_up_to is None else [self._whole_up_to]
        self._bounds = sorted({*untried, *places, *whole})  # longer sequences are not packed with shorter ones
        with torch.inference_mode():
            self.n_layers, self.width, self.last_width = self._probe()
            self._first_position = self._packs()
        if precision not in ("float32", "float64"):
            self._take_products(precision)

    @property
    def packs(self) -> bool:
        return self._first_position is not None

    @property
    def max_tokens(self) -> int | None:
        """The longest sequence it has positions for; None where positions have no end."""
        config = packing.text_config(self.model.config)
        most = next((size for size in (getattr(config, name, None) for name in _LIMITS) if size), None)
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
        if not self._bounds:
            self._run_all(tokens, 0, None, self._first_position, layers, visit)
            return
        number, leasts = 0, [0, *(bound + 1 for bound in self._bounds)]
        with self._turn:  # what the model computes with changes in between
            for least, most in zip(leasts, [*self._bounds, None], strict=True):
                with self._for_lengths_from(least):
                    first = None if least else self._first_position
                    number = self._run_all(tokens, least, most, first, layers, visit, number)

    @contextmanager
    def _for_lengths_from(self, least: int) -> Iterator[None]:
        """The attention that sequences of so many tokens and more need, if they are not the shortest."""
        with ExitStack() as until:
            if least and self.packs:
                self.model.set_attn_implementation(self._plain_attention)
                until.callback(self.model.set_attn_implementation, packing.NAME)
            if self._whole_up_to is not None and least > self._whole_up_to:
                until.enter_context(sparse(self.model))
            yield

    def _run_all(
        self,
        tokens: Tokens,
        least: int,
        most: int | None,
        first: int | None,
        layers: Sequence[int],
        visit: Visit,
        number: int = 0,
    ) -> int:
        """The sequences of `least` to `most` tokens, packed where there is a first position."""
        threads = self.threads if self.device.type == "cpu" else 1  # one batch at a time keeps another device busy
        form = equal_batches if first is None else packed_batches

        def chosen(lengths: Ints, n_workers: int) -> list[Ints]:
            kept = np.flatnonzero((lengths >= least) & (lengths <= (lengths if most is None else most)))
            return [kept[batch] for batch in form(lengths[kept], n_workers)] if len(kept) else []

        def run(batch: Batch) -> None:
            self._run_batch(tokens, batch, first, layers, visit)

        return run_batches(tokens, chosen, run, threads, first=number)

    def _run_batch(self, tokens: Tokens, batch: Batch, first: int | None, layers: Sequence[int], visit: Visit) -> None:
        ids = torch.from_numpy(tokens.ids[batch.places].astype(np.int64)).to(self.device)

        def flat(layer: int, states: torch.Tensor) -> None:
            visit(batch, layer, states.reshape(-1, states.shape[-1]).float().cpu().numpy())  # (T, D)

        with torch.inference_mode():
            if first is None:
                self._hooks.run({"input_ids": ids.view(len(batch.sequences), -1)}, layers, self.n_layers, flat)
            else:
                self._run_packed(ids, length_groups(batch.lengths), first, layers, flat)

    def _run_packed(
        self, ids: torch.Tensor, groups: list[tuple[int, int]], first: int, layers: Sequence[int], visit: VisitStates
    ) -> None:
        runs = [torch.arange(first, first + long, device=ids.device).repeat(many) for many, long in groups]
        positions = torch.cat(runs)
        inputs: dict[str, Any] = {"input_ids": ids[None], "position_ids": positions[None]}
        with packing.packed(groups):
            self._hooks.run(inputs, layers, self.n_layers, visit)

    def _probe(self) -> tuple[int, int, int]:
        """Number of layers, their width and that of the last one, which some models change.

        Refuses an architecture whose hidden states would not be the right ones.
        """
        inputs = {"input_ids": torch.arange(1, 15, device=self.device).remainder(len(self.table)).view(2, 7)}
        name = type(self.model).__name__
        try:
            n_layers = self._hooks.count(inputs)
            wanted = self.model(**inputs, output_hidden_states=True).hidden_states or ()
            found: list[torch.Tensor] = []
            self._hooks.run(inputs, range(n_layers + 1), n_layers, lambda _, states: found.append(states))
        except (TypeError, ValueError, RuntimeError, IndexError, KeyError, AttributeError) as error:
            raise ModelError(f"a {name} can't be run on token ids alone: {error}") from None
        passed_on = all(states.shape[:-1] == inputs["input_ids"].shape for states in found)
        same = len(found) == len(wanted) and all(_same(a, b) for a, b in zip(found, wanted, strict=True))
        if not passed_on or not same or len({states.shape[-1] for states in found[:-1]}) > 1:
            raise ModelError(
                f"the layers of a {name} can't be told apart reliably ({len(found)} found, {len(wanted)} expected); "
                "supported are encoders and decoders whose blocks pass on (batch, tokens, dims)"
            )
        return n_layers, int(found[0].shape[-1]), int(found[-1].shape[-1])

    def _packs(self) -> int | None:
        """The number of a sequence's first position if packing gives what single sequences give, else None."""
        if not getattr(self.model, "_supports_attention_backend", False):
            return None
        sizes = [3, 9, 9, 2 * self._window + 2] if self._window else [3, 9, 9]
        parts = [part.to(self.device) for part in self._probe_tokens(sizes)]
        layers = range(self.n_layers + 1)
        apart = [self._states({"input_ids": part[None]}, layers) for part in parts]
        wanted = [torch.cat(states) for states in zip(*apart, strict=True)]  # of each layer (T, D)
        groups = [(1, 3), (2, 9)] + [(1, size) for size in sizes[3:]]

        def same(first: int) -> bool:
            found: list[torch.Tensor] = []
            try:
                self._run_packed(torch.cat(parts), groups, first, layers, _collect(found))
            except (packing.CannotPack, TypeError, ValueError, RuntimeError, IndexError, AttributeError):
                return False
            return _all_same(found, wanted)

        self.model.set_attn_implementation(packing.NAME)
        first = self._first_position_that(same)
        if first is None:
            self.model.set_attn_implementation(self._plain_attention)
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

    def _probe_tokens(self, sizes: Sequence[int]) -> list[torch.Tensor]:
        """Random ids, among them those that a model may treat otherwise than others."""
        generator = torch.Generator().manual_seed(0)
        parts = [torch.randint(1, len(self.table), (n,), generator=generator) for n in sizes]
        for place, name in ((4, "mask_token_id"), (2, "pad_token_id")):
            token = getattr(self.model.config, name, None)
            if isinstance(token, int) and 0 <= token < len(self.table):
                parts[1][place] = token
        return parts

    def _states(self, inputs: dict[str, Any], layers: Sequence[int]) -> list[torch.Tensor]:
        """Of each layer (T, D)."""
        found: list[torch.Tensor] = []
        self._hooks.run(inputs, layers, self.n_layers, _collect(found))
        return found


def _token_table(model: torch.nn.Module) -> Floats:
    try:
        table: Floats = model.get_input_embeddings().weight.detach().float().cpu().numpy()
    except (AttributeError, NotImplementedError):
        raise ModelError(f"a {type(model).__name__} has no table of tokens: it does not read texts") from None
    return table


def _collect(into: list[torch.Tensor]) -> VisitStates:
    return lambda _, states: into.append(states[0])


def _all_same(found: Sequence[torch.Tensor], wanted: Sequence[torch.Tensor]) -> bool:
    """Layer by layer, as near as the greatest number of all layers asks for."""
    scale = max(float(states.abs().max()) for states in wanted)
    return len(found) == len(wanted) and all(
        a.shape == b.shape and bool(torch.allclose(a, b, rtol=1e-4, atol=1e-4 * scale))
        for a, b in zip(found, wanted, strict=True)
    )


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and bool(torch.allclose(a, b, rtol=1e-4, atol=1e-4 * float(b.abs().max())))
