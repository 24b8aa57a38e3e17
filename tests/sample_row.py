"""A scored cell, to make others of."""

from __future__ import annotations

from attar.sweep.store import CellRow

ROW = CellRow(
    cell="a1",
    task="STS-B",
    model="bert",
    template="none",
    layers="1+12",
    weights="idf",
    shape="zscore",
    mix=0.0,
    family="sts",
    metric="spearman",
    texts=10,
    score=0.5,
    low=0.4,
    high=0.6,
    error=None,
    recipe="{}",
    details='{"average_texts": 9, "background_texts": 8}',
    attar="1",
    model_sha256="ab",
    seconds=0.1,
)
