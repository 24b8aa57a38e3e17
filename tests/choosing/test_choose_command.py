"""`attar choose` on a tiny model: what it saves, the dialogue on a pseudo-terminal, the page in Chromium."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from browser import Browser, find_browser
from sample_evidence import sample_evidence

from attar import Embedder, choose
from attar.choosing import ChooseSettings, Chosen
from attar.choosing.candidates import candidates
from attar.choosing.dialogue import Dialogue
from attar.choosing.page import write_page
from attar.choosing.questions import draw_questions
from attar.choosing.rule import judge, log_prior, weigh
from attar.choosing.run import sample_texts
from attar.cli import main
from attar.encoders.transformer import Transformer
from attar.errors import InputError
from tiny_models import WORDS


def sample_words(n: int = 60) -> list[str]:
    rng = np.random.default_rng(0)
    words = [word for word in WORDS if word.isalpha()]
    return [" ".join(rng.choice(words, 6)) for _ in range(n)]


@pytest.fixture(scope="module")
def texts_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("texts") / "texts.txt"
    path.write_text("\n".join(sample_words()) + "\n", encoding="utf-8")
    return path


def test_what_is_kept_for_a_causal_model_is_the_prompt(tiny_gpt2_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Transformer, "token_limit", None)
    encoder = Transformer(tiny_gpt2_dir)
    evidence = sample_evidence((0.1, 0.12, 1.0, 1.5, 2.0))
    evidence = replace(evidence, candidates=(candidates(encoder)[0], *evidence.candidates[1:]))
    kept = Chosen(encoder, evidence, judge(evidence), "clustering", ("a", "b"), 2)
    assert kept.reason().startswith("the prompt was kept")
    assert not kept.account()["kept_plain"]


def test_the_sample_is_distinct_and_begins_with_the_texts_of_answers() -> None:
    from attar.choosing.answers import PairAnswer

    texts = [f"t{i}" for i in range(30)] * 2 + [" "]
    plain = sample_texts(texts, 25)
    assert len(set(plain)) == len(plain) == 25
    assert " " not in plain
    asked = PairAnswer((plain[0], plain[1]), (plain[2], plain[3]), "left")
    assert sample_texts(texts, 25, [asked]) == plain
    other = PairAnswer(("new", plain[1]), (plain[2], plain[3]), "left")
    assert sample_texts(texts, 25, [other])[0] == "new"


def test_choose_saves_a_recipe_that_loads_with_its_account(
    tiny_bert_dir: Path, texts_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "recipe"
    main(["choose", str(texts_file), "--model", str(tiny_bert_dir), "-o", str(out)])
    account = json.loads((out / "choice.json").read_text())
    assert account["candidates"][0].keys() >= {"recipe", "value", "belief", "probe", "topics", "contrast", "votes"}
    assert sum(row.get("chosen", False) for row in account["candidates"]) == 1
    assert "How it was chosen" in (out / "README.md").read_text()
    assert (out / "choice.svg").read_text().startswith("<?xml")
    assert Embedder.load(out).encode(["the cat"]).shape == (1, 16)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["recipe"]


def test_choose_saves_its_recipe_where_no_picture_can_be_drawn(
    tiny_bert_dir: Path,
    texts_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    out = tmp_path / "recipe"
    main(["choose", str(texts_file), "--model", str(tiny_bert_dir), "-o", str(out)])
    assert "without choice.svg: a picture of the choice needs" in (said := capsys.readouterr().err)
    assert "pip install 'attar[pictures]'" in said
    assert not (out / "choice.svg").exists()
    assert Embedder.load(out).encode(["the cat"]).shape == (1, 16)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["recipe"]


def test_a_choice_that_is_stopped_says_that_it_can_go_on(
    tiny_bert_dir: Path,
    texts_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module("attar.choosing.run"), "gather", stopped)
    with pytest.raises(SystemExit, match="130"):
        main(["choose", str(texts_file), "--model", str(tiny_bert_dir), "-o", str(tmp_path / "recipe")])
    said = capsys.readouterr().err
    assert f"what is done is kept in {tmp_path / 'recipe.choosing'}: the same command goes on from there" in said


def test_choose_in_python_goes_on_from_its_work(
    tiny_bert: Transformer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = ChooseSettings(work=tmp_path / "work")
    first = choose(sample_words(), tiny_bert, settings=settings)
    with caplog.at_level("INFO", logger="attar"):
        again = choose(sample_words(), tiny_bert, settings=settings)
    assert "of them already" in caplog.text
    assert again.candidate == first.candidate
    np.testing.assert_array_equal(again.verdict.value, first.verdict.value)
    vectors = first.embedder().encode(sample_words(3))
    assert np.isfinite(vectors).all()


def test_a_static_table_can_be_chosen_for(tiny_bert: Transformer) -> None:
    from attar.encoders.table import Table

    table = Table.average(tiny_bert, sample_words())
    assert choose(sample_words(), table).embedder().encode(["the cat"]).shape == (1, 16)


@pytest.mark.parametrize(
    ("purpose", "tuned", "warned"), [("clustering", True, True), ("clustering", False, False), ("search", True, False)]
)
def test_questions_about_groups_of_a_tuned_table_come_with_a_warning(
    purpose: str, tuned: bool, warned: bool, tiny_bert: Transformer, caplog: pytest.LogCaptureFixture
) -> None:
    from attar.encoders.table import Table

    table, asked = Table.average(tiny_bert, sample_words()), []
    table.made = {"layout": "model2vec"} if tuned else {}
    settings = ChooseSettings(purpose=purpose)
    choose(sample_words(), table, settings=settings, talk=lambda dialogue, texts: asked.append(len(texts)))
    assert asked
    assert ("can mislead" in caplog.text) == warned


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--web"], "say how many questions"),
        (["--ask", "3"], "needs a terminal"),
        (["--answers", "none.jsonl"], "there is no file"),
    ],
)
def test_bad_calls_are_told_in_one_line(
    arguments: list[str], told: str, texts_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["choose", str(texts_file), "-o", str(tmp_path / "r"), *arguments])
    assert ended.value.code == 2
    assert told in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_an_unknown_purpose_is_told() -> None:
    with pytest.raises(InputError, match="purpose"):
        ChooseSettings(purpose="poetry")


def talk(command: list[str], keys: str) -> tuple[int, str]:
    """Run on a real pseudo-terminal; press the next key whenever a question or help is shown."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    shown, pressed, deadline = "", 0, time.monotonic() + 600
    while time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 1)
        if ready:
            try:
                more = os.read(terminal, 1 << 16)
            except OSError:
                break
            if not more:
                break
            shown += more.decode("utf-8", "replace")
        if pressed < len(keys) and shown.count("q: enough") > pressed:
            os.write(terminal, keys[pressed].encode())
            pressed += 1
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown


