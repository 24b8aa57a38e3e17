"""Causal models straight from their files: the same states as transformers gives, common beginnings read once."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

import tiny_models
from attar import Transformer
from attar.engine import decoder_kernels, stored
from attar.engine.beginnings import beginnings
from attar.engine.decoder_library import decoder_library
from attar.engine.decoder_model import DecoderModel
from attar.errors import AttarError
from attar.types import Tokens

SMALL = {
    "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 44, "vocab_size": 60, "max_position_embeddings": 64,
}  # fmt: skip
GPT2 = {"vocab_size": 60, "n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 64, "bos_token_id": 0,
        "eos_token_id": 0}  # fmt: skip
OPT = {"vocab_size": 60, "hidden_size": 32, "num_hidden_layers": 3, "ffn_dim": 44, "num_attention_heads": 4,
       "max_position_embeddings": 64, "word_embed_proj_dim": 32}  # fmt: skip
NEOX = {"vocab_size": 60, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 44,
        "max_position_embeddings": 64}  # fmt: skip
LLAMA3 = {
    "rope_type": "llama3", "rope_theta": 1000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}  # fmt: skip
KNOWN = {
    "llama": transformers.LlamaConfig(**SMALL),
    "llama 3": transformers.LlamaConfig(**SMALL, rope_parameters=LLAMA3),
    "places scaled": transformers.LlamaConfig(
        **SMALL, rope_parameters={"rope_type": "linear", "rope_theta": 1000.0, "factor": 4.0}
    ),
    "biases": transformers.LlamaConfig(**SMALL, attention_bias=True, mlp_bias=True),
    "heads of 6": transformers.LlamaConfig(**SMALL | {"hidden_size": 24}),
    "mistral": transformers.MistralConfig(**SMALL),
    "qwen2": transformers.Qwen2Config(**SMALL),
    "qwen3": transformers.Qwen3Config(**SMALL, head_dim=16),
    "gemma": transformers.GemmaConfig(**SMALL, head_dim=16),
    "mistral with a window": transformers.MistralConfig(**SMALL, sliding_window=5),
    "qwen2 with windows": transformers.Qwen2Config(
        **SMALL, use_sliding_window=True, sliding_window=4, max_window_layers=1
    ),
    "gemma 3": transformers.Gemma3TextConfig(
        **SMALL, head_dim=16, sliding_window=8, layer_types=["sliding_attention", "full_attention", "sliding_attention"]
    ),
    "phi 3": transformers.Phi3Config(**SMALL, pad_token_id=0, sliding_window=6),
    "phi 3, places on a part": transformers.Phi3Config(**SMALL, pad_token_id=0, partial_rotary_factor=0.5),
    "smollm 3": transformers.SmolLM3Config(**SMALL, pad_token_id=0, no_rope_layers=[1, 0, 1]),
    "olmo 2": transformers.Olmo2Config(**SMALL, pad_token_id=0),
    "granite": transformers.GraniteConfig(
        **SMALL, attention_multiplier=0.2, residual_multiplier=0.4, embedding_multiplier=3.0
    ),
    "gpt2": transformers.GPT2Config(**GPT2),
    "opt": transformers.OPTConfig(**OPT),
    "gpt-neox": transformers.GPTNeoXConfig(**NEOX),
    "gpt-neox, one after the other": transformers.GPTNeoXConfig(**NEOX, use_parallel_residual=False),
}
OTHERS = {
    "places that stretch": transformers.LlamaConfig(
        **SMALL, rope_parameters={"rope_type": "dynamic", "rope_theta": 1000.0, "factor": 4.0}
    ),
    "another activation": transformers.LlamaConfig(**SMALL, hidden_act="relu"),
    "norms behind": transformers.OPTConfig(**OPT, do_layer_norm_before=False),
    "layers scaled": transformers.GPT2Config(**GPT2, scale_attn_by_inverse_layer_idx=True),
    "phi 3 for long texts": transformers.Phi3Config(
        **SMALL,
        pad_token_id=0,
        original_max_position_embeddings=32,
        rope_parameters={
            "rope_type": "longrope",
            "rope_theta": 1000.0,
            "short_factor": [1.0] * 4,
            "long_factor": [2.0] * 4,
        },
    ),
    "gemma 2": transformers.Gemma2Config(**SMALL, head_dim=16),
}
SEQUENCES = [[5, 6, 7, 8, 9, 10, 11], [12], [13, 14, 15], [5, 6, 7, 8, 20, 18], list(range(5, 45)), [5, 6, 7, 8, 9]]


def save(folder: Path, config, dtype=torch.float32) -> Path:
    model = tiny_models.spread(transformers.AutoModel.from_config(config), width=0.2).to(dtype)
    model.save_pretrained(str(folder))
    tiny_models.without_frame().save(str(folder / "tokenizer.json"))
    return folder


def opened(folder: Path):
    return Transformer(folder)._model


def states(model, sequences=SEQUENCES) -> dict[tuple[int, int], np.ndarray]:
    found = {}

    def visit(batch, layer, rows) -> None:
        for n, start, end in zip(batch.sequences, batch.offsets[:-1], batch.offsets[1:], strict=True):
            found[int(n), layer] = rows[start:end].copy()

    model.run(Tokens.of(sequences), range(model.n_layers + 1), visit)
    return found


def check(folder: Path) -> DecoderModel:
    """Opens it directly, and compares every state with transformers'."""
    model = opened(folder)
    assert isinstance(model, DecoderModel)
    reference = transformers.AutoModel.from_pretrained(str(folder), dtype=torch.float32).eval()
    found = states(model)
    for n, ids in enumerate(SEQUENCES):
        with torch.inference_mode():
            wanted = reference(torch.tensor([ids]), output_hidden_states=True).hidden_states
        assert len(wanted) == model.n_layers + 1
        for layer, right in enumerate(wanted):
            off = np.abs(found[n, layer] - right[0].numpy()).max() / right.abs().max()
            assert off < 1e-5, (n, layer)
    np.testing.assert_array_equal(np.asarray(model.table), reference.get_input_embeddings().weight.detach())
    return model


