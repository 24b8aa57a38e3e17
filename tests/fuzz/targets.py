"""What is damaged: a file that others may have written, how, and the commands that read it."""

from __future__ import annotations

from dataclasses import dataclass

from damages import Damage, document, gguf, header, lines, raw, signed_recipe, signed_state, store
from sound import CHOOSE as KEEP
from sound import GROUPS, SWEEP

Command = tuple[str, ...]
OUT = "out.npy"


@dataclass(frozen=True)
class Target:
    """A file in the sound folder; the first of those that fit, where it is a pattern."""

    file: str
    damage: Damage
    commands: tuple[Command, ...]


def encode(model: str) -> Command:
    return "encode", "texts.txt", "--model", model, "-o", OUT


def reads(texts: str) -> tuple[Command, ...]:
    """The commands that take texts."""
    return (
        ("encode", texts, "--model", "table", "-o", OUT),
        ("fit", "--model", "table", "--weights", "idf", "--fit-anyway", "--on", texts, "-o", OUT),
        ("index", texts, "--recipe", "recipe", "-o", OUT),
        ("duplicates", texts, "--recipe", "recipe", "-o", "out.csv"),
        ("search", "index", "--queries", texts, "--json"),
    )


INFO_MODEL = ("info", "model")
RECIPE = (("info", "recipe"), ("encode", "texts.txt", "--recipe", "recipe", "-o", OUT))
INDEX = (
    ("search", "index", "a cat", "--top", "9"),
    ("search", "index", "a cat", "--why", "--json"),
    ("index", "many.txt", "--add", "-o", "index"),
)
CORPUS = (
    ("corpus", "--verify", "corpus"),
    ("corpus", "recipe", "texts.txt", "-o", "corpus", "--workers", "1", "--shards", "2"),
)
CHOOSE = ("choose", "many.txt", "--model", "table", "--answers", "answers.jsonl", "--sample", "20", "-o", OUT)
NEAR = (("search", "near", "a cat", "--top", "9"), ("info", "near"), ("index", "many.txt", "--add", "-o", "near"))
SUMS = (("static", "--model", "model", "--on", "texts.txt", "--layers", "1,3", "-o", "half"),)
UNFINISHED = (("index", "texts.txt", "--recipe", "recipe", "-o", "half-index"),)
TASKS = tuple(("score", "table", "--tasks", f"{family}:labels.tsv") for family in ("classification", "clustering"))
STOPPED = ((*SWEEP[:-1], "stopped"),)
REGROUP = ((*GROUPS, "--overwrite"),)
RUN = (
    ("best", "run"),
    *(("report", "run", "-o", OUT, "--format", form) for form in ("html", "csv", "md", "tex")),
)
TARGETS = (
    Target("model/config.json", document, (encode("model"), INFO_MODEL)),
    Target("model/tokenizer.json", document, (encode("model"), INFO_MODEL)),
    Target("model/tokenizer_config.json", document, (encode("model"),)),
    Target("model/sentence_bert_config.json", document, (encode("model"), INFO_MODEL)),
    Target("model/modules.json", document, (encode("model"), INFO_MODEL)),
    Target("model/model.safetensors", header, (encode("model"), INFO_MODEL)),
    Target("llama/config.json", document, (encode("llama"), ("info", "llama"))),
    Target("llama/model.safetensors", header, (encode("llama"),)),
    Target("llama.gguf", gguf, (encode("llama.gguf"), ("info", "llama.gguf"))),
    Target("table/attar_table.json", document, (encode("table"), ("info", "table"))),
    Target("table/table.safetensors", header, (encode("table"),)),
    Target("table/tokenizer.json", document, (encode("table"),)),
    Target("model2vec/config.json", document, (encode("model2vec"), ("info", "model2vec"))),
    Target("model2vec/model.safetensors", header, (encode("model2vec"),)),
    Target("random/random.json", document, (encode("random"),)),
    Target("mix/mix.json", document, (encode("mix"),)),
    Target("words.vec", raw, (encode("words.vec"),)),
    Target("words/word_vectors.json", document, (encode("words"),)),
    Target("recipe/recipe.json", signed_recipe, RECIPE),
    Target("recipe/state.safetensors", signed_state, RECIPE),
    Target("run/cells.sqlite", store, RUN),
    Target("grid.toml", raw, (("sweep", "--grid", "grid.toml", "--model", "no/such", "-o", OUT),)),
    Target("texts.txt", raw, reads("texts.txt")),
    Target("texts.csv", raw, reads("texts.csv")),
    Target("texts.jsonl", lines, reads("texts.jsonl")),
    Target("texts.parquet", raw, reads("texts.parquet")),
    Target("pairs.tsv", raw, (("score", "table", "--tasks", "sts:pairs.tsv"),)),
    Target("answers.jsonl", lines, (CHOOSE,)),
    Target("index/index.json", document, INDEX),
    Target("index/vectors-00000.npy", raw, INDEX),
    Target("index/texts-00000.arrow", raw, INDEX),
    Target("index/recipe/recipe.json", signed_recipe, INDEX),
    Target("index/recipe/encoder/table.safetensors", header, INDEX),
    Target("near/index.json", document, NEAR),
    Target("near/graph*.faiss", raw, NEAR),
    Target("near/graph*.npy", raw, NEAR),
    Target("kept.choosing/*/pass.json", document, (KEEP,)),
    Target("kept.choosing/*/model-0-00000.npy", raw, (KEEP,)),
    Target("kept.choosing/*/model-0-00000.powers.npy", raw, (KEEP,)),
    Target("stopped/cache/*/pass.json", document, STOPPED),
    Target("stopped/cache/*/model-0-00000.npy", raw, STOPPED),
    Target("stopped/cache/*/model-0-00000.powers.npy", raw, STOPPED),
    Target("swept/run.json", document, (("best", "swept", "--for", "sts", "--save", OUT), SWEEP)),
    Target("grouped/groups.csv", raw, REGROUP),
    Target("labels.tsv", raw, TASKS),
    Target("half.sums", header, SUMS),
    Target(".half-index.unfinished/by.json", document, UNFINISHED),
    Target(".half-index.unfinished/done-00000.json", document, UNFINISHED),
    Target(".half-index.unfinished/vectors-00000.npy", raw, UNFINISHED),
    Target(".half-index.unfinished/texts-00000.arrow", raw, UNFINISHED),
    Target("corpus/_manifest.json", document, CORPUS),
    Target("corpus/_plan.json", document, CORPUS[1:]),
    Target("corpus/_done/part-00000.json", document, CORPUS[1:]),
)
BEGUN = ("encode", "texts.txt", "--fit-anyway", "-o", OUT)
ON_MODEL = (*BEGUN, "--model", "model")
# an option: the command before it, and values that are sound
OPTIONS: dict[str, tuple[Command, tuple[str, ...]]] = {
    "--layers": (ON_MODEL, ("1", "first,last", "1:0.5,3:0.5", "-1", "0,1,2", "first:0.2,last")),
    "--weights": (ON_MODEL, ("mean", "idf", "sif:0.001", "position", "idf+specials", "first", "mask")),
    "--shape": (ON_MODEL, ("zscore", "abtt:2", "whiten,unit", "quantile", "center,robust", "none")),
    "--template": (ON_MODEL, ("T0", "T4", "This is [X]: [MASK]", "[X]")),
    "--recipe": (BEGUN, ("model | T4 | first,last | idf | abtt:1", "table | none | 1 | mean | none", "plain")),
    "--model": (BEGUN, ("model", "table", "random:model", "words.vec", "llama.gguf")),
    "--max-tokens": (ON_MODEL, ("1", "64", "3")),
    "--windows": (ON_MODEL, ("0", "3", "63")),
    "--max-text-bytes": (ON_MODEL, ("1", "64", "3000000")),
    "--pooling": (ON_MODEL, ("mean", "max", "dct:2", "power:3", "mean,max")),
    "--precision": (ON_MODEL, ("float32", "bfloat16", "int8", "auto")),
    "--dims": (ON_MODEL, ("1", "16", "3")),
    "--top": (("search", "index", "a cat"), ("1", "4", "100")),
    "--threshold": (("duplicates", "texts.txt", "--model", "table", "-o", "out.csv"), ("0.9", "1", "-1")),
    "-k": (("groups", "many.txt", "--recipe", "recipe", "--projection", "pca", "-o", OUT), ("2", "3")),
}
