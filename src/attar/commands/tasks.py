"""attar tasks"""

from __future__ import annotations

import click


@click.command(epilog="Score a recipe on some of them with: attar score plain --tasks sts --data DIR")
@click.argument("family", required=False, metavar="[sts|clustering|classification]")
def tasks(family: str | None) -> None:
    """List the tasks that are known by name: name, family, rows, classes, and where the data comes from."""
    from attar.tasks import select
    from attar.tasks.catalogue import CATALOGUE

    for task in CATALOGUE if family is None else select(family):
        rows = "/".join(f"{n:,}" for n in task.rows.values())
        classes = f"{task.n_classes} classes" if task.n_classes else ""
        click.echo(f"{task.name:15} {task.family:15} {rows:20} {classes:12} {task.sources[0] if task.sources else ''}")
