"""The options that say how a transformer runs, shared by the commands that open one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from attar.commands.gathered import gathered

if TYPE_CHECKING:
    from attar.types import Encoder

_OPTIONS = [
    click.option(
        "--threads",
        type=click.IntRange(min=1),
        metavar="N",
        help="Cores a transformer may use. Default: all there are.",
    ),
    click.option(
        "--precision",
        type=click.Choice(["float32", "bfloat16", "int8", "float64", "auto"]),
        help="What a transformer computes in. bfloat16: faster where the processor can, cosine 0.9999 to float32. "
        "int8: faster still, less exact. float64: slow, exact. auto: bfloat16 where it pays. Default: float32.",
    ),
    click.option(
        "--device",
        metavar="NAME",
        help="Where torch computes: cpu, cuda, cuda:1 ... or mps. Default: cpu, without torch.",
    ),
]


@dataclass(frozen=True)
class Running:
    """What the user asked for; None for what an encoder does anyway."""

    threads: int | None = None
    precision: str | None = None
    device: str | None = None

    def of(self, encoder: Encoder) -> Encoder:
        """The encoder, run in this way."""
        return encoder.configured(threads=self.threads, precision=self.precision, device=self.device)


def running_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options; the command gets them as one `running`."""
    return gathered(command, _OPTIONS, "running", Running)
