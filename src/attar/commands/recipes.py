"""attar recipes"""

from __future__ import annotations

from collections.abc import Sequence

import click

# Measured: Spearman x 100 on STS-B test, accuracy x 100 of k-means on tweets and of logistic regression on TREC test;
# three columns of the embedded MiniLM, which is tuned for sentences, then three of MobileBERT, which is raw.
FIGURES = {
    "plain": ("82.2", "59.9", "89.8", "63.0", "44.4", "87.0"),
    "similarity": ("82.2", "", "", "68.5", "", ""),
    "clustering": ("", "63.5", "", "", "49.0", ""),
    "classification": ("", "", "89.8", "", "", "89.4"),
}


@click.command(
    epilog="""\b
Use one with: attar encode texts.txt --recipe similarity -o vectors.npy
Which suits your texts and model: attar choose texts.txt --model DIR -o my-recipe
"""
)
def recipes() -> None:
    """List the named recipes, what each is for, and what it is worth.

    After the name stands the recipe as text: model, template, layers, weights, shapers; --recipe takes such a text too.
    A model that was tuned for sentences, such as the embedded default, loses by all of them but plain: for such a one
    their names stand for its plain mean, at length 1 but for classification.
    """
    from attar.recipe import NAMED, Recipe

    rows = [("name", "recipe for a raw model", "length 1", "for")]
    for name, (text, purpose) in NAMED.items():
        rows.append((name, text, "yes" if Recipe.named(name).is_unit else "no", purpose))
    _print(rows)
    click.echo(
        "\nMeasured: STS-B test (Spearman x 100), k-means on tweets, logistic regression on TREC (accuracy x 100)\n"
    )
    kinds = ("tuned: STS-B", "tweets", "TREC", "raw: STS-B", "tweets", "TREC")
    _print([("name", *kinds), *((name, *figures) for name, figures in FIGURES.items())])
    click.echo(
        "\ntuned: the embedded MiniLM; raw: MobileBERT. SmolLM2-135M, a causal model, STS-B test: plain 37.2,\n"
        "prompt 73.6, prompts 73.6. Vectors of recipes without length 1 are compared by cosine, not inner product.\n"
        "\nWhich one suits your texts and your model? attar choose texts.txt --model DIR -o my-recipe"
    )


def _print(rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