def test_the_dialogue_on_a_pseudo_terminal(tiny_bert_dir: Path, texts_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "r"
    command = [sys.executable, "-m", "attar", "choose", str(texts_file), "--model", str(tiny_bert_dir)]
    code, shown = talk([*command, "--ask", "9", "-o", str(out)], "12xusb1nq")
    assert code == 0, shown
    assert "Which of these two pairs is closer in meaning?" in shown
    assert "Question 2 of at most 9" in shown
    answers = [json.loads(line) for line in (tmp_path / "r.answers.jsonl").read_text().splitlines()]
    assert [a["closer"] for a in answers] == ["left", "skip", "both", "left", "neither"]  # x is no key, u took 2 back
    assert (out / "answers.jsonl").read_text() == (tmp_path / "r.answers.jsonl").read_text()
    assert json.loads((out / "choice.json").read_text())["answers"] == 5
    code, shown = talk(
        [*command, "--for", "clustering", "--ask", "9", "--answers", str(out / "answers.jsonl"), "-o", f"{out}2"], "2q"
    )
    assert code == 0, shown
    assert "Which belongs with A?" in shown
    assert len((tmp_path / "r2.answers.jsonl").read_text().splitlines()) == 6


def test_the_page_asks_and_its_answers_come_back(tiny_bert_dir: Path, texts_file: Path, tmp_path: Path) -> None:
    program = find_browser()
    if program is None:
        pytest.skip("no Chromium")
    out = tmp_path / "r"
    command = ["choose", str(texts_file), "--model", str(tiny_bert_dir), "-o", str(out)]
    main([*command, "--ask", "4", "--web"])
    page = tmp_path / "r.html"
    assert not re.search(r"https?://(?!www\.w3\.org)", page.read_text())
    browser = Browser(program, tmp_path / "profile")
    try:
        browser.open(page, 900, 700)
        assert browser.run("document.getElementById('title').textContent").startswith("Which of these two pairs")
        first = browser.run("asked")
        browser.run("document.getElementById('left').click()")
        assert browser.run("asked") != first
        browser.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: '2'}))")
        browser.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'u'}))")
        browser.run("document.getElementById('skip').click()")
        browser.run("document.getElementById('neither').click()")
        browser.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'b'}))")
        said = browser.run("lines()")
        assert not browser.complaints
    finally:
        browser.close()
    (tmp_path / "answers.jsonl").write_text(said, encoding="utf-8")
    said_there = ["left", "skip", "neither", "both"]
    main([*command, "--answers", str(tmp_path / "answers.jsonl")])
    assert [json.loads(line)["closer"] for line in (out / "answers.jsonl").read_text().splitlines()] == said_there


@pytest.mark.parametrize("purpose", ["similarity", "clustering"])
def test_the_page_reckons_as_the_dialogue_does(purpose: str, tmp_path: Path) -> None:
    program = find_browser()
    if program is None:
        pytest.skip("no Chromium")
    evidence = sample_evidence()
    dialogue = Dialogue(evidence, draw_questions(evidence, purpose, 50))
    write_page(dialogue, [f"text {i}" for i in range(len(evidence.neighbours[0]))], 9, purpose, tmp_path / "page.html")
    browser = Browser(program, tmp_path / "profile")
    try:
        browser.open(tmp_path / "page.html", 900, 700)
        f, r, q = browser.run("[F, R, Q]")
        chances = np.reshape(browser.run("Array.from(chances)"), (f, r, q, 4))
        browser.run("answers.push([3, 'both'], [5, 'right'], [7, 'skip'], [8, 'neither'])")
        belief = browser.run("belief(states())")
        assert not browser.complaints
    finally:
        browser.close()
    prior = log_prior(evidence)
    kept = np.flatnonzero(prior > prior.max() - 12)
    np.testing.assert_allclose(chances, dialogue._chances[:f, kept], atol=0.03)  # leads go to the page as bytes
    for question, said in {3: "both", 5: "right", 7: "skip", 8: "neither"}.items():
        dialogue.answer(question, said)
    np.testing.assert_allclose(belief, weigh((prior + dialogue.log_likelihood)[kept]), atol=0.05)


def test_help_has_examples() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "attar", "choose", "--help"], capture_output=True, text=True, check=True
    )
    assert "attar choose texts.txt --model" in shown.stdout
