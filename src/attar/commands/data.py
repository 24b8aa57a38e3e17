"""attar data"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

import click


@click.group(epilog="Example: attar data check ./data")
def data() -> None:
    """Look after a folder of datasets."""


@data.command(epilog="Example: attar data check ./data")
@click.argument("folder", metavar="DIR")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def check(folder: str, as_json: bool) -> None:
    """Say which tasks' data lie in DIR, which are missing and whether the counts match. Exit code 1 if any is wrong."""
    from attar.tasks import check as findings_in

    findings = findings_in(folder)
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings], default=str, ensure_ascii=False))
    else:
        for f in findings:
            shown = f"{_rows(f.found)} rows, {f.form} form" if f.status == "ok" else f.problem
            click.echo(f"{f.status:8} {f.task:15} {f.family:15} {shown}")
        n = {status: sum(f.status == status for f in findings) for status in ("ok", "missing", "wrong")}
        click.echo(f"{n['ok']} of {len(findings)} tasks ready, {n['missing']} missing, {n['wrong']} wrong")
    sys.exit(1 if any(f.status == "wrong" for f in findings) else 0)


def _rows(rows: dict[str, int]) -> str:
    return "/".join(f"{n:,}" for n in rows.values())
