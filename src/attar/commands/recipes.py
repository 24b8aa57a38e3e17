"""attar recipes"""

from __future__ import annotations

import click


@click.command(epilog="Use one with: attar encode texts.txt --recipe similarity -o vectors.npy")
def recipes() -> None:
    """List the named recipes and what each is for.

    They follow the findings of the paper on a raw bert-base-uncased. A model that was already tuned for sentences, such
    as the embedded default, is often served best by plain.
    """
    from attar.recipe import NAMED

    rows = [("name", "layers", "weights", "shape", "for")]
    for name, (layers, weights, shape, purpose) in NAMED.items():
        shown = ", ".join(map(str, layers)) if isinstance(layers, tuple) else str(layers)
        rows.append((name, shown, weights, shape or "-", purpose))
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    for row in rows:
        click.echo("  ".join([cell.ljust(width) for cell, width in zip(row, widths, strict=False)] + [row[4]]))
