"""Chosen: the recipe that was chosen, how sure that is, and the account that is saved with it."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from attar import shapers, weights
from attar.choosing.answers import PairAnswer, write_answers
from attar.choosing.candidates import Candidate, named_candidates, plain_candidate
from attar.choosing.evidence import SignalEvidence
from attar.choosing.picture import draw_picture
from attar.choosing.rule import KEPT, Verdict
from attar.embedder import Embedder
from attar.encoders.prompted import PROMPT
from attar.errors import MissingExtra
from attar.io.atomic import new_folder
from attar.io.plural import number_of
from attar.persist import README, RECIPE
from attar.types import Encoder

log = logging.getLogger("attar")

ACCOUNT, ANSWERS, PICTURE = "choice.json", "answers.jsonl", "choice.svg"
SIGNAL_NAMES = ("probe", "topics", "words", "groups", "trials", "votes", "contrast", "evenness")


@dataclass(frozen=True)
class Chosen:
    """A choice with its reasons."""

    encoder: Encoder  # without a template
    evidence: SignalEvidence
    verdict: Verdict
    purpose: str
    texts: tuple[str, ...]
    sampled: int
    answers: tuple[PairAnswer, ...] = ()

    @property
    def candidate(self) -> Candidate:
        """The recipe that was chosen, apart from its model."""
        return self.evidence.candidates[self.verdict.chosen]

    def embedder(self, progress: bool = False) -> Embedder:
        """The chosen recipe, fitted on all texts."""
        chosen = self.candidate
        template = None if chosen.template == "none" else chosen.template
        plain = chosen == plain_candidate(self.encoder)
        made = Embedder(
            self.encoder.with_template(template),
            layers=chosen.layers,
            weights=weights.parse(chosen.weights),
            shapers=[] if plain else shapers.parse(chosen.shapers),
        )
        return made.fit(list(self.texts), progress=progress)

    def reason(self) -> str:
        """One sentence on how the choice was made."""
        n = sum(answer.closer != "skip" for answer in self.answers)
        known = "the probes" if self.evidence.groups is None else "the trials of grouping"
        seen = number_of(self.sampled, "text")
        by = f"{known}, {seen} and {number_of(n, 'answer')}" if n else f"{known} and {seen}"
        kept = "the prompt" if self.evidence.candidates[KEPT].template == PROMPT else "plain"
        if not self.verdict.kept:
            chance = f"the chance that it is clearly better than {kept} is {self._chance()}"
            return f"{self.candidate} was chosen by {by}: {chance}"
        favourite = self.evidence.candidates[self.verdict.favourite]
        if self.verdict.favourite == KEPT:
            return f"{kept} was kept: by {by} no other recipe agrees better with those that are believed in"
        if self.encoder.tuned_for_sentences:
            spoken = "the answers do not speak clearly" if n else "only answers can speak"
            return f"{kept} was kept: the model was tuned for sentences, and {spoken} against it"
        return f"{kept} was kept: by {by} the chance that {favourite} is clearly better is only {self._chance()}"

    def rows(self, n: int = 8) -> list[dict[str, Any]]:
        """The chosen, the named and the n most valued candidates with all signals, best first."""
        named = {candidate: name for name, candidate in named_candidates(self.encoder).items()}
        shown = {int(r) for r in np.argsort(-self.verdict.value, kind="stable")[:n]} | {self.verdict.chosen}
        shown |= {r for r, candidate in enumerate(self.evidence.candidates) if candidate in named}
        return [self._row(r, named) for r in sorted(shown, key=lambda r: -self.verdict.value[r])]

    def account(self) -> dict[str, Any]:
        """What is saved as choice.json."""
        return {
            "chosen": str(self.candidate),
            "kept_plain": self.candidate == plain_candidate(self.encoder),
            "reason": self.reason(),
            "chance_better_than_kept": round(self.verdict.chance, 4),
            "purpose": self.purpose,
            "texts": len(self.texts),
            "sampled": self.sampled,
            "answers": len(self.answers),
            "candidates": self.rows(len(self.evidence.candidates)),
        }

    def save(self, folder: str | Path, *, overwrite: bool = False, progress: bool = False) -> Embedder:
        """Fit the recipe on all texts and save it with choice.json, choice.svg and the answers; whole or not at all.

        Without matplotlib there is no choice.svg, and a note says so.
        """
        fitted = self.embedder(progress)
        with new_folder(Path(folder), RECIPE, overwrite=overwrite) as aside:
            fitted.save(aside / "recipe")
            for path in sorted((aside / "recipe").iterdir()):
                shutil.move(path, aside / path.name)
            (aside / "recipe").rmdir()
            account = json.dumps(self.account(), indent=1, ensure_ascii=False)
            (aside / ACCOUNT).write_text(account + "\n", encoding="utf-8")
            readme = (aside / README).read_text(encoding="utf-8")
            (aside / README).write_text(f"{readme}\n## How it was chosen\n\n{self.reason()}.\n", encoding="utf-8")
            try:
                draw_picture(self.evidence, self.verdict, named_candidates(self.encoder), aside / PICTURE)
            except MissingExtra as error:
                log.info("without %s: %s", PICTURE, error)
            if self.answers:
                write_answers(aside / ANSWERS, self.answers)
        return fitted

    def _chance(self) -> str:
        return f"{100 * self.verdict.chance:.0f} %"

    def _row(self, r: int, named: dict[Candidate, str]) -> dict[str, Any]:
        candidate = self.evidence.candidates[r]
        known = self.evidence.signals
        signals = {name: _finite(known[name][r]) if name in known else None for name in SIGNAL_NAMES}
        value, belief = _finite(self.verdict.value[r]), round(float(self.verdict.belief[r]), 4)
        name = named.get(candidate, "")
        return {"recipe": str(candidate), "name": name, "value": value, "belief": belief, **signals} | (
            {"chosen": True} if r == self.verdict.chosen else {}
        )


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The rows as lines of text under a heading."""
    taken = [name for name in SIGNAL_NAMES if any(row[name] is not None for row in rows)]
    heads = ("", "recipe", "value", "belief", *taken)
    cells = [[_mark(row), row["recipe"], *(_number(row[name]) for name in heads[2:])] for row in rows]
    widths = [max(len(line[i]) for line in [list(heads), *cells]) for i in range(len(heads))]
    return [
        "  ".join(
            cell.ljust(w) if i < 2 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths, strict=True))
        )
        for line in [list(heads), *cells]
    ]


def _mark(row: dict[str, Any]) -> str:
    return " ".join(part for part in ("*" if row.get("chosen") else "", row["name"]) if part)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _finite(value: float) -> float | None:
    return round(float(value), 4) if np.isfinite(value) else None
