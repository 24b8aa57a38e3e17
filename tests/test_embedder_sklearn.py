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
