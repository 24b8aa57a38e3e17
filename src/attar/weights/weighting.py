"""What all weightings share: scikit-learn's parameters, and learned arrays that can be saved."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from attar.errors import InputError, NotFittedError, RecipeError, unknown_name
from attar.members import CORPORA, Number, text_of
from attar.types import Floats, State, Tokens, Vocabulary


class Weighting(BaseEstimator):  # type: ignore[misc]
    """One number per token. `learned` names the arrays that `fit` leaves behind.

    A subclass implements `weigh`, and `fit` and `partial_fit` where it learns something.
    """

    learned: ClassVar[tuple[str, ...]] = ()
    by_words: ClassVar[bool] = True  # False: one token is read for the whole text, and no word can be told from another
    by_token: ClassVar[bool] = False  # a weight follows from a token's role and id, so that exports can write a table
    number: ClassVar[Number | None] = None  # the parameter that is a number above 0; all others are switches
    on: str = "target"

    @property
    def name(self) -> str:
        """The text `attar.weights.parse` makes equal weights from, such as "idf@background" or "mean+specials"."""
        from attar.weights import MEMBERS  # the table names this class

        return text_of(self, MEMBERS)

    @property
    def needs_texts(self) -> bool:
        """Whether it learns from texts, not from the vocabulary alone."""
        return False

    @property
    def needs_masks(self) -> bool:
        """Whether it is of use only with a template that has masks; a sweep leaves it out elsewhere."""
        return not getattr(self, "masks", True)

    def check_params(self) -> None:
        """Check the constructor's values.

        Raises
        ------
        InputError
            If a value is not allowed.
        """
        if self.on not in CORPORA:
            raise unknown_name("texts to fit on", self.on, CORPORA)
        for name, value in self.get_params(deep=False).items():
            if self.number is not None and name == self.number.parameter:
                is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
                if not is_number or not 0 < value < float("inf"):
                    raise InputError(f"{name}={value!r} of {type(self).__name__} is not a number above 0")
            elif name != "on" and not isinstance(value, (bool, np.bool_)):
                raise InputError(f"{name}={value!r} of {type(self).__name__} is neither True nor False")

    def fit(self, tokens: Tokens, vocabulary: Vocabulary) -> Self:
        """Learn from the tokens of texts, forgetting what was learned before.

        Parameters
        ----------
        tokens : Tokens
            The tokenised texts; none where nothing is learned from texts.
        vocabulary : Vocabulary
            The tokens of the model by id.

        Returns
        -------
        Weighting
            Itself, fitted.
        """
        return self

    def partial_fit(self, tokens: Tokens, vocabulary: Vocabulary) -> Self:
        """Learn from more texts.

        Parameters
        ----------
        tokens : Tokens
            The tokenised texts; counts of parts add up to the counts of the whole.
        vocabulary : Vocabulary
            The tokens of the model by id.

        Returns
        -------
        Weighting
            Itself, fitted on these texts and all before.
        """
        return self.fit(tokens, vocabulary)

    def weigh(self, tokens: Tokens) -> Floats:
        """The weight of every token; pooling scales them to sum to 1 in each sequence.

        Parameters
        ----------
        tokens : Tokens
            T tokens of N sequences.

        Returns
        -------
        ndarray of float32, of shape (T,)
            0 for tokens that do not count.

        Raises
        ------
        NotFittedError
            If it has to learn first.
        InputError
            If it was fitted with another tokenizer.
        """
        raise NotImplementedError

    def state(self) -> State:
        """The learned arrays, by name."""
        self.check_fitted()
        return {name.removesuffix("_"): np.atleast_1d(getattr(self, name)) for name in self.learned}

    def set_state(self, state: State) -> Self:
        """Take back what `state` gave.

        Parameters
        ----------
        state : dict of str to ndarray
            The learned arrays by name.

        Returns
        -------
        Weighting
            Itself, fitted.

        Raises
        ------
        RecipeError
            If the arrays are not what `state` gives: other names, types or shapes.
        """
        wanted = {name.removesuffix("_") for name in self.learned}
        if set(state) != wanted:
            raise RecipeError(f"{type(self).__name__} wants the arrays {sorted(wanted)}; found {sorted(state)}")
        for name, array in state.items():
            if array.ndim != 1 or not len(array) or array.dtype.kind not in "iu" or int(array.min()) < 0:
                raise RecipeError(
                    f"the array {name!r} of {type(self).__name__} is damaged: {array.dtype} of shape {array.shape}; "
                    "it must be counts in one row: fit and save again"
                )
        self.check_state(state)
        for name, array in state.items():
            setattr(self, name + "_", array)
        return self

    def check_state(self, state: State) -> None:
        """Refuse arrays that do not fit together: here, those that are not all of one length, the vocabulary's.

        Parameters
        ----------
        state : dict of str to ndarray
            The learned arrays by name.

        Raises
        ------
        RecipeError
            If they do not fit together.
        """
        if len({len(array) for array in state.values()}) > 1:
            shapes = {name: array.shape for name, array in state.items()}
            raise RecipeError(f"the arrays of {type(self).__name__} do not fit together: {shapes}; fit and save again")

    def check_fitted(self) -> None:
        """Check that everything it needs has been learned.

        Raises
        ------
        NotFittedError
            If it has not seen any texts yet.
        """
        missing = [name for name in self.learned if not hasattr(self, name)]
        if missing:
            raise NotFittedError(f"{type(self).__name__} weights have not seen any texts yet; call fit(texts) first")

    def check_ids(self, tokens: Tokens, table: npt.NDArray[Any]) -> None:
        """Check that the weights were fitted with the tokenizer that made these tokens.

        Parameters
        ----------
        tokens : Tokens
            The tokens to be weighed.
        table : ndarray of shape (V, ...)
            What was learned for each token of the vocabulary.

        Raises
        ------
        InputError
            If a token id is beyond the table.
        """
        if len(tokens.ids) and int(tokens.ids.max()) >= len(table):
            raise InputError(
                f"{type(self).__name__} weights know {len(table)} tokens, but a text has token id "
                f"{int(tokens.ids.max())}; fit them with this model's tokenizer"
            )
