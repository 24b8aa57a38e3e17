"""The 8 STS tasks."""

from __future__ import annotations

from attar.tasks.catalogue.sources import MIXED, SENTEVAL, STS_WIKI
from attar.tasks.declaration import Declaration
from attar.tasks.readers.semeval import SemEvalYear
from attar.tasks.readers.sick import SickSplits, SickWhole
from attar.tasks.readers.str_pairs import StrPairs
from attar.tasks.readers.stsb import StsBenchmark


def _year(
    name: str, rows: int, archive: str, gold: str, subsets: str, prefixes: tuple[str, ...] = ("STS",)
) -> Declaration:
    """A year of the STS shared task; `archive` is its place at the organisers', `gold` the folder inside."""
    parts = tuple(subsets.split())
    folders = (f"STS/{name}-en-test", f"{name}-en-test", f"STS/{gold}", gold, "")
    return Declaration(
        name=name,
        family="sts",
        stem=name,
        rows={"test": rows},
        licence=MIXED,
        sources=(f"{STS_WIKI}/{archive}", f"hub:mteb/{name.lower()}-sts", SENTEVAL),
        forms=tuple(SemEvalYear(parts, folders, prefix) for prefix in prefixes),
        scale=(0, 5),
        pairs=True,
    )


STS_B = Declaration(
    name="STS-B",
    family="sts",
    stem="STSB",
    rows={"train": 5749, "dev": 1500, "test": 1379},
    licence=MIXED,
    sources=(f"{STS_WIKI}/4/48/Stsbenchmark.tar.gz", "hub:mteb/stsbenchmark-sts", SENTEVAL),
    forms=(StsBenchmark(),),
    scale=(0, 5),
    pairs=True,
    aliases=("STSBenchmark",),
)

SICK_R = Declaration(
    name="SICK-R",
    family="sts",
    stem="SICK",
    rows={"train": 4500, "dev": 500, "test": 4927},
    licence="CC BY-NC-SA 3.0",
    sources=("http://alt.qcri.org/semeval2014/task1", SENTEVAL),
    forms=(SickSplits(), SickWhole()),
    scale=(1, 5),
    pairs=True,
    aliases=("SICKRelatedness",),
)

STS = (
    _year(
        name="STS12",
        rows=3108,
        archive="4/40/STS2012-en-test.zip",
        gold="test-gold",
        subsets="MSRpar MSRvid SMTeuroparl surprise.OnWN surprise.SMTnews",
    ),
    _year(
        name="STS13",
        rows=1500,  # without the part SMT, whose licence keeps it out of every copy
        archive="2/2f/STS2013-en-test.zip",
        gold="test-gs",
        subsets="FNWN headlines OnWN",
    ),
    _year(
        name="STS14",
        rows=3750,
        archive="8/8c/STS2014-en-test.zip",
        gold="sts-en-test-gs-2014",
        subsets="deft-forum deft-news headlines OnWN images tweet-news",
    ),
    _year(
        name="STS15",
        rows=3000,
        archive="d/da/STS2015-en-test.zip",
        gold="test_evaluation_task2a",
        subsets="answers-forums answers-students belief headlines images",
    ),
    _year(
        name="STS16",
        rows=1186,
        archive="9/98/STS2016-en-test.zip",
        gold="sts2016-english-with-gs-v1.0",
        subsets="answer-answer headlines plagiarism postediting question-question",
        prefixes=("STS", "STS2016"),
    ),
    STS_B,
    SICK_R,
    Declaration(
        name="STR",
        family="sts",
        stem="STR",
        rows={"all": 5500},
        licence="research use only; may not be passed on",
        sources=("https://doi.org/10.5281/zenodo.7599667", "https://github.com/Priya22/semantic-textual-relatedness"),
        forms=(StrPairs("sem_text_rel_ranked.csv"), StrPairs("str.csv"), StrPairs("str5500_ranked.csv")),
        scale=(0, 1),
        pairs=True,
        aliases=("STR-2022",),
    ),
)
