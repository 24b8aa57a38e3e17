"""Tasks of your own, from a TSV, CSV or JSONL file (each may be gzipped)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from attar.errors import DataError, InputError, unknown_name
from attar.tasks.build import classify_task, cluster_task, sts_task
from attar.tasks.declaration import FAMILIES
from attar.tasks.readers.delimited import read_csv, read_jsonl, read_tsv
from attar.tasks.readers.table import ColumnTable
from attar.tasks.types import Task

_READERS: dict[str, Callable[[Path], ColumnTable]] = {
    ".tsv": read_tsv,
    ".csv": read_csv,
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
}
SUFFIXES = tuple(_READERS)

# Guessed in this order, whatever the capitals. `label` may also name the score of a pair.
LEFT = ("sentence1", "text1", "left", "sentence_a", "premise", "question1")
RIGHT = ("sentence2", "text2", "right", "sentence_b", "hypothesis", "question2")
SCORE = ("score", "similarity", "similarity_score", "relatedness", "relatedness_score", "label")
TEXT = ("text", "sentence", "title", "question", "string")
LABEL = ("label", "class", "category", "target")
SPLIT = ("split", "set")
SUBSET = ("subset",)

_SPLIT_NAMES = {"train": "train", "dev": "dev", "valid": "dev", "validation": "dev", "test": "test"}


def from_file(
    path: str | Path,
    family: str | None = None,
    *,
    name: str | None = None,
    left: str | None = None,
    right: str | None = None,
    score: str | None = None,
    text: str | None = None,
    label: str | None = None,
) -> Task:
    """A task from a file with named columns; columns that are not given are guessed from their usual names.

    Two texts and a score make an STS task. A text and a label make a clustering or a classification task: `family`
    says which. Two texts and a label make a classification of pairs where family="classification".
    A classification with a column `split` (train, dev, test) keeps those splits; without one it is cross-validated.

    Parameters
    ----------
    path : str or Path
        A .tsv, .csv or .jsonl file, each also gzipped.
    family : {"sts", "clustering", "classification"}, optional
        What kind of task it is; guessed for pairs with a score.
    name : str, optional
        What to call the task; the name of the file without its ending unless given.
    left, right : str, optional
        The columns of the two texts of a pair.
    score : str, optional
        The column of the scores of pairs.
    text : str, optional
        The column of the texts.
    label : str, optional
        The column of the labels.

    Returns
    -------
    StsTask, ClusterTask or ClassifyTask
        Texts and answers.

    Raises
    ------
    InputError
        If the family or the ending of the file is unknown.
    DataError
        If a column is missing, a label is blank, or the file is empty or damaged.
    """
    if family is not None and family not in FAMILIES:
        raise unknown_name("family", family, FAMILIES)
    file = Path(path)
    table = _read(file)
    if len(table) == 0:
        raise DataError(f"{file} holds no rows")
    title = name if name is not None else file.name.split(".")[0]
    pairs = _column(table, left, LEFT) is not None and _column(table, right, RIGHT) is not None
    kind = family if family is not None else _guess_family(table, pairs, _column(table, score, SCORE))
    if kind == "sts":
        columns = {"sentence1": (left, LEFT), "sentence2": (right, RIGHT), "score": (score, SCORE)}
        return sts_task(title, _renamed(table, columns, optional={"subset": SUBSET}))
    single = {"text": (text, TEXT), "label": (label, LABEL)}
    if kind == "clustering":
        return cluster_task(title, _labelled(_renamed(table, single)))
    if text is not None or not pairs:
        rows = _labelled(_renamed(table, single, optional={"split": SPLIT}))
        return classify_task(title, _by_split(rows), pairs=False)
    double = {"sentence1": (left, LEFT), "sentence2": (right, RIGHT), "label": (label, LABEL)}
    rows = _labelled(_renamed(table, double, optional={"split": SPLIT}))
    return classify_task(title, _by_split(rows), pairs=True)


def _read(file: Path) -> ColumnTable:
    suffix = Path(file.name.lower().removesuffix(".gz")).suffix
    if suffix not in _READERS:
        raise InputError(
            f"{file} ends in {suffix!r}; a task of your own is read from {', '.join(_READERS)}, each also with .gz"
        )
    return _READERS[suffix](file)


def _guess_family(table: ColumnTable, pairs: bool, score: str | None) -> str:
    if not pairs:
        raise InputError(
            f"{table.source} has no two columns of texts (it has: {', '.join(table.columns)}): it is no STS task. Say "
            f"family='clustering' or 'classification' (as a name: clustering:PATH), or name the columns left and right"
        )
    odd = next((value for value in table[score] if not _is_number(value)), None) if score is not None else None
    if odd is not None:
        raise InputError(
            f"{table.source}: the {score} of its pairs is not always a number ({odd!r}): "
            f"correct it, or say family='classification' (as a name: classification:PATH)"
        )
    return "sts"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _column(table: ColumnTable, given: str | None, guesses: Sequence[str]) -> str | None:
    """The file's own name of a column: the one given, or the first of the usual ones that is there."""
    if given is not None:
        if given not in table:
            raise unknown_name(f"column of {table.source}", given, table.columns)
        return given
    by_lower = {name.lower(): name for name in table.columns}
    return next((by_lower[guess] for guess in guesses if guess in by_lower), None)


def _renamed(
    table: ColumnTable,
    columns: Mapping[str, tuple[str | None, Sequence[str]]],
    optional: Mapping[str, Sequence[str]] | None = None,
) -> ColumnTable:
    """The wanted columns under their tidy names."""
    found: dict[str, Sequence[str]] = {}
    for wanted, (given, guesses) in columns.items():
        there = _column(table, given, guesses)
        if there is None:
            raise DataError(
                f"{table.source} has no column for the {wanted} (known names: {', '.join(guesses)}); it has: "
                f"{', '.join(table.columns)}. Rename one, or name it when you load the file"
            )
        found[wanted] = table[there]
    for wanted, guesses in (optional or {}).items():
        there = _column(table, None, guesses)
        if there is not None:
            found[wanted] = table[there]
    return ColumnTable(table.source, found)


def _labelled(table: ColumnTable) -> ColumnTable:
    """The table itself, if every row has a label: a missing one would be taken for a class."""
    labels = table["label"]
    blank = [row for row, label in enumerate(labels) if not label.strip()]
    if blank:
        raise DataError(
            f"{table.source}: the label of row {blank[0] + 1} is blank "
            f"({len(blank)} of {len(labels)} rows are like that). Fill it in, or take the row out"
        )
    return table


def _by_split(table: ColumnTable) -> dict[str, ColumnTable]:
    """One table per split, train first; everything under "all" where the file has no splits."""
    if "split" not in table:
        return {"all": table}
    rows: dict[str, list[int]] = {"train": [], "dev": [], "test": []}
    for row, split in enumerate(table["split"]):
        if split.lower() not in _SPLIT_NAMES:
            raise DataError(
                f"{table.source}: the split of row {row + 1} is {split!r}; allowed: {', '.join(_SPLIT_NAMES)}"
            )
        rows[_SPLIT_NAMES[split.lower()]].append(row)
    for needed in ("train", "test"):
        if not rows[needed]:
            raise DataError(
                f"{table.source}: its column of splits has no {needed!r} row; both train and test are needed"
            )
    return {
        split: ColumnTable(
            table.source, {name: [column[row] for row in kept] for name, column in table.columns.items()}
        )
        for split, kept in rows.items()
        if kept
    }
