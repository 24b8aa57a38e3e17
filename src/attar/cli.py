"""The command line: data on stdout or in -o, everything else on stderr, errors in one line with exit code 2."""

from __future__ import annotations

import logging
import os
import sys
from importlib import import_module
from typing import Any

import click

from attar._version import __version__
from attar.errors import AttarError

# name: what `attar --help` says of it. Each is a module of attar.commands, imported only when it is called.
COMMANDS = {
    "demo": "Embed a sample with the embedded model and show what layers, weights and shapers change.",
    "corpus": "Embed a corpus of any size to Parquet parts, on this machine or a Ray cluster.",
    "encode": "Turn texts into vectors.",
    "index": "Embed documents once, for search.",
    "search": "Find the documents of an index that are nearest to a query.",
    "duplicates": "Find near duplicates in one file of texts, or between two.",
    "groups": "Sort texts into named groups, with a table and a map.",
    "explain": "Show which words make two texts close.",
    "export": "Write a recipe as a folder for sentence-transformers, model2vec or ONNX Runtime.",
    "fit": "Learn a recipe's counts and moments from texts and save it.",
    "info": "Describe a model folder or a saved recipe.",
    "recipes": "List the named recipes and what each is for.",
    "score": "Score a recipe or a model on tasks, beside the paper's figures.",
    "static": "Average a model's token vectors over a corpus into a table that needs no torch.",
    "tasks": "List the 26 tasks of the paper.",
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
    _prepare()
    try:
        attar.main(args=arguments, prog_name="attar", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except AttarError as error:
        _fail(str(error), 2)
    except (KeyboardInterrupt, click.Abort):
        _fail("stopped; nothing half-written is left behind", 130)
    except BrokenPipeError:  # the reader of our output has gone, which is its right
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        if os.environ.get("ATTAR_DEBUG"):
            raise
        _fail(f"{type(error).__name__}: {error} (a fault of attar's own; ATTAR_DEBUG=1 shows where)", 1)


def _prepare() -> None:
    """Notes on stderr; libraries quiet; surrogates in a message can't break it."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Notes())
    log = logging.getLogger("attar")
    log.handlers, log.propagate = [handler], False
    log.setLevel(logging.INFO)
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    stderr: Any = sys.stderr
    if hasattr(stderr, "reconfigure"):
        stderr.reconfigure(errors="backslashreplace")


class _Notes(logging.Formatter):
    """What is said beside the data."""

    def format(self, record: logging.LogRecord) -> str:
        kind = "error" if record.levelno >= logging.ERROR else "note"
        return f"attar: {kind}: {record.getMessage()}"


def _fail(message: str, code: int) -> None:
    print(f"attar: error: {' '.join(message.split())}" if code != 130 else f"attar: {message}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
