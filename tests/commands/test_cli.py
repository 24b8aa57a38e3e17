"""The command line as its user meets it: outputs, one-line errors, exit codes, no stack traces."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from attar import Embedder, Mix, Table, Transformer, __version__, shapers, weights
from attar.cli import COMMANDS, main
from attar.io.signals import Stopped
from attar.tokens.sentences import sentences

SENTENCES = ["the cat sat on the mat", "a dog ran", "", "seven blue dogs", "the cat sat on the mat"]


@pytest.fixture
def texts(tmp_path: Path) -> str:
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(SENTENCES) + "\n", encoding="utf-8")
    return str(path)


def _run(*arguments: str) -> int:
    """The exit code of the command, run in this process."""
    try:
        main(list(arguments))
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def _error(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that a wrong command prints."""
    assert _run(*arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = printed.err.strip().splitlines()
    assert len(lines) == 1, printed.err
    assert lines[0].startswith("attar: error: ")
    return lines[0]


def test_encode_writes_what_the_library_computes(texts: str, tiny_bert_dir: Path, tmp_path: Path) -> None:
    target = tmp_path / "v.npy"
    options = ["--layers", "first,last", "--weights", "idf", "--shape", "zscore,unit", "--fit-anyway"]
    assert _run("encode", texts, "--model", str(tiny_bert_dir), *options, "-o", str(target)) == 0
    embedder = Embedder(
        Transformer(tiny_bert_dir),
        layers=("first", "last"),
        weights=weights.Idf(),
        shapers=[shapers.ZScore(), shapers.Unit()],
    )
    np.testing.assert_array_equal(np.load(target), embedder.fit(SENTENCES).encode(SENTENCES))


@pytest.mark.parametrize("precision", ["int8", "float64"])
def test_threads_and_precision(
    precision: str, texts: str, tiny_bert_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "v.npy"
    options = ["--precision", precision, "--threads", "1"]
    assert _run("encode", texts, "--model", str(tiny_bert_dir), *options, "-o", str(target)) == 0
    quick = Embedder(Transformer(tiny_bert_dir, precision=precision, threads=1))
    np.testing.assert_array_equal(np.load(target), quick.encode(SENTENCES))
    capsys.readouterr()
    told = _error(capsys, "encode", texts, "--model", f"random:{tiny_bert_dir}", *options)
    assert "threads=1 is for transformers" in told


def test_encode_prints_json_lines(texts: str, tiny_bert_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("encode", texts, "--model", str(tiny_bert_dir), "--layers", "-1") == 0
    printed = capsys.readouterr()
    rows = np.array([json.loads(line) for line in printed.out.splitlines()])
    np.testing.assert_allclose(rows, Embedder(Transformer(tiny_bert_dir), layers=-1).encode(SENTENCES), atol=1e-6)
    assert printed.err.count("have no token of their own") == 1


def test_fit_then_encode(texts: str, tiny_bert_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = str(tmp_path / "recipe")
    model = ["--model", str(tiny_bert_dir)]
    assert _run("fit", *model, "--recipe", "similarity", "--fit-anyway", "--on", texts, "-o", recipe) == 0
    assert _run("encode", texts, "--recipe", recipe, "--fit-anyway", "-o", str(tmp_path / "a.npy")) == 0
    assert _run("encode", texts, *model, "--recipe", "similarity", "--fit-anyway", "-o", str(tmp_path / "b.npy")) == 0
    np.testing.assert_allclose(np.load(tmp_path / "a.npy"), np.load(tmp_path / "b.npy"), atol=1e-6)
    capsys.readouterr()
    assert _run("info", recipe, "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["weights"] == "Idf"
    assert facts["shapers"] == ["zscore", "unit"]
    assert facts["fitted on"] == len(SENTENCES)
    assert "can't be changed by --layers" in _error(capsys, "encode", texts, "--recipe", recipe, "--layers", "1")
    assert "it exists" in _error(capsys, "fit", *model, "--on", texts, "-o", recipe)


def test_a_moved_model_is_used_as_the_recipe_says(texts: str, tiny_bert_dir: Path, tmp_path: Path) -> None:
    recipe, moved = str(tmp_path / "recipe"), str(shutil.copytree(tiny_bert_dir, tmp_path / "moved"))
    assert _run("fit", "--model", str(tiny_bert_dir), "--template", "T0", "--on", texts, "-o", recipe) == 0
    assert _run("encode", texts, "--recipe", recipe, "--fit-anyway", "-o", str(tmp_path / "a.npy")) == 0
    assert _run("encode", texts, "--recipe", recipe, "--model", moved, "-o", str(tmp_path / "b.npy")) == 0
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), np.load(tmp_path / "b.npy"))


def test_background(texts: str, tiny_bert_dir: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("the dog sat\nthe cat ran\na man in the river\n")
    options = ["--model", str(tiny_bert_dir), "--background", str(corpus), "-o", str(tmp_path / "v.npy")]

    def expected(idf_on: str, center_on: str) -> np.ndarray:
        made = Embedder(
            Transformer(tiny_bert_dir), weights=weights.Idf(on=idf_on), shapers=[shapers.Center(on=center_on)]
        )
        return made.fit(SENTENCES, background=corpus.read_text().splitlines()).encode(SENTENCES)

    for weighting, idf_on, center_on in (
        ("idf", "background", "background"),
        ("idf@background", "background", "target"),
    ):
        assert _run("encode", texts, "--weights", weighting, "--shape", "center", "--fit-anyway", *options) == 0
        np.testing.assert_allclose(np.load(tmp_path / "v.npy"), expected(idf_on, center_on), atol=1e-6)


def test_a_template_with_masks_reads_its_masks(texts: str, tiny_bert_dir: Path, tmp_path: Path) -> None:
    target = tmp_path / "v.npy"
    assert _run("encode", texts, "--model", str(tiny_bert_dir), "--template", "T0", "-o", str(target)) == 0
    prompted = Embedder(Transformer(tiny_bert_dir, template="T0"), weights=weights.Mask())
    np.testing.assert_allclose(np.load(target), prompted.encode(SENTENCES), atol=1e-6)


def test_recipes_and_info(tiny_bert_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("recipes") == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("plain", "similarity", "clustering", "classification"))
    assert _run("info", str(tiny_bert_dir)) == 0
    by_argument = capsys.readouterr().out
    assert "1 to 3" in by_argument
    assert _run("info", "--model", str(tiny_bert_dir)) == 0
    assert capsys.readouterr().out == by_argument


def test_info_speaks_no_python(
    tiny_bert_dir: Path, texts: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = str(tmp_path / "recipe")
    Embedder(Transformer(tiny_bert_dir), layers={1: 0.5, 2: 0.5}).save(recipe)
    for what in (str(tiny_bert_dir), recipe):
        assert _run("info", what) == 0
        printed = capsys.readouterr().out
        assert not any(word in printed for word in ("None", "True", "False", "['", "{'")), printed
    assert "1: 0.5, 2: 0.5" in printed


def test_encode_says_of_what_length_vectors_are(
    tiny_bert_dir: Path, texts: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["encode", texts, "--model", str(tiny_bert_dir), "-o", str(tmp_path / "v.npy")]
    assert _run(*command) == 0
    assert "their length is not 1: compare them by cosine" in capsys.readouterr().err
    assert _run(*command, "--shape", "unit") == 0
    said = capsys.readouterr().err
    assert "vectors of length 1 to" in said
    assert "not 1" not in said


def test_without_a_command_it_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    main([])
    said = capsys.readouterr()
    assert said.out.splitlines()[0].startswith("Usage: attar")
    assert "\n  search" in said.out
    assert said.err == ""


def test_every_command_has_help_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    for name in COMMANDS:
        assert _run(name, "--help") == 0
        printed = capsys.readouterr().out
        assert "Usage: attar" in printed
        assert "attar" in printed.partition("\n")[2], f"{name} --help shows no example"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["encode", "nope.txt"], "there is no file 'nope.txt'"),
        (["encode", "TEXTS", "--model", "./nope"], "no model folder at './nope'"),
        (["encode", "TEXTS", "--model", "TINY", "--layers", "9"], "layer 9 is out of range"),
        (["encode", "TEXTS", "--model", "TINY", "--layers", "x"], "'x' is not a number, 'first' or 'last'"),
        (["encode", "TEXTS", "--model", "TINY", "--template", "no slot"], r"needs exactly one [X]"),
        (["encode", "TEXTS", "--model", "TINY", "--template", "T9"], "unknown template 'T9'"),
        (["encode", "TEXTS", "--model", "TINY", "--weights", "mask"], "mask weights need a template"),
        (["encode", "TEXTS", "--model", "TINY", "--weights", "idff"], "did you mean 'idf'?"),
        (["encode", "TEXTS", "--model", "TINY", "--shape", "zcore"], "did you mean 'zscore'?"),
        (["encode", "TEXTS", "--model", "TINY", "--max-tokens", "2"], "leaves no room"),
        (["encode", "TEXTS", "--model", "TINY", "-o", "v.xyz"], "unknown ending of the output file '.xyz'"),
        (["encode", "TEXTS", "--model", "TINY", "-o", "no/such/v.npy"], "there is no folder"),
        (["encode", "TEXTS", "--recipe", "smilarity"], "did you mean 'similarity'?"),
        (["encode", "TEXTS", "--recipe", "./nope"], "has no recipe.json"),
        (["encode", "TEXTS", "--model", "TINY", "--column", "body"], "has no column 'body'"),
        (["encode", "EMPTY", "--model", "TINY"], "holds no texts"),
        (["fit", "--model", "TINY", "--on", "EMPTY", "-o", "r"], "holds no texts"),
        (["encode", "TEXTS", "--model", "TINY", "--background", "TEXTS"], "nothing in this recipe is left to learn"),
        (["info", "./nope"], "no model folder"),
        (["info", "./nope", "--model", "./other"], "can't both be described"),
        (["encode", "TEXTS", "--model", "NO_MODEL"], "is not a model folder: it has no config.json"),
        (["duplicates", "TEXTS", "--other-column", "body", "-o", "p.csv"], "is of a second file, and there is none"),
        (["score", "plain", "--tasks", "STS99"], "unknown task 'STS99'"),
        (["score"], "say what to score: a recipe or a model"),
        (["score", "--tasks", "STS99"], "unknown task 'STS99'"),
        (["score", "--recipe", "plain", "--tasks", "STS99"], "unknown task 'STS99'"),
        (["data", "check", "./nope"], "is not a folder"),
        (["encode", "TEXTS", "--recipe", "default | none | lost"], "'lost' is not a number"),
        (["encode", "TEXTS", "--recipe", "./nope | none | last"], "no model folder at './nope'"),
        (["encode", "TEXTS", "--sentences"], "--sentences splits the lines of --background"),
        (["score", "plain", "--sentences"], "--sentences splits the lines of --background"),
        (["sweep", "--sentences", "-o", "run"], "--sentences splits the lines of --background"),
        (["fit", "--on", "TEXTS", "--sentences", "-o", "r"], "--sentences splits the lines of --background"),
    ],
)
def test_wrong_commands(
    arguments: list[str],
    message: str,
    texts: str,
    tiny_bert_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    empty = tmp_path / "empty.txt"
    empty.touch()
    monkeypatch.chdir(tmp_path)
    no_model = tmp_path / "no-model"
    no_model.mkdir()
    places = {"TEXTS": texts, "TINY": str(tiny_bert_dir), "EMPTY": str(empty), "NO_MODEL": str(no_model)}
    assert message in _error(capsys, *(places.get(argument, argument) for argument in arguments))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.txt", "no-model", "texts.txt"]


def test_a_recipe_as_text(texts: str, tiny_bert_dir: Path, tmp_path: Path) -> None:
    recipe = f"{tiny_bert_dir} | T0 | first,last | idf | zscore,unit"
    assert _run("encode", texts, "--recipe", recipe, "--fit-anyway", "-o", str(tmp_path / "a.npy")) == 0
    options = [
        "--template",
        "T0",
        "--layers",
        "first,last",
        "--weights",
        "idf",
        "--shape",
        "zscore,unit",
        "--fit-anyway",
    ]
    assert _run("encode", texts, "--model", str(tiny_bert_dir), *options, "-o", str(tmp_path / "b.npy")) == 0
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), np.load(tmp_path / "b.npy"))
    assert (
        _run("encode", texts, "--recipe", recipe, "--fit-anyway", "--layers", "2", "-o", str(tmp_path / "c.npy")) == 0
    )
    changed = Embedder.from_recipe(f"{tiny_bert_dir} | T0 | 2 | idf | zscore,unit").fit_transform(SENTENCES)
    np.testing.assert_array_equal(np.load(tmp_path / "c.npy"), changed)


def test_a_mix_with_avg_as_text(texts: str, tiny_bert_dir: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("The dog sat on a mat . The cat ran to the man .\n")
    recipe = f"{tiny_bert_dir} | none | 1,3 | mean | none | mix 0.5"
    found = []
    for flags, background in (([], corpus.read_text().splitlines()), (["--sentences"], list(sentences(corpus)))):
        options = ["--recipe", recipe, "--background", str(corpus), *flags, "-o", str(tmp_path / "v.npy")]
        assert _run("encode", texts, *options) == 0
        average = Table.average(Transformer(tiny_bert_dir), background, (1, 3), progress=False)
        found.append(Embedder(Mix(Transformer(tiny_bert_dir), average, 0.5), (1, 3)).encode(SENTENCES))
        np.testing.assert_array_equal(np.load(tmp_path / "v.npy"), found[-1])
    assert np.abs(found[0] - found[1]).max() > 1e-4
    assert _run("encode", texts, "--recipe", recipe) == 2


def test_help_names_every_member_of_the_families(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("encode", "--help") == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert ", ".join(weights.MEMBERS) in printed
    assert ", ".join(shapers.MEMBERS) in printed
    for command in ("encode", "score"):
        capsys.readouterr()
        assert _run(command, "--help") == 0
        assert "usif+english take the frequencies of English words (pip install 'attar[english]')" in " ".join(
            capsys.readouterr().out.split()
        )


@pytest.mark.parametrize("options", [["--tasks", "PAIRS"], ["--tasks", "PAIRS", "--shape", "whiten"]])
def test_score_without_a_model_is_of_the_embedded_one(
    options: list[str],
    tmp_path: Path,
    tiny_bert_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("attar.checkpoints.default.folder", lambda: tiny_bert_dir)
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("score\ttext1\ttext2\n5\tthe cat\ta cat\n3\ta dog ran\tblue\n1\tseven\tmusic\n")
    given = [str(pairs) if option == "PAIRS" else option for option in options]
    assert _run("score", *given, "--json") == 0
    printed = capfd.readouterr()
    assert "scoring the embedded MiniLM" in printed.err
    assert _run("score", "--model", str(tiny_bert_dir), *given, "--json") == 0
    assert json.loads(capfd.readouterr().out)[0]["score"] == json.loads(printed.out)[0]["score"]


def test_score_offers_no_column(capsys: pytest.CaptureFixture[str]) -> None:
    """Tasks are read by their own readers."""
    assert _run("score", "plain", "--column", "body") == 2
    assert "No such option" in capsys.readouterr().err
    assert _run("score", "--help") == 0
    assert "--column" not in capsys.readouterr().out


def test_usage_errors_exit_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("encode") == 2
    assert _run("nonsense") == 2
    assert _run("searh", "my-index") == 2
    printed = capsys.readouterr().err
    assert "Traceback" not in printed
    assert "No such command 'searh'. Did you mean 'search'?" in printed
    assert printed.count("Did you mean") == 1


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("--version") == 0
    assert __version__ in capsys.readouterr().out


def test_a_fault_of_our_own_is_one_line_too(
    texts: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("attar.commands.choices.Choices.embedder", lambda *_: 1 / 0)
    assert _run("encode", texts) == 1
    assert capsys.readouterr().err.startswith("attar: error: ZeroDivisionError")


def test_a_signal_that_falls_into_a_close_is_what_ended_it(
    texts: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def embedder(*_: object) -> None:
        try:
            raise Stopped(signal.SIGTERM)
        finally:
            os.close(os.open(os.devnull, os.O_RDONLY) + 100)  # no such descriptor

    monkeypatch.setattr("attar.commands.choices.Choices.embedder", embedder)
    assert _run("encode", texts) == 128 + signal.SIGTERM
    assert capsys.readouterr().err == "attar: stopped; nothing half-written is left behind\n"


def test_help_imports_no_torch() -> None:
    code = (
        "import sys; from attar.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "assert not {'torch', 'transformers', 'sklearn', 'scipy', 'pyarrow'} & set(sys.modules), sorted(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0


def test_ctrl_c_leaves_nothing(tiny_bert_dir: Path, tmp_path: Path) -> None:
    target = tmp_path / "v.npy"
    command = [sys.executable, "-m", "attar", "encode", "-", "--model", str(tiny_bert_dir), "-o", str(target)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"PYTHONUNBUFFERED": "1"}
    )
    assert process.stdin is not None
    process.stdin.write(b"the cat sat\n" * 20000)  # more than a chunk: it is writing when the signal comes
    process.stdin.flush()
    aside = f".{target.name}."
    until = time.monotonic() + 600
    while (
        not any(p.name.startswith(aside) and p.stat().st_size for p in tmp_path.iterdir()) and time.monotonic() < until
    ):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.stdin.close()
    assert process.stderr is not None
    message = process.stderr.read().decode()
    assert process.wait(600) == 130
    assert "Traceback" not in message
    assert message.strip().endswith("nothing half-written is left behind")
    assert list(tmp_path.iterdir()) == []


def test_a_closed_pipe_is_no_error(texts: str, tiny_bert_dir: Path) -> None:
    shell = f"{sys.executable} -m attar encode {texts} --model {tiny_bert_dir} | head -c 10"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, check=False)
    assert b"Traceback" not in done.stderr
    assert len(done.stdout) == 10
