"""The main job on a small sample: search it by several recipes, draw, compare, and say what to do next."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from pathlib import Path

from attar.checkpoints import default
from attar.demo.picture import can_draw, draw
from attar.demo.recipes import advised_for, installed_causal_model, shown_for
from attar.demo.sample import Sample
from attar.demo.searched import Searched, gained_most, search
from attar.encoders.opening import open_encoder
from attar.io.atomic import check_own_folder, make_own_folder, new_file
from attar.types import Encoder

KIND, SENTENCES, PICTURE = "the folder of a demo", "sentences.txt", "demo.png"
NO_PICTURE = "There is no picture, since matplotlib is not installed: pip install matplotlib"
EARLIER = {"vectors.npy", "comparison.png"}  # what earlier versions wrote


def run(folder: Path, model: str | None = None) -> str:
    """Do it all; what to print."""
    started = time.perf_counter()
    check_own_folder(folder, is_demo, KIND)
    chosen = model or _installed()
    if chosen is None:
        default.verify()
    sample, encoder = Sample.read(), open_encoder(chosen)
    rows = [search(label, recipe, encoder, sample) for label, recipe in shown_for(encoder).items()]
    make_own_folder(folder, is_demo, KIND)
    with new_file(folder / SENTENCES) as aside:
        aside.write_text("\n".join(sample.documents) + "\n", encoding="utf-8")
    if can_draw():
        with new_file(folder / PICTURE) as aside:
            draw(rows[0], rows[-1], _name(chosen), aside)
    return _told(rows, encoder, chosen, folder, time.perf_counter() - started)


def is_demo(names: Sequence[str]) -> bool:
    """Whether a folder holds what the demo writes, and nothing else."""
    return set(names) <= {SENTENCES, PICTURE} | EARLIER


def _installed() -> str | None:
    found = installed_causal_model()
    return None if found is None else str(found)


def _name(chosen: str | None) -> str:
    return "the embedded MiniLM" if chosen is None else Path(chosen).name


def _told(rows: list[Searched], encoder: Encoder, chosen: str | None, folder: Path, seconds: float) -> str:
    width, n = max(len(row.label) for row in rows), len(rows[0].ranks)
    lines = [
        f"The picture: {(folder / PICTURE).resolve()}" if can_draw() else NO_PICTURE,
        "",
        f"{len(rows[0].sample.documents)} sentences searched by {n} questions in other words, in {seconds:.0f} s.",
        "Beside every answer stands a sentence that shares its words and not its meaning.",
        f"The model: {_name(chosen)}, {encoder.n_layers} layers; nothing is trained.",
        "",
        f"{'':{width}}  found first  in the first 3",
    ]
    lines += [f"{row.label:{width}}  {row.first:>4} of {n}  {int((row.ranks <= 3).sum()):>9} of {n}" for row in rows]
    lines += ["", *_example(rows[0], rows[-1]), "", "Now your own texts, one per line:", *_next(encoder, chosen)]
    return "\n".join(lines)


def _example(plain: Searched, better: Searched) -> list[str]:
    """The query that gained most."""
    query = int(gained_most(plain, better)[0])
    return [
        f'Asked:  "{plain.sample.queries[query]}"',
        f"  {plain.label} finds: {plain.found(query)}",
        f"  {better.label} finds: {better.found(query)}",
    ]


def _next(encoder: Encoder, chosen: str | None) -> list[str]:
    model = f" --model {shlex.quote(chosen)}" if chosen else ""
    recipe = f" --recipe {advised_for(encoder)}" if encoder.causal else ""
    return [
        f"  attar index your-texts.txt{model}{recipe} -o my-index",
        '  attar search my-index "a question in your words"',
    ]
