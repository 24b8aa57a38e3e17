"""The 6 clustering tasks."""

from __future__ import annotations

from attar.tasks.catalogue.sources import SHORT_TEXTS, STC2, UNSTATED
from attar.tasks.declaration import Declaration
from attar.tasks.readers.form import Form
from attar.tasks.readers.labelled_lines import LabelledLines
from attar.tasks.readers.text_label_csv import TextLabelCsv
from attar.tasks.readers.texts_and_labels import TextsAndLabels

_STC2_FOLDERS = ("dataset", "STC2/dataset", "")


def _lines(file: str, *folders: str) -> LabelledLines:
    return LabelledLines({"all": file}, "label<TAB>text", (*folders, ""), "label and text lines")


def _task(
    name: str, rows: int, n_classes: int, forms: tuple[Form, ...], licence: str = UNSTATED, *more_sources: str
) -> Declaration:
    return Declaration(
        name=name,
        family="clustering",
        stem=name,
        rows={"all": rows},
        licence=licence,
        sources=(SHORT_TEXTS, *more_sources),
        forms=forms,
        n_classes=n_classes,
    )


CLUSTERING = (
    _task(
        "agnews",
        8000,
        4,
        (_lines("agnewsdataraw-8000"), TextLabelCsv("agnews.csv")),
        "AG's corpus of news: non-commercial use",
    ),
    _task(
        "biomedical",
        20000,
        20,
        (
            _lines("biomedical_true_text", "biomedical"),
            TextLabelCsv("biomedical.csv"),
            TextsAndLabels("Biomedical.txt", "Biomedical_gnd.txt", _STC2_FOLDERS),
        ),
        "titles from PubMed by way of BioASQ, under their terms",
        STC2,
    ),
    _task("googleTS", 11109, 152, (_lines("TS"), TextLabelCsv("googlenews_TS.csv"))),
    _task(
        "searchsnippets",
        12340,
        8,
        (
            _lines("search_snippets_true_text", "search_snippets"),
            TextLabelCsv("searchsnippets.csv"),
            TextsAndLabels("SearchSnippets.txt", "SearchSnippets_gnd.txt", _STC2_FOLDERS),
        ),
        UNSTATED,
        STC2,
    ),
    _task(
        "stackoverflow",
        20000,
        20,
        (
            _lines("stackoverflow_true_text", "stackoverflow"),
            TextLabelCsv("stackoverflow.csv"),
            TextsAndLabels(
                "title_StackOverflow.txt", "label_StackOverflow.txt", ("rawText", "StackOverflow/rawText", "")
            ),
            TextsAndLabels("StackOverflow.txt", "StackOverflow_gnd.txt", _STC2_FOLDERS),
        ),
        "Stack Exchange content, CC BY-SA",
        "https://github.com/jacoxu/StackOverflow",
        STC2,
    ),
    _task("tweet", 2472, 89, (_lines("tweet-original-order.txt"), TextLabelCsv("tweet89.csv"))),
)