@pytest.mark.parametrize("name", KNOWN)
def test_same_states_as_transformers(name, tmp_path):
    model = check(save(tmp_path / "model", KNOWN[name]))
    assert (model.n_layers, model.max_tokens) == (3, 64)


@pytest.mark.parametrize("name", ["llama", "qwen3", "gemma 3", "gpt2", "gpt-neox"])
def test_the_same_where_nothing_was_compiled(name, tmp_path, monkeypatch):
    monkeypatch.setattr(decoder_kernels, "decoder_library", lambda: None)
    monkeypatch.setattr(stored, "decoder_library", lambda: None)
    monkeypatch.setattr("attar.engine.families.gpt_neox.compiled_kernels", lambda: None)
    decoder_kernels.decoder_kernels.cache_clear()
    try:
        check(save(tmp_path / "model", KNOWN[name]))
    finally:
        decoder_kernels.decoder_kernels.cache_clear()


@pytest.mark.parametrize("name", ["llama", "gpt2"])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_weights_of_16_bits_against_their_own_float32(name, dtype, tmp_path):
    check(save(tmp_path / "model", KNOWN[name], dtype))


@pytest.mark.parametrize("name", ["llama", "gpt2", "opt", "gpt-neox"])
def test_products_of_bfloat16(name, tmp_path):
    folder = save(tmp_path / "model", KNOWN[name])
    exact, brief = (Transformer(folder, precision=precision)._model for precision in ("float32", "bfloat16"))
    assert isinstance(brief, DecoderModel)
    found = [sorted(states(model).items()) for model in (exact, brief)]  # batches may end in any order
    a, b = (np.concatenate([rows.ravel() for _, rows in some]) for some in found)
    assert 1e-4 < np.abs(a - b).max() / np.abs(a).max() < 0.1
    assert a @ b / np.linalg.norm(a) / np.linalg.norm(b) > 0.9995


def test_weights_of_16_bits_are_used_as_they_are(tmp_path):
    model = opened(save(tmp_path / "model", KNOWN["llama"], torch.bfloat16))
    assert model.table.kind == "BF16"


