"""Files made to do harm, thousands of them by `make fuzz`, a few of each kind here; seeded and bounded in time.

A target is a file that others may have written, and a command that reads it.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from invariants import bounded, holds
from mutations import NASTY, as_json, damaged_bytes, damaged_documents
from sample_cells import cell, write_run

from attar import Embedder, Table, Transformer, shapers, weights
from attar.persist import RECIPE, _content_sha256
from attar.sweep.store import COLUMNS, FILE

TEXTS = ["the cat sat on the mat", "a dog ran", "seven blue dogs", "music in the tree"]
GRID = """tasks = ["sts", "tweet"]
templates = ["none", "T4"]
layers = [["each"], ["first", "last"]]
weights = ["mean", "idf"]
shapes = [[], ["zscore", "unit"]]
mix = [0.0, 0.5]
"""
ENCODE = ("encode", "texts.txt", "--model", "model", "-o", "out.npy")


@pytest.fixture(scope="module")
def folder(tiny_bert_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything sound, to be copied and damaged."""
    here = tmp_path_factory.mktemp("sound")
    (here / "texts.txt").write_text("\n".join(TEXTS) + "\n")
    shutil.copytree(tiny_bert_dir, here / "model")
    encoder = Transformer(tiny_bert_dir)
    table = Table.average(encoder, TEXTS, (1, 3), progress=False)
    table.save(here / "table")
    fitted = Embedder(table, layers=(1, 3), weights=weights.Idf(), shapers=[shapers.ZScore(), shapers.Unit()]).fit(
        TEXTS
    )
    fitted.save(here / "recipe")
    write_run(here / "run", [cell(task, layers) for task in ("STS12", "tweet") for layers in ("1", "3", "1+3")])
    (here / "grid.toml").write_text(GRID)
    (here / "texts.csv").write_text('text,n\n"a ""quoted"" text",1\nb,2\n')
    (here / "texts.jsonl").write_text("".join(json.dumps({"text": text, "n": 1}) + "\n" for text in TEXTS))
    pq.write_table(pa.table({"text": TEXTS}), here / "texts.parquet")
    return here


def replaced(name: str, content: bytes) -> Any:
    def damage(here: Path) -> None:
        (here / name).write_bytes(content)

    return damage


def mutate_json(data: st.DataObject, path: Path) -> bytes:
    """Mostly sound JSON that says nonsense; sometimes none at all."""
    if data.draw(st.integers(0, 4)) == 0:
        return data.draw(damaged_bytes(path.read_bytes()))
    return as_json(data.draw(damaged_documents(json.loads(path.read_text()))))


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
def test_a_model_of_others(folder: Path, name: str) -> None:
    @bounded
    @given(st.data())
    def fuzz(data: st.DataObject) -> None:
        damage = replaced(f"model/{name}", mutate_json(data, folder / "model" / name))
        holds(name, folder, damage, *ENCODE)

    fuzz()


def split_header(content: bytes) -> tuple[Any, bytes]:
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length]), content[8 + length :]


@pytest.mark.parametrize(
    ("name", "model"), [("model/model.safetensors", "model"), ("table/table.safetensors", "table")]
)
def test_arrays_of_others(folder: Path, name: str, model: str) -> None:
    header, arrays = split_header((folder / name).read_bytes())

    @bounded
    @given(st.data())
    def fuzz(data: st.DataObject) -> None:
        text = as_json(data.draw(damaged_documents(header)))
        size = len(text) if data.draw(st.integers(0, 5)) else data.draw(st.sampled_from([0, 7, 2**40, 2**63, 10**8]))
        damage = replaced(name, size.to_bytes(8, "little") + text + arrays)
        holds(name, folder, damage, "encode", "texts.txt", "--model", model, "-o", "out.npy")

    fuzz()


@pytest.mark.parametrize("name", ["table/attar_table.json", "table/tokenizer.json"])
def test_a_table_of_others(folder: Path, name: str) -> None:
    @bounded
    @given(st.data())
    def fuzz(data: st.DataObject) -> None:
        damage = replaced(name, mutate_json(data, folder / name))
        holds(name, folder, damage, "encode", "texts.txt", "--model", "table", "-o", "out.npy")

    fuzz()


