"""attar demo"""

from __future__ import annotations

from pathlib import Path

import click


@click.command(
    epilog="""\b
Examples:
  attar demo
  attar demo -o somewhere --model ./bert-base-uncased
"""
)
@click.option(
    "-o", "--output", default="attar-demo", show_default=True, metavar="FOLDER", help="Where to put the results."
)
@click.option("--model", metavar="DIR|NAME", help="Another model. Default: the embedded MiniLM.")
def demo(output: str, model: str | None) -> None:
    """Embed 48 sentences of ours and show what layers, weights and shapers change.

    Writes vectors.npy, sentences.txt and comparison.png, and says what to run next.
    """
    from attar.demo import run

    click.echo(run(Path(output), model))
