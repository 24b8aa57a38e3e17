from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from export_cases import (
    REAL_MODELS,
    RECIPES,
    SENTENCE_TRANSFORMERS,
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
from attar import Embedder, Mix, Random, Table, Transformer, shapers, weights
from attar.errors import MissingExtra, ModelError, NotFittedError, OutputError, RecipeError
from attar.exports import export
from attar.types import Floats

pytestmark = pytest.mark.xdist_group("sentence-transformers")  # what its tests share is made once, not by each worker

FIT = made_sentences(150, seed=1)
TEXTS = made_sentences(80)
SPELLED = ["<s> the cat </s>", "dog <mask> sat<pad>", "<mask>"]  # special tokens of a tokenizer that has them as pieces


HALF = {"layers": 1, "attention_heads": 2, "ffn_dim": 24}
REAL = ["A cat sat on the mat.", "", "the , .", "[MASK] and [SEP] are only words here", "Two dogs ran. " * 200]
FIT_REAL = [*REAL, "Stocks fell sharply today.", "A man is playing a guitar.", "It rains in Vilnius."]


def tiny_mobilebert(folder: Path) -> Path:
    from transformers import MobileBertConfig, MobileBertModel

    tokenizer = tiny_models.wordpiece()
    settings = tiny_models.small(tokenizer) | {"num_hidden_layers": 2, "embedding_size": 8, "intra_bottleneck_size": 8}
    return tiny_models.save(folder, tiny_models.spread(MobileBertModel(MobileBertConfig(**settings))), tokenizer)


def tiny_xlm_roberta(folder: Path) -> Path:
    from transformers import XLMRobertaConfig, XLMRobertaModel

    tokenizer = tiny_models.unigram()
    config = XLMRobertaConfig(**tiny_models.small(tokenizer) | {"num_hidden_layers": 1, "pad_token_id": 1})
    return tiny_models.save(folder, tiny_models.spread(XLMRobertaModel(config)), tokenizer)


@pytest.fixture(scope="module")
def cases(
    tiny_bert_dir: Path,
    tiny_roberta_dir: Path,
    tiny_gpt2_dir: Path,
    tiny_electra_dir: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Case]:
    """All that is reloaded, exported."""
    make, real = makers(tiny_bert_dir), makers(None)
    roberta, gpt2 = Transformer(tiny_roberta_dir, template="T0"), Transformer(tiny_gpt2_dir)
    electra = Transformer(tiny_electra_dir, max_tokens=12)
    some = [text for text in TEXTS if text.strip()]  # without special tokens, nothing is left of an empty text
    mobilebert = Transformer(tiny_mobilebert(tmp_path_factory.mktemp("models") / "tiny-mobilebert"))
    xlm_roberta = Transformer(tiny_xlm_roberta(tmp_path_factory.mktemp("models") / "tiny-xlm-roberta"), template="T0")
    table = Table(np.random.default_rng(0).normal(size=(200, 6)), tiny_models.wordpiece())
    embedders = {name: (recipe(make).fit(FIT), TEXTS) for name, recipe in RECIPES.items()}
    embedders |= {
        "roberta": (Embedder(roberta, 1, weights.Mask()), TEXTS),  # positions start behind the padding
        "xlm-roberta": (Embedder(xlm_roberta, 1, weights.Idf()).fit(FIT), [*TEXTS, *SPELLED]),
        "gpt2 inner": (Embedder(gpt2, 1, weights.Idf()).fit(FIT), some),  # norms its last layer alone
        "gpt2 last token": (Embedder(gpt2, 2, weights.Last()), some),  # has no padding token
        "gpt2 both": (Embedder(gpt2, (1, 2)), some),
        "electra": (Embedder(electra, (1, 2), weights.Debiased()), TEXTS),
        "mobilebert": (Embedder(mobilebert, (0, 2), weights.Last()), TEXTS),  # would see the padding
        "float64": (RECIPES["similarity"](makers(tiny_bert_dir, "float64")).fit(FIT), TEXTS),
        "table": (Embedder(table), TEXTS),
        "MiniLM": (RECIPES["similarity"](real).fit(FIT_REAL), REAL),
        "MiniLM T4": (RECIPES["T4 masks"](real), REAL),
    }
    place = tmp_path_factory.mktemp("sentence-transformers")
    made = {name: Case(e, place / str(i), texts) for i, (name, (e, texts)) in enumerate(embedders.items())}
    for case in made.values():
        export(case.embedder, "sentence-transformers", case.folder)
    return made


@pytest.fixture(scope="module")
def found(cases: dict[str, Case], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Floats]:
    """All vectors from one process without Attar; of one model also what the options of `encode` give."""
    code = (
        SENTENCE_TRANSFORMERS
        + """
if name == "similarity":
    model = SentenceTransformer(folder, device="cpu")
    model.save(job["target"] + "-again")
    again = SentenceTransformer(job["target"] + "-again", device="cpu")
    out["saved again"] = again.encode(texts)
    out["truncated"] = model.encode(texts, truncate_dim=5)
    out["batches of 7"] = model.encode(texts, batch_size=7)
    out["one text"] = model.encode(texts[5])[None]
    out["modules"] = np.array([type(module).__module__ for module in again])
if name == "z-score":
    out["normalized"] = SentenceTransformer(folder, device="cpu").encode(texts, normalize_embeddings=True)
"""
    )
    return reloaded(code, cases, tmp_path_factory.mktemp("reloaded"))


def test_every_export_gives_the_same_vectors_without_attar(cases: dict[str, Case], found: dict[str, Floats]) -> None:
    check_all(found, cases)


def test_round_trip_and_options_of_sentence_transformers(cases: dict[str, Case], found: dict[str, Floats]) -> None:
    wanted = cases["similarity"].wanted()
    check_same(found["saved again"], wanted)
    check_same(found["batches of 7"], wanted)
    check_same(found["one text"], wanted[5:6])
    check_same(found["truncated"], wanted[:, :5])
    check_same(found["normalized"], shapers.Unit().transform(cases["z-score"].wanted()))
    assert all(name.startswith("sentence_transformers.") for name in found["modules"])


@pytest.mark.slow
@REAL_MODELS
def test_every_recipe_of_real_models_on_real_sentences(
    model: str, precision: str, data_dir: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    make = makers(None if model == "MiniLM" else request.getfixturevalue("mobilebert_dir"), precision)
    texts = real_sentences(data_dir)
    for names in batched(RECIPES, 6):  # folders are large
        cases = {}
        for i, name in enumerate(names):
            cases[name] = Case(RECIPES[name](make).fit(texts), tmp_path / str(i), texts)
            export(cases[name].embedder, "sentence-transformers", cases[name].folder, overwrite=True)
        check_within_rounding(reloaded(SENTENCE_TRANSFORMERS, cases, tmp_path), cases)


def test_layers_that_are_not_needed_are_left_out(tiny_bert_dir: Path, tmp_path: Path) -> None:
    export(Embedder(Transformer(tiny_bert_dir), 1), "sentence-transformers", tmp_path / "one")
    export(Embedder(Transformer(tiny_bert_dir)), "sentence-transformers", tmp_path / "all")
    blocks = [json.loads((tmp_path / n / "config.json").read_text())["num_hidden_layers"] for n in ("one", "all")]
    assert blocks == [1, 3]


def test_files_that_servers_read(tiny_bert_dir: Path, tmp_path: Path) -> None:
    """text-embeddings-inference reads 1_Pooling/config.json and knows modules by their short names only."""
    embedder = Embedder(Transformer(tiny_bert_dir), 2, weights.Mean(specials=True), shapers.parse("zscore,unit")).fit(
        FIT
    )
    notes = export(embedder, "sentence-transformers", tmp_path / "model")
    modules = json.loads((tmp_path / "model/modules.json").read_text())
    names = ["Transformer", "Pooling", "Dense", "Normalize"]
    assert [module["type"] for module in modules] == [f"sentence_transformers.models.{name}" for name in names]
    pooling = json.loads((tmp_path / "model/1_Pooling/config.json").read_text())
    assert pooling["word_embedding_dimension"] == 16
    assert [key for key, value in pooling.items() if value is True] == ["pooling_mode_mean_tokens", "include_prompt"]
    assert json.loads((tmp_path / "model/sentence_bert_config.json").read_text())["max_seq_length"] == 64
    assert notes == []  # nothing that they would not know


def test_settings_that_older_versions_read(tiny_bert_dir: Path, tmp_path: Path) -> None:
    """Version 3.4 hands modules their settings as arguments: one name that they do not know is an error."""
    embedder = Embedder(Transformer(tiny_bert_dir), (1, 2), weights.Idf(), shapers.parse("zscore")).fit(FIT)
    export(embedder, "sentence-transformers", tmp_path / "model")

    def settings(module: str) -> set[str]:
        return set(json.loads((tmp_path / "model" / module / "config.json").read_text()))

    assert settings("1_WeightedLayerPooling") == {"word_embedding_dimension", "layer_start", "num_hidden_layers"}
    assert settings("2_WordWeights") == {"vocab", "word_weights", "unknown_word_weight"}
    assert settings("4_Dense") == {"in_features", "out_features", "bias", "activation_function"}


def test_notes_tell_what_others_do_not_know(tiny_bert: Transformer, tmp_path: Path) -> None:
    notes = export(Embedder(tiny_bert), "sentence-transformers", tmp_path / "model")
    assert "float16" in notes[0]
    assert "text-embeddings-inference" in notes[1]


def test_card(tiny_bert_dir: Path, tmp_path: Path) -> None:
    model = tiny_models.bert(tmp_path / "my-bert")
    (model / "README.md").write_text("---\nlanguage: en\nlicense: mit\n---\n# It\n")
    embedder = Embedder(Transformer(model), (1, 3), weights.Idf(), shapers.parse("abtt:3")).fit(FIT)
    export(embedder, "sentence-transformers", tmp_path / "model")
    card = (tmp_path / "model/README.md").read_text()
    assert "\nlicense: mit\n" in card
    assert "0.5 x layer 1 + 0.5 x layer 3" in card
    assert "Idf(" in card
    assert "AllButTheTop(n=3)" in card
    assert "150 texts" in card
    assert embedder.recipe.id in card
    assert str(tmp_path) not in card.replace(json.dumps(str(model.resolve())), "")


def test_what_no_module_can_do_is_refused(tiny_bert_dir: Path, tiny_roberta_dir: Path, tmp_path: Path) -> None:
    def bert(**settings: object) -> Transformer:
        return Transformer(tiny_bert_dir, **settings)  # type: ignore[arg-type]

    mix = Mix(bert(), Random(tiny_bert_dir, dims=16))
    cases = {
        "no module for quantile; .* zscore, .* --to onnx": Embedder(bert(), shapers=[shapers.Quantile()]).fit(FIT),
        "Mix at layers .* exportable": Embedder(mix, 1),
        "layer -1 .* model2vec": Embedder(bert(), -1),
        "windows=2 can't be exported": Embedder(bert(windows=2)),
        "sum to 0": Embedder(bert(), {1: 1.0, 3: -1.0}),
        "weighs 0 in the template and 1 in a text": Embedder(bert(template="T0"), 1, weights.Mean(template=False)),
        "no token of the template weighs": Embedder(bert(template='"[X]"'), 1, weights.Debiased()),
        r"First\(specials=False\)": Embedder(bert(), 1, weights.First(specials=False)),
        "depend on where a token stands": Embedder(Transformer(tiny_roberta_dir), 1, weights.Debiased()),
    }
    for message, embedder in cases.items():
        with pytest.raises(RecipeError, match=message):
            export(embedder, "sentence-transformers", tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_half_a_model_is_refused(tmp_path: Path) -> None:
    """sentence-transformers would load the encoder of BART as a whole BART, with random weights."""
    from transformers import BartConfig, BartModel

    tokenizer = tiny_models.byte_level()
    sizes = {f"{half}_{key}": n for half in ("encoder", "decoder") for key, n in HALF.items()}
    config = BartConfig(vocab_size=tokenizer.get_vocab_size(), d_model=16, pad_token_id=1, **sizes)
    model = Transformer(tiny_models.save(tmp_path / "bart", tiny_models.spread(BartModel(config)), tokenizer))
    with pytest.raises(RecipeError, match="loads the folder as a BartModel; exportable instead: this recipe --to onnx"):
        export(Embedder(model), "sentence-transformers", tmp_path / "model")
    assert [path.name for path in tmp_path.iterdir()] == ["bart"]


def test_a_model_that_reads_padding_is_refused(tmp_path: Path) -> None:
    from transformers import ConvBertConfig, ConvBertModel

    tokenizer = tiny_models.wordpiece()
    config = ConvBertConfig(**tiny_models.small(tokenizer) | {"embedding_size": 16, "num_hidden_layers": 1})
    model = Transformer(tiny_models.save(tmp_path / "conv", tiny_models.spread(ConvBertModel(config)), tokenizer))
    for form in ("sentence-transformers", "onnx"):
        with pytest.raises(ModelError, match="a ConvBertModel reads the padding of a batch"):
            export(Embedder(model), form, tmp_path / "model")
    assert [path.name for path in tmp_path.iterdir()] == ["conv"]


def test_foreign_parts_are_refused(tiny_bert: Transformer, tmp_path: Path) -> None:
    from sklearn.preprocessing import MaxAbsScaler

    class Own(weights.Mean):
        pass

    for part, embedder in {
        "MaxAbsScaler": Embedder(tiny_bert, shapers=[MaxAbsScaler()]).fit(FIT),
        "Own weights": Embedder(tiny_bert, weights=Own()),
    }.items():
        with pytest.raises(RecipeError, match=f"{part} can't be exported; exportable"):
            export(embedder, "sentence-transformers", tmp_path / "model")


def test_targets_that_can_not_be_written(
    tiny_bert: Transformer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = Embedder(tiny_bert)
    (tmp_path / "there").mkdir()
    with pytest.raises(OutputError, match="it exists; remove it"):
        export(embedder, "sentence-transformers", tmp_path / "there")
    with pytest.raises(OutputError, match="there is no folder"):
        export(embedder, "sentence-transformers", tmp_path / "nowhere/model")
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(OutputError, match="no permission"):
        export(embedder, "sentence-transformers", tmp_path / "model")


def test_missing_extra_names_its_line(tiny_bert: Transformer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match=r"pip install 'attar\[sentence-transformers\]'"):
        export(Embedder(tiny_bert), "sentence-transformers", tmp_path / "model")


def test_where_there_is_no_torch_the_line_is_the_same(tiny_bert_dir: Path, tmp_path: Path) -> None:
    code = f"""
        import sys
        from importlib.abc import MetaPathFinder

        class NotInstalled(MetaPathFinder):
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] in ("torch", "sentence_transformers"):
                    raise ModuleNotFoundError(name)

        sys.meta_path.insert(0, NotInstalled())
        from attar.cli import main
        main(["export", "plain", "--model", {str(tiny_bert_dir)!r}, "--to", "sentence-transformers", "-o", "model"])
    """
    ran = [sys.executable, "-c", textwrap.dedent(code)]
    ended = subprocess.run(ran, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "pip install 'attar[sentence-transformers]'" in ended.stderr


def test_an_unfitted_recipe_is_refused(tiny_bert: Transformer, tmp_path: Path) -> None:
    with pytest.raises(NotFittedError, match="ZScore must see texts first"):
        export(Embedder(tiny_bert, shapers=[shapers.ZScore()]), "sentence-transformers", tmp_path / "model")


def test_float64_runs_in_float64(cases: dict[str, Case], found: dict[str, Floats], tmp_path: Path) -> None:
    case = cases["float64"]
    assert json.loads((case.folder / "config.json").read_text())["dtype"] == "float64"
    assert found["float64"].dtype == np.float64
    check_same(found["float64"], case.wanted(), tolerance=2e-6)
    assert any("float64" in note for note in export(case.embedder, "sentence-transformers", tmp_path / "again"))
