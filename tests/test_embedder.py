"""The public face: inputs, order, batches, fitting, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA
from sklearn.preprocessing import Normalizer, StandardScaler

from attar import Embedder, Transformer
from attar.errors import AttarError, InputError, NotFittedError
from attar.shapers import AllButTheTop, Center, Quantile, Unit, Whiten, ZScore
from attar.weights import Debiased, Idf, Mean, Sif

TEXTS = ["the cat sat on the mat", "a dog ran", "music: red, blue", "a dog ran", "walk to the river", "play, man"]


@pytest.fixture(scope="module")
def plain(tiny_bert) -> np.ndarray:
    return Embedder(tiny_bert).encode(TEXTS)


HOLDERS = {
    "tuple": tuple,
    "generator": lambda texts: (text for text in texts),
    "numpy": np.array,
    "numpy object": lambda texts: np.array(texts, dtype=object),
    "pandas": pd.Series,
    "polars": pl.Series,
    "arrow": pa.array,
    "arrow chunked": lambda texts: pa.chunked_array([texts[:2], texts[2:]]),
}


@pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)
def test_every_holder_gives_the_same_vectors(tiny_bert, plain, hold):
    np.testing.assert_array_equal(Embedder(tiny_bert).encode(hold(TEXTS)), plain)
    np.testing.assert_array_equal(Embedder(tiny_bert).fit(hold(TEXTS)).transform(hold(TEXTS)), plain)


def test_shape_type_and_rows(plain):
    assert plain.shape == (6, 16)
    assert plain.dtype == np.float32
    assert plain[1].tolist() == plain[3].tolist()


def test_one_string_gives_one_vector(tiny_bert, plain):
    vector = Embedder(tiny_bert).encode(TEXTS[0])
    assert vector.shape == (16,)
    np.testing.assert_allclose(vector, plain[0], rtol=1e-5, atol=1e-6)


def test_no_texts_give_no_rows(tiny_bert):
    assert Embedder(tiny_bert).encode([]).shape == (0, 16)
    shaped = Embedder(tiny_bert, shapers=[Whiten(3), Unit()]).fit(TEXTS)
    assert shaped.encode([]).shape == (0, 3)
    assert list(Embedder(tiny_bert).encode_chunks([])) == []


words = st.lists(st.sampled_from(["cat", "dog", "the", "walked", "zz", ",", "中"]), max_size=9).map(" ".join)


@settings(max_examples=15, deadline=None)
@given(st.lists(words, min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_a_text_has_one_vector_whatever_its_neighbours(tiny_bert, texts, random):
    embedder = Embedder(tiny_bert, layers=(1, 3))
    alone = np.stack([embedder.encode(text) for text in texts])
    scale = np.abs(alone).max()
    np.testing.assert_allclose(embedder.encode(texts), alone, rtol=0, atol=1e-5 * scale)
    order = list(range(len(texts)))
    random.shuffle(order)
    shuffled = embedder.encode([texts[i] for i in order] + ["walk " * random.randrange(1, 70)])
    np.testing.assert_allclose(shuffled[:-1], alone[order], rtol=0, atol=1e-5 * scale)


@pytest.mark.parametrize("folder", ["tiny_roberta_dir", "tiny_gpt2_dir", "tiny_electra_dir"])
def test_the_same_for_other_architectures(folder, request):
    embedder = Embedder(Transformer(request.getfixturevalue(folder)))
    alone = np.stack([embedder.encode(text) for text in TEXTS])
    np.testing.assert_allclose(embedder.encode(TEXTS[::-1])[::-1], alone, rtol=0, atol=1e-5 * np.abs(alone).max())


def test_batches_of_any_size_give_the_same(tiny_bert, plain, monkeypatch):
    made: list[int] = []

    def one_each(lengths, n_workers=1):
        made.append(len(lengths))
        return [np.array([i]) for i in range(len(lengths)) if lengths[i]]

    monkeypatch.setattr("attar.engine.direct.packed_batches", one_each)
    one_by_one = Embedder(tiny_bert).encode(TEXTS)
    assert made == [len(set(TEXTS))]
    np.testing.assert_allclose(one_by_one, plain, rtol=0, atol=1e-5 * np.abs(plain).max())


def test_chunks_of_a_stream(tiny_bert, plain):
    heard: list[int] = []
    parts = list(Embedder(tiny_bert).encode_chunks(iter(TEXTS), size=4, advance=heard.append))
    assert sum(heard) == len(TEXTS)
    assert [len(part) for part in parts] == [4, 2]
    np.testing.assert_allclose(np.concatenate(parts), plain, rtol=1e-5, atol=1e-6)


# Fitting

RECIPES = {
    "idf": {"weights": Idf()},
    "sif": {"weights": Sif()},
    "debiased": {"weights": Debiased()},
    "zscore": {"shapers": [ZScore()]},
    "idf whiten unit": {"layers": (1, 3), "weights": Idf(), "shapers": [Whiten(4), Unit()]},
    "quantile": {"shapers": [Quantile()]},
    "abtt": {"layers": {0: 0.2, 3: 0.8}, "shapers": [AllButTheTop(1), Unit()]},
    "scikit-learn": {"shapers": [StandardScaler(), PCA(2), Normalizer()]},
}


@pytest.mark.parametrize("settings", RECIPES.values(), ids=RECIPES)
def test_fit_transform_is_fit_and_transform(tiny_bert, settings):
    together = Embedder(tiny_bert, **settings).fit_transform(TEXTS)
    apart = Embedder(tiny_bert, **settings).fit(TEXTS).transform(TEXTS)
    np.testing.assert_allclose(together, apart, rtol=1e-4, atol=1e-5)
    assert together.dtype == apart.dtype == np.float32


def test_shapers_by_scikit_learn(tiny_bert, plain):
    shaped = Embedder(tiny_bert, shapers=[ZScore()]).fit_transform(TEXTS)
    np.testing.assert_allclose(shaped, StandardScaler().fit_transform(plain), rtol=1e-3, atol=1e-4)


def test_a_text_counts_as_often_as_it_stands_there(tiny_bert, plain):
    centred = Embedder(tiny_bert, shapers=[Center()]).fit_transform(TEXTS)
    np.testing.assert_allclose(centred, plain - plain.mean(axis=0), rtol=1e-4, atol=1e-5)


def test_fitted_on_other_texts(tiny_bert, plain):
    embedder = Embedder(tiny_bert, shapers=[Center()]).fit(TEXTS[:2])
    np.testing.assert_allclose(embedder.encode(TEXTS), plain - plain[:2].mean(axis=0), rtol=1e-4, atol=1e-5)


def test_a_background_corpus(tiny_bert, plain):
    embedder = Embedder(tiny_bert, weights=Idf(on="background"), shapers=[Center()])
    embedder.fit(TEXTS, background=["the cat", "the dog", "the mat"])
    assert embedder.weights_.n_documents_.tolist() == [3]
    assert embedder.fitted_on_.target.texts == 6
    assert embedder.fitted_on_.background.texts == 3
    shaped = Embedder(tiny_bert, shapers=[Center(on="background")]).fit(TEXTS, background=TEXTS[:2])
    np.testing.assert_allclose(shaped.encode(TEXTS), plain - plain[:2].mean(axis=0), rtol=1e-4, atol=1e-5)


def test_fitting_again_forgets(tiny_bert):
    embedder = Embedder(tiny_bert, weights=Idf()).fit(TEXTS).fit(TEXTS[:2])
    assert embedder.weights_.n_documents_.tolist() == [2]


def test_what_is_given_stays_as_it_was(tiny_bert):
    weights, shapers = Idf(), [ZScore()]
    Embedder(tiny_bert, weights=weights, shapers=shapers).fit(TEXTS)
    assert not hasattr(weights, "n_documents_")
    assert not hasattr(shapers[0], "affine_")


def test_changed_parameters_count_even_after_encoding(tiny_bert):
    embedder = Embedder(tiny_bert)
    embedder.encode(TEXTS)
    embedder.set_params(weights=Mean(specials=True), layers=1)
    np.testing.assert_array_equal(
        embedder.encode(TEXTS), Embedder(tiny_bert, layers=1, weights=Mean(specials=True)).encode(TEXTS)
    )


def test_query_document_and_similarity(tiny_bert, plain):
    embedder = Embedder(tiny_bert)
    np.testing.assert_array_equal(embedder.encode_query(TEXTS), plain)
    np.testing.assert_array_equal(embedder.encode_document(TEXTS), plain)
    cosines = embedder.similarity(plain[:2], plain)
    wanted = plain[:2] @ plain.T / np.outer(np.linalg.norm(plain[:2], axis=1), np.linalg.norm(plain, axis=1))
    np.testing.assert_allclose(cosines, wanted, rtol=1e-5, atol=1e-6)
    assert embedder.similarity(plain[0], plain[0]).shape == (1, 1)
    assert embedder.similarity([[3.0, 4.0]], [[4.0, 3.0]])[0, 0] == pytest.approx(24 / 25)
    with pytest.raises(InputError, match="16 and 3 dims"):
        embedder.similarity(plain, plain[:, :3])


def test_the_default_model_needs_no_words():
    embedder = Embedder()
    assert embedder.encode("A cat sat.").shape == (384,)
    assert embedder.encoder is None
    assert embedder.get_params()["encoder"] is None


# What is refused

NEEDS_FIT = {"idf": {"weights": Idf()}, "sif": {"weights": Sif()}, "zscore": {"shapers": [Unit(), ZScore()]}}


@pytest.mark.parametrize("settings", NEEDS_FIT.values(), ids=NEEDS_FIT)
def test_unfitted_parts_are_named(tiny_bert, settings):
    embedder = Embedder(tiny_bert, **settings)
    assert embedder.needs_fit
    for use in (embedder.encode, embedder.transform, lambda texts: next(embedder.encode_chunks(texts))):
        with pytest.raises(NotFittedError, match=r"(Idf|Sif|ZScore) must see texts first"):
            use(TEXTS)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"layers": 4}, "layer 4 is out of range"),
        ({"layers": True}, "layer True"),
        ({"layers": 1.5}, "layer 1.5"),
        ({"layers": ()}, "no layer"),
        ({"weights": "iddf"}, "unknown weights 'iddf' .did you mean 'idf'"),
        ({"weights": Mean(specials="yes")}, "specials='yes' of Mean is neither True nor False"),
        ({"weights": Sif(a=0)}, "a=0 of Sif is not a number above 0"),
        ({"weights": Sif(a=float("nan"))}, "a=nan"),
        ({"shapers": [Quantile(output="odd")]}, "unknown output of Quantile 'odd'"),
        ({"weights": Idf}, "are not token weights"),
        ({"shapers": "zscor"}, "unknown shaper 'zscor' .did you mean 'zscore'"),
        ({"shapers": ZScore()}, "is not a list of shapers"),
        ({"shapers": ["zscor"]}, "unknown shaper 'zscor'"),
        ({"shapers": [ZScore]}, "is not a shaper"),
        ({"encoder": 5}, "encoder=5 is not an encoder"),
        ({"weights": Idf(on="background")}, "background corpus"),
        ({"weights": Idf(on="home")}, "unknown texts to fit on 'home'"),
        ({"shapers": [ZScore(on="background")]}, "ZScore is to learn from a background corpus"),
    ],
)
def test_settings_that_can_not_be_are_refused(tiny_bert, settings, told):
    embedder = Embedder(**{"encoder": tiny_bert} | settings)
    with pytest.raises(InputError, match=told) as raised:
        embedder.fit_transform(TEXTS)
    assert "\n" not in str(raised.value)


def test_a_shaper_that_learns_nothing_wants_no_background(tiny_bert):
    assert Embedder(tiny_bert, shapers=[Unit(on="background")]).fit_transform(TEXTS).shape == (6, 16)


@pytest.mark.parametrize("method", ["fit", "fit_transform", "partial_fit"])
def test_nothing_to_learn_from(tiny_bert, method):
    with pytest.raises(InputError, match="no target texts to learn from"):
        getattr(Embedder(tiny_bert), method)([])
    with pytest.raises(InputError, match="no background texts"):
        Embedder(tiny_bert).fit(TEXTS, background=[])


@pytest.mark.parametrize("value", [None, 3, float("nan"), b"x", ["a"]])
@pytest.mark.parametrize("method", ["encode", "fit", "fit_transform", "partial_fit", "transform"])
def test_values_that_are_no_texts(tiny_bert, method, value):
    with pytest.raises(InputError, match="text 1 is"):
        getattr(Embedder(tiny_bert), method)(["cat", value])


@pytest.mark.parametrize("method", ["fit", "fit_transform", "partial_fit", "transform"])
def test_one_string_is_not_several_texts(tiny_bert, method):
    with pytest.raises(InputError, match=r"one string|given str"):
        getattr(Embedder(tiny_bert), method)("a cat")


@pytest.mark.parametrize("value", [None, 5, b"x", {"a": "b"}])
def test_what_holds_no_texts(tiny_bert, value):
    with pytest.raises(InputError, match="expected texts as a list"):
        Embedder(tiny_bert).encode(value)


NASTY = {
    "empty": "",
    "blank": " \t\n ",
    "nul": "a\0b",
    "only nul": "\0",
    "emoji": "\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "right to left": "\u0627\u0644\u0633\u0644\u0627\u0645 \u202eabc\u202c",
    "combining": "e\u0301" * 50,
    "unknown": "中文字",
    "lone surrogates": "\ud800 \udfff",
    "noncharacters": "\ufdd0 \uffff \U0010ffff",
    "long word": "x" * 5000,
    "specials": "[CLS] [MASK] [SEP] <s> [X]",
}


@pytest.mark.parametrize("folder", ["tiny_bert_dir", "tiny_roberta_dir", "tiny_gpt2_dir"])
def test_any_text_has_a_finite_vector(folder, request):
    embedder = Embedder(Transformer(request.getfixturevalue(folder)), weights=Debiased())
    vectors = embedder.encode(list(NASTY.values()))
    assert np.isfinite(vectors).all()
    assert embedder.counts_.replaced == 1


def test_lone_surrogates_are_embedded_as_the_replacement_character(tiny_bert):
    embedder = Embedder(tiny_bert)
    vectors = embedder.encode(["cat \ud800", "cat \ufffd"])
    assert vectors[0].tolist() == vectors[1].tolist()
    assert embedder.counts_.replaced == 1


def test_a_text_of_a_megabyte_is_cut(tiny_bert):
    embedder = Embedder(tiny_bert)
    vectors = embedder.encode(["walk " * 200_000, "x" * 1_000_000, "walk " * 62])
    np.testing.assert_allclose(vectors[0], vectors[2], rtol=1e-5, atol=1e-6)
    assert embedder.counts_.truncated == 1  # a word of a million letters is one unknown token


def test_every_error_on_purpose_is_an_attar_error():
    assert issubclass(InputError, AttarError)
    assert issubclass(NotFittedError, AttarError)


@pytest.mark.parametrize("shaping", ["zscore,unit", ["zscore", "unit"], [ZScore(), "unit"]])
def test_names_do_as_well_as_objects(tiny_bert, shaping):
    texts = ["the cat sat", "a dog ran", "red music", "blue mat"]
    named = Embedder(tiny_bert, layers="first,last", weights="idf", shapers=shaping)
    made = Embedder(tiny_bert, layers=("first", "last"), weights=Idf(), shapers=[ZScore(), Unit()])
    assert named.get_params()["weights"] == "idf"  # kept as given
    assert named.recipe == made.recipe
    np.testing.assert_array_equal(named.fit_transform(texts), made.fit_transform(texts))
    assert Embedder(tiny_bert, layers="1:0.25,last:0.75").recipe.layers == ((1, 0.25), ("last", 0.75))
    with pytest.raises(NotFittedError, match="Idf, ZScore must see texts first"):
        Embedder(tiny_bert, weights="idf", shapers=shaping).encode(texts)


@pytest.mark.parametrize("saved", [False, True])
def test_what_another_thread_finds_ready_is_whole(tiny_bert, tmp_path, saved):
    order = []

    class Watched(Embedder):
        def __setattr__(self, name, value):
            order.append(name)
            super().__setattr__(name, value)

    Embedder(tiny_bert).save(tmp_path / "recipe")
    Watched(tmp_path / "recipe" if saved else tiny_bert).encode("the cat")
    assert order.index("shapers_") < order.index("weights_")  # weights say that it is ready
