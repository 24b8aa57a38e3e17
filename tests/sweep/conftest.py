"""Small tasks of our own words, written as files, and a background corpus."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

NOUNS = ["cat", "dog", "man", "woman", "tree", "river", "mat", "music", "light"]
VERBS = ["sat", "ran", "walk", "play", "playing"]
COLOURS = ["blue", "red", "seven"]


def sentence(rng: random.Random) -> str:
    return f"the {rng.choice(COLOURS)} {rng.choice(NOUNS)} {rng.choice(VERBS)} on the {rng.choice(NOUNS)}"


@pytest.fixture(scope="session")
def small_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pairs.tsv, groups.tsv, classes.tsv and background.txt."""
    folder = tmp_path_factory.mktemp("small")
    rng = random.Random(0)
    some = [sentence(rng) for _ in range(40)]
    pairs = [(rng.choice(some), rng.choice(some)) for _ in range(30)]
    lines = [f"{a}\t{b}\t{len(set(a.split()) & set(b.split()))}" for a, b in pairs]
    (folder / "pairs.tsv").write_text("text1\ttext2\tscore\n" + "\n".join(lines) + "\n")
    groups = [(text, "water" if "river" in text else "land") for text in some]
    (folder / "groups.tsv").write_text("text\tlabel\n" + "\n".join("\t".join(row) for row in groups) + "\n")
    background = [sentence(rng).capitalize() + " ." for _ in range(60)]
    (folder / "background.txt").write_text("\n".join(" ".join(background[i : i + 4]) for i in range(0, 60, 4)) + "\n")
    return folder
