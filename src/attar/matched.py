"""An embedder's tokens matched pair by pair, without a vector of either text: what does one vector per text cost?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attar.embedder import Embedder
from attar.errors import InputError, unknown_name
from attar.io.progress import bar
from attar.layers import resolve_layers
from attar.pipeline import fit_weights, new_shapers, new_weights
from attar.pooling import scale_weights
from attar.scores.matching import MATCHINGS, Side
from attar.scores.sts import COSINE_DECIMALS, StsScores, correlations
from attar.tasks import Task
from attar.tasks.types import StsTask
from attar.types import Doubles

PAIRS_AT_ONCE = 256


def match(
    embedder: Embedder,
    task: Task,
    matching: str = "bertscore",
    *,
    background: Sequence[str] | None = None,
    resamples: int = 1000,
    progress: bool = False,
) -> StsScores:
    """Score the similarity of pairs by matching their tokens.

    Parameters
    ----------
    embedder : Embedder
        Its encoder, layers and weights are used: weights say how much each token counts. It must have no shapers,
        which are for vectors of texts.
    task : Task
        Pairs with scores.
    matching : str
        "bertscore", "wmd" or "wrd"; see `attar.scores.matching`.
    background : sequence of str, optional
        The corpus for weights that learn from a background corpus.
    resamples : int
        Bootstrap resamples of pairs.
    progress : bool
        Show a progress bar on a terminal.

    Returns
    -------
    StsScores
        As `attar.scores.sts` gives them.

    Raises
    ------
    InputError
        If the matching is unknown, the task has no pairs with scores, or the embedder has shapers.
    """
    if not isinstance(task, StsTask):
        raise InputError(f"matching is for pairs with scores; {task.name} is a task of {task.family}")
    similarities = pair_similarities(
        embedder, task.left, task.right, matching, background=background, progress=progress
    )
    return correlations(np.round(similarities, COSINE_DECIMALS), task, resamples)


def pair_similarities(
    embedder: Embedder,
    left: Sequence[str],
    right: Sequence[str],
    matching: str = "bertscore",
    *,
    background: Sequence[str] | None = None,
    progress: bool = False,
) -> Doubles:
    """How similar the sides of each pair are by matching their tokens.

    Parameters
    ----------
    embedder : Embedder
        Its encoder, layers and weights are used.
    left, right : sequence of N str
        The sides. Weights of an embedder that is not fitted learn from both together.
    matching : str
        "bertscore", "wmd" or "wrd".
    background : sequence of str, optional
        The corpus for weights that learn from a background corpus.
    progress : bool
        Show a progress bar on a terminal.

    Returns
    -------
    ndarray of float64, of shape (N,)
        Greater is more similar; distances are negated. A text without tokens has 0 with bertscore, else the lowest
        similarity of all pairs.

    Raises
    ------
    InputError
        If the matching is unknown, or the embedder has shapers.
    """
    if matching not in MATCHINGS:
        raise unknown_name("matching", matching, MATCHINGS)
    if new_shapers(embedder.shapers):
        raise InputError("shapers are for vectors of texts, and matching compares those of tokens; leave them out")
    encoder = embedder.encoder_
    weights = getattr(embedder, "weights_", None)
    if weights is None:
        weights = new_weights(embedder.weights)
        corpora = {"target": [*left, *right]} | ({} if background is None else {"background": background})
        fit_weights(weights, encoder, corpora)
    layers, layer_weights = resolve_layers(embedder.layers, encoder)

    def sides(texts: Sequence[str]) -> list[Side]:
        tokens = encoder.tokenize(texts)
        token_weights = scale_weights(weights.weigh(tokens), tokens)[0].astype(np.float64)
        vectors = encoder.token_vectors(tokens, layers)
        mixed = sum(np.float32(w) * vectors[layer] for layer, w in zip(layers, layer_weights, strict=True))
        assert isinstance(mixed, np.ndarray)
        there = mixed.any(axis=1)  # a word without a vector is all zeros: it matches nothing, and nothing matches it
        mixed, token_weights = mixed[there], token_weights[there]
        owner = tokens.texts[tokens.sequence_of[there]]
        ends = np.searchsorted(owner, np.arange(len(texts) + 1))
        places = [slice(ends[i], ends[i + 1]) for i in range(len(texts))]
        return [Side(mixed[place], token_weights[place] / max(token_weights[place].sum(), 1e-12)) for place in places]

    similarity = MATCHINGS[matching].similarity
    found = np.full(len(left), np.nan)
    with bar(len(left), "pairs", progress) as advance:
        for start in range(0, len(left), PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            for i, (a, b) in enumerate(zip(sides(left[part]), sides(right[part]), strict=True), start):
                if a.weights.any() and b.weights.any():
                    found[i] = similarity(a, b)
            advance(len(left[part]))
    lowest = 0.0 if matching == "bertscore" or np.isnan(found).all() else float(np.nanmin(found))
    return np.where(np.isnan(found), lowest, found)
