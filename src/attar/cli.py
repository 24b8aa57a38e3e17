"""The command line: data on stdout or in -o, everything else on stderr, errors in one line with exit code 2."""

from __future__ import annotations

import logging
import os
import signal
import sys
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from io import TextIOWrapper

import click

from attar._version import __version__
from attar.errors import AttarError
from attar.io.late_modules import hide_from, load_late
from attar.io.signals import Stopped, received, stopped_by_signals
from attar.io.streams import complete_streams, drop_output, say
from attar.io.system_errors import is_out_of_memory, reason_of

_LONGEST = 600  # characters of an error; a longer one quotes something endless
# name: what `attar --help` says of it. Each is a module of attar.commands, imported only when it is called.
COMMANDS = {
    "demo": "Search a sample, asked in other words: the plain mean beside recipes that suit the model.",
    "choose": "Choose the recipe that suits your texts and model: without labels, or with a few answers.",
    "corpus": "Embed a corpus of any size to Parquet parts, on this machine or a Ray cluster.",
    "encode": "Turn texts into vectors.",
    "index": "Embed documents once, for search.",
    "search": "Find the documents of an index that are nearest to a query.",
    "duplicates": "Find near duplicates in one file of texts, or between two.",
    "groups": "Sort texts into named groups, with a table and a map.",
    "explain": "Show which words make two texts close.",
    "export": "Write a recipe as a folder that runs in other libraries, without attar.",
    "fit": "Learn a recipe's counts and moments from texts and save it.",
    "info": "Describe a model folder or a saved recipe.",
    "recipes": "List the named recipes and what each is for.",
    "score": "Score a recipe or a model on tasks, beside the paper's figures.",
    "static": "Average a model's token vectors over a corpus into a table that needs no torch.",
    "tasks": "List the tasks that are known by name, the paper's 26 among them.",
    "data": "Check a folder of datasets.",
    "sweep": "Score a whole grid of recipes on tasks, from one forward pass a text.",
    "best": "Show or save the best recipe of a sweep for each task and family.",
    "report": "Turn a sweep into a page, tables or figures.",
}


class _Commands(click.Group):
    """Commands that are imported when called, so that --help answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"attar.commands.{cmd_name}"), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = get_close_matches(args[0], COMMANDS, n=1)
            if not near:
                raise
            raise click.UsageError(f"{error.message} Did you mean {near[0]!r}?", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Start with `attar demo`. Every command has its own --help with examples.",
)
@click.version_option(__version__, prog_name="attar")
def attar() -> None:
    """Sentence vectors pressed out of a transformer you already have: no training, no labels."""


def main(arguments: list[str] | None = None) -> None:
    """The entry point: turns whatever goes wrong into one line and an exit code."""
    complete_streams()
    _prepare()
    if arguments is None:  # the process is ours
        load_late("scipy.stats")
        hide_from("sklearn.utils.fixes", "pandas")
    code = _told(arguments)
    try:
        sys.stdout.flush()
    except OSError as error:
        code = max(code, _ended(error))
    if code:
        sys.exit(code)


def _told(arguments: list[str] | None) -> int:
    """The exit code, after everything there is to say has been said."""
    try:
        with stopped_by_signals(), attar.make_context("attar", sys.argv[1:] if arguments is None else arguments) as ctx:
            attar.invoke(ctx)
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.ClickException as error:
        if len(error.format_message()) > _LONGEST:
            say(f"attar: error: {_short(error.format_message())}")
            return 2
        with suppress(OSError):
            error.show()
        return 2
    except BaseException as error:
        return _ended(error)
    return 0


def _ended(error: BaseException) -> int:
    """Says in one line why it ended; the exit code."""
    stop = _stop_behind(error)
    if stop is not None:
        say("attar: stopped; nothing half-written is left behind")
        return 128 + getattr(stop, "signal", signal.SIGINT)
    if isinstance(error, BrokenPipeError):  # the reader of our output has gone, which is its right
        drop_output()
        return 0
    reason = _reason(error)
    if reason is None and os.environ.get("ATTAR_DEBUG"):
        raise error
    fault = f"{type(error).__name__}: {error} (a fault of attar's own; ATTAR_DEBUG=1 shows where)"
    say(f"attar: error: {_short(reason or fault)}")
    return 1 if reason is None else 2


def _stop_behind(error: BaseException | None) -> BaseException | None:
    """The wish to stop that this came from: a signal may fall into a close, which then fails on its own account."""
    while error is not None and not isinstance(error, (KeyboardInterrupt, click.Abort)):
        error = error.__context__
    return Stopped(received[-1]) if error is None and received else error  # a library in Rust passes on words only


def _short(said: str) -> str:
    """In one line, without the middle of something endless."""
    said = " ".join(said.split())
    return said if len(said) <= _LONGEST else said[: _LONGEST // 2] + " ... " + said[-_LONGEST // 2 :]


def _reason(error: BaseException) -> str | None:
    """What is wrong with what was asked, or with this machine; None for a fault of our own."""
    if isinstance(error, AttarError):
        return str(error)
    if is_out_of_memory(error):
        return "there is not enough memory for this; try smaller files, fewer layers or --max-tokens"
    reason = reason_of(error)
    if reason is None:
        return None
    drop_output()  # what could not be written now can't be at the end either
    named = getattr(error, "filename", None)
    return (
        f"can't read or write {os.fsdecode(named)[:200]!r}: {reason}" if named else f"can't write the output: {reason}"
    )


def _prepare() -> None:
    """Notes on stderr; libraries quiet; what a stream has no bytes for (surrogates, another locale) is escaped."""
    handler = _ToStderr()
    handler.setFormatter(_Notes())
    log = logging.getLogger("attar")
    log.handlers, log.propagate = [handler], False
    log.setLevel(logging.INFO)
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # pytest and notebooks have others
            stream.reconfigure(errors="backslashreplace")


class _ToStderr(logging.Handler):
    """Wherever stderr leads when something is said; that it can't be said is no reason to stop."""

    def emit(self, record: logging.LogRecord) -> None:
        say(self.format(record))


class _Notes(logging.Formatter):
    """What is said beside the data."""

    def format(self, record: logging.LogRecord) -> str:
        kind = "error" if record.levelno >= logging.ERROR else "note"
        return f"attar: {kind}: {record.getMessage()}"


if __name__ == "__main__":
    main()
