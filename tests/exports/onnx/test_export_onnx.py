from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from export_cases import (
    ONNX,
    REAL_MODELS,
    RECIPES,
    Case,
    batched,
    check_all,
    check_same,
    check_within_rounding,
    made_sentences,
    makers,
    real_sentences,
    reloaded,
)

import tiny_models
from attar import Embedder, Mix, Table, Transformer, shapers, weights
from attar.errors import MissingExtra, RecipeError
from attar.exports import export
from attar.exports.fitted_parts import FittedParts
from attar.exports.onnx.export import _tokenizer
from attar.exports.onnx.graph import RecipeGraph
from attar.types import Floats

FIT = made_sentences(150, seed=1)
TEXTS = made_sentences(80)
# What only a graph can hold.
MORE = {
    "quantile": lambda m: Embedder(m(), (1, 3), weights.Idf(), shapers.parse("quantile")),
    "quantile-normal": lambda m: Embedder(m("T0"), 1, weights.Mask(), shapers.parse("quantile-normal,unit")),
    "layer -1": lambda m: Embedder(m(), -1, weights.Debiased()),
    "layer -1 and others": lambda m: Embedder(m(), {-1: -0.5, 2: 1.0}),
    "difference of layers": lambda m: Embedder(m(), {1: -1.0, 3: 1.0}),
    "without the template": lambda m: Embedder(m("T4"), weights=weights.Idf(template=False, masks=False)),
    "quoted": lambda m: Embedder(m('"[X]"'), weights=weights.Debiased()),
    "first own": lambda m: Embedder(m(), weights=weights.First(specials=False)),
    "last own": lambda m: Embedder(m(), weights=weights.Last(specials=False)),
}


def eagerly(embedder: Embedder, texts: list[str]) -> Floats:
    """The graph's module run by torch itself, on the exported tokenizer's ids."""
    source = FittedParts.of(embedder)
    tokenizer = _tokenizer(source)
    tokenizer.encode_special_tokens = True
    batch = tokenizer.encode_batch(texts)
    ids, mask = (torch.tensor([getattr(e, key) for e in batch]) for key in ("ids", "attention_mask"))
    with torch.no_grad():
        return RecipeGraph(source).eval()(ids, mask).numpy()


def test_every_recipe_has_a_module_that_gives_the_same(tiny_bert_dir: Path) -> None:
    make = makers(tiny_bert_dir)
    for name, recipe in (RECIPES | MORE).items():
        embedder = recipe(make).fit(FIT)
        check_same(eagerly(embedder, TEXTS), embedder.encode(TEXTS), name)


def test_place_in_a_word(tiny_roberta_dir: Path) -> None:
    """Where a tokenizer marks words by the space before, debiased weights ask where a token stands."""
    texts = ["playing the cat", "(playing) unplayed", "the of a", "", "zebra.quartz, cat"]
    for template in (None, "T0"):
        embedder = Embedder(Transformer(tiny_roberta_dir, template=template), 1, weights.Debiased())
        check_same(eagerly(embedder, texts), embedder.encode(texts))


def test_special_tokens_that_are_pieces() -> None:
    """A Unigram tokenizer holds its special tokens among the pieces, where a text that reads so would find them."""
    tokenizer = tiny_models.unigram()
    rows = np.random.default_rng(0).normal(size=(tokenizer.get_vocab_size(), 6))
    texts = ["<s> the cat </s>", "dog <mask> sat<pad>", "<mask>", "<unk>", "the cat"]
    embedder = Embedder(Table(rows, tokenizer))
    check_same(eagerly(embedder, texts), embedder.encode(texts))


def test_static_encoders_and_mixes(tiny_bert: Transformer) -> None:
    tokenizer = tiny_models.wordpiece()
    draw = np.random.default_rng(0)
    rows = draw.normal(size=(3, tokenizer.get_vocab_size(), 16))
    texts = [*TEXTS, "中", "中 the cat"]
    mix = Mix(tiny_bert, Table(rows, tokenizer), w=0.3)
    for name, embedder in {
        "quantile of a table": Embedder(Table(rows, tokenizer), (1, 3), weights.Idf(), shapers.parse("quantile")),
        "unknown left out": Embedder(Table(rows, tokenizer, skip_unknown=True), 2, weights.Debiased()),
        "mix": Embedder(mix, (1, 3), weights.Idf(), shapers.parse("zscore")),
    }.items():
        check_same(eagerly(embedder.fit(FIT), texts), embedder.encode(texts), name)


