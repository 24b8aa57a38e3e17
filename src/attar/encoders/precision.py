"""What a transformer computes in, and which of it is the fastest on this machine that leaves vectors as they are."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attar.engine.kernels import compiled_kernels
from attar.engine.library import Abilities
from attar.errors import InputError, ModelError
from attar.pooling import scale_weights

if TYPE_CHECKING:
    from attar.encoders.transformer import Transformer

PRECISIONS = ("float32", "bfloat16", "int8", "float64", "auto")
LEAST_COSINE = 0.9999  # to the vectors of float32


class Choice(NamedTuple):
    """What precision="auto" came to, and why."""

    encoder: Transformer
    why: str


def choose(exact: Transformer, quick: Transformer) -> Choice:
    """`quick`, of bfloat16, where this processor multiplies that faster and the model's vectors stay as they are.

    Both are asked for the means of sample texts at all layers. (8-bit integers never come near enough.)
    """
    if exact.causal:
        return Choice(exact, "float32: causal models, often large, are not tried out; ask for bfloat16 by name")
    kernels = compiled_kernels()
    if kernels is None:
        return Choice(exact, "float32: the C kernels are not built for this machine")
    if Abilities.BFLOAT16 not in kernels.abilities:
        return Choice(exact, "float32: this processor has no products of bfloat16 (avx512_bf16)")
    try:
        cosine = least_cosine(exact, quick)
    except (ModelError, InputError) as error:
        return Choice(exact, f"float32: {error}")
    close = cosine >= LEAST_COSINE
    shown = (
        f"least cosine to float32 on sample texts {cosine:.6f}, {'at least' if close else 'less than'} {LEAST_COSINE}"
    )
    return Choice(quick, f"bfloat16: {shown}") if close else Choice(exact, f"float32: bfloat16 has the {shown}")


def least_cosine(exact: Transformer, quick: Transformer) -> float:
    """Of the means of sample texts, at whatever layer they differ most."""
    layers = range(exact.n_layers + 1)
    tokens = exact.tokenize(sample_texts())
    weights, _ = scale_weights(np.ones(len(tokens.ids), dtype=np.float32), tokens)
    a, b = (
        encoder.pool(tokens, weights[None], layers)[0].astype(np.float64) for encoder in (exact, quick)
    )  # (N, L, D)
    lengths = np.linalg.norm(a, axis=2) * np.linalg.norm(b, axis=2)
    return float((np.einsum("nld,nld->nl", a, b) / lengths).min())


def sample_texts() -> list[str]:
    """The sentences of the embedded sample, and longer texts of several."""
    lines = files("attar").joinpath("resources/sample.tsv").read_text(encoding="utf-8").splitlines()[1:]
    sentences = [sentence for line in lines for sentence in line.split("\t")[1:3]]
    return sentences + [" ".join(sentences[n : n + 8]) for n in range(0, len(sentences), 8)]
