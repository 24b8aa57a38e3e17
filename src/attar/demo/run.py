"""The main job on a small sample: search it by several recipes, draw, compare, and say what to do next."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from attar.checkpoints import default
from attar.demo.picture import can_draw, draw
from attar.demo.recipes import PLAIN, TUNED_MODEL, advised_for, installed_causal_model, shown_for
from attar.demo.sample import Sample
from attar.demo.searched import Searched, gained_most, search
from attar.encoders.opening import open_encoder
from attar.io.atomic import check_own_folder, make_own_folder, new_file
from attar.types import Encoder

KIND, SENTENCES, PICTURE = "the folder of a demo", "sentences.txt", "demo.png"
NO_PICTURE = "There is no picture, since matplotlib is not installed: pip install matplotlib"
EARLIER = {"vectors.npy", "comparison.png"}  # what earlier versions wrote
BAR = 20  # characters


def run(folder: Path, model: str | None = None) -> str:
    """Do it all; what to print."""
    started = time.perf_counter()
    check_own_folder(folder, is_demo, KIND)
    chosen = model or _installed()
    if chosen is None:
        default.verify()
    sample, encoder = Sample.read(), open_encoder(chosen)
    rows = [search(label, recipe, encoder, sample) for label, recipe in shown_for(encoder).items()]
    tuned = search(TUNED_MODEL, PLAIN, open_encoder(None), sample) if chosen and default.is_installed() else None
    make_own_folder(folder, is_demo, KIND)
    with new_file(folder / SENTENCES) as aside:
        aside.write_text("\n".join(sample.documents) + "\n", encoding="utf-8")
    if can_draw():
        with new_file(folder / PICTURE) as aside:
            draw(rows[0], rows[-1], _name(chosen), aside)
    picture = f"The picture of it: {(folder / PICTURE).resolve()}" if can_draw() else NO_PICTURE
    parts = [
        [picture],
        _about(rows[0], encoder, chosen, time.perf_counter() - started),
        _table(rows, tuned),
        _example(rows[0], rows[-1]),
        _next(encoder, chosen),
    ]
    return "\n\n".join("\n".join(part) for part in parts)


def is_demo(names: Sequence[str]) -> bool:
    """Whether a folder holds what the demo writes, and nothing else."""
    return set(names) <= {SENTENCES, PICTURE} | EARLIER


def _installed() -> str | None:
    found = installed_causal_model()
    return None if found is None else str(found)


def _name(chosen: str | None) -> str:
    return "the embedded MiniLM" if chosen is None else Path(chosen).name


def _about(row: Searched, encoder: Encoder, chosen: str | None, seconds: float) -> list[str]:
    return [
        f"{len(row.sample.documents)} sentences, {len(row.ranks)} questions. A question says in other words what one",
        "of the sentences says; another of them shares its words and not its meaning.",
        f"The model: {_name(chosen)}, {encoder.n_layers} layers, as it is. Nothing is trained. {seconds:.0f} s.",
    ]


def _table(rows: list[Searched], tuned: Searched | None) -> list[str]:
    """How often each recipe finds the right sentence; below a line, the model that was tuned for it."""
    shown = rows if tuned is None else [*rows, tuned]
    width = max(len(row.label) for row in shown)
    lines = [f"{'the right sentence is':{width}}  first{'':{BAR + 7}}among the first 3"]
    lines += [_line(row, width) for row in rows]
    if tuned is not None:
        lines += [f"{'-' * width}", _line(tuned, width)]
    return lines


def _line(row: Searched, width: int) -> str:
    n = len(row.ranks)
    bar = "#" * round(BAR * row.first / n)
    return f"{row.label:{width}}  {row.first:>2} of {n}  {bar:{BAR}}  {int((row.ranks <= 3).sum()):>2} of {n}"


def _example(plain: Searched, better: Searched) -> list[str]:
    """The query that gained most."""
    query = int(gained_most(plain, better)[0])
    width = max(len(plain.label), len(better.label))
    return [
        f'Asked "{plain.sample.queries[query]}"',
        f"  {plain.label:{width}}  finds: {plain.found(query)}",
        f"  {better.label:{width}}  finds: {better.found(query)}",
    ]


def _next(encoder: Encoder, chosen: str | None) -> list[str]:
    attar = _command()
    model = f" --model {_as_typed(chosen)}" if chosen else ""
    recipe = f" --recipe {advised_for(encoder)}" if encoder.causal else ""
    first = "" if default.is_installed() else model + recipe
    lines = [
        "Now your own texts, one per line:",
        f"  {attar} index your-texts.txt{first} -o my-index",
        f'  {attar} search my-index "a question in your words"',
    ]
    if model and not first:
        lines += ["That is by MiniLM. By the model of this demo:"]
        lines += [f"  {attar} index your-texts.txt{model}{recipe} -o my-other-index"]
    return lines


def _command() -> str:
    """`attar`, or the path of this installation's script where the shell would not find it or would find another."""
    script = Path(sys.executable).with_name("attar")
    found = shutil.which("attar")
    if not script.is_file() or (found and os.path.samefile(found, script)):
        return "attar"
    return _as_typed(str(script))


def _as_typed(path: str) -> str:
    """A path below this folder from here, any other as it is."""
    below = Path(path).is_relative_to(Path.cwd())
    return shlex.quote(os.path.relpath(path) if below else path)
