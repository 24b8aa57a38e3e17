"""Whether there are texts enough to learn from: of a handful, counts and moments say nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attar.shapers import Shaper
from attar.shapers.chain import corpus_of, learns
from attar.weights import Weighting

FEW = 50  # texts: of fewer, no counts or moments are worth the name
HINT = (
    "fit once on your documents, save the recipe, and encode queries with the saved recipe "
    "(`attar fit --on DOCUMENTS -o RECIPE`, or fit and save in Python)"
)


@dataclass(frozen=True)
class Few:
    """Texts too few to tell what a chain of shapers does."""

    shape: str  # the chain
    texts: int
    dims: int | None
    wanted: int
    where: str = ""  # the task they are of, where it does not stand beside

    @property
    def share(self) -> float:
        """How many of the texts that it takes there are."""
        return self.texts / self.wanted


def told(few: Iterable[Few]) -> list[str]:
    """One sentence for each number of texts, whatever shapers it is about."""
    shapes: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for one in few:
        counts = f"{one.texts:,}" + (f" for {one.dims:,} dims" if one.dims else "")
        place = f" ({one.where})" if one.where else ""
        shapes[f"{counts}{place}, and it takes {one.wanted:,}",].append(one.shape)
    return [f"too few texts to tell what {_listed(of)} {_does(of)} with more: {text}" for (text,), of in shapes.items()]


def _listed(names: Sequence[str]) -> str:
    return " and ".join([*filter(None, ["; ".join(names[:-1])]), names[-1]])


def _does(names: Sequence[str]) -> str:
    return "does" if len(names) == 1 else "do"


def texts_wanted(part: Any, width: int | None = None) -> int:
    """How many texts a weighting or shaper should learn from, where vectors have so many dims."""
    by_width = part.texts_wanted(width) if isinstance(part, Shaper) and width is not None else 0
    return max(by_width, FEW)


def few_for_shaping(shape: str, chain: Sequence[Any], counts: Mapping[str, int], width: int | None) -> Few | None:
    """What is missing to tell what a chain of shapers does; None where each has texts enough.

    Parameters
    ----------
    shape : the text of the chain
    chain : the shapers
    counts : how many texts each corpus has, by name
    width : dims of the vectors that go into it; None where it is not known
    """
    asked = [(counts.get(corpus_of(part), 0), texts_wanted(part, width)) for part in chain if learns(part)]
    found = [Few(shape, texts, width, wanted) for texts, wanted in asked if texts < wanted]
    return min(found, key=lambda few: few.share, default=None)


def too_few(parts: Sequence[Any], corpora: Mapping[str, Sequence[str]], width: int | None = None) -> str | None:
    """The sentence that says which parts learn from too few texts; None where all have enough.

    Parameters
    ----------
    parts : weights and shapers
    corpora : the texts they learn from, by name
    width : dims of the vectors, by which some shapers need more texts; None where it is not known
    """
    for part in parts:
        if not (part.needs_texts if isinstance(part, Weighting) else learns(part)):
            continue
        n = len(corpora.get(corpus_of(part), ()))
        wanted = texts_wanted(part, width)
        if n < wanted:
            dims = f" for {width:,} dims" if width is not None and wanted > FEW else ""
            return f"{type(part).__name__} learns from {n:,} texts{dims}, and should have {wanted:,} or more; {HINT}"
    return None
