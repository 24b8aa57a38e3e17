"""The option that says how long a text may be, shared by the commands that read texts from files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click

from attar.io.bounds import DEFAULT, VARIABLE


def text_limit_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --max-text-bytes, which holds for this process and for those that it starts."""
    option = click.option(
        "--max-text-bytes",
        type=click.IntRange(1),
        metavar="N",
        expose_value=False,
        callback=_keep,
        help=f"Refuse files with a longer text than this. Default: {DEFAULT:,}.",
    )
    return option(command)


def _keep(ctx: click.Context, option: click.Parameter, value: int | None) -> None:
    if value is not None:
        os.environ[VARIABLE] = str(value)
