"""Where a SentenceTransformer is expected: its keywords have its meaning, or are refused by name with a reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attar import Embedder, Transformer
from attar.errors import InputError

TEXTS = ["the cat sat", "a dog ran on the mat", "blue river"]


@pytest.fixture
def embedder(tiny_bert: Transformer) -> Embedder:
    return Embedder(tiny_bert)


@pytest.mark.parametrize("method", ["encode", "encode_query", "encode_document"])
def test_the_usual_call(embedder: Embedder, method: str) -> None:
    torch = pytest.importorskip("torch")
    plain = embedder.encode(TEXTS)
    call = getattr(embedder, method)
    found = call(
        TEXTS, batch_size=8, show_progress_bar=False, convert_to_tensor=True, normalize_embeddings=True, device="cpu",
        prompt_name=None, prompt=None, output_value="sentence_embedding", precision="float32", truncate_dim=None,
        pool=None, chunk_size=None,
    )  # fmt: skip
    assert isinstance(found, torch.Tensor)
    np.testing.assert_allclose(found.numpy(), plain / np.linalg.norm(plain, axis=1, keepdims=True), rtol=1e-5)
    several = call(TEXTS, convert_to_numpy=False)
    assert [type(one) for one in several] == [torch.Tensor] * 3
    np.testing.assert_array_equal(np.stack(several), plain)
    np.testing.assert_array_equal(call(TEXTS, device=torch.device("cpu")), plain)


def test_other_names_of_the_texts(embedder: Embedder) -> None:
    plain = embedder.encode(TEXTS)
    np.testing.assert_array_equal(embedder.encode(sentences=TEXTS), plain)
    np.testing.assert_array_equal(embedder.encode_query(inputs=TEXTS, precision=None), plain)
    with pytest.raises(InputError, match="2 lots of texts were given; give one"):
        embedder.encode(TEXTS, sentences=TEXTS)
    with pytest.raises(InputError, match="expected texts as a list"):
        embedder.encode()


@pytest.mark.parametrize("batch_size", [None, np.int64(8), 8.0])
def test_any_number_is_a_batch_size(embedder: Embedder, batch_size: Any) -> None:
    np.testing.assert_array_equal(embedder.encode(TEXTS, batch_size=batch_size), embedder.encode(TEXTS))


def test_fewer_dims_lie_in_one_piece(embedder: Embedder) -> None:
    found = embedder.encode(TEXTS, truncate_dim=4)
    np.testing.assert_array_equal(found, embedder.encode(TEXTS)[:, :4])
    assert found.flags.c_contiguous  # faiss and others read memory as it lies


def test_a_prompt_stands_before_each_text(embedder: Embedder) -> None:
    np.testing.assert_array_equal(
        embedder.encode(TEXTS, prompt="the "), embedder.encode([f"the {text}" for text in TEXTS])
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"prompt_name": "query"}, "prompt_name='query' is not supported: give the words themselves"),
        ({"output_value": "token_embeddings"}, "output_value='token_embeddings' is not supported"),
        ({"output_value": None}, "output_value=None is not supported"),
        ({"precision": "int8"}, "precision='int8' is not supported: .*quantize_embeddings"),
        ({"pool": {}}, "pool={} is not supported: one process uses all cores"),
        ({"chunk_size": 10}, "chunk_size=10 is not supported"),
        ({"batch_size": 0}, "batch_size=0 is not supported"),
        ({"batch_size": "8"}, "batch_size='8' is not supported: give 1 or more"),
        ({"truncate_dim": 0}, "truncate_dim=0 is not supported"),
        ({"truncate_dim": 17}, "17 dims were asked for; the vectors have 16"),
    ],
)
@pytest.mark.parametrize("method", ["encode", "encode_query"])
def test_what_is_refused(embedder: Embedder, options: dict[str, Any], says: str, method: str) -> None:
    with pytest.raises(InputError, match=says):
        getattr(embedder, method)(TEXTS, **options)


def test_similarity_answers_in_kind(embedder: Embedder) -> None:
    torch = pytest.importorskip("torch")
    vectors = embedder.encode(TEXTS)
    tensors = embedder.encode(TEXTS, convert_to_tensor=True)
    whole, paired = embedder.similarity(vectors, vectors), embedder.similarity_pairwise(vectors, vectors[::-1])
    assert isinstance(whole, np.ndarray)
    for a, b in ((tensors, vectors), (list(tensors), tensors), (tensors.double().requires_grad_(), tensors)):
        found = embedder.similarity(a, b)
        assert isinstance(found, torch.Tensor)
        np.testing.assert_allclose(found.numpy(), whole, rtol=1e-6)
    assert int(torch.topk(embedder.similarity(tensors[1], tensors)[0], k=1).indices) == 1
    turned = embedder.similarity_pairwise(tensors, tensors.flip(0))
    assert isinstance(turned, torch.Tensor)
    np.testing.assert_allclose(turned.numpy(), paired, rtol=1e-6)


def test_what_others_ask_of_a_model(embedder: Embedder) -> None:
    assert embedder.similarity_fn_name == "cosine"
    assert embedder.get_max_seq_length() == embedder.max_seq_length
    assert embedder.get_embedding_dimension() == embedder.get_sentence_embedding_dimension() == 16
