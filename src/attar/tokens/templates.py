"""Template: the words put around a text, and the masks among them. A prompt is a template plus weights on its masks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from attar.errors import InputError, unknown_name

SLOT = "[X]"
MASK = "[MASK]"

PAPER = {
    "T0": 'This sentence: "[X]" means [MASK].',
    "T1": 'This sentence: "[X]" means [MASK][MASK].',
    "T2": 'This sentence: "[X]" means "[MASK][MASK]" and is about [MASK].',
    "T3": 'This sentence from the paraphrase dictionary: "[X]" means "[MASK]", which is about [MASK].',
    "T4": 'This sentence from the dictionary: "[X]" means "[MASK]" and is about [MASK], which is a synonym for [MASK].',
}


@dataclass(frozen=True)
class Template:
    """Words with one `[X]`, where the text goes, and any number of `[MASK]`, written so for every model.

    Parameters
    ----------
    text : str
        The template.

    Raises
    ------
    InputError
        If it has not exactly one `[X]`.

    Examples
    --------
    >>> Template('This sentence: "[X]" means [MASK].').n_masks
    1
    """

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise InputError(f"a template is text with one {SLOT}; given {self.text!r}")
        if self.text.count(SLOT) != 1:
            found = self.text.count(SLOT)
            raise InputError(f"a template needs exactly one {SLOT} for the text; {self.text!r} has {found}")

    @classmethod
    def named(cls, name: str) -> Self:
        """One of the paper's templates.

        Parameters
        ----------
        name : str
            "T0" to "T4".

        Returns
        -------
        Template
            The template of this name.

        Raises
        ------
        InputError
            If the name is unknown.
        """
        if name not in PAPER:
            raise unknown_name("template", name, PAPER)
        return cls(PAPER[name])

    @classmethod
    def parse(cls, spec: str) -> Self:
        """A template from its name or its text.

        Parameters
        ----------
        spec : str
            A name (`T4`) or words with one `[X]`.

        Returns
        -------
        Template
            The template.

        Raises
        ------
        InputError
            If it is neither.
        """
        return cls.named(spec) if SLOT not in spec and spec.isidentifier() else cls(spec)

    @property
    def before(self) -> str:
        return self.text.partition(SLOT)[0]

    @property
    def after(self) -> str:
        return self.text.partition(SLOT)[2]

    @property
    def n_masks(self) -> int:
        return self.text.count(MASK)

    @property
    def name(self) -> str:
        """The paper's name for it, or the template itself."""
        return next((name for name, text in PAPER.items() if text == self.text), self.text)
