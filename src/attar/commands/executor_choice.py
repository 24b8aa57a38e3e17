"""The options that say who works on a corpus, shared by the commands that learn from one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from attar.commands.gathered import gathered
from attar.errors import InputError

if TYPE_CHECKING:
    from attar.corpus.executors import Executor

_OPTIONS = [
    click.option(
        "--executor",
        "name",
        type=click.Choice(["local", "ray"]),
        help="Work in shards, on this machine or a Ray cluster.",
    ),
    click.option("--address", metavar="HOST:PORT", help="Of a Ray cluster. Default: RAY_ADDRESS, or one started here."),
    click.option("--workers", type=click.IntRange(1), metavar="N", help="Processes that work. Default: all cores."),
    click.option("--shards", type=click.IntRange(1), metavar="N", help="Cut the texts into so many shards."),
]


@dataclass(frozen=True)
class ExecutorChoice:
    """What the user asked for."""

    name: str | None
    address: str | None
    workers: int | None
    shards: int | None

    def __post_init__(self) -> None:
        given = [n for n in ("address", "workers", "shards") if getattr(self, n) is not None]
        if self.name is None and given:
            raise InputError(f"--{given[0]} is for work in shards: add --executor local or --executor ray")

    def open(self) -> Executor:
        from attar.corpus.executors import open_executor

        assert self.name is not None
        return open_executor(self.name, workers=self.workers, address=self.address)


def executor_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options; the command gets them as one `executor`."""
    return gathered(command, _OPTIONS, "executor", ExecutorChoice)
