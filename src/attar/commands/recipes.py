"""attar recipes"""

from __future__ import annotations

import click

# Measured: Spearman x 100 on STS-B test, accuracy x 100 of k-means on the tweets and of logistic regression on TREC test.
# "tuned" is the embedded MiniLM, "raw" MobileBERT; of the prompts, SmolLM2-135M, whose mean is the figure before.
FIGURES = {
    "plain": ("82.2", "60.0", "89.8", "63.0", "44.4", "87.0"),
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
        "\ntuned: the embedded MiniLM; raw: MobileBERT. SmolLM2-135M, a causal model, STS-B test: plain 37.2, prompt 73.6,\n"
        "prompts 73.6. Vectors of recipes without length 1 are to be compared by cosine, not by inner product."
    )


def _print(rows: list[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
