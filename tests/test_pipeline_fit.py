"""Which corpus teaches which part, and chains of affine shapers from sums alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from attar import Embedder, Transformer
from attar.errors import InputError
from attar.pipeline import Pipeline, check_corpora, check_partial, fit_pipeline, fit_weights
from attar.shapers import AllButTheTop, Center, Moments, Quantile, Robust, Unit, Whiten, ZScore
from attar.shapers.chain import Evidence, fit_chain, learns, shape
from attar.weights import Debiased, Idf, Mean

CORPORA = {"target": ["the cat sat", "a dog", "a dog", "red music"], "background": ["the tree", "blue", "the walk"]}


@pytest.mark.parametrize(
    ("shaper", "wanted"),
    [(ZScore(), True), (Quantile(), True), (Unit(), False), (StandardScaler(), True), (FunctionTransformer(), False)],
)
def test_who_learns(shaper, wanted):
    assert learns(shaper) is wanted


def test_weights_learn_from_the_corpus_that_they_name(tiny_bert):
    target, background, debiased = Idf(), Idf(on="background"), Debiased()
    fit_weights(target, tiny_bert, CORPORA)
    fit_weights(background, tiny_bert, CORPORA)
    fit_weights(debiased, tiny_bert, {})
    assert (target.n_documents_.tolist(), background.n_documents_.tolist()) == ([4], [3])
    assert len(debiased.keep_) == len(tiny_bert.vocabulary)


@pytest.mark.parametrize("windows", [None, 1])
def test_a_text_counts_as_often_as_it_stands_there(tiny_bert_dir, windows):
    texts = ["the cat sat on the mat", "a dog", "a dog", "the cat sat on the mat", "red", "a dog"]
    encoder = Transformer(tiny_bert_dir, max_tokens=5, windows=windows)
    fitted, wanted = Idf(), Idf()
    fit_weights(fitted, encoder, {"target": texts})
    wanted.fit(encoder.tokenize(texts), encoder.vocabulary)
    np.testing.assert_array_equal(fitted.document_frequency_, wanted.document_frequency_)
    assert fitted.n_documents_.tolist() == [6]


def test_texts_are_tokenised_once(tiny_bert, monkeypatch):
    seen: list[str] = []
    tokenize = type(tiny_bert).tokenize
    monkeypatch.setattr(type(tiny_bert), "tokenize", lambda self, texts: (seen.extend(texts), tokenize(self, texts))[1])
    vectors = Embedder(tiny_bert, weights=Idf(), shapers=[ZScore()]).fit_transform(CORPORA["target"])
    assert seen == ["the cat sat", "a dog", "red music"]
    again = Embedder(tiny_bert, weights=Idf(), shapers=[ZScore()]).fit(CORPORA["target"]).encode(CORPORA["target"])
    np.testing.assert_allclose(vectors, again, rtol=1e-5, atol=1e-6)


def test_each_shaper_learns_from_its_corpus_after_those_before_it(tiny_bert):
    bare = Pipeline(tiny_bert, Mean(), "last")
    target, background = (bare.embed(CORPORA[name]) for name in ("target", "background"))
    chain = (Center(on="background"), ZScore())
    shaped = fit_pipeline(replace(bare, shapers=chain), CORPORA, wanted=("target", "background"))
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
    bare = Pipeline(tiny_bert, Mean(), "last")
    assert set(fit_pipeline(replace(bare, shapers=(Unit(),)), CORPORA)) == set()
    assert set(fit_pipeline(replace(bare, shapers=(ZScore(on="background"), Unit())), CORPORA)) == {"background"}
    assert set(fit_pipeline(replace(bare, shapers=(Unit(),)), CORPORA, wanted=("target",))) == {"target"}


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
    fit_chain(chain, {"target": Evidence(moments=Moments.of(vectors))})
    wanted = vectors
    for shaper in (ZScore(), AllButTheTop(1), Whiten(3), Unit()):
        wanted = shaper.fit_transform(wanted)
    np.testing.assert_allclose(np.abs(shape(chain, vectors)), np.abs(wanted), rtol=1e-6, atol=1e-8)


def test_moments_where_they_suffice_and_vectors_elsewhere():
    """Exact moments go before a sample, as long as every shaper up to there is affine."""
    draw = np.random.default_rng(1)
    vectors = draw.normal(size=(60, 4)) * [1, 2, 3, 4] + 1
    sample = vectors[:20]
    first, robust, unit, last = ZScore(), Robust(), Unit(), Center()
    fit_chain([first, robust, unit, last], {"target": Evidence(sample, moments=Moments.of(vectors))})
    exact = ZScore().fit(vectors)
    np.testing.assert_allclose(first.affine().scale, exact.affine().scale, rtol=1e-12)
    seen = exact.transform(sample)
    np.testing.assert_allclose(robust.affine().scale, Robust().fit(seen).affine().scale, rtol=1e-12)
    behind = Unit().transform(Robust().fit(seen).transform(seen))
    np.testing.assert_allclose(last.affine().offset, -behind.mean(axis=0), rtol=1e-10)


def test_a_shaper_that_must_see_vectors_refuses_moments_alone():
    with pytest.raises(InputError, match="Quantile has to see vectors"):
        fit_chain([Quantile()], {"target": Evidence(moments=Moments.of(np.eye(3)))})


def test_sums_suffice_for_affine_chains_alone():
    check_partial(Mean(), [ZScore(), Whiten(), Unit()])
    check_partial(Idf(), [Unit()])
    for weights, shapers in [(Mean(), [Unit(), ZScore()]), (Mean(), [Quantile()]), (Idf(), [ZScore()])]:
        with pytest.raises(InputError, match="by partial_fit"):
            check_partial(weights, shapers)
