"""What is known of a published task before any of its files is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from attar.tasks.readers.form import Form
from attar.tasks.readers.tidy import Tidy

Family = Literal["sts", "clustering", "classification"]
FAMILIES: tuple[Family, ...] = get_args(Family)


@dataclass(frozen=True)
class Declaration:
    """One task: what it should hold, in which forms it is read and where it comes from.

    Parameters
    ----------
    name : str
        The name of the task.
    family : {"sts", "clustering", "classification"}
        How it is scored.
    stem : str
        The beginning of the names of its tidy files.
    rows : mapping of str to int
        The published number of rows by split; under "all" where there are no splits.
    licence : str
        The terms of use.
    sources : tuple of str
        Where it is public: pages, archives, or hub:NAME for a dataset of the Hugging Face hub.
    forms : tuple of Form
        The forms other than tidy in which it can be read.
    n_classes : int, optional
        The published number of classes.
    scale : tuple of two floats, optional
        The least and the greatest score.
    pairs : bool
        Whether a row is a pair of texts.
    aliases : tuple of str
        Other names it goes by.
    """

    name: str
    family: Family
    stem: str  # of its tidy files
    rows: Mapping[str, int] = field(hash=False)  # split: published number of rows; "all" where there are no splits
    licence: str
    sources: tuple[str, ...]  # where it is public: pages, archives, or hub:NAME for a dataset of the Hugging Face hub
    forms: tuple[Form, ...]  # other than tidy
    n_classes: int | None = None
    scale: tuple[float, float] | None = None  # of the scores
    pairs: bool = False
    aliases: tuple[str, ...] = ()

    @property
    def soft(self) -> bool:
        """A classification whose classes are soft: its labels are scores."""
        return self.family == "classification" and self.scale is not None

    @property
    def all_forms(self) -> tuple[Form, ...]:
        """Tidy first."""
        return (Tidy(self.stem), *self.forms)

    @property
    def splits(self) -> tuple[str, ...]:
        return tuple(self.rows)

    @property
    def scored_splits(self) -> tuple[str, ...]:
        """What is loaded unless a split is asked for: for STS the test pairs alone."""
        return ("test",) if self.family == "sts" and "test" in self.rows else self.splits

    @property
    def scored_texts(self) -> int:
        """How many texts it has where it is not split for a classifier: two of each pair."""
        return (1 + self.pairs) * sum(self.rows[split] for split in self.scored_splits)
