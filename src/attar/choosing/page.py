"""The dialogue as one page without a server: it asks by the same model and saves the answers by download."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np

from attar.choosing.dialogue import ALIKE, FEWEST, FIRMNESS, SETTLED, SLIPS, STEEPNESS, TOGETHER, Dialogue
from attar.choosing.questions import SIMILARITY
from attar.choosing.rule import SAME, log_prior
from attar.errors import OutputError
from attar.io.atomic import check_target_file, explained, new_file

MOST_QUESTIONS = 400
ODDS = 16.0  # log-odds of ranks are within this


@dataclass(frozen=True)
class PageTalk:
    """Writes the page; answers come back in a file."""

    most: int
    purpose: str
    page: Path

    def __call__(self, dialogue: Dialogue, texts: Sequence[str]) -> None:
        """Write the page."""
        write_page(dialogue, texts, self.most, self.purpose, self.page)


def write_page(dialogue: Dialogue, texts: Sequence[str], most: int, purpose: str, path: Path) -> None:
    """Write one self-contained file that asks at most `most` questions."""
    evidence = dialogue.evidence
    prior = log_prior(evidence) + dialogue.log_likelihood
    kept = np.flatnonzero(prior > prior.max() - 12)  # the others are not believed in
    asked = np.array([q for q in range(len(dialogue.questions)) if q not in dialogue.answers][:MOST_QUESTIONS])
    leads = dialogue.questions.leads(evidence)[np.ix_(kept, asked)]
    odds = [side[np.ix_(kept, asked)] / ODDS for side in dialogue.questions.log_odds(evidence)]
    alike = evidence.agreement[np.ix_(kept, kept)]
    data = {
        "purpose": "similarity" if purpose == SIMILARITY else "belongs",
        "most": most,
        "steepness": STEEPNESS,
        "alike": ALIKE,
        "slips": SLIPS,
        "together": TOGETHER,
        "odds": ODDS * FIRMNESS,
        "firmness": FIRMNESS,
        "settled": SETTLED,
        "same": SAME,
        "fewest": FEWEST,
        "prior": [round(float(p), 4) for p in prior[kept]],
        "leads": _packed(leads),
        "left": _packed(odds[0]),
        "right": _packed(odds[1]),
        "agreement": _packed(alike),
        "questions": [
            {side: [texts[int(i)] for i in getattr(dialogue.questions, side)[q]] for side in ("left", "right")}
            for q in asked
        ],
    }
    template = files("attar").joinpath("resources/choose.html").read_text(encoding="utf-8")
    safe = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    script = template.partition("<script>")[2].partition("</script>")[0]
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    with new_file(path) as aside:
        aside.write_text(template.replace("{{script_hash}}", hashed).replace("{{data}}", safe), encoding="utf-8")


def check_page(path: Path) -> None:
    """Refuses to replace a page that this package has not made, since its name is not one that was given."""
    begun = (
        files("attar").joinpath("resources/choose.html").read_text(encoding="utf-8").partition("<meta http-equiv")[0]
    )
    check_target_file(path)
    with explained(path):
        if path.is_file() and not path.read_bytes().startswith(begun.encode()):
            raise OutputError(f"can't write {str(path)!r}: it is not a page of questions; choose another name for -o")


def _packed(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> str:
    """Values from -1 to 1 as signed bytes in base64, row by row."""
    return base64.b64encode(np.round(values * 127).astype(np.int8).tobytes()).decode("ascii")
