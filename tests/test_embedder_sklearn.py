"""The Embedder as a scikit-learn transformer."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

from attar import Embedder
from attar.shapers import Unit, ZScore
from attar.weights import Idf, Mean

ANIMALS = ["the cat sat", "a dog ran", "cat and dog", "the dog sat on a mat", "a cat", "dog"]
COLOURS = ["red and blue", "blue light", "the red tree", "a blue river", "red", "light blue"]
TEXTS, LABELS = ANIMALS + COLOURS, [0] * 6 + [1] * 6


@parametrize_with_checks([Embedder(), Embedder(weights=Idf(), shapers=[ZScore(), Unit()])])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_clone_keeps_parameters_and_forgets_the_rest(tiny_bert):
    embedder = Embedder(tiny_bert, layers=(1, 3), weights=Idf(specials=True), shapers=[ZScore()]).fit(TEXTS)
    copied = clone(embedder)
    assert copied.encoder is tiny_bert
    assert copied.layers == (1, 3)
    assert copied.weights.specials
    assert not hasattr(copied, "weights_")


def test_parameters_go_in_and_out(tiny_bert):
    embedder = Embedder(tiny_bert, weights=Idf())
    assert set(embedder.get_params(deep=False)) == {"encoder", "layers", "weights", "shapers"}
    assert embedder.get_params()["weights__specials"] is False
    embedder.set_params(layers=2, weights__specials=True)
    assert (embedder.layers, embedder.weights.specials) == (2, True)
    with pytest.raises(ValueError, match="Invalid parameter"):
        embedder.set_params(colour="red")


def test_fitted_or_not(tiny_bert):
    check_is_fitted(Embedder(tiny_bert))
    with pytest.raises(NotFittedError):
        check_is_fitted(Embedder(tiny_bert, weights=Idf()))
    check_is_fitted(Embedder(tiny_bert, weights=Idf()).fit(TEXTS))


def test_pipeline_and_cross_validation(tiny_bert):
    pipeline = make_pipeline(Embedder(tiny_bert, weights=Idf(), shapers=[ZScore()]), LogisticRegression())
    scores = cross_val_score(pipeline, TEXTS, LABELS, cv=3)
    assert scores.shape == (3,)
    assert scores.mean() > 0.5
    pipeline.fit(TEXTS, LABELS)
    assert pipeline.score(TEXTS, LABELS) == 1.0


def test_grid_search_over_layers_and_weights(tiny_bert):
    pipeline = make_pipeline(Embedder(tiny_bert), LogisticRegression())
    grid = {"embedder__layers": [0, (1, 3)], "embedder__weights": [None, Mean(specials=True)]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(np.array(TEXTS, dtype=object), LABELS)
    assert len(search.cv_results_["params"]) == 4


def test_a_column_of_a_table(tiny_bert):
    import pandas as pd

    table = pd.DataFrame({"text": TEXTS, "length": range(12)})
    columns = ColumnTransformer([("text", Embedder(tiny_bert), "text"), ("rest", "passthrough", ["length"])])
    assert columns.fit_transform(table).shape == (12, 17)


def test_it_shows_itself(tiny_bert):
    assert "layers=(1, 3)" in repr(Embedder(tiny_bert, layers=(1, 3)))
    assert "<" in Embedder(tiny_bert)._repr_html_()


def test_feature_names_and_pandas_output(tiny_bert):
    import pandas as pd

    embedder = Embedder(tiny_bert)
    assert embedder.get_feature_names_out().tolist() == [f"attar{i}" for i in range(16)]
    table = embedder.set_output(transform="pandas").fit_transform(pd.DataFrame({"text": TEXTS}, index=range(5, 17)))
    assert isinstance(table, pd.DataFrame)
    assert table.columns.tolist() == [f"attar{i}" for i in range(16)]
    assert table.index.tolist() == list(range(5, 17))
    np.testing.assert_array_equal(table.to_numpy(), Embedder(tiny_bert).encode(TEXTS))
    assert isinstance(embedder.encode(TEXTS), np.ndarray)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_table_of_one_column(tiny_bert, library):
    frames = pytest.importorskip(library)
    found = Embedder(tiny_bert).fit_transform(frames.DataFrame({"body": TEXTS}))
    np.testing.assert_array_equal(found, Embedder(tiny_bert).encode(TEXTS))
    with pytest.raises(ValueError, match="expected one column"):
        Embedder(tiny_bert).fit_transform(frames.DataFrame({"a": TEXTS, "b": TEXTS}))


def test_a_dataset_of_one_column(tiny_bert):
    datasets = pytest.importorskip("datasets")
    made = datasets.Dataset.from_dict({"body": TEXTS})
    for given in (made, made["body"], made.with_format("numpy")):
        np.testing.assert_array_equal(Embedder(tiny_bert).encode(given), Embedder(tiny_bert).encode(TEXTS))
    with pytest.raises(ValueError, match=r"expected one column of texts; given Dataset of shape \(\d+, 2\)"):
        Embedder(tiny_bert).encode(made.add_column("other", TEXTS))


def test_parts_by_name(tiny_bert):
    by_name = Embedder(tiny_bert, layers="first,last", weights="idf", shapers=["zscore", "unit"])
    by_object = Embedder(tiny_bert, layers=("first", "last"), weights=Idf(), shapers=[ZScore(), Unit()])
    np.testing.assert_array_equal(by_name.fit_transform(TEXTS), by_object.fit_transform(TEXTS))
    assert clone(by_name).get_params()["weights"] == "idf"
    search = GridSearchCV(
        make_pipeline(Embedder(tiny_bert), LogisticRegression()),
        {"embedder__weights": ["mean", "idf"], "embedder__shapers": ["unit", ["zscore", "unit"]]},
        cv=2,
    ).fit(TEXTS, LABELS)
    assert len(search.cv_results_["params"]) == 4
    with pytest.raises(ValueError, match="unknown"):
        Embedder(tiny_bert, weights="ifd").fit(TEXTS)


def test_a_folder_or_the_name_of_a_recipe(tiny_bert, tiny_bert_dir, tmp_path):
    np.testing.assert_array_equal(Embedder(str(tiny_bert_dir)).encode(TEXTS), Embedder(tiny_bert).encode(TEXTS))
    saved = Embedder(tiny_bert, layers=(1, 3), weights=Idf(), shapers=[ZScore(), Unit()]).fit(TEXTS)
    saved.save(tmp_path / "recipe")
    again = Embedder(str(tmp_path / "recipe"))
    check_is_fitted(again)
    np.testing.assert_array_equal(again.encode(TEXTS[:2]), saved.encode(TEXTS[:2]))
    assert again.recipe.id == saved.recipe.id
    assert again.get_sentence_embedding_dimension() == 16
    np.testing.assert_array_equal(clone(again).transform(TEXTS[:2]), saved.encode(TEXTS[:2]))
    again.save(tmp_path / "again")
    np.testing.assert_array_equal(Embedder.load(tmp_path / "again").encode(TEXTS[:2]), saved.encode(TEXTS[:2]))
    with pytest.raises(ValueError, match="can't be changed"):
        Embedder(tmp_path / "recipe", weights="mean").encode(TEXTS)
    text = Embedder(f"{tiny_bert_dir} | none | 1,3 | idf | zscore,unit")
    np.testing.assert_allclose(text.fit_transform(TEXTS), saved.encode(TEXTS), atol=1e-6)
    assert text.set_params(shapers="unit").recipe.shape == "unit"
