"""A text has the same float32 vector to the last bit with any instructions, alone and among others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attar.engine.library import open_library

RUN = """
import sys, numpy as np
from attar import Embedder, Transformer
embedder = Embedder(Transformer(sys.argv[1], precision=sys.argv[2]), layers=(1, 3))
texts = [f"the cat {'sat ' * (n % 9)}on mat {'dog ' * (n % 5)}" for n in range(45)]
together = embedder.encode(texts)
for n in (0, 8, 44):
    assert np.array_equal(embedder.encode(texts[n]), together[n])
assert np.array_equal(embedder.encode(texts[::-1])[::-1], together)
np.save(sys.argv[3], together)
"""


def vectors(limit: str, precision: str, model: Path, tmp_path: Path) -> np.ndarray:
    out = tmp_path / f"{limit}.npy"
    environment = os.environ | {"ATTAR_INSTRUCTIONS": limit}
    subprocess.run([sys.executable, "-c", RUN, str(model), precision, str(out)], env=environment, check=True)
    return np.load(out)


def test_any_instructions_give_the_same_vectors(tiny_bert_dir: Path, tmp_path: Path):
    most = open_library("all")
    if most is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    wanted = vectors("all", "float32", tiny_bert_dir, tmp_path)
    np.testing.assert_array_equal(vectors("avx2", "float32", tiny_bert_dir, tmp_path), wanted)


@pytest.mark.parametrize("precision", ["bfloat16", "int8"])
def test_shorter_numbers_do_not_depend_on_the_batch_either(precision, tiny_bert_dir: Path, tmp_path: Path):
    if open_library("all") is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    assert np.isfinite(vectors("all", precision, tiny_bert_dir, tmp_path)).all()
