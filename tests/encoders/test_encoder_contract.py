"""What every encoder promises its callers, whatever kind it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_tables import Knowing, few_vectors, few_words

from attar import Mix, Random, Table, Transformer, WordVectors
from attar.encoders.cached import Cached
from attar.encoders.opening import encoder_of
from attar.errors import InputError, RecipeError
from attar.types import Encoder, Role, Tokens

TEXTS = ["the cat sat", "", "dog ran the cat", "cat"]
KINDS = ("transformer", "table", "random", "word vectors", "mix", "cached", "of our own")


@pytest.fixture(params=KINDS)
def encoder(request, tiny_bert, tmp_path) -> Encoder:
    if request.param == "transformer":
        return tiny_bert
    if request.param == "table":
        return Table(few_vectors(3), few_words())
    if request.param == "random":
        return Random(few_words(), dims=4)
    if request.param == "word vectors":
        return WordVectors.of(["the", "cat", "dog"], np.eye(3))
    if request.param == "mix":
        return Mix(tiny_bert, Random(tiny_bert.backend_tokenizer, dims=16), 0.25)
    if request.param == "cached":
        return Cached(tiny_bert, tmp_path / "cache")
    return Knowing()


def test_it_is_an_encoder(encoder):
    assert isinstance(encoder, Encoder)
    assert encoder.first_layer <= encoder.n_layers
    assert set(encoder.usual_layers) <= set(range(encoder.first_layer, encoder.n_layers + 1))
    assert encoder.texts_at_once >= 1
    assert encoder.describe()


def test_batches_hold_every_token_once(encoder):
    tokens, layers = encoder.tokenize(TEXTS), [encoder.n_layers]
    wanted = encoder.token_vectors(tokens, layers)[layers[0]]
    found, seen = np.zeros_like(wanted), np.zeros(len(wanted), dtype=int)

    def visit(number, places, layer, vectors):
        found[places] = vectors
        seen[places] += 1

    encoder.each_batch(tokens, layers, visit)
    assert (seen == 1).all()
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_the_frame_is_what_stands_around_a_text(encoder):
    tokens, frame = encoder.tokenize(["cat"]), encoder.frame
    own = np.flatnonzero(tokens.roles == Role.TEXT)
    if isinstance(encoder, Knowing):
        return  # says nothing of its frame, which only exports ask for
    assert tokens.ids.tolist() == [*frame.head, *tokens.ids[own].tolist(), *frame.tail]
    assert frame.tokens == (
        *zip(frame.head, frame.head_roles, strict=True),
        *zip(frame.tail, frame.tail_roles, strict=True),
    )


def test_the_same_encoder_comes_back_from_its_description(encoder, tmp_path):
    folder = tmp_path / "arrays"
    if encoder.kind == "knowing":
        pytest.skip("an encoder of a test is not in the table of kinds")
    encoder.save_arrays(folder)
    again = encoder_of(encoder.spec(), folder)
    assert again.spec() == encoder.spec()
    assert again.fingerprint == encoder.fingerprint
    tokens = encoder.tokenize(TEXTS)
    weights = np.ones((1, len(tokens.ids)), dtype=np.float32)
    layers = [encoder.n_layers]
    np.testing.assert_array_equal(again.pool(tokens, weights, layers), encoder.pool(tokens, weights, layers))


def test_options_of_transformers_are_refused_elsewhere(encoder):
    if encoder.contextual:
        assert encoder.configured(threads=1).with_template("T0").usual_weights == "mask"
        assert encoder.usual_weights == "mean"  # the first one is as it was
        return
    assert encoder.configured() is encoder
    assert encoder.with_template(None) is encoder
    with pytest.raises(InputError, match="'T0' is for transformers"):
        encoder.with_template("T0")
    with pytest.raises(InputError, match="precision='int8' is for transformers"):
        encoder.configured(precision="int8")


def test_templates_share_what_is_loaded(tiny_bert_dir):
    plain = Transformer(tiny_bert_dir)
    templated = plain.with_template("T0")
    assert templated._model is plain._model is plain.with_template("T1")._model
    assert templated.checkpoint is plain.checkpoint  # hashed once too
    assert templated.tokenize(["cat"]).lengths[0] > plain.tokenize(["cat"]).lengths[0]
    assert plain.with_template(None).template is None


def test_a_table_is_not_made_without_its_arrays(encoder):
    if "table" in encoder.kind:
        with pytest.raises(RecipeError, match="loaded from its folder"):
            encoder_of(encoder.spec())


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 3)), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
def test_repeated_texts_are_those_of_a_longer_list(windows_and_times, seed):
    """Texts of one to three windows, each so many times: as if they had been tokenised so."""
    draw = np.random.default_rng(seed)
    texts = [[draw.integers(0, 9, draw.integers(0, 4)).tolist() for _ in range(n)] for n, _ in windows_and_times]
    times = np.array([n for _, n in windows_and_times])
    longer = [text for text, n in zip(texts, times, strict=True) for _ in range(n)]
    found, wanted = of_windows(texts).repeated(times), of_windows(longer)
    for name in ("ids", "roles", "offsets", "texts", "truncated"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
    assert found.n_texts == wanted.n_texts


def of_windows(texts: list[list[list[int]]]) -> Tokens:
    flat = Tokens.of([window for text in texts for window in text])
    owners = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    return Tokens(flat.ids, flat.roles, flat.offsets, owners, len(texts), np.zeros(len(texts), dtype=bool))