def test_a_recipe_of_others(folder: Path) -> None:
    sound = json.loads((folder / "recipe" / RECIPE).read_text())

    @bounded
    @given(st.data())
    def fuzz(data: st.DataObject) -> None:
        document = data.draw(damaged_documents(sound))
        if isinstance(document, dict) and data.draw(st.integers(0, 3)):  # signed by its maker
            document["recipe_sha256"] = _content_sha256(document)
        command = data.draw(
            st.sampled_from([("info", "recipe"), ("encode", "texts.txt", "--recipe", "recipe", "-o", "out.npy")])
        )
        holds("recipe.json", folder, replaced(f"recipe/{RECIPE}", as_json(document)), *command)

    fuzz()


def test_a_run_of_others(folder: Path) -> None:
    whole = (folder / "run" / FILE).read_bytes()
    values = st.sampled_from(
        [*(v for v in NASTY if isinstance(v, (str, int, float, type(None)))), b"\xff\x00", "1+99", "[X]"]
    )

    @bounded
    @given(st.data())
    def fuzz(data: st.DataObject) -> None:
        changes = data.draw(st.lists(st.tuples(st.sampled_from(COLUMNS), values), min_size=1, max_size=3))
        raw = data.draw(damaged_bytes(whole)) if data.draw(st.integers(0, 3)) == 0 else None

        def damage(here: Path) -> None:
            if raw is not None:
                (here / "run" / FILE).write_bytes(raw)
                return
            with closing(sqlite3.connect(here / "run" / FILE)) as connection, connection:
                connection.execute("PRAGMA ignore_check_constraints=ON")
                for column, value in changes:
                    with suppress(sqlite3.Error, OverflowError, UnicodeEncodeError):  # what sqlite itself refuses
                        connection.execute(f"UPDATE OR IGNORE cells SET {column} = ? WHERE layers = '1'", (value,))

        form = data.draw(st.sampled_from(["html", "csv", "md", "tex"]))
        command = data.draw(st.sampled_from([("best", "run"), ("report", "run", "-o", "out.npy", "--format", form)]))
        holds("cells.sqlite", folder, damage, *command)

    fuzz()


def test_a_grid_of_others(folder: Path) -> None:
    @bounded
    @given(st.data())
    def fuzz(data: st.DataObject) -> None:
        content = data.draw(damaged_bytes(GRID.encode()))
        holds(
            "grid",
            folder,
            replaced("grid.toml", content),
            "sweep",
            "--grid",
            "grid.toml",
            "--model",
            "no/such",
            "-o",
            "out.npy",
        )

    fuzz()


@pytest.mark.parametrize("name", ["texts.txt", "texts.csv", "texts.jsonl", "texts.parquet"])
def test_texts_of_others(folder: Path, name: str) -> None:
    whole = (folder / name).read_bytes()

    @bounded
    @given(st.data())
    def fuzz(data: st.DataObject) -> None:
        damage = replaced(name, data.draw(damaged_bytes(whole)))
        command = data.draw(
            st.sampled_from(
                [
                    ("encode", name, "--model", "table", "-o", "out.npy"),
                    ("fit", "--model", "table", "--weights", "idf", "--fit-anyway", "--on", name, "-o", "out.npy"),
                ]
            )
        )
        holds(name, folder, damage, *command)

    fuzz()


def test_a_gguf_file_of_others(folder: Path) -> None:
    pytest.importorskip("attar.checkpoints.gguf", reason="GGUF files are not read yet")
    head = b"GGUF" + (3).to_bytes(4, "little") + (1).to_bytes(8, "little") + (2).to_bytes(8, "little")
    text = b"general.architecture"
    whole = (
        head + len(text).to_bytes(8, "little") + text + (8).to_bytes(4, "little") + (5).to_bytes(8, "little") + b"llama"
    )

    @bounded
    @given(st.data())
    def fuzz(data: st.DataObject) -> None:
        damage = replaced("model.gguf", data.draw(damaged_bytes(whole + b"\x00" * 400)))
        holds("gguf", folder, damage, "encode", "texts.txt", "--model", "model.gguf", "-o", "out.npy")

    fuzz()
