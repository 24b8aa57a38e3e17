"""A corpus to Parquet parts: the vectors of Embedder.encode, in order, resumable, checked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from corpora import sentences, text_file
from inline_executor import Inline

from attar import Embedder, Table, Transformer, shapers, weights
from attar.corpus import embed_corpus, verify_corpus
from attar.errors import DataError, InputError, OutputError, RecipeError


@pytest.fixture(scope="module")
def recipe(tiny_bert: Transformer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recipes") / "fitted"
    made = Embedder(tiny_bert, (1, 3), weights.Idf(), [shapers.ZScore()]).fit(sentences(200))
    made.save(folder)
    return folder


def embed(recipe: Path, texts: Path | list[str], out: Path, executor: Any = None, **choices: Any) -> dict[str, Any]:
    given = [str(texts)] if isinstance(texts, Path) else texts
    return embed_corpus(recipe, given, out, executor or Inline(), progress=False, **choices)


def table_of(out: Path) -> pa.Table:
    return ds.dataset(out).to_table()


def vectors_of(out: Path) -> np.ndarray:
    column = table_of(out)["vector"].combine_chunks()
    return column.flatten().to_numpy().reshape(len(column), -1)


def test_vectors_ids_and_order(recipe: Path, tmp_path: Path) -> None:
    first, second = text_file(tmp_path / "a.txt", 31), text_file(tmp_path / "b.txt", 10, seed=1)
    manifest = embed(recipe, [str(first), str(second)], tmp_path / "out", shards=4)
    texts = sentences(31) + sentences(10, 1)
    np.testing.assert_allclose(vectors_of(tmp_path / "out"), Embedder.load(recipe).encode(texts), atol=1e-5)
    table = table_of(tmp_path / "out")
    assert table["id"].to_pylist() == list(range(41))
    assert pa.types.is_fixed_size_list(table.schema.field("vector").type)
    assert table.schema.names == ["id", "vector"]
    assert sorted(path.name for path in (tmp_path / "out").glob("*.parquet")) == [
        f"part-0000{i}.parquet" for i in range(4)
    ]
    assert (manifest["rows"], manifest["dims"], len(manifest["parts"])) == (41, 16, 4)
    assert [part["first_row"] for part in manifest["parts"]] == [0, 10, 20, 30]
    assert verify_corpus(tmp_path / "out") == manifest


def test_own_ids_and_texts_are_kept(recipe: Path, tmp_path: Path) -> None:
    rows = [{"key": f"k{i}", "body": text} for i, text in enumerate(sentences(12))]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    embed(recipe, tmp_path / "a.jsonl", tmp_path / "out", column="body", id_column="key", keep_text=True, shards=2)
    table = table_of(tmp_path / "out")
    assert table["id"].to_pylist() == [row["key"] for row in rows]
    assert table["text"].to_pylist() == [row["body"] for row in rows]


def test_lone_surrogates_are_replaced_in_kept_texts(recipe: Path, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a \\ud800 cat"}\n{"text": "nul \\u0000"}\n')
    embed(recipe, tmp_path / "a.jsonl", tmp_path / "out", keep_text=True)
    assert table_of(tmp_path / "out")["text"].to_pylist() == ["a \ufffd cat", "nul \0"]


def test_a_rerun_does_only_what_is_missing(recipe: Path, tmp_path: Path) -> None:
    texts, out = text_file(tmp_path / "a.txt", 40), tmp_path / "out"
    with pytest.raises(DataError, match=r"2 of 5 shards failed, all others are done \(part-00001: .*; part-00003: "):
        embed(recipe, texts, out, Inline(fail={"part-00001", "part-00003"}), shards=5)
    with pytest.raises(DataError, match="3 shards are done; run the same command again"):
        verify_corpus(out)
    (out / ".part-00001.parquet.stale.part").write_text("left by a killed worker")
    again = Inline()
    manifest = embed(recipe, texts, out, again, shards=5)
    assert [unit.name for unit in again.seen] == ["part-00001", "part-00003"]
    whole = embed(recipe, texts, tmp_path / "at-once", shards=5)
    assert manifest["parts"] == whole["parts"]
    assert not list(out.glob(".*"))


def test_what_killed_workers_left_is_swept(recipe: Path, tmp_path: Path) -> None:
    class Littering(Inline):
        def map(self, work: Any, units: Any) -> Any:
            yield from super().map(work, units)
            if (tmp_path / "out").is_dir():
                (tmp_path / "out" / ".part-00001.parquet.0123.part").touch()

    embed(recipe, text_file(tmp_path / "a.txt", 40), tmp_path / "out", Littering(), shards=4)
    assert not list((tmp_path / "out").glob(".*"))


def test_a_stopped_run_leaves_nothing_half_written(recipe: Path, tmp_path: Path, caplog: Any) -> None:
    texts, out = text_file(tmp_path / "a.txt", 40), tmp_path / "out"

    class Stopped(Inline):
        closed = False

        def map(self, work: Any, units: Any) -> Any:
            outcomes = super().map(work, units)
            yield next(outcomes)
            if out.is_dir():
                (out / ".part-00001.parquet.0123.part").touch()
                raise KeyboardInterrupt

        def close(self) -> None:
            assert list(out.glob(".*"))  # removed when nobody writes any more
            self.closed = True

    stopped = Stopped()
    with caplog.at_level("INFO", "attar"), pytest.raises(KeyboardInterrupt):
        embed(recipe, texts, out, stopped, shards=4)
    assert stopped.closed
    assert not list(out.glob(".*"))
    assert "1 of 4 shards are done; run the same command to continue" in caplog.text
    assert len(embed(recipe, texts, out, shards=4)["parts"]) == 4


def test_a_truncated_part_is_made_again(recipe: Path, tmp_path: Path) -> None:
    texts, out = text_file(tmp_path / "a.txt", 20), tmp_path / "out"
    before = embed(recipe, texts, out, shards=2)
    (out / "part-00001.parquet").write_bytes((out / "part-00001.parquet").read_bytes()[:-5])
    again = Inline()
    assert embed(recipe, texts, out, again, shards=2)["parts"] == before["parts"]
    assert [unit.name for unit in again.seen] == ["part-00001"]


def test_verify_notices_every_kind_of_damage(recipe: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    embed(recipe, text_file(tmp_path / "a.txt", 40), out, shards=4)
    data = [(out / f"part-0000{i}.parquet").read_bytes() for i in range(4)]
    (out / "part-00000.parquet").write_bytes(data[0][:-1])
    flipped = bytearray(data[1])
    flipped[len(flipped) // 2] ^= 1
    (out / "part-00001.parquet").write_bytes(flipped)
    (out / "part-00002.parquet").rename(out / "part-00009.parquet")
    with pytest.raises(DataError) as caught:
        verify_corpus(out)
    for told in ("part-00000.parquet has", "part-00001.parquet has another checksum", "part-00002.parquet is missing"):
        assert told in str(caught.value)
    assert "part-00009.parquet is not in the manifest" in str(caught.value)
    assert "part-00003" not in str(caught.value)
    with pytest.raises(DataError, match="nothing was embedded there"):
        verify_corpus(tmp_path)


@pytest.mark.parametrize(
    ("old", "new"), [('"bytes"', '"octets"'), ('"sha256": "', '"sha256": 3, "was": "'), ("{", "[{")]
)
def test_a_damaged_manifest_is_told(recipe: Path, tmp_path: Path, old: str, new: str) -> None:
    embed(recipe, text_file(tmp_path / "a.txt", 4), tmp_path / "out")
    path = tmp_path / "out" / "_manifest.json"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(DataError, match=r"_manifest\.json is damaged: .*run the same command to write it again"):
        verify_corpus(tmp_path / "out")
    path.unlink()
    embed(recipe, tmp_path / "a.txt", tmp_path / "out")
    verify_corpus(tmp_path / "out")


def test_other_recipes_inputs_and_choices_are_refused(recipe: Path, tiny_bert_dir: Path, tmp_path: Path) -> None:
    texts, out = text_file(tmp_path / "a.txt", 20), tmp_path / "out"
    embed(recipe, texts, out, shards=2)
    with pytest.raises(OutputError, match="begun with different number of shards"):
        embed(recipe, texts, out, shards=3)
    with pytest.raises(OutputError, match="begun with different columns"):
        embed(recipe, texts, out, shards=2, keep_text=True)
    with pytest.raises(OutputError, match="begun with different recipe"):
        embed(tiny_bert_dir, texts, out, shards=2)
    text_file(texts, 20, seed=5)
    with pytest.raises(OutputError, match=r"begun with different input; .*--overwrite"):
        embed(recipe, texts, out, shards=2)
    embed(recipe, texts, out, shards=3, overwrite=True)
    assert len(list(out.glob("*.parquet"))) == 3


def test_foreign_folders_are_left_alone(recipe: Path, tmp_path: Path) -> None:
    texts = text_file(tmp_path / "a.txt", 5)
    with pytest.raises(OutputError, match=r"holds other things, such as 'a\.txt'"):
        embed(recipe, texts, tmp_path, overwrite=True)
    assert texts.exists()
    with pytest.raises(OutputError, match="it is a file"):
        embed(recipe, texts, texts)


def test_models_tables_and_named_recipes(tiny_bert: Transformer, tiny_bert_dir: Path, tmp_path: Path) -> None:
    texts = text_file(tmp_path / "a.txt", 15)
    embed(tiny_bert_dir, texts, tmp_path / "model")
    plain = Embedder(tiny_bert).encode(sentences(15))
    np.testing.assert_allclose(vectors_of(tmp_path / "model"), plain, atol=1e-5)
    embed(Path("plain"), texts, tmp_path / "named", model=tiny_bert_dir)
    np.testing.assert_array_equal(vectors_of(tmp_path / "named"), vectors_of(tmp_path / "model"))
    table = Table.average(tiny_bert, sentences(50), (1, 3), progress=False)
    table.save(tmp_path / "my-table")
    embed(tmp_path / "my-table", texts, tmp_path / "table")
    np.testing.assert_allclose(vectors_of(tmp_path / "table"), table.encode(sentences(15)), atol=1e-5)


def test_a_moved_model_is_used_as_the_recipe_says(tiny_bert_dir: Path, tmp_path: Path) -> None:
    texts = text_file(tmp_path / "a.txt", 5)
    embedder = Embedder(Transformer(tiny_bert_dir, template="T0"))
    embedder.save(tmp_path / "recipe")
    moved = shutil.copytree(tiny_bert_dir, tmp_path / "moved")
    embed(tmp_path / "recipe", texts, tmp_path / "out", model=moved)
    np.testing.assert_allclose(vectors_of(tmp_path / "out"), embedder.encode(sentences(5)), atol=1e-5)


def test_an_unfitted_recipe_is_refused(tiny_bert_dir: Path, tmp_path: Path) -> None:
    texts = text_file(tmp_path / "a.txt", 5)
    with pytest.raises(RecipeError, match=r"'similarity' has to learn from texts first.*attar fit"):
        embed(Path("similarity"), texts, tmp_path / "out", model=tiny_bert_dir)
    with pytest.raises(InputError, match="unknown recipe 'plane'"):
        embed(Path("plane"), texts, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_happened_to_texts_is_counted(recipe: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a cat\n\n" + "cat " * 100 + "\n")
    counts = embed(recipe, tmp_path / "a.txt", tmp_path / "out", shards=3)["counts"]
    assert (counts["texts"], counts["empty"], counts["truncated"]) == (3, 1, 1)
