"""attar recipes"""

from __future__ import annotations

import click


@click.command(
    epilog="""\b
Use one with: attar encode texts.txt --recipe similarity -o vectors.npy
Which suits your texts and model: attar choose texts.txt --model DIR -o my-recipe
"""
)
def recipes() -> None:
    """List the named recipes and what each is for.

    They follow the findings of the paper on a raw bert-base-uncased. A model that was already tuned for sentences, such
    as the embedded default, is often served best by plain. After the name stands the recipe as text: model, template,
    layers, weights, shapers. --recipe takes such a text too.
    """
    from attar.recipe import NAMED

    rows = [("name", "recipe", "for"), *((name, text, purpose) for name, (text, purpose) in NAMED.items())]
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    for row in rows:
        click.echo("  ".join([cell.ljust(width) for cell, width in zip(row, widths, strict=False)] + [row[2]]))
    click.echo(
        "\nSTS-B test, Spearman x 100, with the embedded MiniLM, which is tuned for sentences: plain 82.2, "
        "classification 80.5, similarity 79.3, clustering 76.9. For a tuned model take plain with --shape unit; the "
        "jobs (index, duplicates, groups, explain) do so by themselves."
    )
