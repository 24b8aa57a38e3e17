"""A folder that holds one of everything Attar reads, all of it sound: what is damaged is a copy of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from kept import make_kept
from sample_cells import cell, write_run

import small_gguf
import tiny_models
from attar import Embedder, Mix, Random, Table, Transformer, WordVectors, shapers, weights
from attar.exports import export
from attar.jobs.index import Index
from attar_process import Limits, run

TEXTS = ["the cat sat on the mat", "a dog ran", "seven blue dogs", "music in the tree"]
SLOW = Limits(seconds=600)
SWEEP = ("sweep", "--grid", "own.toml", "--model", "table", "--keep", "-o", "swept")
CHOOSE = ("choose", "many.txt", "--model", "table", "--sample", "20", "--keep", "-o", "kept")
GROUPS = ("groups", "many.txt", "--recipe", "recipe", "-k", "2", "--projection", "pca", "-o", "grouped")
MADE = (
    ("corpus", "recipe", "texts.txt", "-o", "corpus", "--workers", "1", "--shards", "2"),
    SWEEP,
    CHOOSE,
    GROUPS,
)
OWN_GRID = 'tasks = ["sts:pairs.tsv"]\nlayers = [[1], [1, 3]]\nweights = ["mean", "idf"]\nshapes = [[], ["zscore"]]\n'
GRID = """tasks = ["sts", "tweet"]
templates = ["none", "T4"]
layers = [["each"], ["first", "last"]]
weights = ["mean", "idf"]
shapes = [[], ["zscore", "unit"]]
mix = [0.0, 0.5]
"""


def make_sound(here: Path) -> Path:
    """Fills an empty folder."""
    _texts(here)
    _models(here)
    fitted = Embedder(
        Table.load(here / "table"), layers=(1, 3), weights=weights.Idf(), shapers=[shapers.ZScore(), shapers.Unit()]
    ).fit(TEXTS)
    fitted.save(here / "recipe")
    Index.build(here / "index", fitted, TEXTS, ["a", "b", "c", "d"])
    write_run(here / "run", [cell(task, layers) for task in ("STS12", "tweet") for layers in ("1", "3", "1+3")])
    (here / "grid.toml").write_text(GRID)
    (here / "own.toml").write_text(OWN_GRID)
    make_kept(here, fitted)
    for command in MADE:
        ended = run(*command, cwd=here, limits=SLOW)
        assert ended.code == 0, ended
    shutil.rmtree(here / "kept")  # what it kept beside itself stays
    (Path(shutil.copytree(here / "swept", here / "stopped")) / "cells.sqlite").unlink()
    return here


def _texts(here: Path) -> None:
    (here / "texts.txt").write_text("\n".join(TEXTS) + "\n")
    (here / "texts.csv").write_text('text,n\n"a ""quoted"" text",1\nb,2\n')
    (here / "texts.jsonl").write_text("".join(json.dumps({"text": text, "id": str(i)}) + "\n" for i, text in _rows()))
    pq.write_table(pa.table({"text": TEXTS}), here / "texts.parquet")
    pairs = [f"{a}\t{b}\t{i + 0.5}\n" for i, a in _rows() for b in TEXTS[i + 1 :]]
    (here / "pairs.tsv").write_text("sentence1\tsentence2\tscore\n" + "".join(pairs))
    many = [f"{a} and {b}" for a in TEXTS for b in [*TEXTS, "trees"]]
    (here / "many.txt").write_text("\n".join(many) + "\n")
    labelled = [f"{text}\t{i % 2}\n" for i, text in enumerate(many)]
    (here / "labels.tsv").write_text("text\tlabel\n" + "".join(labelled))
    answers = [{"left": many[i : i + 2], "right": many[i + 2 : i + 4], "closer": "left"} for i in range(4)]
    (here / "answers.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))


def _rows() -> list[tuple[int, str]]:
    return list(enumerate(TEXTS))


def _models(here: Path) -> None:
    tiny_models.bert(here / "model")
    folder = here / "model"
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64, "mask_token": "[MASK]"}))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 32, "do_lower_case": False}))
    (folder / "modules.json").write_text(json.dumps([{"idx": 0, "name": "0", "path": "", "type": "Transformer"}]))
    encoder = Transformer(folder)
    table = Table.average(encoder, TEXTS, (1, 3), progress=False)
    table.save(here / "table")
    Random(folder, dims=8).save(here / "random")
    Mix(table, Random(folder, dims=16), 0.5).save(here / "mix")
    lines = [f"{word} {i} {-i} 0.5\n" for i, word in enumerate(TEXTS[0].split())]
    (here / "words.vec").write_text(f"{len(lines)} 3\n" + "".join(lines))
    WordVectors(here / "words.vec").save(here / "words")
    export(Embedder(table, layers=1, weights="idf", shapers="unit").fit(TEXTS), "model2vec", here / "model2vec")
    _causal(here)


def _causal(here: Path) -> None:
    from transformers import LlamaConfig, LlamaModel

    tokenizer = tiny_models.without_frame()
    config = LlamaConfig(**tiny_models.small(tokenizer) | {"num_hidden_layers": 2, "num_key_value_heads": 1})
    model = tiny_models.spread(LlamaModel(config))
    tiny_models.save(here / "llama", model, tokenizer)
    small_gguf.of_model(here / "llama.gguf", model, "llama")
