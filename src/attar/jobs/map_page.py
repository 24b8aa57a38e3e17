"""The map of groups: one HTML file with its data, style and script inside; it asks nothing of the network."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np

from attar._version import __version__
from attar.io.plural import number_of
from attar.jobs.groups import Groups
from attar.types import Floats, Ints

SIDE = 10_000  # places on the map are whole numbers up to this
LONGEST = 300  # letters of a text that are shown


def map_page(texts: Sequence[str], ids: Sequence[Any], groups: Groups, rows: Ints, places: Floats, title: str) -> str:
    """The whole document; `rows` are the texts on the map and `places` (rows, 2) where, within [0, 1]."""
    parts = {name: _resource(name) for name in ("map.html", "map.css", "map.js")}
    data = json.dumps(map_data(texts, ids, groups, rows, places), ensure_ascii=False, separators=(",", ":"))
    values = {
        "title": html.escape(title),
        "style": parts["map.css"],
        "style_hash": _hash(parts["map.css"]),
        "script": parts["map.js"],
        "script_hash": _hash(parts["map.js"]),
        "data": data.replace("<", "\\u003c"),
    }
    page = parts["map.html"]
    head, _, tail = page.partition("{{data}}")  # texts may hold what looks like a place to fill
    return _filled(head, values) + values["data"] + _filled(tail, values)


def map_data(texts: Sequence[str], ids: Sequence[Any], groups: Groups, rows: Ints, places: Floats) -> dict[str, Any]:
    """What the script draws."""
    where = np.rint(places * SIDE).astype(int)
    labels = groups.labels[rows]
    drawn = number_of(len(texts), "text")
    if len(rows) < len(texts):
        drawn = f"{len(rows):,} of {drawn}, drawn at random"
    lead = f"{drawn}, in {number_of(len(groups.groups), 'group')}. Texts that are near in meaning are near on the map."
    return {
        "lead": lead,
        "foot": f"Made by Attar {__version__}. Drag to move, scroll to zoom, point at a dot to read its text.",
        "x": where[:, 0].tolist(),
        "y": where[:, 1].tolist(),
        "groups_of": labels.tolist(),
        "texts": [_short(texts[row]) for row in rows],
        "ids": [ids[row] for row in rows],
        "groups": [
            {
                "name": group.name,
                "size": group.size,
                "words": group.words,
                "at": _middle(where[labels == group.number]),
            }
            for group in groups.groups
        ],
    }


def _middle(where: Any) -> list[int]:
    return np.median(where, axis=0).astype(int).tolist() if len(where) else [-SIDE, -SIDE]


def _filled(page: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        page = page.replace("{{" + name + "}}", value)
    return page


def _short(text: str) -> str:
    joined = " ".join(text.split())
    return joined if len(joined) <= LONGEST else joined[: LONGEST - 1] + "…"


def _hash(text: str) -> str:
    """As a Content-Security-Policy wants it: nothing but this very script and style may run."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _resource(name: str) -> str:
    return files("attar").joinpath(f"resources/{name}").read_text(encoding="utf-8")
