"""BigBird attends to blocks in long texts and to all of short ones, in whatever order they come."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import torch
import transformers

from attar.engine.model import LayeredModel
from attar.engine.sparse_attention import whole_up_to
from attar.types import Tokens
from tiny_models import spread

CONFIG = transformers.BigBirdConfig(
    vocab_size=99,
    hidden_size=32,
    num_hidden_layers=3,
    num_attention_heads=4,
    intermediate_size=44,
    max_position_embeddings=200,
    block_size=4,
    num_random_blocks=1,
)


def test_states_are_those_of_a_model_that_has_seen_no_other_text():
    draw = np.random.default_rng(0)
    sequences = [draw.integers(5, 99, size=length).tolist() for length in (150, 7, 28, 29, 90, 150)]
    model = spread(transformers.BigBirdModel(CONFIG), width=0.2)
    new = deepcopy(model)
    layered = LayeredModel(model)
    assert whole_up_to(model) == 28
    for order in (sequences, sequences[::-1]):
        found: dict[tuple[int, int], np.ndarray] = {}

        def visit(batch, layer, states, found=found) -> None:
            for n, start, end in zip(batch.sequences, batch.offsets[:-1], batch.offsets[1:], strict=True):
                found[int(n), layer] = states[start:end].copy()

        layered.run(Tokens.of(order), range(4), visit)
        for n, ids in enumerate(order):
            with torch.inference_mode():
                wanted = deepcopy(new)(torch.tensor([ids]), output_hidden_states=True).hidden_states
            for layer, right in enumerate(wanted):
                own = right[0, : len(ids)].numpy()  # without what the model fills its last block with
                np.testing.assert_allclose(found[n, layer], own, rtol=1e-4, atol=1e-5)


def test_models_that_always_see_everything():
    whole = deepcopy(CONFIG)
    whole.attention_type = "original_full"
    assert whole_up_to(transformers.BigBirdModel(whole)) is None
    assert whole_up_to(transformers.BertModel(transformers.BertConfig(num_hidden_layers=1))) is None
