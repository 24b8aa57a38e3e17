"""The three kinds of task. `texts` is what to embed, in order; vectors handed to `attar.scores` have its rows.

Of pairs, `texts` holds first all left sides, then all right ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from attar.types import Doubles, Ints


@dataclass(frozen=True)
class StsTask:
    """Pairs of texts with a score of how similar they are.

    Parameters
    ----------
    name : str
        The name of the task.
    left, right : tuple of N str
        The two sides of the pairs.
    scores : ndarray of float64, of shape (N,)
        How similar people found the sides.
    subsets : tuple of N str
        The part of the data that each pair is from; empty where there are no parts.
    """

    family: ClassVar[str] = "sts"
    name: str
    left: tuple[str, ...]  # (N,)
    right: tuple[str, ...]  # (N,)
    scores: Doubles  # (N,)
    subsets: tuple[str, ...] = ()  # (N,) where each pair comes from; () if the task has no parts

    @property
    def texts(self) -> tuple[str, ...]:  # (2N,)
        return self.left + self.right


@dataclass(frozen=True)
class ClusterTask:
    """Texts with a hidden label each.

    Parameters
    ----------
    name : str
        The name of the task.
    texts : tuple of N str
        The texts.
    labels : ndarray of int64, of shape (N,)
        The class of each text, a place in `classes`.
    classes : tuple of str
        The names of the classes.
    """

    family: ClassVar[str] = "clustering"
    name: str
    texts: tuple[str, ...]  # (N,)
    labels: Ints  # (N,) 0 ... n_classes - 1
    classes: tuple[str, ...]  # the label names


@dataclass(frozen=True)
class ClassifyTask:
    """Texts (or pairs) with a label each; or, where `soft`, pairs with a score that becomes soft classes.

    Parameters
    ----------
    name : str
        The name of the task.
    left : tuple of N str
        The texts, or the left sides of pairs.
    right : tuple of N str
        The right sides of pairs; empty where a row is one text.
    labels : ndarray of shape (N,)
        The class of each row, a place in `classes`; the scores where soft.
    classes : tuple of str
        The names of the classes.
    splits : dict of str to slice
        The rows of "train", "dev" and "test"; empty for 10-fold cross-validation.
    soft : bool
        Whether labels are scores.
    """

    family: ClassVar[str] = "classification"
    name: str
    left: tuple[str, ...]  # (N,)
    right: tuple[str, ...]  # (N,) or () where a row is one text
    labels: npt.NDArray[np.float64] | Ints  # (N,) class numbers, or scores from 1 to 5 (or 0 to 5) where soft
    classes: tuple[str, ...]
    splits: dict[str, slice] = field(default_factory=dict)
    soft: bool = False

    @property
    def texts(self) -> tuple[str, ...]:  # (N,) or (2N,)
        return self.left + self.right


Task = StsTask | ClusterTask | ClassifyTask
