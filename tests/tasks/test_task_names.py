"""Finding tasks by name, family and list."""

from __future__ import annotations

import pytest

from attar import tasks
from attar.errors import InputError


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("STSB", "STS-B"),
        ("sts-b", "STS-B"),
        ("STSBenchmark", "STS-B"),
        ("sickr", "SICK-R"),
        ("SICK_R", "SICK-R"),
        ("sick-r-SOFT", "SICK-R-soft"),
        ("stsbsoft", "STS-B-soft"),
        ("SICK-Entailment", "SICK-E"),
        ("SST-2", "SST2"),
        ("googlets", "googleTS"),
        ("STS-12", "STS12"),
        ("scicite", "SCICITE"),
    ],
)
def test_capitals_and_dashes_do_not_matter(given: str, name: str) -> None:
    assert tasks.declaration(given).name == name


def test_names_by_family() -> None:
    assert tasks.names("sts") == ("STS12", "STS13", "STS14", "STS15", "STS16", "STS-B", "SICK-R", "STR")
    assert tasks.names("clustering") == ("agnews", "biomedical", "googleTS", "searchsnippets", "stackoverflow", "tweet")
    assert len(tasks.names("classification")) == 12
    assert len(set(tasks.names())) == 26


def test_select() -> None:
    assert [d.name for d in tasks.select("all")] == list(tasks.names())
    assert [d.name for d in tasks.select("Clustering")] == list(tasks.names("clustering"))
    assert [d.name for d in tasks.select("tweet, stsb")] == ["tweet", "STS-B"]
    assert [d.name for d in tasks.select("STR,sts")] == ["STR", *[n for n in tasks.names("sts") if n != "STR"]]


@pytest.mark.parametrize("wanted", ["STS17", "STS12,STS17", "", "STS12,"])
def test_an_unknown_task_shows_what_is_allowed(wanted: str) -> None:
    with pytest.raises(InputError, match=r"unknown task '(STS17)?'.*allowed: STS12, .*clustering"):
        tasks.select(wanted)


def test_an_unknown_family() -> None:
    with pytest.raises(InputError, match=r"unknown family 'cluster' \(did you mean 'clustering'\?\)"):
        tasks.names("cluster")
