"""The command line in a process of its own, with limits: forked from a server that has imported everything once."""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

PRELOADED = [
    "attar.cli",
    "attar.commands.encode",
    "attar.commands.fit",
    "attar.corpus",
    "attar.embedder",
    "attar.evaluation",
    "attar.persist",
    "attar.sweep",
    "attar.reports.page",
    "attar.encoders.transformer",
    "pyarrow.parquet",
    "scipy.stats",
    "torch",
    "transformers",
    "transformers.models.bert.modeling_bert",
    "attar.engine.model",
    "attar.commands.report",
    "attar.commands.index",
    "attar.jobs.index",
    "attar.jobs.duplicates",
    "attar.engine.decoder_model",
    "attar.checkpoints.gguf",
]
_NAMES = ("stdin", "stdout", "stderr")


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code (below 0: by that signal; None: it had to be stopped) and what it said."""

    code: int | None
    out: str
    err: str
    seconds: float


@dataclass(frozen=True)
class Limits:
    """What a command may take: bytes of memory beyond what is imported, bytes of a file, seconds of work and in all."""

    memory: int | None = None
    file_bytes: int | None = None
    work: int | None = None  # of the processor, whatever else this machine has to do
    seconds: float = 60.0


@dataclass(frozen=True)
class Streams:
    """Which of the standard streams a command finds closed, and where stdout leads, if not to the caller."""

    closed: tuple[int, ...] = ()
    out: str | None = None


@dataclass
class Running:
    """A command that has been started."""

    process: BaseProcess
    said: tuple[Future[bytes], Future[bytes]]
    started: float

    def end(self, seconds: float = 60.0) -> Ended:
        """Waits until it has ended; kills it where that takes longer."""
        self.process.join(seconds)
        code = self.process.exitcode
        if code is None:
            self.process.kill()
            self.process.join()
        out, err = (said.result().decode("utf-8", "replace") for said in self.said)
        return Ended(code, out, err, time.monotonic() - self.started)


NO_LIMITS, OPEN = Limits(), Streams()


def run(*arguments: str, cwd: Path, limits: Limits = NO_LIMITS, streams: Streams = OPEN) -> Ended:
    """A command from start to end."""
    return start(*arguments, cwd=cwd, limits=limits, streams=streams).end(limits.seconds)


def start(*arguments: str, cwd: Path, limits: Limits = NO_LIMITS, streams: Streams = OPEN) -> Running:
    """A command that works on while the caller does something else."""
    readers, writers = zip(*(_server().Pipe(duplex=False) for _ in range(2)), strict=True)
    process = _server().Process(target=_child, args=(arguments, str(cwd), limits, streams, writers))
    process.start()
    threads = ThreadPoolExecutor(2)
    for writer in writers:
        writer.close()
    said = tuple(threads.submit(_read_all, reader) for reader in readers)
    threads.shutdown(wait=False)
    return Running(process, said, time.monotonic())  # type: ignore[arg-type]


def _read_all(reader: Connection) -> bytes:
    with os.fdopen(os.dup(reader.fileno()), "rb") as file, reader:
        return file.read()


@cache
def _server() -> Any:
    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload(PRELOADED)
    return server


def _child(
    arguments: tuple[str, ...], cwd: str, limits: Limits, streams: Streams, writers: tuple[Connection, Connection]
) -> None:
    os.chdir(cwd)
    nothing = os.open(os.devnull, os.O_RDONLY)
    out = writers[0].fileno() if streams.out is None else os.open(streams.out, os.O_WRONLY)
    for number, leads_to in enumerate((nothing, out, writers[1].fileno())):
        os.dup2(leads_to, number)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    for number in streams.closed:
        os.close(number)
        setattr(sys, _NAMES[number], None)
    from attar.cli import main

    _limit(limits)
    main(list(arguments))


def _limit(limits: Limits) -> None:
    if limits.memory is not None:
        held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (held + limits.memory,) * 2)
    if limits.work is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (limits.work,) * 2)
    if limits.file_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes,) * 2)
