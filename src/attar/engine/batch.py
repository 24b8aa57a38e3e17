"""Some of the sequences of a Tokens, and how all of them go through a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attar.engine.threads import run_all, usual_threads
from attar.types import Floats, Ints, Tokens, offsets_of, token_index


@dataclass(frozen=True)
class Batch:
    """Some sequences of a Tokens, and where their tokens stand in it."""

    number: int  # of the batches of a run, from 0
    sequences: Ints  # (N of the batch,)
    lengths: Ints  # (N of the batch,)
    places: Ints  # (T of the batch,) into the Tokens' ids

    @property
    def offsets(self) -> Ints:
        return offsets_of(self.lengths)


Visit = Callable[[Batch, int, Floats], None]  # (batch, layer, states of its tokens laid end to end (T, D))


def run_batches(
    tokens: Tokens,
    form: Callable[[Ints, int], list[Ints]],
    run: Callable[[Batch], None],
    threads: int | None,
    *,
    libraries: bool = True,
    first: int = 0,
) -> int:
    """All sequences once, in the batches that `form` makes of their lengths for so many workers side by side.

    `libraries`: products are by numpy or torch, whose own threads must be kept in check. Batches are numbered from
    `first`; returns the number that would be the next one.
    """
    all_lengths = tokens.lengths
    n_workers = usual_threads() if threads is None else threads

    def one(numbered: tuple[int, Ints]) -> None:
        number, sequences = numbered
        lengths = all_lengths[sequences]
        run(Batch(number, sequences, lengths, token_index(tokens.offsets[sequences], lengths)))

    batches = list(enumerate(form(all_lengths, n_workers), first))
    run_all(one, batches, n_workers, libraries=libraries)
    return first + len(batches)
