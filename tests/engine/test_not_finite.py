"""NaN and inf anywhere in the weights end in a refusal, never in vectors that look sound."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from safetensors.numpy import load_file, save_file

import small_gguf
import tiny_models
from attar import Embedder, Transformer
from attar.engine.decoder_kernels import CompiledDecoder, Heads, NumpyDecoder, Shared
from attar.engine.decoder_library import decoder_library
from attar.engine.kernels import Norm, Projected, compiled_kernels
from attar.engine.products import float32, int8, numpy_int8
from attar.engine.torch_kernels import TorchKernels
from attar.errors import ModelError

TEXTS = ["the cat sat on the mat", "a dog ran", "seven blue dogs"]
PAYLOAD = struct.unpack("<f", struct.pack("<I", 0x7FC00001))[0]  # a NaN that carries something along
STRANGE = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf, "a NaN with a number in it": PAYLOAD}


def damage(folder: Path, name: str, value: float) -> None:
    """One number of an array, at a place that every text reads."""
    arrays = load_file(folder / "model.safetensors")
    arrays[name] = arrays[name].copy()
    arrays[name].reshape(-1)[-1] = value
    save_file(arrays, folder / "model.safetensors", metadata={"format": "pt"})


def is_read(name: str) -> bool:
    """Whether all texts read the array's last number: tables are read at some rows only."""
    return "embeddings" not in name and "embed_tokens" not in name and "pooler" not in name


def refused(model, precision: str = "float32") -> bool:
    try:
        found = Embedder(Transformer(model, precision=precision)).encode(TEXTS)
    except ModelError as error:
        return "finite" in str(error) or "NaN" in str(error)
    raise AssertionError(f"{model} gave {found[:, :2]}")


def names_of(folder: Path) -> list[str]:
    return [name for name in load_file(folder / "model.safetensors") if is_read(name)]


@pytest.mark.parametrize("activation", ["gelu", "relu", "silu"])  # the last is left to transformers
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_every_array_of_an_encoder(tmp_path, activation, value):
    sound = tiny_models.bert(tmp_path / "model", hidden_act=activation, num_hidden_layers=1)
    whole = (sound / "model.safetensors").read_bytes()
    names = names_of(sound)
    assert len(names) == 16
    for name in names:
        damage(sound, name, value)
        assert refused(sound), name
        (sound / "model.safetensors").write_bytes(whole)


@pytest.mark.parametrize("precision", ["bfloat16", "int8", "float64"])
def test_every_precision(tmp_path, precision):
    sound = tiny_models.bert(tmp_path / "model", num_hidden_layers=1)
    for part in ("attention.self.query", "attention.self.key", "intermediate.dense"):
        copy = tiny_models.bert(tmp_path / part, num_hidden_layers=1)
        damage(copy, f"encoder.layer.0.{part}.weight", np.nan)
        assert refused(copy, precision)
    assert np.isfinite(Embedder(Transformer(sound, precision=precision)).encode(TEXTS)).all()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_every_array_of_a_decoder(tmp_path, value):
    tokenizer = tiny_models.without_frame()
    config = transformers.LlamaConfig(
        **tiny_models.small(tokenizer) | {"num_hidden_layers": 1, "num_key_value_heads": 1}
    )
    model = tiny_models.spread(transformers.LlamaModel(config))
    sound = tiny_models.save(tmp_path / "model", model, tokenizer)
    whole = (sound / "model.safetensors").read_bytes()
    names = names_of(sound)
    assert len(names) == 10
    for name in names:
        damage(sound, name, value)
        assert refused(sound), name
        (sound / "model.safetensors").write_bytes(whole)
    for name, parameter in model.named_parameters():
        if is_read(name):
            kept = parameter.detach().clone()
            with torch.no_grad():
                parameter.view(-1)[-1] = value
            assert refused(small_gguf.of_model(tmp_path / "model.gguf", model, "llama")), name
            parameter.data = kept