@pytest.mark.parametrize("name", OTHERS)
def test_other_computations_are_left_to_transformers(name, tmp_path):
    assert not isinstance(opened(save(tmp_path / "model", OTHERS[name])), DecoderModel)


@pytest.mark.parametrize(
    "changes",
    [
        {"num_hidden_layers": 2},
        {"num_attention_heads": 3},
        {"rms_norm_eps": None},
        {"quantization_config": {"bits": 4}},
        {"hidden_act": None},
    ],
    ids=str,
)
def test_settings_that_are_not_as_expected_are_never_guessed(tmp_path, changes):
    folder = save(tmp_path / "model", KNOWN["llama"])
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with suppress(AttarError):  # transformers will not have it either
        assert not isinstance(opened(folder), DecoderModel)


def changed(folder: Path, left_out: set[str], added: dict[str, object]) -> Path:
    path = folder / "config.json"
    settings = {key: value for key, value in json.loads(path.read_text()).items() if key not in left_out}
    path.write_text(json.dumps(settings | added))
    return folder


@pytest.mark.parametrize(
    ("name", "added"),
    [
        ("llama", {"sliding_window": 6}),
        ("llama", {"no_rope_layers": [1, 0, 1]}),
        ("llama", {"query_pre_attn_scalar": 64}),
        ("mistral with a window", {"use_sliding_window": False}),
        ("mistral with a window", {"sliding_window_pattern": 2}),
        ("mistral with a window", {"rope_local_base_freq": 50.0}),
        ("gemma", {"sliding_window": 6}),
        ("olmo 2", {"sliding_window": 6}),
        ("granite", {"no_rope_layers": [1, 0, 1]}),
    ],
)
def test_settings_of_other_architectures_are_left_aside(name, added, tmp_path):
    check(changed(save(tmp_path / "model", KNOWN[name]), set(), added))


@pytest.mark.parametrize("added", [{"partial_rotary_factor": 0.5}, {"rope_parameters": {"partial_rotary_factor": 0.5}}])
def test_places_on_a_part_where_the_architecture_has_them_on_all(added, tmp_path):
    assert not isinstance(opened(changed(save(tmp_path / "model", KNOWN["llama"]), set(), added)), DecoderModel)


@pytest.mark.parametrize(
    ("name", "left_out", "added"),
    [
        ("gpt-neox", {"rope_parameters"}, {}),
        ("gpt-neox", {"rope_parameters"}, {"rotary_emb_base": 500, "rotary_pct": 0.5}),
        ("gemma 3", {"query_pre_attn_scalar"}, {}),
        ("gemma 3", {"rope_parameters"}, {}),
        ("gemma 3", {"rope_parameters"}, {"rope_theta": 500.0}),
        ("gemma 3", {"layer_types", "_sliding_window_pattern"}, {"sliding_window_pattern": 2}),
        ("smollm 3", {"rope_parameters"}, {}),
        ("gemma", {"hidden_act"}, {"hidden_activation": "silu"}),
        ("gemma", {"hidden_act"}, {"hidden_act": "gelu"}),
        ("gemma", {"hidden_act"}, {"hidden_act": "silu"}),
    ],
)
def test_settings_that_are_left_out_or_called_as_before(name, left_out, added, tmp_path):
    check(changed(save(tmp_path / "model", KNOWN[name]), left_out, added))


def test_layers_without_places_are_never_guessed(tmp_path):
    folder = changed(save(tmp_path / "model", KNOWN["smollm 3"]), {"no_rope_layers"}, {})
    assert not isinstance(opened(folder), DecoderModel)


@pytest.mark.skipif(decoder_library() is None, reason="nothing was compiled")
@pytest.mark.parametrize("name", ["llama", "gemma 3", "gpt2", "gpt-neox"])
def test_the_same_bits_whether_beginnings_are_read_once_or_not(name, tmp_path):
    model = opened(save(tmp_path / "model", KNOWN[name]))
    together = states(model)
    model.reuses_beginnings = False
    for key, apart in states(model).items():
        np.testing.assert_array_equal(together[key], apart)
    for n, ids in enumerate(SEQUENCES):
        np.testing.assert_array_equal(states(model, [ids])[0, 3], together[n, 3])


