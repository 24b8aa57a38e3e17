"""The options that name a background corpus, shared by the commands that may learn from one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from attar.errors import InputError


def background_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --background and --sentences."""
    split = click.option(
        "--sentences", is_flag=True, help="Lines of --background are paragraphs: split them into sentences first."
    )
    named = click.option(
        "--background",
        metavar="TEXTS",
        help="A second corpus, for parts marked @background; if none is, for all. Avg. is made from it.",
    )
    return named(split(command))


def read_background(source: str | None, column: str | None = None, *, sentences: bool) -> list[str] | None:
    """The texts of the background corpus; None where there is none."""
    from attar.tokens.sentences import read_corpus

    check_sentences(source, sentences)
    return None if source is None else list(read_corpus(source, column, split=sentences))


def check_sentences(background: str | None, sentences: bool) -> None:
    """Refuses --sentences where there is nothing to split."""
    if sentences and background is None:
        raise InputError("--sentences splits the lines of --background: give --background TEXTS, or leave it out")
