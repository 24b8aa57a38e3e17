"""Saved folders that were cut, altered or made to harm: each is one line of ours, and nothing is run."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import tiny_models
from attar import Embedder, Mix, Random, Transformer
from attar.errors import AttarError, RecipeError
from attar.persist import _content_sha256
from attar.shapers import Quantile, Unit, Whiten, ZScore
from attar.weights import Debiased, Idf, Sif

TEXTS = ["the cat sat on the mat", "a dog ran", "music: red, blue", "walk to the river", "play, man", "seven"]


@pytest.fixture(scope="module")
def good(tiny_bert, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("good") / "saved"
    Embedder(tiny_bert, (1, 3), Idf(), [ZScore(), Whiten(4), Quantile(), Unit()]).fit(TEXTS).save(folder)
    return folder


@pytest.fixture
def saved(good, tmp_path) -> Path:
    return Path(shutil.copytree(good, tmp_path / "saved"))


def failure(folder: Path) -> str:
    """The one line told by loading and using the folder."""
    with pytest.raises(AttarError) as raised:
        Embedder.load(folder).encode(TEXTS)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def edit(folder: Path, change: Callable[[dict[str, Any]], object], *, sign: bool = True) -> None:
    """Change recipe.json; signed as one would who wants to deceive."""
    content = json.loads((folder / "recipe.json").read_text())
    change(content)
    if sign:
        content["recipe_sha256"] = _content_sha256(content)
    (folder / "recipe.json").write_text(json.dumps(content))


def edit_state(folder: Path, change: Callable[[dict[str, np.ndarray]], object]) -> None:
    """Change arrays, with a hash that matches."""
    arrays = load_file(folder / "state.safetensors")
    change(arrays)
    save_file(arrays, folder / "state.safetensors")
    digest = hashlib.sha256((folder / "state.safetensors").read_bytes()).hexdigest()
    edit(folder, lambda content: content.update(state_sha256=digest))


def test_the_folder_is_good_to_begin_with(saved):
    edit(saved, lambda content: None)
    edit_state(saved, lambda arrays: None)
    assert Embedder.load(saved).encode(TEXTS).shape == (6, 4)


@pytest.mark.parametrize("name", ["recipe.json", "state.safetensors"])
def test_missing_files(saved, name):
    (saved / name).unlink()
    assert name in failure(saved)


def test_no_folder(tmp_path):
    assert "is not a recipe folder" in failure(tmp_path / "nowhere")
    assert "is not a recipe folder" in failure(tmp_path)
    (tmp_path / "file").touch()
    assert "is not a recipe folder" in failure(tmp_path / "file")
    failure(Path("x" * 5000))
    failure(Path("a\0b"))


@pytest.mark.parametrize("name", ["recipe.json", "state.safetensors"])
def test_cut_anywhere(saved, good, name):
    whole = (good / name).read_bytes()
    for keep in (0, 1, 8, len(whole) // 3, len(whole) // 2, len(whole) - 3):
        (saved / name).write_bytes(whole[:keep])
        assert name in failure(saved)


@pytest.mark.parametrize("name", ["recipe.json", "state.safetensors"])
def test_a_changed_byte_anywhere(saved, good, name):
    whole = (good / name).read_bytes()
    draw = random.Random(0)
    for _ in range(60):
        at = draw.randrange(len(whole))
        flipped = bytes([whole[at] ^ (1 << draw.randrange(7))])
        if name == "recipe.json" and whole[at : at + 1].isspace() and flipped.isspace():
            continue  # says the same
        (saved / name).write_bytes(whole[:at] + flipped + whole[at + 1 :])
        failure(saved)


@pytest.mark.parametrize(
    "content", ["", "null", "[]", "5", '"x"', "{", "{}", "[" * 100_000, "\xff\xfe", '{"format": 1}']
)
def test_other_content_in_place_of_the_recipe(saved, content):
    (saved / "recipe.json").write_bytes(content.encode("latin-1"))
    failure(saved)


def test_other_format_numbers(saved):
    for number in (0, 2, "1", None, True, 1.5):
        edit(saved, lambda content, number=number: content.update(format=number))
        if number is True:
            continue  # equal to 1, and harmless
        assert "not a recipe of format 1" in failure(saved)


def test_an_edit_without_the_hash_is_noticed(saved):
    edit(saved, lambda content: content["weights"]["params"].update(specials=True), sign=False)
    assert "does not match its own sha256" in failure(saved)


EDITS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "weights": (lambda c: c["weights"].update(name="Odd"), "unknown weights"),
    "weights path": (lambda c: c["weights"].update(name="../../../etc/passwd"), "unknown weights"),
    "other weights": (lambda c: c.update(weights={"name": "Sif", "params": {}}), "Sif wants the arrays"),
    "weights that need no state": (lambda c: c.update(weights={"name": "Mean", "params": {}}), "Mean wants the arrays"),
    "shaper": (lambda c: c["shapers"][0].update(name="builtins.exec"), "unknown shaper"),
    "shaper path": (lambda c: c["shapers"][0].update(name="../ZScore"), "unknown shaper"),
    "one shaper less": (lambda c: c["shapers"].pop(), None),
    "one shaper of the first less": (lambda c: c["shapers"].pop(0), "arrays"),
    "one shaper more": (lambda c: c["shapers"].append({"name": "Center", "params": {}}), "arrays"),
    "other width": (lambda c: c["shapers"][1]["params"].update(n_components=5), "must give 5"),
    "layers": (lambda c: c.update(layers=[[99, None]]), "layer 99 is out of range"),
    "encoder type": (lambda c: c["encoder"].update(type="../../encoder"), "unknown encoder type"),
    "encoder without arrays": (lambda c: c.update(encoder={"type": "table"}), ""),
    "model that is no name": (lambda c: c["encoder"].update(model=5), "the model 5"),
    "model nowhere": (lambda c: c["encoder"].update(model="/no/such/model"), "no model folder at"),
    "model up the tree": (lambda c: c["encoder"].update(model="../../../../no/model"), "no model folder at"),
    "model on a hub": (lambda c: c["encoder"].update(model="someone/else"), "someone/else"),
    "pickle": (lambda c: c["encoder"].update(weights_format="pickle"), "pickle"),
    "template": (lambda c: c["encoder"].update(template="no slot"), "exactly one"),
    "template of another kind": (lambda c: c["encoder"].update(template=5), "5"),
    "limit": (lambda c: c["encoder"].update(max_tokens="many"), "many"),
    "windows": (lambda c: c["encoder"].update(windows=-3), "windows=-3"),
    "state hash": (lambda c: c.update(state_sha256=None), "state.safetensors is damaged"),
    "no account of texts": (lambda c: c["fitted_on"].update(target=7), "an account of texts"),
    "accounts of another kind": (lambda c: c.update(fitted_on=["target", "background"]), "fitted_on"),
    "model hash": (lambda c: c.update(model_sha256="00"), "is not the one it was fitted with"),
}


@pytest.mark.parametrize(("change", "told"), EDITS.values(), ids=EDITS)
def test_signed_edits_of_the_recipe(saved, change, told):
    edit(saved, change)
    if told is None:  # Unit keeps nothing: a shorter chain is another good recipe
        assert Embedder.load(saved).encode(TEXTS).shape == (6, 4)
    else:
        assert told in failure(saved)


FREQUENCY, N = "weights/document_frequency", "weights/n_documents"
ARRAYS: dict[str, tuple[Callable[[dict[str, np.ndarray]], object], str]] = {
    "gone": (lambda a: a.pop(FREQUENCY), "wants the arrays"),
    "extra": (lambda a: a.update(extra=np.zeros(3)), "does not know"),
    "extra for a shaper": (lambda a: a.update({"shapers/0/extra": np.zeros(3)}), "arrays"),
    "climbing name": (lambda a: a.update({"../../evil": np.zeros(3)}), "does not know"),
    "climbing name inside": (lambda a: a.update({"weights/../../evil": np.zeros(3, dtype=np.int64)}), "arrays"),
    "shaper that is not there": (lambda a: a.update({"shapers/9/scale": np.zeros(3)}), "does not know"),
    "axes": (lambda a: a.update({FREQUENCY: a[FREQUENCY][None]}), "one row"),
    "length": (lambda a: a.update({FREQUENCY: a[FREQUENCY][:6]}), "know 6 tokens"),
    "no length": (lambda a: a.update({FREQUENCY: a[FREQUENCY][:0]}), "one row"),
    "floats": (lambda a: a.update({FREQUENCY: a[FREQUENCY].astype(np.float64)}), "float64"),
    "negative": (lambda a: a.update({FREQUENCY: a[FREQUENCY] - 1}), "damaged"),
    "more than all": (lambda a: a.update({FREQUENCY: a[FREQUENCY] + 99}), "do not fit together"),
    "two numbers": (lambda a: a.update({N: np.array([6, 6])}), "do not fit together"),
    "scale's axes": (lambda a: a.update({"shapers/0/scale": a["shapers/0/scale"][None]}), "axes"),
    "scale's length": (lambda a: a.update({"shapers/0/scale": a["shapers/0/scale"][:3]}), ""),
    "not a number": (lambda a: a.update({"shapers/0/offset": a["shapers/0/offset"] * np.nan}), "not finite"),
    "matrix": (lambda a: a.update({"shapers/1/matrix": a["shapers/1/matrix"].T.copy()}), ""),
    "both of another width": (
        lambda a: a.update({f"shapers/0/{k}": np.ones(3) for k in ("scale", "offset")}),
        "",
    ),
    "quantiles": (lambda a: a.update({"shapers/2/quantiles": -a["shapers/2/quantiles"]}), "do not ascend"),
    "fewer quantiles": (lambda a: a.update({"shapers/2/quantiles": a["shapers/2/quantiles"][:2]}), ""),
}


@pytest.mark.parametrize(("change", "told"), ARRAYS.values(), ids=ARRAYS)
def test_arrays_with_a_hash_that_matches(saved, change, told):
    edit_state(saved, change)
    assert told in failure(saved)


def test_a_type_that_numpy_does_not_have(saved):
    header = json.dumps({"weights/x": {"dtype": "BF16", "shape": [1], "data_offsets": [0, 2]}}).encode()
    (saved / "state.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + b"\0\0")
    digest = hashlib.sha256((saved / "state.safetensors").read_bytes()).hexdigest()
    edit(saved, lambda content: content.update(state_sha256=digest))
    failure(saved)


@pytest.mark.parametrize("weights", [Debiased(), Sif()])
def test_arrays_of_other_weights(tiny_bert, tmp_path, weights):
    Embedder(tiny_bert, weights=weights).fit(TEXTS).save(tmp_path / "saved")
    for change in (
        lambda a: a.update({k: v[None] for k, v in a.items()}),
        lambda a: a.update({k: v.astype(np.float32) for k, v in a.items()}),
        lambda a: a.popitem(),
    ):
        broken = Path(shutil.copytree(tmp_path / "saved", tmp_path / "broken"))
        edit_state(broken, change)
        failure(broken)
        shutil.rmtree(broken)


def test_arrays_of_unequal_length(tiny_bert, tmp_path):
    Embedder(tiny_bert, weights=Debiased()).fit(TEXTS).save(tmp_path / "saved")
    edit_state(tmp_path / "saved", lambda a: a.update({"weights/keep": a["weights/keep"][:5]}))
    assert "do not fit together" in failure(tmp_path / "saved")


def test_another_model_under_the_same_path(tiny_bert_dir, tmp_path):
    model = Path(shutil.copytree(tiny_bert_dir, tmp_path / "model"))
    Embedder(Transformer(model), weights=Idf()).fit(TEXTS).save(tmp_path / "saved")
    shutil.rmtree(model)
    tiny_models.bert(model, seed=1)
    assert "is not the one it was fitted with" in failure(tmp_path / "saved")
    with pytest.raises(RecipeError, match="is not the one"):
        Embedder.load(tmp_path / "saved", encoder=Transformer(model))


def test_another_model_in_a_mix(tiny_bert_dir, tmp_path):
    model = Path(shutil.copytree(tiny_bert_dir, tmp_path / "model"))
    Embedder(Mix(Transformer(model), Random(tiny_bert_dir, dims=16)), layers=1).save(tmp_path / "saved")
    assert Embedder.load(tmp_path / "saved").encode(TEXTS).shape == (len(TEXTS), 16)
    shutil.rmtree(model)
    tiny_models.bert(model, seed=1)
    assert "is not the one it was fitted with" in failure(tmp_path / "saved")


def test_a_model_that_is_gone(tiny_bert_dir, tmp_path):
    model = Path(shutil.copytree(tiny_bert_dir, tmp_path / "model"))
    Embedder(Transformer(model)).save(tmp_path / "saved")
    shutil.rmtree(model)
    told = failure(tmp_path / "saved")
    assert "no model folder at" in told
    assert "if it has moved, say where it is now: --model FOLDER" in told
    model.mkdir()
    assert "config.json" in failure(tmp_path / "saved")