def every_kernel() -> list:
    found = [("torch", TorchKernels())]
    found += [(limit, compiled_kernels(limit)) for limit in ("avx2", "avx512", "all")]
    return [pytest.param(kernels, id=name) for name, kernels in found if kernels is not None]


@pytest.mark.parametrize("value", STRANGE.values(), ids=STRANGE)
@pytest.mark.parametrize("kernels", every_kernel())
class TestSteps:
    """The step gives NaN where it read what is not finite, and there alone."""

    def test_attention(self, kernels, value):
        rng = np.random.default_rng(0)
        for place, rows in ((0, [2]), (1, [2]), (1, range(4))):  # of a query, of a key, of all keys
            parts = [rng.standard_normal((21, 16), dtype=np.float32) for _ in range(3)]
            parts[place][rows, 5] = value
            zeros = np.zeros(16, np.float32)
            out = kernels.attention(Projected(*parts, zeros, zeros, zeros), np.array([4, 17]), 2, 0.3)
            strange = np.isnan(out).any(axis=1)
            assert strange[2] if place == 0 else strange[:4].any(), (place, rows, out[:4])
            assert not strange[4:].any()

    def test_activations(self, kernels, value):
        for step in (kernels.bias_gelu, kernels.bias_relu):
            x = np.linspace(-2, 2, 11, dtype=np.float32)[None].repeat(2, axis=0)
            x[0, 3] = value
            step(x, np.zeros(11, np.float32))
            lost = isinstance(kernels, TorchKernels) and value == -np.inf  # torch: max(-inf, 0) is 0
            assert lost or not np.isfinite(x[0, 3])
            assert np.isfinite(np.delete(x.reshape(-1), 3)).all()

    def test_norms(self, kernels, value):
        x = np.linspace(-2, 2, 33, dtype=np.float32).reshape(3, 11)
        x[1, 10] = value
        ones, zeros = np.ones(11, np.float32), np.zeros(11, np.float32)
        kernels.add_norm(x, zeros, np.zeros_like(x), Norm(ones, zeros, 1e-6))
        assert np.isfinite(x).all(axis=1).tolist() == [True, False, True]


@pytest.mark.parametrize("value", STRANGE.values(), ids=STRANGE)
@pytest.mark.parametrize("make", [float32, int8, numpy_int8])
def test_products(make, value):
    weight = np.random.default_rng(0).standard_normal((40, 30), dtype=np.float32)
    weight[7, 3] = value
    with np.errstate(all="ignore"):
        out = make(weight)(np.ones((5, 30), np.float32))
    assert np.flatnonzero(~np.isfinite(out).all(axis=0)).tolist() == [7]


@pytest.mark.parametrize("value", STRANGE.values(), ids=STRANGE)
@pytest.mark.parametrize("by", ["C", "numpy"])
def test_steps_of_a_decoder(by, value):
    library = decoder_library()
    if by == "C" and library is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    kernels = CompiledDecoder(library) if by == "C" else NumpyDecoder()
    rng = np.random.default_rng(0)
    for place in range(2):
        q, k, v = (rng.standard_normal((9, 16), dtype=np.float32) for _ in range(3))
        (q, k)[place][2, 3] = value
        empty = np.zeros((0, 16), np.float32)
        with np.errstate(all="ignore"):
            out = kernels.attention(q, k, v, Shared(empty, empty), np.array([9]), Heads(2, 2, 8, 0.3))
        strange = np.isnan(out).any(axis=1)
        assert not strange[:2].any()
        assert strange[2] if place == 0 else strange[2:].any()
    for kind in ("silu", "gelu_tanh"):
        x = np.linspace(-2, 2, 11, dtype=np.float32)[None].copy()
        x[0, 3] = value
        with np.errstate(all="ignore"):
            kernels.gate(x, None, kind)
        assert np.flatnonzero(~np.isfinite(x[0])).tolist() == [3]
