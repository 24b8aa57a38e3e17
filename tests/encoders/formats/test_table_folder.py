"""Table folders: round trips, memory mapping, other libraries' layouts, damage."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from small_tables import few_vectors, few_words

from attar import Embedder, Table
from attar.errors import ModelError, OutputError

TEXTS = ["the cat sat", "dog", "", "what the dog"]


def some_table() -> Table:
    vectors = {1: few_vectors(seed=1), 12: few_vectors(seed=12)}
    counts = np.arange(10)
    made = {"how": "by hand", "unseen": 1}
    return Table(vectors, few_words(), np.linspace(1, 2, 10), counts=counts, skip_unknown=True, made=made)


@pytest.fixture
def folder(tmp_path):
    some_table().save(tmp_path / "table")
    return tmp_path / "table"


def test_round_trip(folder):
    table, again = some_table(), Table.load(folder)
    np.testing.assert_array_equal(again.encode(TEXTS), table.encode(TEXTS))
    np.testing.assert_array_equal(again.counts, table.counts)
    assert again.spec() == table.spec()
    assert again.made == table.made
    assert (again.layers, again.normalize, again.skip_unknown) == ((1, 12), False, True)
    assert sorted(p.name for p in folder.iterdir()) == ["attar_table.json", "table.safetensors", "tokenizer.json"]


def test_vectors_stay_on_disk(folder):
    rows = Table.load(folder).by_layer[12]
    while not isinstance(rows, np.memmap) and rows.base is not None:
        rows = rows.base
    assert isinstance(rows, np.memmap)


def test_a_loaded_table_can_be_saved_again(folder, tmp_path):
    Table.load(folder).save(tmp_path / "again")
    assert Table.load(tmp_path / "again").fingerprint == some_table().fingerprint


def test_nothing_is_overwritten_unless_asked(folder):
    with pytest.raises(OutputError, match="exists"):
        some_table().save(folder)
    Table(few_vectors(), few_words()).save(folder, overwrite=True)
    assert Table.load(folder).layers == (1,)


def test_a_recipe_keeps_its_table(tmp_path):
    embedder = Embedder(some_table(), layers=(1, 12))
    wanted = embedder.encode(TEXTS)
    embedder.save(tmp_path / "recipe")
    np.testing.assert_array_equal(Embedder.load(tmp_path / "recipe").encode(TEXTS), wanted)


def altered(folder, **changes):
    path = folder / "attar_table.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"format": 2},
        {"layers": []},
        {"layers": ["../1"]},
        {"layers": [1, True]},
        {"layers": "1"},
        {"normalize": 1},
        {"made": None},
    ],
)
def test_altered_descriptions_are_refused(folder, changes):
    altered(folder, **changes)
    with pytest.raises(ModelError, match=r"attar_table\.json"):
        Table.load(folder)


def test_layers_and_arrays_must_agree(folder):
    altered(folder, layers=[1])
    with pytest.raises(ModelError, match=r"does not name: \['layer\.12'\]"):
        Table.load(folder)
    altered(folder, layers=[1, 2, 12])
    with pytest.raises(ModelError, match=r"no array 'layer\.2'"):
        Table.load(folder)


@pytest.mark.parametrize("name", ["attar_table.json", "table.safetensors", "tokenizer.json"])
@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[]", b"{}"])
def test_damaged_files_are_refused(folder, name, content):
    (folder / name).write_bytes(content)
    with pytest.raises(ModelError, match=name):
        Table.load(folder)


def test_every_cut_of_the_arrays_is_noticed(folder):
    path = folder / "table.safetensors"
    whole = path.read_bytes()
    for size in range(0, len(whole), 37):
        path.write_bytes(whole[:size])
        with pytest.raises(ModelError, match=r"table\.safetensors"):
            Table.load(folder)


def test_missing_files_are_named(folder, tmp_path):
    for name in ("table.safetensors", "tokenizer.json"):
        (folder / name).rename(tmp_path / name)
        with pytest.raises(ModelError, match=name):
            Table.load(folder)
        (tmp_path / name).rename(folder / name)
    with pytest.raises(ModelError, match="no such folder"):
        Table.load(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match="is not a table"):
        Table.load(tmp_path / "empty")


def test_a_transformer_is_not_a_table(tmp_path):
    few_words().save(str(tmp_path / "tokenizer.json"))
    header = b'{"w":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}}'
    (tmp_path / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + b"12")
    with pytest.raises(ModelError, match="is not a table"):
        Table.load(tmp_path)


def test_a_tokenizer_of_another_table(folder):
    arrays = load_file(folder / "table.safetensors")
    save_file({name: array[:7].copy() for name, array in arrays.items()}, folder / "table.safetensors")
    with pytest.raises(ValueError, match="7 rows, but its tokenizer has 10"):
        Table.load(folder)


@pytest.mark.parametrize("place", [".", "0_StaticEmbedding"])
def test_sentence_transformers_static_layout_by_hand(tmp_path, place):
    inner = tmp_path / place
    inner.mkdir(exist_ok=True)
    few_words().save(str(inner / "tokenizer.json"))
    save_file({"embedding.weight": few_vectors()}, inner / "model.safetensors")
    np.testing.assert_array_equal(Table.load(tmp_path).encode(TEXTS), Table(few_vectors(), few_words()).encode(TEXTS))
    modules = [
        {"type": "sentence_transformers.models.StaticEmbedding"},
        {"type": "sentence_transformers.models.Normalize"},
    ]
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    assert Table.load(tmp_path).normalize


@pytest.mark.slow
def test_sentence_transformers_static_layout(tmp_path):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, StaticEmbedding

    static = StaticEmbedding(few_words(), embedding_weights=few_vectors(dims=4))
    for name, modules in (("plain", [static]), ("unit", [static, Normalize()])):
        model = SentenceTransformer(modules=modules, device="cpu")
        model.save(str(tmp_path / name))
        texts = [text for text in TEXTS if text]
        np.testing.assert_allclose(Table.load(tmp_path / name).encode(texts), model.encode(texts), atol=1e-6)
