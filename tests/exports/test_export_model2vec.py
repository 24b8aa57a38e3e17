from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from export_cases import (
    MODEL2VEC,
    SENTENCE_TRANSFORMERS,
    Case,
    check_same,
    made_sentences,
    makers,
    real_sentences,
    reloaded,
)

import tiny_models
from attar import Embedder, Random, Table, Transformer, shapers, weights
from attar.errors import RecipeError
from attar.exports import export
from attar.types import Floats

FIT = made_sentences(150, seed=1)
TEXTS = [text for text in made_sentences(100) if text.strip() and "中" not in text]  # without the unknown token


def table(skip_unknown: bool = False) -> Table:
    tokenizer = tiny_models.wordpiece()
    draw = np.random.default_rng(0)
    n = tokenizer.get_vocab_size()
    return Table(draw.normal(1, 1, (2, n, 8)), tokenizer, draw.uniform(0.5, 2, n), skip_unknown=skip_unknown)


@pytest.fixture(scope="module")
def cases(tiny_bert_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Case]:
    embedders = {
        "mean": Embedder(table()),
        "two layers, centred": Embedder(table(), (1, 2), shapers=shapers.parse("center")),
        "weighted layers": Embedder(table(), {1: 0.2, 2: 1.5}),
        "z-score": Embedder(table(), shapers=shapers.parse("zscore")),
        "whitening": Embedder(table(), shapers=shapers.parse("whiten:4")),
        "idf, unit": Embedder(table(), weights=weights.Idf(), shapers=shapers.parse("unit")),
        "idf, z-score, unit": Embedder(table(), (1, 2), weights.Idf(), shapers.parse("zscore,unit")),
        "sif, abtt, unit": Embedder(table(), 2, weights.Sif(), shapers.parse("abtt:1,unit")),
        "debiased, unit": Embedder(table(), 1, weights.Debiased(), shapers.parse("unit")),
        "robust, whitening, unit": Embedder(table(), 1, shapers=shapers.parse("robust,whiten:5,unit")),
        "Random": Embedder(Random(tiny_bert_dir, dims=12), weights=weights.Idf(), shapers=shapers.parse("unit")),
        "layer -1": Embedder(Transformer(tiny_bert_dir), -1, weights.Idf(), shapers.parse("zscore,unit")),
    }
    place = tmp_path_factory.mktemp("model2vec")
    made = {name: Case(e.fit(FIT), place / str(i), TEXTS) for i, (name, e) in enumerate(embedders.items())}
    for case in made.values():
        export(case.embedder, "model2vec", case.folder)
    return made


@pytest.fixture(scope="module")
def found(cases: dict[str, Case], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Floats]:
    code = MODEL2VEC + SENTENCE_TRANSFORMERS.replace("out[name]", 'out["ST " + name]')
    return reloaded(code, cases, tmp_path_factory.mktemp("reloaded"))


def test_both_libraries_give_the_same_vectors_without_attar(cases: dict[str, Case], found: dict[str, Floats]) -> None:
    for name, case in cases.items():
        check_same(found[name], case.wanted(), name)
        check_same(found[f"ST {name}"], case.wanted(), f"ST {name}")


def real_recipes(average: Table, model: Transformer) -> dict[str, Embedder]:
    """What folds into a table, of an average over texts and of the token table."""
    chains = {
        "idf, unit": (weights.Idf(), "unit"),
        "idf, z-score, unit": (weights.Idf(), "zscore,unit"),
        "idf, whitening, unit": (weights.Idf(), "whiten:64,unit"),
        "sif, abtt, unit": (weights.Sif(), "abtt:1,unit"),
        "debiased, unit": (weights.Debiased(), "unit"),
        "debiased, robust, unit": (weights.Debiased(), "robust,unit"),
        "z-score": (weights.Mean(), "zscore"),
        "whitening": (weights.Mean(), "whiten:64"),
        "abtt": (weights.Mean(), "abtt:2"),
    }
    made = {name: Embedder(average, (1, 3), by, shapers.parse(chain)) for name, (by, chain) in chains.items()}
    return made | {
        "mean": Embedder(average, (1, 3)),
        "weighted layers": Embedder(average, {1: 0.2, 3: 1.5}),
        "layer -1": Embedder(model, -1, weights.Idf(), shapers.parse("zscore,unit")),
    }


