"""LlamaIndex sends its models to worker processes, and keeps them as text."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from sklearn.preprocessing import FunctionTransformer

from attar import Embedder, Transformer, shapers
from attar.errors import InputError

pytest.importorskip("llama_index.core", reason="llama-index-core is not installed: `make clients` installs it")

TEXTS = ["the cat", "a dog", "a dog ran"]


def test_a_copy_has_the_same_embedder(tiny_bert: Transformer, tmp_path: Path) -> None:
    from attar.clients.llama_index import AttarEmbedding

    fitted = Embedder(tiny_bert, shapers=[shapers.ZScore()]).fit(TEXTS)
    fitted.save(tmp_path / "recipe")
    plain = fitted.encode(TEXTS)
    for made in (AttarEmbedding(fitted, embed_batch_size=7), AttarEmbedding(tmp_path / "recipe", embed_batch_size=7)):
        for again in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made), made.model_copy()):
            np.testing.assert_array_equal(np.float32(again.get_text_embedding_batch(TEXTS)), plain)
            assert (again.embed_batch_size, again.recipe, again.model_name) == (7, made.recipe, made.model_name)


def test_as_text_it_is_the_folder(tiny_bert: Transformer, tmp_path: Path) -> None:
    from attar.clients.llama_index import AttarEmbedding

    fitted = Embedder(tiny_bert, shapers=[shapers.ZScore()]).fit(TEXTS)
    fitted.save(tmp_path / "recipe")
    again = AttarEmbedding.from_json(AttarEmbedding(str(tmp_path / "recipe"), model_name="mine").to_json())
    np.testing.assert_array_equal(np.float32(again.get_query_embedding(TEXTS[0])), fitted.encode(TEXTS[0]))
    assert (again.model_name, json.loads(again.to_json())["recipe"]) == ("mine", str(tmp_path / "recipe"))
    with pytest.raises(InputError, match="made with an Embedder in memory"):
        AttarEmbedding.from_dict(AttarEmbedding(fitted).to_dict())
    with pytest.raises(InputError, match="both an embedder and the recipe 'mine' were given"):
        AttarEmbedding(fitted, recipe="mine")


def test_an_embedder_that_no_recipe_describes(tiny_bert: Transformer) -> None:
    from attar.clients.llama_index import AttarEmbedding

    made = AttarEmbedding(Embedder(tiny_bert, shapers=[FunctionTransformer(np.negative)]).fit(TEXTS))
    np.testing.assert_array_equal(np.float32(made.get_text_embedding("a dog")), -Embedder(tiny_bert).encode("a dog"))
    assert made.model_name == "attar unsaved"
