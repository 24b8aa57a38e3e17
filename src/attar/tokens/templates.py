"""Template: the words put around a text, and the masks among them. A prompt is one with weights on its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from attar.errors import InputError, unknown_name
from attar.io.texts import check_texts
from attar.tokens import named_prompts as prompts

SLOT = "[X]"
MASK = "[MASK]"
AND = "[+]"  # between the prompts of an average
TIDY = "@prompteol"

PAPER = {
    "T0": 'This sentence: "[X]" means [MASK].',
    "T1": 'This sentence: "[X]" means [MASK][MASK].',
    "T2": 'This sentence: "[X]" means "[MASK][MASK]" and is about [MASK].',
    "T3": 'This sentence from the paraphrase dictionary: "[X]" means "[MASK]", which is about [MASK].',
    "T4": 'This sentence from the dictionary: "[X]" means "[MASK]" and is about [MASK], which is a synonym for [MASK].',
}
PROMPTS = {
    "eol": prompts.EOL,
    "cot": prompts.COT,
    "knowledge": prompts.KNOWLEDGE,
    "echo": prompts.ECHO,
    "meta": AND.join(prompts.META),
}
NAMED = PAPER | PROMPTS
_PUBLISHED = {form for prompt in PROMPTS.values() for form in prompt.split(AND)}


@dataclass(frozen=True)
class Template:
    """Words with one `[X]`, where the text goes, and any number of `[MASK]`, written so for every model.

    Words without a mask are a prompt: they are tokenised together with the text. A prompt may have `[X]` twice, of
    which the second counts. Several prompts with `[+]` between them are averaged. A template that ends in `@prompteol`
    also tidies texts as the authors of PromptEOL do.

    Parameters
    ----------
    text : str
        The words.

    Raises
    ------
    InputError
        Where a text would have no place in them, or too many.

    Examples
    --------
    >>> Template('This sentence: "[X]" means [MASK].').n_masks
    1
    >>> Template.parse("cot+knowledge").n_forms
    2
    """

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise InputError(f"a template is text with one {SLOT}; given {self.text!r}")
        if check_texts([self.text])[1]:
            raise InputError(f"the template {self.text!r} is not UTF-8; give whole characters")
        for form in self.forms:
            found, masks = form.count(SLOT), MASK in form
            if found not in (1, 2) or (found == 2 and masks):
                raise InputError(
                    f"a template needs exactly one {SLOT} for the text, or two where it has no {MASK}; "
                    f"{form!r} has {found}"
                )
        if self.n_forms > 1 and self.n_masks:
            raise InputError(f"only prompts without {MASK} can be averaged; {self.text!r} has masks")

    @classmethod
    def named(cls, name: str) -> Self:
        """One of the paper's templates, T0 to T4, or of the prompts eol, cot, knowledge, echo and meta.

        Parameters
        ----------
        name : str
            The name.

        Returns
        -------
        Template
            The template or prompt of this name.

        Raises
        ------
        InputError
            If the name is unknown.
        """
        if name not in NAMED:
            raise unknown_name("template", name, NAMED)
        return cls(NAMED[name])

    @classmethod
    def parse(cls, spec: str) -> Self:
        """A template from its name or its text.

        Parameters
        ----------
        spec : str
            A name (`T4`), names to average (`cot+knowledge`), or the template itself; each may end in `@prompteol`.

        Returns
        -------
        Template
            The template.

        Raises
        ------
        InputError
            If it is none of them.
        """
        names = spec.removesuffix(TIDY)
        if SLOT in names or not all(name.isidentifier() for name in names.split("+")):
            return cls(spec)
        joined = AND.join(cls.named(name).text for name in names.split("+"))
        return cls(joined + spec[len(names) :])

    @property
    def forms(self) -> tuple[str, ...]:
        """The prompts that are averaged; most templates have one."""
        return tuple(self.text.removesuffix(TIDY).split(AND))

    @property
    def n_forms(self) -> int:
        return len(self.forms)

    @property
    def tidies(self) -> bool:
        """Whether texts are made ready as for PromptEOL."""
        return self.text.endswith(TIDY)

    @property
    def before(self) -> str:
        return self.forms[0].partition(SLOT)[0]

    @property
    def after(self) -> str:
        return self.forms[0].partition(SLOT)[2]

    @property
    def n_masks(self) -> int:
        return self.text.count(MASK)

    @property
    def has_answer(self) -> bool:
        """Whether each prompt ends in words behind which a model would speak."""
        return not self.n_masks and all(not form.endswith(SLOT) for form in self.forms)

    @property
    def echoes(self) -> bool:
        """Whether a text stands in it twice."""
        return any(form.count(SLOT) == 2 for form in self.forms)

    @property
    def usual_weights(self) -> str:
        """The name of the token weights that go with it."""
        if self.n_masks:
            return "mask"
        if any(form not in _PUBLISHED for form in self.forms):
            return "mean"
        return "answer" if self.has_answer else "text"

    @property
    def name(self) -> str:
        """The names that `parse` takes for it, or the template itself."""
        words = self.text.removesuffix(TIDY)
        known = {text: name for name, text in NAMED.items()}
        names = [known.get(words)] if words in known else [known.get(form) for form in self.forms]
        if None in names:
            return self.text
        return "+".join(str(name) for name in names) + self.text[len(words) :]


def tidied(text: str) -> str:
    """A text as PromptEOL's authors prepare theirs: it ends in a full stop, and has no double quotes."""
    if text and text[-1] not in ".?\"'":
        text += "."
    text = text.replace('"', "'")
    return text[:-1] + "." if text.endswith("?") else text
