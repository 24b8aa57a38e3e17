"""Token weights as tables: a number for each role and id."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attar.errors import RecipeError
from attar.types import Floats, Frame, Role, Tokens, Vocabulary
from attar.weights import CLASSES, Debiased, First, Last, Weighting

# What counts, the text's own tokens that do not, and the frame: so far apart that none is felt beside a higher one,
# and all above the 1e-9 that sentence-transformers takes for nothing.
COUNTED, OWN, FRAMING = 1e16, 1e4, 1e-8


@dataclass(frozen=True)
class WeightTable:
    """Weights by role and id; Debiased also asks whether a token begins a word, where ids alone do not tell."""

    starting: Floats  # (roles, V) of a token at the start of a word
    inside: Floats  # (roles, V) of any other
    ends_word: npt.NDArray[np.bool_]  # (V,) the next token starts a word

    @property
    def by_place(self) -> bool:
        """Whether a token's place matters, not its role and id alone."""
        return not np.array_equal(self.starting, self.inside)


def weight_table(weights: Weighting, vocabulary: Vocabulary) -> WeightTable:
    """Of any weights but `First` and `Last`, which have no table."""
    if not weights.by_token or CLASSES.get(type(weights).__name__) is not type(weights):
        names = ", ".join(name for name, cls in CLASSES.items() if cls.by_token or cls in (First, Last))
        raise RecipeError(f"{type(weights).__name__} weights can't be exported; exportable: {names}")
    starting = _weigh(weights, len(vocabulary))
    no_ends = np.zeros(len(vocabulary), dtype=bool)
    if not isinstance(weights, Debiased):
        return WeightTable(starting, starting, no_ends)
    later = copy(weights)
    later.first_keep_ = weights.keep_
    return WeightTable(starting, _weigh(later, len(vocabulary)), weights.ends_word_.astype(bool))


def _weigh(weights: Weighting, n_tokens: int) -> Floats:
    """Every id in every role, each as a sequence of its own. Shape: (roles, V)"""
    roles = np.repeat(np.array(list(Role), dtype=np.uint8), n_tokens)
    n = len(roles)
    ids = np.tile(np.arange(n_tokens, dtype=np.int32), len(Role))
    alone = Tokens(ids, roles, np.arange(n + 1), np.arange(n), n, np.zeros(n, dtype=bool))
    return weights.weigh(alone).reshape(len(Role), n_tokens)


def weights_by_id(table: WeightTable, frame: Frame, vocabulary: Vocabulary) -> Floats:
    """One weight per id, if ids suffice: no word of the template may count otherwise than in a text. Shape: (V,)"""
    if table.by_place:
        raise RecipeError(
            "debiased weights of this model depend on where a token stands (its tokenizer marks words, not their "
            "continuations), and this format weighs by token alone; exportable: mean, idf, or debiased --to onnx"
        )
    by_id: Floats = table.starting[Role.TEXT].copy()
    only_special = vocabulary.special_ids - {vocabulary.unknown_id}  # never in a text
    for token, role in frame.tokens:
        weight = table.starting[role, token]
        if token not in only_special and by_id[token] != weight:
            raise RecipeError(
                f"the template's {vocabulary.pieces[token]!r} weighs {weight:g} in the template and {by_id[token]:g} "
                "in a text, and this format weighs by token alone; exportable: weights that count the template's "
                "words (template=True), mask weights, or any --to onnx"
            )
        by_id[token] = weight
    return by_id


def nonzero_weights(by_id: Floats, frame: Frame) -> Floats:
    """Weights that never sum to 0; unchanged where they can't anyway.

    A text that loses all its tokens falls back to their mean, one without tokens to the mean of its frame.
    Shape: (V,) -> (V,)
    """
    if any(by_id[token] > 0 for token, _ in frame.tokens):
        return by_id
    if any(role in (Role.TEMPLATE, Role.MASK) for _, role in frame.tokens):
        raise RecipeError(
            "no token of the template weighs anything, so a text that loses all its tokens would fall back to other "
            "tokens than in Attar; exportable instead: a template with masks or words that count, or this --to onnx"
        )
    greatest = float(by_id.max()) or 1.0
    graded = np.where(by_id > 0, by_id.astype(np.float64) / greatest * COUNTED, OWN)
    graded[[token for token, _ in frame.tokens]] = FRAMING
    return graded.astype(np.float32)
