"""GGUF files: models and tokenizers in them, and one sentence for everything that is wrong."""

from __future__ import annotations

import pickle
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

import small_gguf
import tiny_models
from attar import Embedder, Template, Transformer, weights
from attar.checkpoints.gguf import GgufCheckpoint
from attar.errors import InputError, ModelError, RecipeError
from attar.types import Tokens

SIZES = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 64, "max_position_embeddings": 64,
}  # fmt: skip
N_TOKENS = len(small_gguf.tokenizer_metadata()["tokenizer.ggml.tokens"])
CONFIGS = {
    "llama": transformers.LlamaConfig(**SIZES, vocab_size=N_TOKENS),
    "qwen2": transformers.Qwen2Config(**SIZES, vocab_size=N_TOKENS),
    "qwen3": transformers.Qwen3Config(**SIZES, vocab_size=N_TOKENS, head_dim=16),
    "gemma3": transformers.Gemma3TextConfig(
        **SIZES | {"num_hidden_layers": 7}, vocab_size=N_TOKENS, head_dim=8, query_pre_attn_scalar=8, sliding_window=4
    ),
    "phi3": transformers.Phi3Config(**SIZES, vocab_size=N_TOKENS, pad_token_id=0, sliding_window=4),
    "smollm3": transformers.SmolLM3Config(**SIZES | {"num_hidden_layers": 5}, vocab_size=N_TOKENS, pad_token_id=0),
    "olmo2": transformers.Olmo2Config(**SIZES, vocab_size=N_TOKENS),
    "granite": transformers.GraniteConfig(
        **SIZES, vocab_size=N_TOKENS, attention_multiplier=0.5, residual_multiplier=0.3, embedding_multiplier=2.0
    ),
}
SAID = {  # what files of these say besides
    "gemma3": {"gemma3.attention.sliding_window": 4},
    "phi3": {"phi3.attention.sliding_window": 4, "phi3.rope.dimension_count": 8},
    "granite": {"granite.attention.scale": 0.5, "granite.residual_scale": 0.3, "granite.embedding_scale": 2.0},
}
ONE_SETTING = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + small_gguf.text("a")
TEXTS = ["the cat sat", "a dog", "a man playing music on the blue river"]


def written(path: Path, architecture: str = "llama", changes: dict | None = None) -> Path:
    model = tiny_models.spread(transformers.AutoModel.from_config(CONFIGS[architecture]), width=0.2)
    return small_gguf.of_model(path, model, architecture, changes)


@pytest.fixture(scope="module")
def llama(tmp_path_factory) -> Path:
    return written(tmp_path_factory.mktemp("gguf") / "llama.gguf")


@pytest.mark.parametrize("architecture", CONFIGS)
def test_states_are_those_of_the_model_it_was_made_from(architecture, tmp_path):
    model = tiny_models.spread(transformers.AutoModel.from_config(CONFIGS[architecture]), width=0.2)
    encoder = Transformer(small_gguf.of_model(tmp_path / "m.gguf", model, architecture, SAID.get(architecture)))
    ids = [5, 9, 70, 3, 41, 8]
    found = encoder.token_vectors(Tokens.of([ids]), range(model.config.num_hidden_layers + 1))
    with torch.inference_mode():
        wanted = model(torch.tensor([ids]), output_hidden_states=True).hidden_states
    for layer, right in enumerate(wanted):
        assert np.abs(found[layer] - right[0].numpy()).max() < 1e-5 * right.abs().max()


def test_the_tokenizer_is_the_one_it_was_made_from(llama):
    tokens = Transformer(llama).tokenize(TEXTS)
    wanted = [tiny_models.without_frame().encode(text).ids for text in TEXTS]
    assert tokens.ids.tolist() == [i for ids in wanted for i in ids]


