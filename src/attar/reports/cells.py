"""What a report shows: the cells of one run or more, each with the score that the paper printed for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from attar.enough import Few, told
from attar.sweep.best import single_task_families
from attar.sweep.draws import few_texts
from attar.sweep.meanings import Meanings, meanings
from attar.sweep.run_checks import check_run
from attar.sweep.store import CellRow, Store
from attar.tasks import FAMILIES, published

_MIXES = {0.0: "BERT", 0.5: "BERT+Avg", 1.0: "Avg"}


@dataclass(frozen=True)
class Variant:
    """A column of the paper's tables: the template, or how much of Avg."""

    template: str
    mix: float

    @property
    def label(self) -> str:
        if self.mix == 0:
            return "no template" if self.template == "none" else self.template
        mixed = "Avg." if self.mix == 1 else f"+ {self.mix:g} Avg."
        return mixed if self.template == "none" else f"{self.template} {mixed}"

    @property
    def published(self) -> str | None:
        """The paper's column."""
        if self.template == "none":
            return _MIXES.get(self.mix)
        return self.template if self.mix == 0 and self.template in published.MODELS else None


@dataclass(frozen=True)
class Cells:
    """All scored cells of some runs."""

    rows: tuple[CellRow, ...]

    @classmethod
    def of_runs(cls, runs: Sequence[Path]) -> Cells:
        found: dict[str, CellRow] = {}
        for run in runs:
            with Store.of_run(run) as store:
                found |= {row.cell: row for row in store.rows()}
        check_run(tuple(found.values()), ", ".join(map(str, runs)))
        return cls(tuple(sorted(found.values(), key=sort_key)))

    @property
    def scored(self) -> tuple[CellRow, ...]:
        return tuple(row for row in self.rows if row.score is not None)

    @cached_property
    def ends(self) -> dict[str, Meanings]:
        """The first and the last layer of each model, and whether it was tuned."""
        return meanings(self.rows)

    @property
    def last_layer(self) -> dict[str, int]:
        """The last layer of each model, whether a cell has it or not."""
        return {model: ends.last for model, ends in self.ends.items()}

    @property
    def families(self) -> list[str]:
        present = {row.family for row in self.scored}
        return [family for family in FAMILIES if family in present]

    @cached_property
    def single_task_families(self) -> frozenset[str]:
        """Families of one task: they are shown once, as the task."""
        return single_task_families(self.scored)

    @cached_property
    def few_texts(self) -> dict[tuple[str, str, str], Few]:
        """What can't be told of shapers, by task or family, model and shape."""
        return few_texts(self.scored)

    def few_texts_told(self, model: str, subject: str) -> list[str]:
        """The sentences about a task or family that say so."""
        mine = sorted(key for key in self.few_texts if key[:2] == (subject, model))
        return told(self.few_texts[key] for key in mine)

    def tasks(self, family: str) -> list[str]:
        return sorted({row.task for row in self.scored if row.family == family})

    @property
    def models(self) -> list[str]:
        return sorted(self.ends)

    def paper_layers(self, model: str, template: str) -> str:
        """The layers of the paper's tables: first + last, and with a template the last."""
        ends = self.ends[model]
        return str(ends.last) if template != "none" or ends.first == ends.last else f"{ends.first}+{ends.last}"

    def published(self, row: CellRow) -> float | None:
        """The paper's figure, from 0 to 100, where it has one for the same model and method."""
        if not published.is_paper_model(row.model):
            return None
        return published.beside(row.shown_recipe(), row.task, row.texts, self.ends[row.model].last)


def sort_key(row: CellRow) -> tuple[object, ...]:
    layers = tuple(int(layer) for layer in row.layers.split("+"))
    return row.family, row.task, row.model, row.template, len(layers), layers, row.weights, row.shape, row.mix, row.cell
