"""Tables as CSV, Markdown and LaTeX, and all cells as one CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

from attar.reports.cells import Cells
from attar.reports.tables import ReportTable, Value

CELL_COLUMNS = (
    "task",
    "model",
    "template",
    "layers",
    "weights",
    "shape",
    "mix",
    "family",
    "metric",
    "texts",
    "published",
    "error",
    "score",
    "low",
    "high",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_MARKDOWN = re.compile(r"[\\`*_\[\]|#~!$]")
# Names begin lines, and an open bracket or a star behind the end of a line would be its argument.
_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {c: f"{{{c}}}" for c in "[]*"}
_LATEX |= {"~": "\\textasciitilde{}", "^": "\\^{}", "\\": "\\textbackslash{}"}
_LATEX |= {
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    '"': "\\textquotedblright{}",
}  # in any encoding


def cells_csv(cells: Cells) -> str:
    """One row per cell, sorted; scores from 0 to 1, the published ones as printed. Nothing that changes in a rerun."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CELL_COLUMNS)
    lines = []
    for row in cells.rows:
        known = {"published": cells.published(row), "mix": f"{row.mix:g}"}
        known |= {name: None if (x := getattr(row, name)) is None else f"{x:.6f}" for name in ("score", "low", "high")}
        lines.append([guarded(str(_or_empty(known.get(name, getattr(row, name, None))))) for name in CELL_COLUMNS])
    writer.writerows(sorted(lines))
    return out.getvalue()


def guarded(text: str) -> str:
    """With a quote in front where a spreadsheet would take a text for a formula."""
    return f"'{text}" if text[:1] in _FORMULA and not _NUMBER.fullmatch(text) else text


def _or_empty(value: object) -> object:
    return "" if value is None else value


def markdown(tables: Iterable[ReportTable]) -> str:
    """The best of each column in bold, the published value in brackets."""
    blocks = []
    for table in tables:
        head = [escape_markdown(name) for name in (*table.labels, *table.columns)]
        rule = ["---"] * len(table.labels) + ["---:"] * len(table.columns)
        body = [
            [*map(escape_markdown, labels), *(_markdown_value(value) for value in values)]
            for labels, values in table.rows
        ]
        lines = ["| " + " | ".join(line) + " |" for line in [head, rule, *body]]
        blocks.append(f"### {escape_markdown(table.title)}\n\n" + "\n".join(lines) + "\n")
        blocks += [f"{escape_markdown(note)}.\n" for note in table.notes]
    return "\n".join(blocks)


def latex(tables: Iterable[ReportTable]) -> str:
    """One table environment each, with booktabs rules."""
    return "\n".join(_latex_table(table) for table in tables)


def _latex_table(table: ReportTable) -> str:
    lines = [" & ".join(map(escape_latex, [*table.labels, *table.columns])) + r" \\", r"\midrule"]
    for labels, values in table.rows:
        lines.append(" & ".join([*map(escape_latex, labels), *map(_latex_value, values)]) + r" \\")
    columns = "l" * len(table.labels) + "r" * len(table.columns)
    return (
        "\\begin{table}\n\\caption{"
        + escape_latex(table.title)
        + "}\n\\begin{tabular}{"
        + columns
        + "}\n\\toprule\n"
        + "\n".join(lines)
        + "\n\\bottomrule\n\\end{tabular}\n"
        + "".join(f"\\par {escape_latex(note)}.\n" for note in table.notes)
        + "\\end{table}\n"
    )


def escape_latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in " ".join(text.split()))


def escape_markdown(text: str) -> str:
    """Names as they are, whatever is in them: no element, link, code or second cell."""
    return _MARKDOWN.sub(r"\\\g<0>", " ".join(text.split())).replace("&", "&amp;").replace("<", "&lt;")


def _markdown_value(value: Value | None) -> str:
    if value is None:
        return ""
    number = f"**{printed(value.score)}**" if value.best else printed(value.score)
    return number if value.published is None else f"{number} ({printed(value.published)})"


def printed(number: float) -> str:
    """One digit behind the point; halves go up, as on the page, and 0 has no sign."""
    return f"{number + 1e-9:z.1f}"


def _latex_value(value: Value | None) -> str:
    if value is None:
        return "--"
    number = f"\\textbf{{{printed(value.score)}}}" if value.best else printed(value.score)
    return number if value.published is None else f"{number} ({printed(value.published)})"