def test_it_is_a_model_like_any_other(llama, tmp_path):
    embedder = Embedder(Transformer(llama, template="eol"), weights=weights.Answer())
    vectors = embedder.encode(TEXTS)
    embedder.save(tmp_path / "recipe")
    np.testing.assert_array_equal(Embedder.load(tmp_path / "recipe").encode(TEXTS), vectors)
    encoder = pickle.loads(pickle.dumps(embedder.encoder_))
    np.testing.assert_array_equal(Embedder(encoder, weights=weights.Answer()).encode(TEXTS), vectors)
    assert encoder.describe()["weights"] == "F32"
    assert encoder.describe()["tokens per text at most"] == 64


def test_a_file_without_the_ending_is_known_by_its_first_bytes(llama, tmp_path):
    blob = tmp_path / "sha256-4d2a"
    blob.write_bytes(llama.read_bytes())
    np.testing.assert_array_equal(Embedder(str(blob)).encode(TEXTS), Embedder(str(llama)).encode(TEXTS))
    other = tmp_path / "sha256-0000"
    other.write_bytes(b"GGML" + llama.read_bytes()[4:])
    with pytest.raises(ModelError, match="no model folder"):
        Embedder(str(other)).encode(TEXTS)


def test_no_torch(llama):
    code = (
        "import sys\nfrom attar import Embedder, Transformer\n"
        f"print(Embedder(Transformer({str(llama)!r}, template='echo')).encode(['a cat']).shape)\n"
        "assert not {'torch', 'transformers', 'gguf'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "(1, 32)"), done.stderr


def test_sentence_piece_merges_by_score(tmp_path):
    """Scores say what is joined first: ▁t + he before th + e."""
    pieces = ["<unk>", "<s>", "</s>", "▁", "t", "h", "e", "c", "th", "he", "▁t", "▁the", "<0xC3>", "<0xA9>"]
    metadata = {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.pre": None,
        "tokenizer.ggml.merges": None,
        "tokenizer.ggml.tokens": pieces,
        "tokenizer.ggml.token_type": [2, 3, 3, *[1] * 9, 6, 6],
        "tokenizer.ggml.scores": [0.0, 0.0, 0.0, -9.0, -8.0, -8.0, -8.0, -8.0, -3.0, -1.0, -2.0, -4.0, 0.0, 0.0],
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.unknown_token_id": 0,
    }
    tokenizer, mask = GgufCheckpoint("m", written(tmp_path / "m.gguf", changes=metadata)).tokenizer()
    assert mask is None
    assert tokenizer.encode("the").tokens == ["<s>", "▁the"]
    assert tokenizer.encode("heth é").tokens == ["<s>", "▁", "he", "th", "▁", "<0xC3>", "<0xA9>"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"general.architecture": "mamba"}, "architecture 'mamba', which is not read; read are llama"),
        ({"general.architecture": "qwen2vl"}, "reads images"),
        ({"general.type": "adapter"}, "LoRA adapter"),
        ({"llama.expert_count": 8}, "mixture of 8 experts"),
        ({"llama.block_count": 10**9}, "claims 1000000000 layers"),
        ({"llama.block_count": 1}, "is not a llama model as it is known"),
        ({"llama.attention.head_count": 5}, "is not a llama model as it is known"),
        ({"llama.rope.scaling.type": "yarn"}, "is not a llama model as it is known"),
        ({"tokenizer.ggml.model": "t5"}, "tokenizer of the kind 't5'"),
        ({"tokenizer.ggml.pre": "no-such"}, "splits texts by the rule 'no-such'"),
        ({"tokenizer.ggml.token_type": [9] * N_TOKENS}, "a token of the kind 9"),
        ({"tokenizer.ggml.token_type": [1]}, "not a kind for each"),
        ({"tokenizer.ggml.merges": ["zz yy"]}, "damaged tokenizer"),
        ({"general.alignment": 0}, "alignment is 0"),
        ({"general.architecture": ["llama"]}, "can't be read"),
        ({"llama.rope.freq_base": 0.0}, "is not a llama model as it is known"),
        ({"llama.rope.freq_base": float("inf")}, "is not a llama model as it is known"),
    ],
    ids=str,
)
def test_what_a_file_may_say_wrong(tmp_path, changes, message):
    path = written(tmp_path / "m.gguf", changes=changes)
    with pytest.raises(ModelError, match=message) as raised:
        Transformer(path).tokenize(["a"])
    assert "\n" not in str(raised.value)


