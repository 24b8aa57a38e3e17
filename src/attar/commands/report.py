"""attar report"""

from __future__ import annotations

import logging
from pathlib import Path

import click

from attar.io.plural import number_of

log = logging.getLogger("attar")
FORMATS = ("html", "csv", "md", "tex", "png", "svg")


@click.command(
    epilog="""\b
Examples:
  attar report RUN -o report.html
  attar report RUN-A RUN-B -o report.html      several runs on one page
  attar report RUN --format csv -o cells.csv   one row per cell, sorted
  attar report RUN --format tex -o tables.tex
  attar report RUN --format svg -o figures     a folder of figures
"""
)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", metavar="FILE|FOLDER", required=True, type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(FORMATS), default="html", show_default=True)
@click.option("--title", metavar="TEXT", default="Sentence vectors, recipe by recipe", help="Of the page.")
def report(runs: tuple[Path, ...], output: Path, form: str, title: str) -> None:
    """Turn sweeps into one page, into tables, or into figures."""
    from attar.io.atomic import check_not_read, new_file
    from attar.reports.cells import Cells
    from attar.sweep.store import FILE

    check_not_read(output, *(run / FILE for run in runs))
    cells = Cells.of_runs(runs)
    if form in ("png", "svg"):
        from attar.reports.figures import write_figures

        written = write_figures(cells, output, form)
        log.info("wrote %s to %s", number_of(written, "figure"), output)
        return
    with new_file(output) as aside:
        aside.write_text(_text(cells, form, title), encoding="utf-8")
    log.info("wrote %s cells to %s", f"{len(cells.scored):,}", output)


def _text(cells: object, form: str, title: str) -> str:
    from attar.reports.cells import Cells
    from attar.reports.formats import cells_csv, latex, markdown
    from attar.reports.page import page
    from attar.reports.tables import all_tables

    assert isinstance(cells, Cells)
    if form == "html":
        return page(cells, title)
    if form == "csv":
        return cells_csv(cells)
    return (markdown if form == "md" else latex)(all_tables(cells))