@pytest.mark.slow
def test_an_average_of_a_real_model_on_real_sentences(data_dir: Path, mobilebert_dir: Path, tmp_path: Path) -> None:
    texts = real_sentences(data_dir)
    for make in (makers(None), makers(mobilebert_dir)):
        average = Table.average(make(), texts, (1, 3), progress=False)
        recipes = real_recipes(average, make())
        cases = {n: Case(e.fit(texts), tmp_path / n.replace(", ", "-"), texts) for n, e in recipes.items()}
        for case in cases.values():
            export(case.embedder, "model2vec", case.folder, overwrite=True)
        both = reloaded(MODEL2VEC, cases, tmp_path), reloaded(SENTENCE_TRANSFORMERS, cases, tmp_path)
        for name, case in cases.items():
            for vectors in both:
                check_same(vectors[name], case.wanted(), name)


def test_a_table_worked_out_by_hand(tmp_path: Path) -> None:
    """Weights 1 and 2, rows (1, 0) and (0, 1): the sum (1, 2), at length 1."""
    from safetensors.numpy import load_file

    tokenizer = tiny_models.wordpiece(["cat", "dog"])
    rows = np.zeros((tokenizer.get_vocab_size(), 2))
    cat, dog = tokenizer.token_to_id("cat"), tokenizer.token_to_id("dog")
    rows[cat], rows[dog] = (1, 0), (0, 1)
    idf = weights.Idf()
    embedder = Embedder(Table(rows, tokenizer), weights=idf, shapers=[shapers.Unit()]).fit(["cat"] * 4 + ["a"] * 12)
    # idf of cat: ln(16 / 4) = 2 ln 2; of dog, never seen: ln 16 = 4 ln 2
    export(embedder, "model2vec", tmp_path / "model")
    table = load_file(tmp_path / "model/model.safetensors")["embeddings"]
    np.testing.assert_allclose(table[dog], [0, 1], rtol=1e-6)
    np.testing.assert_allclose(table[cat], [0.5, 0], rtol=1e-6)
    np.testing.assert_allclose(embedder.encode("cat dog"), [1 / 5**0.5, 2 / 5**0.5], rtol=1e-6)
    assert json.loads((tmp_path / "model/config.json").read_text())["normalize"] is True


def test_unknown_tokens_are_told_of(tmp_path: Path) -> None:
    notes = export(Embedder(table()), "model2vec", tmp_path / "counted")
    assert "model2vec leaves the unknown token out" in notes[0]
    notes = export(Embedder(table(skip_unknown=True)), "model2vec", tmp_path / "left-out")
    assert "sentence-transformers counts the unknown token" in notes[0]
    assert notes[0] in (tmp_path / "left-out/README.md").read_text()
    unit = Embedder(table(skip_unknown=True), shapers=[shapers.Unit()])
    assert export(unit, "model2vec", tmp_path / "unit") == []


def test_an_empty_text_is_told_of(tmp_path: Path) -> None:
    embedder = Embedder(table(skip_unknown=True), shapers=shapers.parse("zscore,unit")).fit(FIT)
    assert "empty text gets the zero vector" in export(embedder, "model2vec", tmp_path / "model")[0]


def test_what_does_not_fold_is_refused(tiny_bert: Transformer, tmp_path: Path) -> None:
    cases = {
        "Idf weights without unit norm .* unit as its last shaper": Embedder(table(), weights=weights.Idf()),
        "the shapers Quantile do not fold": Embedder(table(), shapers=shapers.parse("quantile")),
        "the shapers Unit, ZScore do not fold": Embedder(table(), shapers=shapers.parse("unit,zscore")),
        "Transformer at layers 3 is not a static table .*Table.average": Embedder(tiny_bert),
        r"count \[CLS\], \[SEP\] around a text": Embedder(tiny_bert, -1, weights.Mean(specials=True)),
        "First weights can't be exported": Embedder(table(), weights=weights.First()),
    }
    for message, embedder in cases.items():
        with pytest.raises(RecipeError, match=message):
            export(embedder.fit(FIT), "model2vec", tmp_path / "model")
    assert list(tmp_path.iterdir()) == []
