"""DecoderModel: a causal model run straight from its arrays; what sequences have in common at their start, once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from attar.engine.batch import Batch, Visit, run_batches
from attar.engine.beginnings import Beginning, beginnings
from attar.engine.decoder_block import DecoderBlock, Normalize
from attar.engine.decoder_kernels import Shared
from attar.engine.stored import Stored
from attar.types import Floats, Ints, Tokens, token_index

Enter = Callable[[Ints, Ints], Floats]  # ids and places (T), (T) -> layer 0 (T, D)


@dataclass
class _Begun:
    """What one run of the common tokens left behind."""

    length: int
    shared: list[Shared] = field(default_factory=list)  # of each block
    states: dict[int, Floats] = field(default_factory=dict)  # wanted layers: (P, D)


class DecoderModel:
    """Token inputs, blocks and the last norm. States are those of transformers: only the last one is normed."""

    packs = True
    causal = True
    run_by = "Attar, straight from its arrays as they are stored"

    def __init__(
        self,
        table: Stored,
        enter: Enter,
        blocks: Sequence[DecoderBlock],
        last_norm: Normalize,
        width: int,
        max_tokens: int,
    ) -> None:
        self.table = table  # (V, D of layer -1)
        self._enter, self._blocks, self._last_norm = enter, blocks, last_norm
        self.width = self.last_width = width
        self.max_tokens = max_tokens
        self.n_layers = len(blocks)
        self.threads: int | None = None
        self.reuses_beginnings = True

    def run(self, tokens: Tokens, layers: Sequence[int], visit: Visit) -> None:
        """Every sequence once through the model, up to the highest wanted layer (0 to n_layers).

        Batches may run side by side: `visit` must be fit to be called by several threads, each with other sequences.
        """
        wanted = frozenset(layers)
        groups = beginnings(tokens) if self.reuses_beginnings else [Beginning.none(tokens)]
        begun = [self._begin(tokens.ids[group.places(tokens)].astype(np.int64), wanted) for group in groups]
        group_of = np.empty(len(tokens), dtype=np.int64)
        for number, group in enumerate(groups):
            group_of[group.sequences] = number

        def form(lengths: Ints, n_workers: int) -> list[Ints]:
            return [batch for group in groups for batch in group.batches(lengths, n_workers)]

        def run(batch: Batch) -> None:
            self._run_rest(tokens, batch, begun[group_of[batch.sequences[0]]], wanted, visit)

        run_batches(tokens, form, run, self.threads)

    def _begin(self, ids: Ints, wanted: frozenset[int]) -> _Begun:
        begun = _Begun(len(ids))
        if not len(ids):
            begun.shared = [block.nothing_shared for block in self._blocks]
            return begun

        def keep(shared: Shared) -> None:
            begun.shared.append(Shared(*(np.ascontiguousarray(part) for part in shared)))

        def arrive(layer: int, x: Floats) -> None:
            begun.states[layer] = x

        nothing = [block.nothing_shared for block in self._blocks]
        self._through(ids, np.array([len(ids)]), 0, nothing, wanted, keep, arrive)
        return begun

    def _run_rest(self, tokens: Tokens, batch: Batch, begun: _Begun, wanted: frozenset[int], visit: Visit) -> None:
        own = batch.lengths - begun.length
        ids = tokens.ids[token_index(tokens.offsets[batch.sequences] + begun.length, own)].astype(np.int64)

        def arrive(layer: int, x: Floats) -> None:
            visit(batch, layer, _whole(begun.states[layer], x, own) if begun.length else x)

        self._through(ids, own, begun.length, begun.shared, wanted, _forget, arrive)

    def _through(
        self,
        ids: Ints,
        lengths: Ints,
        first: int,
        shared: Sequence[Shared],
        wanted: frozenset[int],
        keep: Callable[[Shared], None],
        arrive: Callable[[int, Floats], None],
    ) -> None:
        """Sequences whose places begin at `first`, and their states at the wanted layers."""
        top = max(wanted)
        with np.errstate(all="ignore"):  # what is not finite comes through as it is
            places = token_index(np.full_like(lengths, first), lengths)
            x = self._enter(ids, places)
            if 0 in wanted:
                arrive(0, x if self.n_layers else self._last_norm(x))
            for layer, block in enumerate(self._blocks[:top], 1):
                x = block(x, lengths, places, shared[layer - 1], keep)
                if layer in wanted:
                    arrive(layer, self._last_norm(x) if layer == self.n_layers else x)


def _forget(shared: Shared) -> None:
    pass


def _whole(begun: Floats, rest: Floats, lengths: Ints) -> Floats:
    """The states of whole sequences: those of the common beginning before those of each rest. Shape: (T, D)"""
    first = len(begun)
    ends = np.cumsum(lengths + first)
    whole = np.empty((int(ends[-1]), rest.shape[1]), dtype=np.float32)
    starts = ends - lengths - first
    whole[starts[:, None] + np.arange(first)] = begun
    whole[token_index(starts + first, lengths)] = rest
    return whole
