"""Memory does not grow with the length of a text beyond what its tokens take."""

from __future__ import annotations

from pathlib import Path

from attar import Table, Transformer
from attar_process import Limits, run

MEGABYTES = 3


def test_a_static_table_reads_a_text_of_megabytes_in_bounded_memory(tiny_bert: Transformer, tmp_path: Path) -> None:
    """A dense product of a row per token would take 4 bytes x 256 dims x 0.8 million tokens twice: over 1.6 GB."""
    import numpy as np

    small = Table.average(tiny_bert, ["the cat sat on the mat"], (1,), progress=False)
    rows = np.ones((len(small.by_layer[1]), 256), dtype=np.float32)
    Table({1: rows}, small.tokenizer.backend).save(tmp_path / "table")
    (tmp_path / "long.txt").write_text("the " * (MEGABYTES * (1 << 18)) + "\n")
    command = ["encode", "long.txt", "--model", "table", "-o", "v.npy"]
    ended = run(*command, cwd=tmp_path, limits=Limits(memory=1 << 30, seconds=120))
    assert ended.code == 0, ended
