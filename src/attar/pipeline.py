"""Pipeline: the one path from texts to vectors, and the one function that fits it. Nothing is trained."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from attar.errors import InputError
from attar.io.plural import number_of
from attar.io.prefetch import prefetch
from attar.io.progress import Advance, bar, nothing
from attar.layers import LayerChoice, resolve_layers
from attar.pooling import mix_layers, pool_tokenized
from attar.shapers import AffineShaper, MomentShaper
from attar.shapers import of as shapers_of
from attar.shapers.chain import Evidence, corpus_of, fit_chain, learns, shape
from attar.types import Encoder, Floats, Ints, Role, Tokens, Vocabulary
from attar.weights import Weighting
from attar.weights import of as weights_of

log = logging.getLogger("attar")
CHUNK = 8192  # texts; enough to find sequences of equal length, little enough to hold

_TEXT = int(Role.TEXT)  # comparing arrays with a Role takes several times longer
Corpora = Mapping[str, Sequence[str]]  # texts by name: "target" and perhaps "background"


@dataclass
class TextCounts:
    """How many texts were cut, empty, unknown or changed, so that nothing is dropped silently."""

    texts: int = 0
    distinct: int = 0
    replaced: int = 0  # had lone surrogates, replaced by U+FFFD
    truncated: int = 0  # were cut at the model's or the user's limit
    empty: int = 0  # have no token of their own
    fell_back: int = 0  # lost all tokens to the weighting and got the mean instead
    unknown: int = 0  # consist of tokens that the vocabulary does not know
    zero: int = 0  # ended as zeros

    def check(self, vectors: Floats) -> Floats:
        """The finished vectors, if shapers left all finite; those that are zero are counted. Shape: (N, D)"""
        if np.count_nonzero(np.isfinite(vectors)) < vectors.size:
            n_bad = int((~np.isfinite(vectors)).any(axis=1).sum())
            raise InputError(
                f"the shapers made {n_bad:,} vectors that are not finite; fit them on more texts, or others"
            )
        return self.count_zeros(vectors)

    def count_zeros(self, vectors: Floats) -> Floats:
        """The vectors, of which nothing is left of some: those are counted. Shape: (N, D)"""
        if np.count_nonzero(vectors[:, 0]) < len(vectors):  # else none is zero: most are told from the first number
            self.zero += int((~vectors.any(axis=1)).sum())
        return vectors

    def add(self, tokens: Tokens, lost: npt.NDArray[np.bool_], vocabulary: Vocabulary) -> None:
        """Count tokenised texts; `lost` says which lost all tokens to a weighting. Shape: lost (n_texts,)"""
        n_own = _per_text(tokens, None if tokens.all_own else tokens.roles == _TEXT)
        self.distinct += tokens.n_texts
        self.truncated += int(np.count_nonzero(tokens.truncated))
        self.empty += tokens.n_texts - int(np.count_nonzero(n_own))
        if np.count_nonzero(lost):
            known = n_own if tokens.absent is None else _per_text(tokens, tokens.own)
            self.fell_back += int(np.count_nonzero(known * lost))
        if vocabulary.unknown_id is not None and np.count_nonzero(unknown := tokens.ids == vocabulary.unknown_id):
            n_unknown = _per_text(tokens, unknown & (tokens.roles == _TEXT))
            self.unknown += int(np.count_nonzero((n_unknown == n_own) & (n_own > 0)))

    def __iadd__(self, other: TextCounts) -> TextCounts:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))
        return self

    def sentences(self) -> list[str]:
        """One sentence for each thing that happened."""
        of = f"of {number_of(self.distinct, 'distinct text')}"
        events = (
            (self.replaced, f"text{'' if self.replaced == 1 else 's'} held lone surrogates, which became U+FFFD"),
            (self.truncated, f"{of} were cut at the limit of tokens (windows would read them whole)"),
            (
                self.empty,
                f"{of} have no token of their own (they are empty, say): their vectors say nothing",
            ),
            (self.fell_back, f"{of} lost every token to the weighting and got the plain mean"),
            (self.unknown, f"{of} consist only of tokens unknown to the model"),
            (self.zero, f"{of} have a vector of zeros, which has no cosine with any other"),
        )
        return [f"{n:,} {what}" for n, what in events if n]

    @property
    def nothing_happened(self) -> bool:
        """Whether there is no sentence to say."""
        return not (self.replaced or self.truncated or self.empty or self.fell_back or self.unknown or self.zero)

    def report(self) -> None:
        """Log the sentences as warnings."""
        for sentence in () if self.nothing_happened else self.sentences():
            log.warning("%s", sentence)


def _per_text(tokens: Tokens, marked: npt.NDArray[np.bool_] | None) -> Ints:
    """How many tokens of each text are marked, or how many there are. Shape: (T,) -> (n_texts,)"""
    per_sequence = tokens.lengths
    if marked is not None:
        n_before = np.zeros(len(marked) + 1, dtype=np.int64)
        np.cumsum(marked, out=n_before[1:])
        per_sequence = n_before[tokens.offsets[1:]] - n_before[tokens.offsets[:-1]]
    if len(tokens) == tokens.n_texts:
        return per_sequence
    return np.bincount(tokens.texts, weights=per_sequence, minlength=tokens.n_texts).astype(np.int64)


@dataclass(frozen=True)
class Embedded:
    """Vectors of distinct texts; `rows` says which of them each text has."""

    vectors: Floats  # (distinct, D)
    rows: Ints  # (N,)
    counts: TextCounts


@dataclass(frozen=True)
class Pipeline:
    """An encoder, fitted weights, layers and fitted shapers: the one path from texts to vectors.

    Parameters
    ----------
    encoder : Encoder
        Tokenises texts and pools token vectors.
    weights : Weighting
        Fitted token weights.
    layers : layers
        The layers to average.
    shapers : tuple of shapers
        Fitted, in order.
    """

    encoder: Encoder
    weights: Weighting
    layers: LayerChoice
    shapers: tuple[Any, ...] = ()

    @property
    def width(self) -> int:
        """Dims of the vectors that go into the shapers."""
        return self.encoder.width(self._layers[0][0])

    @cached_property
    def _layers(self) -> tuple[tuple[int, ...], tuple[float, ...]]:
        return resolve_layers(self.layers, self.encoder)

    def vectors(
        self,
        texts: Sequence[str] | Distinct,
        counts: TextCounts,
        progress: bool = False,
        tokenized: Iterable[Tokens] | None = None,
    ) -> Floats:
        """Vectors of the texts in one array, each written to its place where no shaper stands between.

        Parameters
        ----------
        texts : sequence of str, or Distinct
            N texts; a sequence should hold distinct ones.
        counts : TextCounts
            Counts the texts.
        progress : bool
            Show a progress bar on a terminal.
        tokenized : iterable of Tokens, optional
            The same texts, if they are tokenised already.

        Returns
        -------
        ndarray of float32, of shape (N, D)
            The vectors, of distinct texts as many as there are.
        """
        room = None if self.shapers else np.empty((len(texts), self.width), dtype=np.float32)
        if tokenized is None:
            size = min(CHUNK, self.encoder.texts_at_once)
            of_texts = texts.parts(size) if isinstance(texts, Distinct) else parts(texts, size)
            tokenized = prefetch(self.encoder.tokenize, of_texts)
        with bar(len(texts), "texts", progress) as advance:
            pooled = self.pooled(tokenized, counts, advance, room)
            found = joined((self._shaped(rows, counts) for rows in pooled), len(texts), room)
        if found is None:  # no texts; scikit-learn's shapers want at least one row
            found = shape(self.shapers, np.zeros((1, self.width), dtype=np.float32))[:0]
        return np.asarray(found, dtype=np.float32)

    def _shaped(self, pooled: Floats, counts: TextCounts) -> Floats:
        """Vectors through the shapers; what is pooled is known to be finite. Shape: (N, D) -> (N, D')"""
        if not self.shapers:
            return counts.count_zeros(pooled)
        return counts.check(shape(self.shapers, pooled))

    def stream(
        self, texts: Iterable[Sequence[str]], counts: TextCounts, advance: Advance = nothing
    ) -> Iterator[Floats]:
        """Vectors of each part of the texts, while the next ones are tokenised.

        A slow encoder gets a part in pieces of `texts_at_once`, so that `advance` is called every few seconds.

        Parameters
        ----------
        texts : iterable of sequences of str
            The parts.
        counts : TextCounts
            Counts the texts.
        advance : callable
            Called with the number of texts that were finished since the last call.

        Yields
        ------
        ndarray of shape (part, D)
            The vectors of one part.
        """
        sizes: deque[int] = deque()  # pieces of the parts that are under way

        def pieces() -> Iterator[Sequence[str]]:
            for part in texts:
                cut = list(parts(part, self.encoder.texts_at_once))
                sizes.append(len(cut))
                yield from cut

        done: list[Floats] = []
        for vectors in self.pooled(prefetch(self.encoder.tokenize, pieces()), counts, advance):
            done.append(vectors)
            if len(done) == sizes[0]:
                yield self._shaped(done[0] if len(done) == 1 else np.concatenate(done), counts)
                sizes.popleft()
                done = []

    def pooled(
        self,
        pieces: Iterable[Tokens],
        counts: TextCounts,
        advance: Advance = nothing,
        room: Floats | None = None,
    ) -> Iterator[Floats]:
        """Vectors of tokenised texts before the shapers.

        Parameters
        ----------
        pieces : iterable of Tokens
            Tokenised texts.
        counts : TextCounts
            Counts the texts.
        advance : callable
            Called with the number of texts that were finished since the last call.
        room : ndarray of float32, of shape (all texts, D), optional
            Where vectors go, one piece after the other, if nothing has to be done to them first.

        Yields
        ------
        ndarray of shape (piece, D)
            The vectors of one piece; a part of `room` where they are there.
        """
        layers, layer_weights = self._layers
        n_done = 0
        for tokens in pieces:
            place = None
            if room is not None and layer_weights == (1.0,) and len(tokens) == tokens.n_texts:
                place = room[n_done : n_done + tokens.n_texts]
            found = pool_tokenized(
                self.encoder, tokens, [self.weights], layers, None if place is None else place[None, :, None]
            )
            counts.add(tokens, found.lost[0], self.encoder.vocabulary)
            n_done += tokens.n_texts
            advance(tokens.n_texts)
            yield mix_layers(found.vectors[0], layer_weights) if place is None else place

    def embed(
        self, texts: Sequence[str], progress: bool = False, tokenized: Sequence[Tokens] | None = None
    ) -> Embedded:
        """Vectors of all texts, each distinct one computed once.

        Parameters
        ----------
        texts : sequence of str
            N texts.
        progress : bool
            Show a progress bar on a terminal.
        tokenized : sequence of Tokens, optional
            The distinct texts, if they are tokenised already.

        Returns
        -------
        Embedded
            The vectors of the distinct texts, which of them each text has, and what was counted.
        """
        counts = TextCounts(texts=len(texts))
        once, rows = distinct_texts(texts)
        return Embedded(self.vectors(once, counts, progress, tokenized), rows, counts)


def fit_pipeline(
    pipeline: Pipeline,
    corpora: Corpora,
    *,
    counted: Corpora | None = None,
    wanted: Sequence[str] = (),
    progress: bool = False,
) -> dict[str, Embedded]:
    """Fit the weights, then the shapers one after the other; texts are tokenised and encoded once.

    Parameters
    ----------
    pipeline : Pipeline
        Its weights and shapers are new, and are fitted in place.
    corpora : mapping
        The texts that shapers learn from, by name ("target", "background").
    counted : mapping, optional
        The texts that weights learn from, where they are others.
    wanted : sequence of str
        Corpora whose vectors are wanted, whether or not anything learns from them.
    progress : bool
        Show a progress bar while texts are encoded.

    Returns
    -------
    dict
        The shaped vectors of the corpora that were needed or wanted.

    Raises
    ------
    InputError
        If a corpus that something learns from is missing or empty.
    """
    counted = corpora if counted is None else counted
    check_corpora((pipeline.weights,), counted)
    check_corpora(pipeline.shapers, corpora)
    needed = {corpus_of(shaper) for shaper in pipeline.shapers if learns(shaper)} | set(wanted)
    keep = [name for name in needed if name == pipeline.weights.on and corpora[name] is counted.get(name)]
    tokenized = fit_weights(pipeline.weights, pipeline.encoder, counted, keep=bool(keep))
    bare = replace(pipeline, shapers=())
    embedded = {
        name: bare.embed(corpora[name], progress, tokenized if name in keep else None) for name in sorted(needed)
    }
    shaped = fit_chain(pipeline.shapers, {name: Evidence(e.vectors, e.rows) for name, e in embedded.items()})
    for name, found in embedded.items():
        found.counts.zero = 0  # of the vectors before the shapers
        found.counts.check(_known(shaped[name]))
    return {name: replace(found, vectors=_known(shaped[name])) for name, found in embedded.items()}


def _known(evidence: Evidence) -> Floats:
    assert evidence.vectors is not None
    return evidence.vectors


def fit_weights(weights: Weighting, encoder: Encoder, corpora: Corpora, *, keep: bool = False) -> list[Tokens] | None:
    """Fit weights from token counts of the corpus that they name, or from the vocabulary alone.

    Returns the tokens of the distinct texts of that corpus where they are to be kept, else None.
    """
    if not weights.needs_texts:
        weights.fit(Tokens.of([]), encoder.vocabulary)
        return None
    once, rows = distinct_texts(corpora[weights.on])
    times = np.bincount(rows, minlength=len(once))
    kept: list[Tokens] = []
    start = 0
    for tokens in prefetch(encoder.tokenize, parts(once, encoder.texts_at_once)):
        end = start + tokens.n_texts
        weights.partial_fit(tokens.repeated(times[start:end]), encoder.vocabulary)
        start = end
        if keep:
            kept.append(tokens)
    return kept if keep else None


def new_weights(weights: Any) -> Weighting:
    """Unfitted weights like those given, or after their text form; None stands for the mean."""
    fresh: Weighting = clone(weights_of(weights))
    fresh.check_params()
    return fresh


def new_shapers(shapers: Any) -> tuple[Any, ...]:
    """Unfitted shapers like those given: Attar's, their text forms, or any of scikit-learn's transformers."""
    fresh = tuple(clone(shaper) for shaper in shapers_of(shapers))
    for shaper in fresh:
        if hasattr(shaper, "check_params"):
            shaper.check_params()
    return fresh


def check_corpora(parts: Sequence[Any], corpora: Corpora) -> None:
    """Refuse where a part lacks the texts that it is to learn from."""
    for name, texts in corpora.items():
        if not texts:
            raise InputError(f"no {name} texts to learn from: the list is empty")
    for part in parts:
        if (part.needs_texts if isinstance(part, Weighting) else learns(part)) and corpus_of(part) not in corpora:
            raise InputError(
                f"{type(part).__name__} is to learn from a background corpus: "
                "give --background FILE, or call fit(texts, background=corpus)"
            )


def check_partial(weights: Weighting, shapers: Sequence[Any]) -> None:
    """Refuse where sums do not suffice: allowed are weights alone, or shapers that need only moments of the input."""
    learning = [shaper for shaper in shapers if learns(shaper)]
    for shaper in learning:
        if not isinstance(shaper, MomentShaper):
            raise InputError(f"{type(shaper).__name__} can't be fitted by partial_fit: sums do not suffice; use fit")
        before = shapers[: list(shapers).index(shaper)]
        if not all(isinstance(earlier, AffineShaper) for earlier in before):
            raise InputError(
                f"{type(shaper).__name__} can't be fitted by partial_fit after a shaper that is not affine; use fit"
            )
    if weights.needs_texts and learning:
        raise InputError(
            f"{type(weights).__name__} weights and shapers can't be fitted by partial_fit together: new texts would "
            "change the weights of vectors that were summed before; use fit"
        )


def distinct_texts(texts: Sequence[str]) -> tuple[list[str], Ints]:
    """Each text once, in order of first appearance, and which of them each text is. Shape: (N,)"""
    once = list(dict.fromkeys(texts))
    if len(once) == len(texts):
        return once, np.arange(len(texts))
    place = {text: n for n, text in enumerate(once)}
    return once, np.fromiter(map(place.__getitem__, texts), dtype=np.int64, count=len(texts))


class Distinct:
    """Texts, of which each is taken once: found a part at a time, while those before are computed.

    Parameters
    ----------
    texts : sequence of str
        N texts.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._once: dict[str, None] = {}

    def __len__(self) -> int:
        return len(self._texts)

    def parts(self, size: int) -> Iterator[Sequence[str]]:
        """The texts that no part before had, of so many at a time, in order of first appearance."""
        once = self._once
        for start in range(0, len(self._texts), size):
            part = self._texts[start : start + size]
            n_before = len(once)
            once.update(dict.fromkeys(part))
            n_new = len(once) - n_before
            if n_new == len(part):
                yield part
            elif n_new:
                yield [*islice(reversed(once), n_new)][::-1]

    @property
    def rows(self) -> Ints | None:
        """Which of the distinct texts each text is, as soon as all parts were taken; None for each its own."""
        if len(self._once) == len(self._texts):
            return None
        place = {text: n for n, text in enumerate(self._once)}
        return np.fromiter(map(place.__getitem__, self._texts), dtype=np.int64, count=len(self._texts))


def joined(chunks: Iterable[Floats], n: int, out: Floats | None = None) -> Floats | None:
    """The rows of all chunks, at most n of them, in one array; None where there is no chunk. Shape: (n or fewer, D)

    Parts of `out`, where it is given, are in their place already.
    """
    done = 0
    for chunk in chunks:
        if out is None:
            if len(chunk) == n:
                return np.asarray(chunk, dtype=np.float32)
            out = np.empty((n, chunk.shape[1]), dtype=np.float32)
        if chunk.base is not out:
            out[done : done + len(chunk)] = chunk
        done += len(chunk)
    return out if out is None or done == len(out) else out[:done]


def parts(texts: Sequence[str], size: int | None = None) -> Iterator[Sequence[str]]:
    """The texts in chunks."""
    size = size or CHUNK
    for start in range(0, len(texts), size):
        yield texts[start : start + size]
