"""Fast blocks stand in where they compute the same, and only there."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import transformers

from attar.engine import model as model_module
from attar.engine import packing
from attar.engine.fast_blocks import replace_blocks
from attar.engine.model import LayeredModel
from attar.engine.torch_kernels import TorchKernels
from attar.types import Tokens
from tiny_models import spread

SMALL = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 40, "vocab_size": 50
}  # fmt: skip
CONFIGS = {
    "bert": lambda: transformers.BertConfig(**SMALL),
    "bert-relu": lambda: transformers.BertConfig(**SMALL, hidden_act="relu"),
    "bert-tanh-gelu": lambda: transformers.BertConfig(**SMALL, hidden_act="gelu_new"),
    "roberta": lambda: transformers.RobertaConfig(**SMALL, pad_token_id=1),
    "camembert": lambda: transformers.CamembertConfig(**SMALL, pad_token_id=1),
    "ernie": lambda: transformers.ErnieConfig(**SMALL),
    "electra": lambda: transformers.ElectraConfig(**SMALL, embedding_size=16),
    "distilbert": lambda: transformers.DistilBertConfig(vocab_size=50, dim=32, n_layers=2, n_heads=2, hidden_dim=40),
    "albert": lambda: transformers.AlbertConfig(**SMALL, embedding_size=16),
    "mobilebert": lambda: transformers.MobileBertConfig(
        **SMALL, embedding_size=16, intra_bottleneck_size=16, true_hidden_size=16
    ),
}
SEQUENCES = [[5, 6, 7, 8, 9, 10, 11], [12], [13, 14, 15], [16, 17, 18]]


@pytest.fixture(autouse=True)
def _registered() -> None:
    packing.register()


def states(layered: LayeredModel) -> dict[tuple[int, int], np.ndarray]:
    found = {}

    def visit(batch, layer, rows) -> None:
        for n, start, end in zip(batch.sequences, batch.offsets[:-1], batch.offsets[1:], strict=True):
            found[int(n), layer] = rows[start:end].copy()

    layered.run(Tokens.of(SEQUENCES), range(layered.n_layers + 1), visit)
    return found


def is_quick(model: torch.nn.Module) -> bool:
    return any("forward" in vars(module) for module in model.modules() if module is not model.embeddings)


@pytest.mark.parametrize("kernels", ["compiled or torch", "torch"])
@pytest.mark.parametrize("name", CONFIGS)
def test_same_states_as_transformers(name, kernels, monkeypatch):
    if kernels == "torch":
        monkeypatch.setattr(model_module, "best_kernels", TorchKernels)
    width = 0.1 if name == "mobilebert" else 0.2  # without norms, wide draws grow to thousands and lose digits
    model = spread(transformers.AutoModel.from_config(CONFIGS[name]()).eval(), width=width)
    with torch.inference_mode():
        wanted = [model(torch.tensor([s]), output_hidden_states=True).hidden_states for s in SEQUENCES]
    layered = LayeredModel(model)
    assert is_quick(model)
    for (n, layer), rows in states(layered).items():
        right = wanted[n][layer][0].numpy()
        assert np.abs(rows - right).max() / np.abs(right).max() < 1e-5, (n, layer)


@pytest.mark.parametrize(
    "config",
    [
        transformers.BertConfig(**SMALL, is_decoder=True),
        transformers.MPNetConfig(**SMALL),
        transformers.MobileBertConfig(
            **SMALL, embedding_size=16, intra_bottleneck_size=16, true_hidden_size=16, normalization_type="layer_norm"
        ),
    ],
    ids=["causal", "position bias", "other norm"],
)
def test_blocks_of_another_kind_stay_as_they_are(config):
    model = spread(transformers.AutoModel.from_config(config).eval())
    LayeredModel(model)
    assert not is_quick(model)


def test_weights_are_not_held_twice():
    model = spread(transformers.BertModel(transformers.BertConfig(**SMALL)))
    undo = replace_blocks(model, TorchKernels())
    own = model.encoder.layer[0].attention.self
    assert own.query.weight.untyped_storage().data_ptr() == own.value.weight.untyped_storage().data_ptr()
    assert undo is not None
    undo()
    assert not is_quick(model)


def test_no_block_to_replace():
    assert replace_blocks(torch.nn.Linear(2, 2), TorchKernels()) is None


def test_outside_of_a_packed_batch_the_model_is_its_old_self():
    model = spread(transformers.BertModel(transformers.BertConfig(**SMALL)).eval())
    ids = torch.tensor([[5, 6, 7], [8, 9, 0]])
    mask = torch.tensor([[1, 1, 1], [1, 1, 0]])
    with torch.inference_mode():
        before = model(ids, attention_mask=mask).last_hidden_state
        replace_blocks(model, TorchKernels())
        after = model(ids, attention_mask=mask).last_hidden_state
    np.testing.assert_array_equal(before, after)


def test_the_model_can_still_be_differentiated():
    model = spread(transformers.BertModel(transformers.BertConfig(**SMALL)).eval())
    LayeredModel(model)
    model.set_attn_implementation("eager")
    model(torch.tensor([[5, 6, 7]])).last_hidden_state.sum().backward()
    assert model.encoder.layer[0].attention.self.query.weight.grad.abs().sum() > 0


def test_only_float32_blocks_are_replaced():
    assert replace_blocks(transformers.BertModel(transformers.BertConfig(**SMALL)).double(), TorchKernels()) is None
