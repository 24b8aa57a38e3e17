"""precision="auto": what it comes to, and why."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attar import Embedder, Transformer
from attar.encoders import precision
from attar.encoders.precision import LEAST_COSINE, least_cosine
from attar.engine.kernels import compiled_kernels
from attar.engine.library import Abilities

TEXTS = ["the cat sat", "a dog on the mat and a cat"]


@pytest.fixture
def has_bfloat16() -> None:
    kernels = compiled_kernels()
    if kernels is None or Abilities.BFLOAT16 not in kernels.abilities:
        pytest.skip("this processor has no products of bfloat16, or the C kernels are not built")


def test_it_is_one_of_the_others_and_says_why(tiny_bert_dir: Path):
    chosen = Transformer(tiny_bert_dir, precision="auto")
    taken = chosen.choice.encoder.precision
    assert taken in ("float32", "bfloat16")
    assert chosen.choice.why.startswith(f"{taken}: ")
    wanted = Embedder(Transformer(tiny_bert_dir, precision=taken)).encode(TEXTS)
    np.testing.assert_array_equal(Embedder(chosen).encode(TEXTS), wanted)
    assert chosen.spec()["precision"] == "auto"


@pytest.mark.parametrize("limit", ["none", "avx2"])
def test_without_the_instructions_it_is_float32(tiny_bert_dir: Path, monkeypatch, limit):
    monkeypatch.setattr(precision, "compiled_kernels", lambda: compiled_kernels(limit))
    assert Transformer(tiny_bert_dir, precision="auto").choice.why.startswith("float32: ")


def test_a_model_that_bfloat16_bends_stays_in_float32(tiny_bert_dir: Path, monkeypatch, has_bfloat16):
    monkeypatch.setattr(precision, "least_cosine", lambda exact, quick: 0.9998)
    assert Transformer(tiny_bert_dir, precision="auto").choice.why == (
        f"float32: bfloat16 has the least cosine to float32 on sample texts 0.999800, less than {LEAST_COSINE}"
    )


def test_the_default_model_stays_as_it_is_in_bfloat16(has_bfloat16):
    assert 1 - 1e-4 < least_cosine(Transformer(), Transformer(precision="bfloat16")) < 1
    assert least_cosine(Transformer(), Transformer()) > 1 - 1e-12
