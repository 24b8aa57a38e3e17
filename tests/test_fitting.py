"""Which corpus teaches which part, and chains of affine shapers from sums alone."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from attar.errors import InputError
from attar.fitting import check_corpora, check_partial, fit_from_moments, fit_shapers, fit_weights, learns, shape
from attar.press import Press
from attar.shapers import AllButTheTop, Center, Moments, Quantile, Unit, Whiten, ZScore
from attar.weights import Debiased, Idf, Mean

CORPORA = {"target": ["the cat sat", "a dog", "a dog", "red music"], "background": ["the tree", "blue", "the walk"]}


@pytest.mark.parametrize(
    ("shaper", "wanted"),
    [(ZScore(), True), (Quantile(), True), (Unit(), False), (StandardScaler(), True), (FunctionTransformer(), False)],
)
def test_who_learns(shaper, wanted):
    assert learns(shaper) is wanted


def test_weights_learn_from_the_corpus_that_they_name(tiny_bert):
    assert fit_weights(Idf(), tiny_bert, CORPORA).n_documents_.tolist() == [4]
    assert fit_weights(Idf(on="background"), tiny_bert, CORPORA).n_documents_.tolist() == [3]
    assert len(fit_weights(Debiased(), tiny_bert, {}).keep_) == len(tiny_bert.vocabulary)


def test_each_shaper_learns_from_its_corpus_after_those_before_it(tiny_bert):
    press = Press(tiny_bert, Mean(), "last")
    target, background = (press.distinct(CORPORA[name]) for name in ("target", "background"))
    chain = [Center(on="background"), ZScore()]
    shaped = fit_shapers(chain, press, CORPORA, wanted=("target", "background"))
    middle = background.vectors[background.rows].mean(axis=0)
    wanted = StandardScaler().fit(target.vectors[target.rows] - middle)
    np.testing.assert_allclose(
        shaped["target"].vectors, wanted.transform(target.vectors - middle), rtol=1e-3, atol=1e-3
    )
    np.testing.assert_allclose(
        shaped["background"].vectors, wanted.transform(background.vectors - middle), rtol=1e-3, atol=1e-3
    )
    np.testing.assert_allclose(shape(chain, target.vectors), shaped["target"].vectors, rtol=1e-5, atol=1e-6)


def test_only_what_is_needed_is_encoded(tiny_bert):
    press = Press(tiny_bert, Mean(), "last")
    assert set(fit_shapers([Unit()], press, CORPORA)) == set()
    assert set(fit_shapers([ZScore(on="background"), Unit()], press, CORPORA)) == {"background"}
    assert set(fit_shapers([Unit()], press, CORPORA, wanted=("target",))) == {"target"}


def test_missing_corpora():
    check_corpora((Idf(), ZScore(), Unit(on="background"), Mean()), {"target": ["a"]})
    with pytest.raises(InputError, match="Idf is to learn from a background corpus"):
        check_corpora((Idf(on="background"),), {"target": ["a"]})
    with pytest.raises(InputError, match="no target texts"):
        check_corpora((), {"target": []})


def test_a_chain_from_moments_equals_the_chain_from_vectors():
    draw = np.random.default_rng(0)
    vectors = draw.normal(size=(40, 5)) @ draw.normal(size=(5, 5)) + 3
    chain = [ZScore(), AllButTheTop(1), Whiten(3), Unit()]
    fit_from_moments(chain, Moments.of(vectors))
    wanted = vectors
    for shaper in (ZScore(), AllButTheTop(1), Whiten(3), Unit()):
        wanted = shaper.fit_transform(wanted)
    np.testing.assert_allclose(np.abs(shape(chain, vectors)), np.abs(wanted), rtol=1e-6, atol=1e-8)


def test_sums_suffice_for_affine_chains_alone():
    check_partial(Mean(), [ZScore(), Whiten(), Unit()])
    check_partial(Idf(), [Unit()])
    for weights, shapers in [(Mean(), [Unit(), ZScore()]), (Mean(), [Quantile()]), (Idf(), [ZScore()])]:
        with pytest.raises(InputError, match="bit by bit"):
            check_partial(weights, shapers)
