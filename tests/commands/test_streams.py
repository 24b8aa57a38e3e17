"""Closed streams, full disks, readers that stop, signals: one sentence, the right exit code, nothing left behind."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from attar.errors import InputError
from attar.io.foreign import read_json_object
from attar.io.signals import stopped_by_signals
from attar.io.system_errors import is_out_of_memory
from attar_process import Limits, Streams, run


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text("the cat sat on the mat\na dog ran\n", encoding="utf-8")
    return path


def one_sentence(said: str) -> str:
    """The one error; notes may stand before it."""
    errors = [line for line in said.splitlines() if not line.startswith("attar: note: ")]
    assert len(errors) == 1, said
    assert errors[0].startswith("attar: error: ")
    assert "fault of attar" not in errors[0]
    return errors[0]


def test_a_closed_stderr_stops_nothing(texts: Path, tiny_bert_dir: Path) -> None:
    command = ["encode", "texts.txt", "--model", str(tiny_bert_dir), "-o", "v.npy"]
    assert run(*command, cwd=texts.parent, streams=Streams(closed=(2,))).code == 0
    assert np.load(texts.parent / "v.npy").shape == (2, 16)
    assert run("encode", "nothing.txt", cwd=texts.parent, streams=Streams(closed=(2,))).code == 2


@pytest.mark.parametrize("streams", [Streams(closed=(1,)), Streams(out="/dev/full")])
def test_an_output_that_can_not_be_written(texts: Path, tiny_bert_dir: Path, streams: Streams) -> None:
    command = ["encode", "texts.txt", "--model", str(tiny_bert_dir)]
    ended = run(*command, cwd=texts.parent, streams=streams)
    assert ended.code == 2
    assert "can't write the output" in one_sentence(ended.err)
    written = run(*command, "-o", "v.npy", cwd=texts.parent, streams=streams)
    assert written.code == 0  # needs no stdout
    assert "wrote 2 vectors" in written.err


@pytest.mark.parametrize("command", ["recipes", "--help", "tasks", "--version"])
def test_lists_for_a_full_disk(tmp_path: Path, command: str) -> None:
    ended = run(command, cwd=tmp_path, streams=Streams(out="/dev/full"))
    assert ended.code == 2
    one_sentence(ended.err)


def test_a_closed_stdin_is_an_empty_one(tmp_path: Path, tiny_bert_dir: Path) -> None:
    command = ["encode", "-", "--model", str(tiny_bert_dir), "-o", "v.npy"]
    ended = run(*command, cwd=tmp_path, streams=Streams(closed=(0,)))
    assert ended.code == 2
    assert "'-' holds no texts" in one_sentence(ended.err)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("command", ["tasks", "encode texts.txt --model MODEL"])
def test_a_reader_that_stops_is_no_error(texts: Path, tiny_bert_dir: Path, command: str) -> None:
    """In a shell, and with all streams closed, as daemons have them."""
    texts.write_text("the cat sat on the mat\n" * 3000, encoding="utf-8")
    attar = f"{shlex.quote(sys.executable)} -m attar {command.replace('MODEL', str(tiny_bert_dir))}"
    line = f"{attar} | head -n 1; echo ${{PIPESTATUS[0]}}; {attar} <&- >&- 2>&-; echo $?"
    done = subprocess.run(["bash", "-c", line], cwd=texts.parent, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[1:] == ["0", "2"]
    assert done.stderr == ""


def test_a_full_disk(texts: Path, tiny_bert_dir: Path) -> None:
    """Every command that writes, where no file may grow beyond some bytes, which is as good as a disk."""
    here = texts.parent
    model = str(tiny_bert_dir)
    table, recipe = here / "table", here / "recipe"
    assert run("static", "--model", model, "--on", "texts.txt", "-o", "table", cwd=here).code == 0
    assert run("fit", "--model", str(table), "--on", "texts.txt", "-o", "recipe", cwd=here).code == 0
    before = sorted(os.listdir(here))
    commands = [
        ["encode", "texts.txt", "--model", model, "-o", "v.npy"],
        ["encode", "texts.txt", "--model", model, "-o", "v.parquet"],
        ["encode", "texts.txt", "--model", model],
        ["fit", "--model", model, "--weights", "idf", "--fit-anyway", "--on", "texts.txt", "-o", "r"],
        ["fit", "--model", str(table), "--on", "texts.txt", "-o", "r"],
        ["static", "--model", model, "--on", "texts.txt", "-o", "t"],
        ["export", str(recipe), "--to", "model2vec", "-o", "m"],
        ["corpus", "plain", "texts.txt", "--model", model, "-o", "c"],
    ]
    for command in commands:
        for room in (0, 100, 3000):
            ended = run(*command, cwd=here, limits=Limits(file_bytes=room))
            left = [name for name in sorted(os.listdir(here)) if name not in before]
            if ended.code != 0:  # it needed more
                assert ended.code == 2, (command, room, ended)
                one_sentence(ended.err)
                assert left == (["c"] if command[0] == "corpus" else []), (command, room)  # a corpus goes on from there
            for name in left:
                shutil.rmtree(here / name) if (here / name).is_dir() else (here / name).unlink()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_end_like_ctrl_c(tmp_path: Path, tiny_bert_dir: Path, number: signal.Signals) -> None:
    (tmp_path / "tmp").mkdir()
    target = tmp_path / "v.npy"
    process = subprocess.Popen(
        [sys.executable, "-m", "attar", "encode", "-", "--model", str(tiny_bert_dir), "-o", str(target)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(tmp_path / "tmp")},
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # under nohup it would be ignored
    )
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write(b"the cat sat\n" * 20000)
    process.stdin.flush()
    until = time.monotonic() + 600
    while not any(path.stat().st_size for path in tmp_path.glob(".v.npy.*/v.npy")) and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(number)
    process.send_signal(number)  # a second one does not disturb
    process.stdin.close()
    assert process.stderr.read().decode() == "attar: stopped; nothing half-written is left behind\n"
    assert process.wait(600) == 128 + number
    assert os.listdir(tmp_path) == ["tmp"]
    assert os.listdir(tmp_path / "tmp") == []


def test_a_signal_that_was_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stopped_by_signals():
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
            with pytest.raises(KeyboardInterrupt, match="SIGTERM"):
                os.kill(os.getpid(), signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_what_a_stream_has_no_bytes_for_is_escaped(tmp_path: Path, tiny_bert_dir: Path, encoding: str) -> None:
    environment = os.environ | {"PYTHONIOENCODING": encoding, "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-m", "attar", "explain", "the cat 日", b"a dog \xff", "--shape", "unit", "--json"]
    ended = subprocess.run([*command, "--model", str(tiny_bert_dir)], capture_output=True, env=environment, check=False)
    assert ended.returncode == 0, ended
    assert "cosine" in json.loads(ended.stdout.decode(encoding))


@pytest.mark.parametrize("name", ["n" * 300 + ".txt", "n" * 300 + ".parquet", "t.txt/t.txt"])
def test_texts_that_can_not_be_opened_are_named_and_not_the_target(
    tmp_path: Path, tiny_bert_dir: Path, name: str
) -> None:
    (tmp_path / "t.txt").write_text("a cat\n")
    ended = run("encode", name, "--model", str(tiny_bert_dir), "-o", "out.npy", cwd=tmp_path)
    assert (ended.code, "can't write" in ended.err) == (2, False), ended
    assert name[:100] in ended.err
    assert [path.name for path in tmp_path.iterdir()] == ["t.txt"]


def test_pipes_that_would_be_read_twice_or_waited_for(tmp_path: Path, tiny_bert_dir: Path) -> None:
    os.mkfifo(tmp_path / "p")
    ended = run("static", "--model", str(tiny_bert_dir), "--on", "p", "-o", "out", cwd=tmp_path)
    assert (ended.code, "read twice" in ended.err) == (2, True), ended
    (tmp_path / "m").mkdir()
    os.mkfifo(tmp_path / "m" / "config.json")
    with pytest.raises(InputError, match="pipe or device"):
        read_json_object(tmp_path / "m" / "config.json")


def test_a_library_for_which_there_is_no_memory() -> None:
    assert is_out_of_memory(ImportError("libgomp.so.1: failed to map segment from shared object"))
    assert not is_out_of_memory(ImportError("no module named torch"))


def test_nothing_is_left_where_no_file_can_be_opened(tmp_path: Path) -> None:
    """The folder aside can only be removed once its own lock is let go."""
    code = (
        "import os, resource, sys; from pathlib import Path; from attar.io.aside import place_aside\n"
        "held = []\n"
        f"with place_aside(Path({str(tmp_path)!r}), 'x') as place:\n"
        "    (place / 'y').mkdir()\n"
        "    resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))\n"
        "    try:\n"
        "        while True: held.append(os.open('/', os.O_RDONLY))\n"
        "    except OSError: pass\n"
        "    os.close(held.pop())\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert not list(tmp_path.iterdir())
