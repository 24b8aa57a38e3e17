"""The end of a prompt alone."""

from __future__ import annotations

import numpy as np

from attar.errors import InputError
from attar.types import Floats, Role, Tokens
from attar.weights.weighting import Weighting


class Answer(Weighting):
    """Only the last token of a prompt counts, after which a causal model would write its answer."""

    by_token = True
    by_words = False

    def weigh(self, tokens: Tokens) -> Floats:
        answers = tokens.roles == Role.ANSWER
        if len(tokens) and not answers.any():
            raise InputError(
                "answer weights need a prompt that ends in words behind the text; give the model one, such as "
                "Template.named('eol')"
            )
        return np.asarray(answers, dtype=np.float32)
