"""Files of texts for tests."""

from __future__ import annotations

import random
from pathlib import Path

_LINE = "the a cat dog sat ran on mat in is man woman playing tree river light play walk blue red seven music"
WORDS = _LINE.split()


def sentences(n: int, seed: int = 0) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(1, 9))) for _ in range(n)]


def text_file(path: Path, n: int, seed: int = 0) -> Path:
    path.write_text("".join(line + "\n" for line in sentences(n, seed)), encoding="utf-8")
    return path