def test_common_tokens_go_through_the_model_once(tmp_path, monkeypatch):
    model = opened(save(tmp_path / "model", KNOWN["llama"]))
    seen = []
    through = DecoderModel._through

    def counted(self, ids, *rest) -> None:
        seen.append(len(ids))
        through(self, ids, *rest)

    monkeypatch.setattr(DecoderModel, "_through", counted)
    states(model, [[1, 2, 3, 4, 5, 6, n] for n in range(10, 20)])
    assert sorted(seen) == [6, 10]


def test_beginnings_by_hand():
    tokens = Tokens.of([[1, 2, 3, 4, 5, 6], [9], [1, 2, 3, 4, 5, 7, 8], [], [1, 2, 3, 4, 5]])
    first, rest = beginnings(tokens)
    assert (first.sequences.tolist(), first.length) == ([0, 2, 4], 4)  # each keeps a token of its own
    assert (rest.sequences.tolist(), rest.length) == ([1, 3], 0)


def test_two_prompts_have_a_beginning_each():
    a, b = [1, 2, 3, 4, 5], [6, 7, 8, 9]
    tokens = Tokens.of([[*one, 10 + n, 99] for n in range(6) for one in (a, b)])
    assert sorted((len(g.sequences), g.length) for g in beginnings(tokens)) == [(6, 4), (6, 5)]


def test_few_sequences_that_happen_to_agree_stay_where_they_are():
    tokens = Tokens.of([[n, 2, 3, 4, 5] for n in range(40)] + [[50, 1, 1, 1, 7], [50, 1, 1, 1, 8]])
    assert [g.length for g in beginnings(tokens)] == [0]


def test_batches_are_numbered_once(tmp_path):
    model = opened(save(tmp_path / "model", KNOWN["llama"]))
    numbers: dict[int, set[int]] = {}

    def visit(batch, layer, rows) -> None:
        numbers.setdefault(batch.number, set()).update(batch.sequences.tolist())

    model.run(Tokens.of([[1, 2, 3, 4, n, n] for n in range(5, 15)] + [[20 + n] for n in range(10)]), [3], visit)
    assert sorted(n for some in numbers.values() for n in some) == list(range(20))


def test_kernels_of_numpy_and_c_agree():
    compiled = decoder_kernels.decoder_kernels()
    if not isinstance(compiled, decoder_kernels.CompiledDecoder):
        pytest.skip("nothing was compiled")
    plain, random = decoder_kernels.NumpyDecoder(), np.random.default_rng(0)
    x = (random.normal(size=(5, 37)) * 20).astype(np.float32)
    gain, offset = random.normal(size=(2, 37)).astype(np.float32)
    np.testing.assert_allclose(compiled.rms_norm(x, gain, 1e-5), plain.rms_norm(x, gain, 1e-5), rtol=1e-5)
    np.testing.assert_allclose(
        compiled.layer_norm(x, gain, offset, 1e-5), plain.layer_norm(x, gain, offset, 1e-5), rtol=1e-4, atol=1e-5
    )
    for kind in decoder_kernels.GATES:
        a, b = x.copy(), x.copy()
        with np.errstate(over="ignore"):
            compiled.gate(a, offset[None].repeat(5, 0), kind), plain.gate(b, offset[None].repeat(5, 0), kind)
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_a_turn_by_hand():
    """Half a turn at place 1 for the first pair, none for the second."""
    turning = decoder_kernels.Turning(np.array([np.pi, 0.0], dtype=np.float32), neighbours=False)
    x = np.array([[1.0, 2.0, 3.0, 4.0]], dtype=np.float32)
    for kernels in (decoder_kernels.NumpyDecoder(), decoder_kernels.decoder_kernels()):
        turned = x.copy()
        kernels.rotate(turned, np.array([1]), turning, 4)
        np.testing.assert_allclose(turned, [[-1, 2, -3, 4]], atol=1e-6)
    beside = decoder_kernels.Turning(np.array([np.pi, 0.0], dtype=np.float32), neighbours=True)
    decoder_kernels.decoder_kernels().rotate(x, np.array([1]), beside, 4)
    np.testing.assert_allclose(x, [[-1, -2, 3, 4]], atol=1e-6)
