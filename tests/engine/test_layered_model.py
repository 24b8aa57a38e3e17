"""What is computed, and what is refused. That hidden states are right is shown in tests/reference."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import transformers

from attar.engine import packing
from attar.engine.model import LayeredModel
from attar.errors import ModelError
from attar.types import Tokens
from tiny_models import spread

SMALL = {"hidden_size": 16, "num_hidden_layers": 4, "num_attention_heads": 2, "intermediate_size": 24}
TEXT = SMALL | {"vocab_size": 50}
TOKENS = Tokens.of([[5, 6, 7], [8, 9], [10], [], [11, 12, 13]])


@pytest.fixture(scope="module", autouse=True)
def _registered() -> None:
    packing.register()


def bert(**settings) -> LayeredModel:
    config = transformers.BertConfig(**TEXT | settings)
    return LayeredModel(spread(transformers.BertModel(config)))


def watch(model: LayeredModel) -> list[int]:
    """The numbers of the blocks that run from now on."""
    ran: list[int] = []
    for number, block in enumerate(model.model.encoder.layer, 1):
        block.register_forward_hook(lambda *_, number=number: ran.append(number))
    return ran


@pytest.mark.parametrize(
    ("layers", "blocks"),
    [([0], []), ([1], [1]), ([0, 2], [1, 2]), ([3], [1, 2, 3]), ([4], [1, 2, 3, 4]), ([1, 2, 3, 4], [1, 2, 3, 4])],
)
def test_no_block_runs_that_is_not_needed_and_none_twice(layers, blocks):
    model = bert()
    ran = watch(model)
    seen: list[int] = []
    model.run(TOKENS, layers, lambda batch, layer, states: seen.append(layer))
    assert ran == blocks  # 9 tokens are one packed batch
    assert seen == layers


def test_a_stopped_pass_leaves_nothing_behind():
    model = bert()

    def states() -> np.ndarray:
        found = []
        model.run(TOKENS, [4], lambda batch, layer, states: found.append(states))
        return found[0]

    before = states()
    model.run(TOKENS, [1], lambda batch, layer, states: None)
    np.testing.assert_array_equal(states(), before)


def test_batches_say_whose_the_states_are():
    model = bert()
    got: dict[int, list[int]] = {}

    def visit(batch, layer, states) -> None:
        assert states.shape == (len(batch.places), 16)
        assert batch.offsets[-1] == len(batch.places)
        for n, start, end in zip(batch.sequences, batch.offsets[:-1], batch.offsets[1:], strict=True):
            got[int(n)] = TOKENS.ids[batch.places[start:end]].tolist()

    model.run(TOKENS, [2], visit)
    assert got == {0: [5, 6, 7], 1: [8, 9], 2: [10], 4: [11, 12, 13]}


def test_no_tokens_no_pass():
    model = bert()
    model.run(Tokens.of([]), [4], lambda *_: pytest.fail("nothing to visit"))
    model.run(Tokens.of([[]]), [4], lambda *_: pytest.fail("nothing to visit"))


def test_token_table_and_width():
    model = bert()
    assert model.table.shape == (50, 16)
    assert (model.n_layers, model.width) == (4, 16)


def test_a_last_layer_of_another_width():
    """As in OPT-350M, which ends in as many dims as its token table has."""
    config = transformers.OPTConfig(
        vocab_size=50, hidden_size=16, num_hidden_layers=2, ffn_dim=24, num_attention_heads=2, word_embed_proj_dim=8
    )
    model = spread(transformers.OPTModel(config))
    with torch.inference_mode():
        wanted = model(torch.tensor([[5, 6, 7]]), output_hidden_states=True).hidden_states
    layered = LayeredModel(model)
    assert (layered.table.shape[1], layered.width, layered.last_width) == (8, 16, 8)
    found = {}
    layered.run(Tokens.of([[5, 6, 7]]), range(3), lambda batch, layer, states: found.update({layer: states}))
    for layer, right in enumerate(wanted):
        np.testing.assert_allclose(found[layer], right[0].numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("config", "most"),
    [
        (transformers.BertConfig(**TEXT, max_position_embeddings=40), 40),
        (transformers.RobertaConfig(**TEXT, max_position_embeddings=40, pad_token_id=1), 38),
        (transformers.MPNetConfig(**TEXT, max_position_embeddings=40), 38),
        (transformers.XLMConfig(n_words=50, emb_dim=16, n_layers=2, n_heads=2, max_position_embeddings=40), 40),
        (transformers.MptConfig(vocab_size=50, d_model=16, n_layers=2, n_heads=2, max_seq_len=40), 40),
        (
            transformers.LEDConfig(
                vocab_size=50,
                d_model=16,
                encoder_layers=2,
                encoder_attention_heads=2,
                encoder_ffn_dim=24,
                max_encoder_position_embeddings=40,
                attention_window=4,
            ),
            40,
        ),
        (transformers.T5Config(vocab_size=50, d_model=16, num_layers=2, num_heads=2, d_kv=8, d_ff=24), None),
    ],
    ids=lambda value: getattr(value, "model_type", None),
)
def test_how_long_a_sequence_may_be(config, most):
    model = transformers.AutoModel.from_config(config)
    layered = LayeredModel(spread(model.get_encoder() if config.is_encoder_decoder else model))
    assert layered.max_tokens == most
    if most is None:
        return
    longest = Tokens.of([np.arange(5, 5 + most).clip(max=49).tolist()])
    found = []
    layered.run(longest, [layered.n_layers], lambda batch, layer, states: found.append(states))
    assert len(found[0]) == most


UNSUPPORTED = {
    "xlnet": lambda: transformers.XLNetModel(
        transformers.XLNetConfig(vocab_size=50, d_model=16, n_layer=2, n_head=2, d_inner=24)
    ),
    "squeezebert": lambda: transformers.SqueezeBertModel(
        transformers.SqueezeBertConfig(
            **TEXT,
            embedding_size=16,
            **dict.fromkeys(
                ["q_groups", "k_groups", "v_groups", "post_attention_groups", "intermediate_groups", "output_groups"], 1
            ),
        )
    ),
    "funnel": lambda: transformers.FunnelModel(
        transformers.FunnelConfig(vocab_size=50, d_model=16, n_head=2, d_head=8, d_inner=24, block_sizes=[1, 1])
    ),
    "pegasus-x": lambda: transformers.PegasusXModel(
        transformers.PegasusXConfig(vocab_size=50, d_model=16, encoder_layers=2, encoder_attention_heads=2)
    ).get_encoder(),
    "mamba": lambda: transformers.MambaModel(
        transformers.MambaConfig(vocab_size=50, hidden_size=16, num_hidden_layers=2)
    ),
    "vit": lambda: transformers.ViTModel(transformers.ViTConfig(**SMALL, image_size=16, patch_size=8)),
    "wav2vec2": lambda: transformers.Wav2Vec2Model(transformers.Wav2Vec2Config(**SMALL, num_feat_extract_layers=7)),
}


@pytest.mark.parametrize("make", UNSUPPORTED.values(), ids=UNSUPPORTED)
def test_architectures_whose_layers_can_not_be_told_apart_are_refused_by_name(make):
    model = make()
    with pytest.raises(ModelError, match=type(model).__name__) as raised:
        LayeredModel(spread(model))
    assert "\n" not in str(raised.value)
