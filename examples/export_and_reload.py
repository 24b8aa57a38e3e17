"""Fits a recipe on a few texts, exports it, and compares what sentence-transformers makes of it with Attar.

python examples/export_and_reload.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer

from attar import Embedder, Transformer, shapers, weights
from attar.exports import export

TEXTS = [
    "A man is playing a guitar.",
    "Someone plays an instrument.",
    "The stock market fell sharply.",
    "Shares lost much of their value today.",
    "A cat sleeps on the windowsill.",
]


def main() -> None:
    embedder = Embedder(Transformer(), ("first", "last"), weights.Idf(), [shapers.ZScore(), shapers.Unit()]).fit(TEXTS)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "my-model"
        for note in export(embedder, "sentence-transformers", folder):
            print(f"note: {note}")
        model = SentenceTransformer(str(folder), device="cpu")
    ours, theirs = embedder.encode(TEXTS), model.encode(TEXTS)
    print(f"greatest difference: {np.abs(ours - theirs).max():.1e}")
    print("cosines with the first text:", (theirs @ theirs[0]).round(2).tolist())


if __name__ == "__main__":
    main()
