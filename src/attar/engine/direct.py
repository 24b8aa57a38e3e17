"""DirectModel: a known architecture run straight from its arrays, without torch and without transformers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from attar.engine.batch import Batch, Visit, run_batches
from attar.engine.batching import packed_batches
from attar.engine.kernels import Projected, compiled_kernels
from attar.engine.own_attention import own_attention
from attar.engine.token_inputs import Inputs
from attar.types import Floats, Ints, Tokens


class Block(Protocol):
    """A layer: attention with all that follows."""

    @property
    def heads(self) -> int:
        """Of its attention."""
        ...

    @property
    def scale(self) -> float:
        """What products of queries and keys are multiplied by."""
        ...

    def __call__(self, x: Floats, lengths: Ints) -> Floats:
        """Shape: (T, D), (N) -> (T, D)"""
        ...

    def projected(self, x: Floats) -> Projected:
        """What the attention sees of its input. Shape: (T, D)"""
        ...


class DirectModel:
    """What goes into the first block, and the blocks; sequences are packed end to end."""

    packs = True
    causal = False
    run_by = "Attar, straight from its arrays"

    def __init__(self, inputs: Inputs, blocks: Sequence[Block], width: int, max_tokens: int) -> None:
        self._inputs = inputs
        self._blocks = blocks
        self.width = self.last_width = width
        self.max_tokens = max_tokens
        self.table = inputs.table  # (V, D of layer -1)
        self.n_layers = len(blocks)
        self.threads: int | None = None

    def run(self, tokens: Tokens, layers: Sequence[int], visit: Visit) -> None:
        """Every sequence once through the model, up to the highest wanted layer (0 to n_layers).

        Batches may run side by side: `visit` must be fit to be called by several threads, each with other sequences.
        """
        wanted = frozenset(layers)
        top = max(wanted)

        def run(batch: Batch) -> None:
            with np.errstate(all="ignore"):  # what is not finite comes through as it is
                x = self._inputs(tokens.ids[batch.places].astype(np.int64), batch.lengths)
                if 0 in wanted:
                    visit(batch, 0, x)
                for layer, block in enumerate(self._blocks[:top], 1):
                    x = block(x, batch.lengths)
                    if layer in wanted:
                        visit(batch, layer, x)

        run_batches(tokens, packed_batches, run, self.threads, libraries=compiled_kernels() is None)

    def n_heads(self, layer: int) -> int:
        """Of the attention of a layer, 1 to n_layers."""
        return self._blocks[layer - 1].heads

    def own_attention(self, tokens: Tokens, layer: int, head: int) -> Floats:
        """How much each token attends to itself in a head (from 0) of a layer (1 to n_layers). Shape: (T,)"""
        block, shares = self._blocks[layer - 1], np.zeros(len(tokens.ids), dtype=np.float32)

        def visit(batch: Batch, _layer: int, x: Floats) -> None:
            shares[batch.places] = own_attention(block.projected(x), batch.lengths, block.heads, block.scale, head)

        self.run(tokens, [layer - 1], visit)
        return shares
