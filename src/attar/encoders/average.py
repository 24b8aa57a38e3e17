"""The paper's Avg.: one pass of a corpus through a model, summing each token's vectors at all wanted layers."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from attar.encoders.token_sums import BatchSums, TokenSums, extend_hash
from attar.errors import InputError
from attar.io.progress import is_watched
from attar.io.texts import check_texts, chunks, iter_texts
from attar.layers import LayerChoice, unweighted_layers
from attar.types import Encoder, Tokens

PART = 1024  # texts that are tokenised and sorted by length together, counted and checkpointed as one
_SHARE = 30  # times as long as writing the sums, they are not written again


def average_tokens(
    encoder: Encoder,
    corpus: Iterable[str],
    layers: LayerChoice = ("first", "last"),
    *,
    checkpoint: str | Path | None = None,
    every: float = 15.0,
    progress: bool = True,
) -> TokenSums:
    """Sum the vectors of each token over a stream of texts of any length, in constant memory.

    Parameters
    ----------
    encoder : Encoder
        The model whose token vectors are summed.
    corpus : iterable of str
        The texts.
    layers : layers
        Numbers, "first" or "last"; each is summed by itself.
    checkpoint : str or Path, optional
        A file where the sums are kept; when it exists, the texts it has seen are skipped (and must be the same
        ones).
    every : float
        About how many seconds lie between two writes of the checkpoint; more where writing takes long.
    progress : bool
        Show a progress bar on a terminal.

    Returns
    -------
    TokenSums
        Sums of parts of a corpus can be merged.

    Raises
    ------
    InputError
        If the checkpoint is of another model or corpus.
    """
    numbers = unweighted_layers(layers, encoder)
    path = None if checkpoint is None else Path(checkpoint).expanduser()
    sums = TokenSums.empty(encoder, sorted(numbers))
    values = iter_texts(corpus)
    if path is not None and path.exists():
        sums = _resume(path, sums, values)
    total = len(corpus) if isinstance(corpus, Sized) else None
    due = time.monotonic() + every
    whole = True  # the sums hold whole parts only
    try:
        with _bar(total, sums.n_texts, progress) as advance:
            for part, _ in chunks(values, PART):
                whole = False
                n_tokens = _add(sums, encoder, encoder.tokenize(part))
                sums.note(part)
                whole = True
                advance(len(part), n_tokens)
                if path is not None and time.monotonic() >= due:
                    start = time.monotonic()
                    sums.save(path)
                    due = time.monotonic() + max(every, _SHARE * (time.monotonic() - start))
    finally:
        if path is not None and whole:
            sums.save(path)
    return sums


def _add(sums: TokenSums, encoder: Encoder, tokens: Tokens) -> int:
    """All tokens, a batch at a time; how many there were."""
    sums.n_truncated += int(tokens.truncated.sum())
    encoder.each_batch(tokens, list(sums.sums), BatchSums(sums, tokens.ids).visit)
    return len(tokens.ids)


def _resume(path: Path, fresh: TokenSums, values: Iterator[Any]) -> TokenSums:
    """The sums so far, with the stream moved on to where they end."""
    sums = TokenSums.load(path)
    fresh.check_like(sums, f"the checkpoint {path}")
    left, digest = sums.n_texts, ""
    while left:
        part, _ = check_texts(islice(values, min(PART, left)))
        if not part:
            raise InputError(f"the checkpoint {path} has seen {sums.n_texts} texts, but the corpus ends before that")
        digest, left = extend_hash(digest, part), left - len(part)
    if digest != sums.corpus:
        raise InputError(
            f"the checkpoint {path} was begun with another corpus: its first {sums.n_texts} texts are not these; "
            "remove it or give another file"
        )
    return sums


@contextmanager
def _bar(total: int | None, done: int, wanted: bool) -> Iterator[Callable[[int, int], None]]:
    """Texts done, time left and tokens per second on stderr, where it is a terminal."""
    if not wanted or not is_watched():
        yield lambda n_texts, n_tokens: None
        return
    from tqdm import tqdm

    n_seen, start = 0, time.monotonic()
    with tqdm(total=total, initial=done, unit=" texts", file=sys.stderr, dynamic_ncols=True, leave=False) as shown:

        def advance(n_texts: int, n_tokens: int) -> None:
            nonlocal n_seen
            n_seen += n_tokens
            shown.set_postfix_str(f"{n_seen / (time.monotonic() - start):,.0f} tokens/s")
            shown.update(n_texts)

        yield advance
