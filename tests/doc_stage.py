"""The folder that the documentation speaks of, with small models and texts in place of real ones."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow
from click.testing import CliRunner
from pyarrow import parquet

import small_gguf
import tiny_models
from attar import Embedder, Table, Transformer, scores, shapers, tasks
from attar.cli import attar
from attar.demo.sample import Sample
from attar.exports import export

WORDS = [
    "the cat sat on a mat",
    "a dog ran to the river",
    "seven blue trees",
    "red light on the river",
    "music for the man",
]


def texts() -> list[str]:
    """Enough to learn from."""
    return [f"{first} and {second}" for first in WORDS for second in Sample.read().documents[:13]]


def build(folder: Path) -> None:
    """All that pages name."""
    rows = texts()
    for name in ("texts.txt", "more.txt", "corpus.txt", "your-texts.txt"):
        (folder / name).write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "questions.txt").write_text("how do I undo a commit?\nwhere is the cat?\n", encoding="utf-8")
    for name in ("titles.csv", "more.csv", "texts.csv"):
        lines = ["title,text", *(f'"{row}","{row}"' for row in rows)]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, part in (("train.jsonl", rows[:40]), ("test.jsonl", rows[30:])):
        (folder / name).write_text("".join(json.dumps({"text": row}) + "\n" for row in part), encoding="utf-8")
    (folder / "in").mkdir()
    parquet.write_table(pyarrow.table({"text": rows}), folder / "in/part.parquet")
    _models(folder, rows)
    _run(folder)


def names(folder: Path) -> dict[str, Any]:
    """What snippets of Python take for granted."""
    rows = texts()
    encoder = Transformer(folder / "mobilebert-uncased")
    embedder = Embedder(encoder, shapers=[shapers.ZScore()]).fit(rows)
    task = tasks.from_file(folder / "mine.tsv")
    vectors = {"plain": Embedder(encoder).encode(task.texts), "shaped": embedder.encode(task.texts)}
    labels = [0, 1] * (len(rows) // 2) + [0]
    return {
        "texts": rows,
        "corpus": rows,
        "labels": labels,
        "embedder": embedder,
        "task": task,
        "scores": scores,
        **vectors,
    }


def _models(folder: Path, rows: list[str]) -> None:
    small = tiny_models.bert(folder / "mobilebert-uncased")
    tiny_models.bert(folder / "bert-base-uncased", num_hidden_layers=12)
    for name in ("MODEL_FOLDER", "bert-base-uncased-folder"):
        shutil.copytree(small, folder / name)
    _causal(folder / "smollm2.gguf")
    encoder = Transformer(small)
    Embedder(encoder, 1, shapers=[shapers.ZScore()]).fit(rows).save(folder / "my-recipe")
    table = Embedder(encoder, -1, shapers=[shapers.Unit()])
    table.save(folder / "my-table-recipe")
    export(table, "model2vec", folder / "potion-base-8M")
    Table.average(encoder, rows, layers=(1,)).save(folder / "some-table")
    vectors = "".join(f"{word} {i}.5 0.{i} 1.0\n" for i, word in enumerate(tiny_models.WORDS))
    (folder / "b2s.vec").write_text(vectors, encoding="utf-8")


def _run(folder: Path) -> None:
    """A sweep of two cells."""
    grid = folder / "grid.toml"
    pairs = "".join(f"{i % 6}\t{WORDS[i % 5]}\t{WORDS[i % 3]}\n" for i in range(30))
    (folder / "mine.tsv").write_text("score\tsentence1\tsentence2\n" + pairs, encoding="utf-8")
    grid.write_text(f'tasks = ["{folder}/mine.tsv"]\nmodels = ["{folder}/mobilebert-uncased"]\n', encoding="utf-8")
    done = CliRunner().invoke(attar, ["sweep", "--grid", str(grid), "-o", str(folder / "RUN")])
    assert done.exit_code == 0, done.output


def _causal(path: Path) -> None:
    import transformers

    settings = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
    vocabulary = len(small_gguf.tokenizer_metadata()["tokenizer.ggml.tokens"])
    config = transformers.LlamaConfig(
        **settings, intermediate_size=64, max_position_embeddings=256, vocab_size=vocabulary
    )
    small_gguf.of_model(path, tiny_models.spread(transformers.LlamaModel(config)), "llama")