@pytest.fixture(scope="module")
def cases(
    tiny_bert_dir: Path,
    tiny_roberta_dir: Path,
    tiny_gpt2_dir: Path,
    tiny_electra_dir: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Case]:
    """All that is reloaded, exported."""
    make = makers(tiny_bert_dir)
    tokenizer = tiny_models.wordpiece()
    table = Table(np.random.default_rng(0).normal(size=(3, tokenizer.get_vocab_size(), 16)), tokenizer)
    embedders = {name: recipe(make) for name, recipe in (RECIPES | MORE).items()}
    embedders |= {
        "roberta": Embedder(Transformer(tiny_roberta_dir, template="T0"), 1, weights.Debiased()),
        "gpt2": Embedder(Transformer(tiny_gpt2_dir), (1, 2), weights.Idf()),  # nothing frames an empty text
        "electra": Embedder(Transformer(tiny_electra_dir, max_tokens=12), (0, 2), weights.Debiased()),
        "float64": RECIPES["similarity"](makers(tiny_bert_dir, "float64")),
        "float64, no shaper": RECIPES["idf"](makers(tiny_bert_dir, "float64")),
        "table": Embedder(table, (1, 3), weights.Idf(), shapers.parse("zscore,unit")),
        "mix": Embedder(Mix(make(), table, w=0.3), (1, 3), weights.Idf(), shapers.parse("zscore")),
    }
    place = tmp_path_factory.mktemp("onnx")
    made = {name: Case(e.fit(FIT), place / str(i), TEXTS) for i, (name, e) in enumerate(embedders.items())}
    for case in made.values():
        assert export(case.embedder, "onnx", case.folder) == []
    return made


def test_every_graph_gives_the_same_vectors_without_attar(cases: dict[str, Case], tmp_path: Path) -> None:
    """In batches of other sizes than the graphs were made with, beside empty texts and texts beyond the limit."""
    check_all(reloaded(ONNX, cases, tmp_path), cases)


def test_card_shows_how_to_run_it(cases: dict[str, Case], monkeypatch: pytest.MonkeyPatch) -> None:
    case = cases["similarity"]
    code = (case.folder / "README.md").read_text().split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(case.folder.parent)
    names: dict[str, Floats] = {"texts": case.texts}  # type: ignore[dict-item]
    exec(code, names)
    check_same(names["vectors"], case.wanted())


@pytest.mark.slow
@REAL_MODELS
def test_graphs_of_real_models_on_real_sentences(
    model: str, precision: str, data_dir: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    make = makers(None if model == "MiniLM" else request.getfixturevalue("mobilebert_dir"), precision)
    texts = real_sentences(data_dir)
    average = Table.average(make(), texts, (1, 3), progress=False)
    recipes = RECIPES | MORE
    if make().width(-1) != make().width(1):
        del recipes["layer -1 and others"]
    recipes |= {
        "Avg.": lambda m: Embedder(average, (1, 3), weights.Idf(), shapers.parse("zscore")),
        "BERT + Avg.": lambda m: Embedder(Mix(m(), average), (1, 3), weights.Idf(), shapers.parse("zscore,unit")),
    }
    for names in batched(recipes, 6):  # folders are large
        cases = {}
        for i, name in enumerate(names):
            cases[name] = Case(recipes[name](make).fit(texts), tmp_path / str(i), texts)
            export(cases[name].embedder, "onnx", cases[name].folder, overwrite=True)
        check_within_rounding(reloaded(ONNX, cases, tmp_path), cases)


def test_what_a_graph_can_not_hold_is_refused(tiny_bert: Transformer, tiny_bert_dir: Path, tmp_path: Path) -> None:
    tokenizer = tiny_models.wordpiece()
    skipping = Table(np.ones((3, tokenizer.get_vocab_size(), 16)), tokenizer, skip_unknown=True)
    for message, embedder in {
        "windows=3 can't be exported": Embedder(Transformer(tiny_bert_dir, windows=3)),
        "can't be exported to onnx; exportable": Embedder(Mix(tiny_bert, skipping), 1),
    }.items():
        with pytest.raises(RecipeError, match=message):
            export(embedder, "onnx", tmp_path / "graph")
    assert list(tmp_path.iterdir()) == []


def test_missing_extra_names_its_line(tiny_bert: Transformer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match=r"pip install 'attar\[onnx\]'"):
        export(Embedder(tiny_bert), "onnx", tmp_path / "graph")
