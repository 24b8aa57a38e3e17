"""attar sweep"""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import click

from attar.commands.corpora import check_sentences
from attar.commands.stopping import kept_in
from attar.commands.text_limit import text_limit_option

log = logging.getLogger("attar")


@click.command(
    epilog="""\b
Examples:
  attar sweep --grid paper --model ./bert-base-uncased --data DIR --background wiki.txt.gz --sentences -o RUN
  attar sweep --grid mine.toml --data DIR -o RUN
  attar best RUN
  attar report RUN -o report.html
\b
A grid file (only tasks is needed; see docs/sweep.md):
  tasks = ["sts", "tweet"]
  templates = ["none", "T4"]
  layers = [["each"], ["first", "last"]]
  weights = ["mean", "idf"]
  shapes = [[], ["zscore", "unit"]]
  mix = [0.0, 0.5]
"""
)
@click.option(
    "--grid", metavar="paper|FILE", default="paper", show_default=True, help="The paper's grid or a TOML file."
)
@click.option("--model", "models", multiple=True, metavar="DIR|NAME", help="A model; may be given several times.")
@click.option("--tasks", metavar="LIST", help="Instead of the grid's: names, families, all, or files.")
@click.option("--data", metavar="DIR", type=click.Path(path_type=Path), help="The folder that holds the tasks.")
@click.option("--background", metavar="FILE", type=click.Path(path_type=Path), help="A corpus, one text per line.")
@text_limit_option
@click.option("--sentences", is_flag=True, help="Lines of --background are paragraphs: split them into sentences.")
@click.option("-o", "--output", metavar="RUN", required=True, type=click.Path(path_type=Path), help="A folder.")
@click.option("--keep", is_flag=True, help="Keep the pooled vectors, so that a later sweep needs no forward pass.")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Threads that score. Default: one per processor.")
def sweep(
    grid: str,
    models: tuple[str, ...],
    tasks: str | None,
    data: Path | None,
    background: Path | None,
    sentences: bool,
    output: Path,
    keep: bool,
    jobs: int | None,
) -> None:
    """Score a whole grid of recipes; every text goes through the model once per template.

    RUN keeps what is done: stop it in any way and run the same command again to go on.
    Exit code 2 if none of the cells could be scored.
    """
    from attar.sweep import Settings, read_grid
    from attar.sweep.run import run_sweep
    from attar.sweep.run_checks import failures
    from attar.sweep.store import Store

    check_sentences(None if background is None else str(background), sentences)
    wanted = tuple(part.strip() for part in tasks.split(",")) if tasks else ()
    chosen = read_grid(grid, models, wanted)
    settings = Settings(data=data, background=background, sentences=sentences, keep=keep, jobs=jobs)
    with kept_in(output):
        outcome = run_sweep(chosen, output, settings)
    with Store.of_run(output) as store:
        rows = store.rows()
    asked = [row for row in rows if row.cell in outcome.asked]
    if asked and all(row.score is None for row in asked):
        log.error("nothing was scored: %s", failures(asked))
        sys.exit(2)
    failed, n = failures(rows), outcome.n_computed
    if failed is not None:
        log.warning("%s", failed)
    log.info(
        "%s computed; see them with: attar report %s -o report.html", "1 cell" if n == 1 else f"{n:,} cells", output
    )
