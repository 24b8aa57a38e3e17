"""A sequence has the states that it has alone: where models treat long ones, masks or padding otherwise, too."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest
import torch
import transformers

from attar.engine import packing
from attar.engine.model import LayeredModel
from attar.types import Tokens
from tiny_models import spread

V, MASK, PAD = 99, 4, 1
SMALL = {
    "vocab_size": V, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 44,
    "max_position_embeddings": 500, "pad_token_id": PAD,
}  # fmt: skip
CAUSAL = SMALL | {"num_key_value_heads": 2}


def stretched(trained: int) -> dict[str, object]:
    return {
        "rope_type": "longrope", "rope_theta": 1000.0, "short_factor": [1.0] * 4, "long_factor": [3.0] * 4,
        "factor": 4.0, "original_max_position_embeddings": trained,
    }  # fmt: skip


CONFIGS = {
    "places that stretch": transformers.LlamaConfig(**CAUSAL, rope_parameters=stretched(200)),
    "places that stretch early": transformers.LlamaConfig(**CAUSAL, rope_parameters=stretched(20)),
    "chunks": transformers.Llama4TextConfig(
        **CAUSAL, head_dim=8, intermediate_size_mlp=44, attention_chunk_size=200, num_local_experts=2
    ),
    "short chunks": transformers.Llama4TextConfig(
        **CAUSAL, head_dim=8, intermediate_size_mlp=44, attention_chunk_size=16, num_local_experts=2
    ),
    "windows by mask alone": transformers.PhimoeConfig(**CAUSAL, num_local_experts=4, sliding_window=200),
    "masks counted": transformers.EsmConfig(
        **SMALL, mask_token_id=MASK, position_embedding_type="rotary", token_dropout=True
    ),
    "places behind padding": transformers.Data2VecTextConfig(**SMALL),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_states_are_those_of_each_sequence_alone(name):
    packing.register()
    config = CONFIGS[name]
    draw = np.random.default_rng(0)
    sequences = [draw.integers(5, V, size=length).tolist() for length in (9, 400, 30, 9, 1, 210, 150, 400)]
    for n, token in ((0, MASK), (2, PAD), (5, MASK)):
        sequences[n][3] = sequences[n][5] = token
    model = spread(transformers.AutoModel.from_config(deepcopy(config)).eval(), width=0.2)
    reference = transformers.AutoModel.from_config(deepcopy(config), attn_implementation="eager").eval()
    reference.load_state_dict(model.state_dict())
    layered = LayeredModel(model)
    found: dict[tuple[int, int], np.ndarray] = {}
    numbers: dict[int, list[int]] = {}

    def visit(batch, layer, states) -> None:
        numbers[batch.number] = batch.sequences.tolist()
        for n, start, end in zip(batch.sequences, batch.offsets[:-1], batch.offsets[1:], strict=True):
            found[int(n), layer] = states[start:end].copy()

    for _ in range(2):  # nothing stays behind
        layered.run(Tokens.of(sequences), range(3), visit)
        for n, ids in enumerate(sequences):
            with torch.inference_mode():
                wanted = reference(torch.tensor([ids]), output_hidden_states=True).hidden_states
            for layer, right in enumerate(wanted):
                assert np.abs(found[n, layer] - right[0].numpy()).max() < 1e-5 * float(right.abs().max()), (n, layer)
    assert sorted(n for some in numbers.values() for n in some) == [*range(8)]  # each batch has a number of its own


@pytest.mark.parametrize(
    ("config", "window", "places"),
    [
        (transformers.LlamaConfig(), None, set()),
        (CONFIGS["places that stretch"], None, {200}),
        (CONFIGS["chunks"], 200, set()),
        (transformers.Gemma3Config(text_config={"sliding_window": 7}), 7, set()),
    ],
    ids=["plain", "stretched", "chunks", "inside"],
)
def test_where_models_change(config, window, places):
    assert (packing.window(config), packing.other_places_from(config)) == (window, places)
