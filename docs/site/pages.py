"""What mkdocs calls while it builds the site: pages made from the code and from files that stand elsewhere."""

from __future__ import annotations

import html
import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
# files of the project that are pages of the site too
ELSEWHERE = {
    "contributing.md": "CONTRIBUTING.md",
    "security.md": "SECURITY.md",
    "changelog.md": "CHANGELOG.md",
}
RESULTS = "results"  # this folder is part of the site as it is
# GitHub wants bars of code in a table escaped, Python-Markdown shows the backslash
CODE_IN_A_ROW = re.compile(r"(?<=\| )`[^`\n]*\\\|[^`\n]*`")
LONG_CODE = re.compile(r"<code>([^<\n]{41,}</code>)")
# cells of a table: one name or numbers, such as "3.05 (3.04 to 3.06)" or "54.2 / 37.2", and few words
CELLS = {
    "name": re.compile(r"<td()>(?=<code>[^<]{1,24}</code></td>)"),
    "figures": re.compile(r'<td( style="[^"]*")?>(?=(?:<strong>)?[-+(\d][^<]{0,22}(?:</strong>)?[^<]{0,20}</td>)'),
    "few": re.compile(r'<td( style="[^"]*")?>(?=[^<]{1,20}</td>)'),
}
COMMANDS_ALIKE = """Data goes to stdout or `-o`, everything else to stderr. An error is one line and exit code 2. A file
given by `-o` is replaced, unless the command reads it; a folder only with `--overwrite`, and only if Attar wrote it."""
# page: title, first sentences, and what it shows: modules (all that they name as public) and single objects
REFERENCE: dict[str, tuple[str, str, list[str]]] = {
    "embedder": (
        "Embedder and recipes",
        "`Embedder` turns texts into vectors; a `Recipe` says how. Axes: N texts, T tokens, L layers, D dims, V words.",
        ["attar.Embedder", "attar.choose", "attar.Recipe", "attar.embedder.open_embedder", "attar.recipe",
         "attar.pipeline.Pipeline", "attar.pipeline.fit_pipeline"],
    ),
    "encoders": (
        "Encoders",
        "From texts to tokens, and from tokens to vectors at any layer.",
        ["attar.Transformer", "attar.Template", "attar.Table", "attar.Random", "attar.WordVectors", "attar.Mix",
         "attar.Pooled", "attar.SideBySide", "attar.encoders.attended.Attended", "attar.encoders.dissected.Dissected",
         "attar.encoders.zipfian.zipfian",
         "attar.encoders.cached.Cached", "attar.encoders.opening.open_encoder", "attar.encoders.average.average_tokens",
         "attar.types.Encoder"],
    ),
    "weights": ("Weights", "One number per token: how much each counts in the mean of its text.", ["attar.weights"]),
    "shapers": (
        "Shapers",
        "scikit-learn transformers from (N, D) to (N, D') that make cosines mean more.",
        ["attar.shapers"],
    ),
    "jobs": (
        "Search, duplicates, groups",
        "What the commands `index`, `search`, `duplicates`, `groups` and `explain` do, from Python.",
        ["attar.jobs.index.Index", "attar.jobs.duplicates", "attar.jobs.groups", "attar.jobs.threshold",
         "attar.explanation.Explanation"],
    ),
    "evaluation": (
        "Tasks and scores",
        "Texts with answers, and what vectors are worth on them.",
        ["attar.tasks", "attar.scores", "attar.evaluation.evaluate", "attar.tokens.sentences.sentences"],
    ),
    "scale": (
        "Corpora, sweeps, exports",
        "Work that takes longer, and recipes that leave the house.",
        ["attar.corpus", "attar.sweep", "attar.exports", "attar.exports.mteb.Model"],
    ),
    "errors": ("Errors", "Every error is one sentence: the value, what is allowed, what to do.", ["attar.errors"]),
}  # fmt: skip


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are no files below docs/."""
    placed = {path for _, _, shown in REFERENCE.values() for name in shown for path in _paths(name)}
    rest = [path for path in _paths("attar") if path not in placed]
    made = {
        f"reference/{page}.md": _objects_page(title, about, shown + (rest if page == "encoders" else []))
        for page, (title, about, shown) in REFERENCE.items()
    }
    made["reference/commands.md"] = _commands_page()
    made |= {page: (ROOT / source).read_text(encoding="utf-8") for page, source in ELSEWHERE.items()}
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    for source in sorted((ROOT / RESULTS).rglob("*.*")):
        files.append(File.generated(config, source.relative_to(ROOT).as_posix(), abs_src_path=str(source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links between files of the project become links between pages; fences keep the language alone."""
    up = "../" * page.file.src_uri.count("/") if page.file.src_uri.startswith(RESULTS) else ""
    for target, source in ELSEWHERE.items():
        markdown = markdown.replace(f"](../{source}", f"]({up}{target}").replace(f"]({source}", f"]({up}{target}")
    markdown = re.sub(r"\]\((?:\.\./)*docs/", f"]({up}", markdown)
    if not up:
        markdown = markdown.replace(f"](../{RESULTS}/", f"]({RESULTS}/")
    markdown = re.sub(CODE_IN_A_ROW, lambda row: row[0].replace("\\|", "|"), markdown)
    return re.sub(r"^( *```\w+) .*$", r"\1", markdown, flags=re.M)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Mark what the style sheet breaks into lines or keeps on one."""
    html = re.sub(LONG_CODE, r'<code class="long">\1', html)
    for name, cell in CELLS.items():
        html = re.sub(cell, rf'<td class="{name}"\1>', html)
    return html


def _commands_page() -> str:
    from attar.cli import COMMANDS, attar

    context = click.Context(attar, info_name="attar")
    parts = [
        f"# Commands\n\n{COMMANDS_ALIKE}\n",
        "| | |\n|---|---|\n" + "\n".join(f"| [`{name}`](#{name}) | {said} |" for name, said in COMMANDS.items()),
    ]
    for name in COMMANDS:
        command = attar.get_command(context, name)
        assert command is not None
        parts.append(_command(command, click.Context(command, info_name=name, parent=context)))
    return "\n\n".join(parts) + "\n"


def _command(command: click.Command, context: click.Context) -> str:
    usage = command.get_usage(context).removeprefix("Usage: ")
    paragraphs = inspect.cleandoc(command.help or "").replace("\b\n", "")
    records = [
        record
        for parameter in command.get_params(context)
        if (record := parameter.get_help_record(context)) and record[1]
    ]
    options = "\n".join(f"| {_code(name)} | {_cell(told)} |" for name, told in records)
    examples = inspect.cleandoc((command.epilog or "").replace("\b", "")).partition("Examples:\n")[2]
    shown = f"\n\n```sh\n{inspect.cleandoc(examples)}\n```" if examples else ""
    return (
        f"## {context.info_name}\n\n```text\n{' '.join(usage.split())}\n```\n\n{_escaped(paragraphs)}{shown}\n\n"
        f"| option | |\n|---|---|\n{options}"
    )


def _code(words: str) -> str:
    names = (html.escape(word.strip()).replace("|", "&#124;") for word in words.split(", "))
    return ", ".join(f"<code>{name}</code>" for name in names)


def _cell(text: str) -> str:
    return _escaped(" ".join(text.split())).replace("|", "\\|")


def _escaped(text: str) -> str:
    """Words of the help that Markdown or HTML would take for their own."""
    return re.sub(r"([<>\[\]*_])", r"\\\1", text)


def _objects_page(title: str, about: str, shown: list[str]) -> str:
    paths: list[str] = []
    for name in shown:
        paths += [path for path in _paths(name) if path not in paths]
    return f"# {title}\n\n{about}\n\n" + "\n\n".join(f"::: {path}" for path in paths) + "\n"


def _paths(name: str) -> list[str]:
    """Where the public classes and functions of a module, or one object, are defined."""
    module, _, attribute = name.rpartition(".")
    try:
        room = import_module(name)
    except ModuleNotFoundError:
        return [_path(getattr(import_module(module), attribute))]
    public = getattr(room, "__all__", None) or [
        word
        for word, thing in vars(room).items()
        if not word.startswith("_") and getattr(thing, "__module__", "") == name
    ]
    things = [getattr(room, word) for word in public]
    return [_path(thing) for thing in things if inspect.isclass(thing) or inspect.isfunction(thing)]


def _path(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"