def test_cut_short_anywhere(llama, tmp_path):
    whole = llama.read_bytes()
    for size in [0, 3, 4, 20, 30, 100, 5000, len(whole) // 2, len(whole) - 40]:
        path = tmp_path / f"{size}.gguf"
        path.write_bytes(whole[:size])
        with pytest.raises(ModelError, match=r"cut short|not a GGUF file|it is empty|claims"):
            Transformer(path).tokenize(["a"])


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (b"PK\x03\x04" + b"\0" * 60, "is not a GGUF file"),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "version 1"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "version"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**63, 0), "claims"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 2**62) + b"\0" * 50, "cut short"),
        (
            b"GGUF"
            + struct.pack("<IQQ", 3, 0, 1)
            + small_gguf.text("a")
            + struct.pack("<IIQ", 9, 4, 2**61)
            + b"\0" * 50,
            "cut short",
        ),
        (
            ONE_SETTING + struct.pack("<IIQ", 9, 9, 2) + b"\0" * 50,
            "cut short",
        ),
    ],
)
def test_headers_that_lie(tmp_path, head, message):
    path = tmp_path / "m.gguf"
    path.write_bytes(head)
    with pytest.raises(ModelError, match=message):
        Transformer(path).tokenize(["a"])


def test_a_quantisation_that_is_not_read(tmp_path):
    arrays = {"token_embd.weight": ("IQ2_XS", (4, 256), b"\0" * 500)}
    path = small_gguf.write(tmp_path / "m.gguf", {"general.architecture": "llama", "llama.block_count": 1}, arrays)
    with pytest.raises(ModelError, match=r"of the type number 99.*read are F32, F16"):
        _ = Transformer(path).n_layers


def test_an_array_that_is_not_known(tmp_path):
    """Such as factors of places for long texts: without them the states would be others."""
    model = tiny_models.spread(transformers.AutoModel.from_config(CONFIGS["phi3"]), width=0.2)
    path = small_gguf.of_model(tmp_path / "m.gguf", model, "phi3")
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b"output_norm.weight", b"rope_factors_long0"))
    with pytest.raises(ModelError, match="holds the array 'rope_factors_long0', which is not known in a phi3 model"):
        _ = Transformer(path).n_layers


def test_no_such_file(tmp_path):
    with pytest.raises(ModelError, match="No such file"):
        Transformer(tmp_path / "none.gguf").tokenize(["a"])


@pytest.mark.parametrize("precision", ["float64", "int8"])
def test_other_precisions(llama, precision):
    with pytest.raises(InputError, match="not for a GGUF file"):
        Transformer(llama, precision=precision).tokenize(["a"])


def test_the_plain_mean_is_told_of(llama, caplog):
    Embedder(Transformer(llama)).encode(["a cat"])
    assert "a prompt and shaping do better" in caplog.text
    caplog.clear()
    Embedder(Transformer(llama, template=Template.named("eol")), weights=weights.Answer()).encode(["a cat"])
    assert not caplog.text


def test_exports_say_what_they_need(llama, tmp_path):
    from attar.exports.onnx import export as onnx

    pytest.importorskip("onnxscript")
    with pytest.raises(ModelError, match="is a GGUF file, which Attar runs by itself"):
        onnx.export(Embedder(Transformer(llama)), tmp_path / "out")
    with pytest.raises(RecipeError, match="tokenised together with each text"):
        onnx.export(Embedder(Transformer(llama, template="eol"), weights=weights.Answer()), tmp_path / "out")
    assert not (tmp_path / "out").exists()
