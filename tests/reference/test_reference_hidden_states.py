"""Hidden states equal those that transformers itself returns, a sequence at a time: architectures and real models."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import transformers

from attar import Embedder, Transformer
from attar.checkpoints import default
from attar.engine import packing
from attar.engine.model import LayeredModel
from attar.errors import InputError
from attar.types import Tokens
from tiny_models import spread

V = 99
SMALL = {"hidden_size": 32, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 37}
COMMON = SMALL | {"vocab_size": V}
BEHIND_PADDING = COMMON | {"pad_token_id": 1}
NARROW = COMMON | {"embedding_size": 16}
MARKS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
GPT2 = {"vocab_size": V, "n_embd": 32, "n_layer": 4, "n_head": 4, "bos_token_id": 1, "eos_token_id": 2}
CONFIGS = {
    "bert": transformers.BertConfig(**COMMON),
    "roberta": transformers.RobertaConfig(**BEHIND_PADDING),
    "xlm-roberta": transformers.XLMRobertaConfig(**BEHIND_PADDING),
    "distilbert": transformers.DistilBertConfig(vocab_size=V, dim=32, n_layers=4, n_heads=4, hidden_dim=37),
    "albert": transformers.AlbertConfig(**NARROW),
    "electra": transformers.ElectraConfig(**NARROW),
    "mpnet": transformers.MPNetConfig(**COMMON),
    "mobilebert": transformers.MobileBertConfig(**NARROW, intra_bottleneck_size=16, true_hidden_size=16),
    "deberta-v2": transformers.DebertaV2Config(
        **COMMON,
        relative_attention=True,
        position_buckets=8,
        pos_att_type=["p2c", "c2p"],
        conv_kernel_size=3,
        conv_act="gelu",
    ),
    "deberta": transformers.DebertaConfig(**COMMON),
    "modernbert": transformers.ModernBertConfig(
        **COMMON, **MARKS, cls_token_id=1, sep_token_id=2, local_attention=8, global_attn_every_n_layers=2
    ),
    "nomic": transformers.NomicBertConfig(**COMMON),
    "longformer": transformers.LongformerConfig(**BEHIND_PADDING, attention_window=8),
    "t5": transformers.T5Config(vocab_size=V, d_model=32, num_layers=4, num_heads=4, d_kv=8, d_ff=37),
    "llama": transformers.LlamaConfig(**COMMON, **MARKS, num_key_value_heads=2),
    "mistral": transformers.MistralConfig(**COMMON, **MARKS, num_key_value_heads=2, sliding_window=8),
    "gpt2": transformers.GPT2Config(**GPT2),
}
WIDTHS = {"mobilebert": 0.1}  # without norms, wide draws grow to thousands, which cancel out: nobody's digits hold
PACKED = {"bert", "roberta", "xlm-roberta", "distilbert", "albert", "electra", "modernbert", "llama", "mistral", "gpt2"}


def relative(found: np.ndarray, wanted: torch.Tensor) -> float:
    right = wanted.numpy()
    return float(np.abs(found - right).max() / np.abs(right).max())


@pytest.mark.parametrize("name", CONFIGS)
def test_architectures(name):
    packing.register()
    model = transformers.AutoModel.from_config(CONFIGS[name]).eval()
    encoder = model.get_encoder() if CONFIGS[name].is_encoder_decoder else model
    model = spread(encoder, width=WIDTHS.get(name, 0.2))
    draw = np.random.default_rng(0)
    sequences = [draw.integers(5, V, size=length).tolist() for length in (12, 5, 5, 30, 1, 7)]
    with torch.inference_mode():
        wanted = [model(torch.tensor([s]), output_hidden_states=True).hidden_states for s in sequences]
    layered = LayeredModel(model)
    assert layered.n_layers == 4
    assert layered.packs or name not in PACKED
    found: dict[tuple[int, int], np.ndarray] = {}

    def visit(batch, layer, states) -> None:
        for n, start, end in zip(batch.sequences, batch.offsets[:-1], batch.offsets[1:], strict=True):
            found[int(n), layer] = states[start:end].copy()

    layered.run(Tokens.of(sequences), range(5), visit)
    for n in range(len(sequences)):
        for layer in range(5):
            assert relative(found[n, layer], wanted[n][layer][0]) < 1e-5, (n, layer)


SENTENCES = [
    "A cat sat on the mat.",
    "Two of the dogs, one white, were playing in the garden behind the old house near the river!",
    "Prices rose by 3.5% in 2019; nobody knew why.",
    "Übermäßig café naïve",
    "ok",
    "",
    "The committee, which had met twice before, decided against it on Tuesday evening after a long discussion.",
]


def check_real(encoder: Transformer, folder: str) -> None:
    """Within 1e-5; or, where transformers itself is not that near to its own states in float64, as near as it is."""
    models = [transformers.AutoModel.from_pretrained(folder, dtype=t).eval() for t in (torch.float32, torch.float64)]
    model = models[0]
    tokens = encoder.tokenize(SENTENCES)
    layers = range(encoder.n_layers + 1)
    found = encoder.token_vectors(tokens, [*layers])
    for start, end in zip(tokens.offsets[:-1], tokens.offsets[1:], strict=True):
        ids = torch.tensor([tokens.ids[start:end].tolist()])
        with torch.inference_mode():
            wanted, exact = (m(ids, output_hidden_states=True).hidden_states for m in models)
        for layer in layers:
            noise = relative(wanted[layer][0].numpy(), exact[layer][0])
            assert relative(found[layer][start:end], wanted[layer][0]) < max(1e-5, 4 * noise), layer
    table = model.get_input_embeddings().weight.detach().numpy()
    np.testing.assert_array_equal(encoder.token_vectors(tokens, [-1])[-1], table[tokens.ids])


def test_minilm():
    check_real(Transformer(), str(default.folder()))


def test_mobilebert(mobilebert_dir):
    encoder = Transformer(mobilebert_dir)
    check_real(encoder, str(mobilebert_dir))
    assert (encoder.width(-1), encoder.width(0)) == (128, 512)
    assert Embedder(encoder, layers=-1).encode(["a cat"]).shape == (1, 128)
    with pytest.raises(InputError, match="can't be mixed"):
        Embedder(encoder, layers=(-1, 24)).encode(["a cat"])
