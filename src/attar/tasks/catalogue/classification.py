"""The 12 classification tasks."""

from __future__ import annotations

from dataclasses import replace

from attar.tasks.catalogue.sources import PANG_LEE, SENTEVAL, UNSTATED
from attar.tasks.catalogue.sts import SICK_R, STS_B
from attar.tasks.declaration import Declaration
from attar.tasks.readers.labelled_lines import LabelledLines, Layout
from attar.tasks.readers.mrpc import MsrParaphrase
from attar.tasks.readers.polarity import Polarity
from attar.tasks.readers.scicite import SciCite


def _two_files(name: str, rows: int, ones: str, zeros: str, source: str, licence: str = UNSTATED) -> Declaration:
    """Two classes in a file each, scored by 10-fold cross-validation."""
    return Declaration(
        name=name,
        family="classification",
        stem=name,
        rows={"all": rows},
        licence=licence,
        sources=(source, SENTEVAL),
        forms=(Polarity(ones, zeros, folders=(name, "")),),
        n_classes=2,
    )


def _treebank(name: str, n_classes: int, rows: dict[str, int], folder: str, layout: Layout) -> Declaration:
    names = {split: f"sentiment-{split}" for split in rows}
    return Declaration(
        name=name,
        family="classification",
        stem=name,
        rows=rows,
        licence=UNSTATED,
        sources=("https://nlp.stanford.edu/sentiment/", SENTEVAL),
        # Both tasks have the same file names: only the folder tells them apart.
        forms=(LabelledLines(names, layout, (f"SST/{folder}", f"sst/{folder}"), "SentEval"),),
        n_classes=n_classes,
    )


CLASSIFICATION = (
    _two_files("MR", 10662, "rt-polarity.pos", "rt-polarity.neg", PANG_LEE),
    _two_files("CR", 3775, "custrev.pos", "custrev.neg", "https://www.cs.uic.edu/~liub/FBS/sentiment-analysis.html"),
    _two_files("SUBJ", 10000, "subj.objective", "subj.subjective", PANG_LEE),  # class 1 is objective, as in SentEval
    _two_files("MPQA", 10606, "mpqa.pos", "mpqa.neg", "https://mpqa.cs.pitt.edu/", "the MPQA corpus's own terms"),
    _treebank("SST2", 2, {"train": 67349, "dev": 872, "test": 1821}, "binary", "text<TAB>label"),
    Declaration(
        name="MRPC",
        family="classification",
        stem="MRPC",
        rows={"train": 4076, "test": 1725},
        licence="Microsoft Research data licence",
        sources=("https://www.microsoft.com/en-us/download/details.aspx?id=52398", SENTEVAL),
        forms=(MsrParaphrase(),),
        n_classes=2,
        pairs=True,
    ),
    Declaration(
        name="SCICITE",
        family="classification",
        stem="SCICITE",
        rows={"train": 7320, "dev": 916, "test": 1861},  # those of SciBERT's copy; the release has more to train on
        licence=UNSTATED,
        sources=("https://github.com/allenai/scibert", "https://github.com/allenai/scicite"),
        forms=(
            SciCite(".txt", "text", ("sci-cite", "text_classification/sci-cite"), "SciBERT's copy"),
            SciCite(".jsonl", "string", ("scicite", "SciCite", "SCICITE"), "SciCite release"),
        ),
        n_classes=3,
    ),
    replace(SICK_R, name="SICK-E", family="classification", n_classes=3, scale=None, aliases=("SICKEntailment",)),
    _treebank("SST5", 5, {"train": 8544, "dev": 1101, "test": 2210}, "fine", "label text"),
    Declaration(
        name="TREC",
        family="classification",
        stem="TREC",
        rows={"train": 5452, "test": 500},
        licence=UNSTATED,
        sources=("https://cogcomp.seas.upenn.edu/Data/QA/QC/", SENTEVAL),
        forms=(
            LabelledLines(
                {"train": "train_5500.label", "test": "TREC_10.label"},
                "label:detail text",
                folders=("TREC", ""),
                title="SentEval",
                encoding="latin-1",
            ),
        ),
        n_classes=6,
    ),
    replace(SICK_R, name="SICK-R-soft", family="classification", n_classes=5, aliases=()),
    replace(STS_B, name="STS-B-soft", family="classification", n_classes=6, aliases=()),
)
