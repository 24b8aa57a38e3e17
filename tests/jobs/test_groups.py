"""Groups, their names and how many there are."""

from __future__ import annotations

import numpy as np
import pytest

from attar.errors import InputError
from attar.jobs.groups import find_groups, silhouette
from attar.jobs.naming import telling_words, words_of

TOPICS = (["cat", "dog", "pet"], ["stock", "market", "price"], ["goal", "match", "team"])


def clustered(n: int = 60) -> tuple[list[str], np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    labels = np.arange(n) % 3
    vectors = np.eye(12)[labels] + rng.normal(size=(n, 12)) * 0.15
    texts = [f"the {rng.choice(TOPICS[g])} and a {rng.choice(TOPICS[g])} number{i}" for i, g in enumerate(labels)]
    return texts, vectors.astype(np.float32), labels


def test_finds_the_groups_and_their_number() -> None:
    texts, vectors, labels = clustered()
    found = find_groups(texts, vectors)
    assert len(found.groups) == 3
    for group in found.groups:
        members = labels[found.labels == group.number]
        assert len(set(members)) == 1
        assert set(group.words[:3]) == set(TOPICS[members[0]])
        assert (found.labels[group.central] == group.number).all()
    np.testing.assert_array_equal(find_groups(texts, vectors).labels, found.labels)


def test_the_largest_group_is_first_and_k_is_kept() -> None:
    texts, vectors, _ = clustered()
    found = find_groups(texts[:50] + texts[:30:3], np.concatenate([vectors[:50], vectors[:30:3]]), k=3)
    sizes = [group.size for group in found.groups]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) == 60
    assert found.tried == {}


def test_silhouette_by_hand() -> None:
    units = np.array([[1, 0]], dtype=np.float32)
    centers = np.array([[1, 0], [0, 1]], dtype=np.float32)
    assert silhouette(units, centers) == pytest.approx(1)
    middle = np.array([[np.sqrt(0.5), np.sqrt(0.5)]], dtype=np.float32)
    assert silhouette(middle, centers) == pytest.approx(0, abs=1e-6)


def test_names_by_hand() -> None:
    texts = ["the cat", "the cat", "the dog", "the dog sat"]
    # "the" is everywhere, so its excess is 0; "sat" is in one text only
    assert telling_words(texts, np.array([0, 0, 1, 1]), 2) == [["cat"], ["dog"]]


def test_words() -> None:
    assert words_of("Don't use C++ or C# with ASP.NET, e-mail me 42!") == {
        "don't", "use", "c++", "or", "c#", "with", "asp.net", "e-mail", "me",
    }  # fmt: skip


@pytest.mark.parametrize(("n", "k", "says"), [(2, None, "2 texts"), (10, 11, "11 groups"), (10, 0, "0 groups")])
def test_what_is_refused(n: int, k: int | None, says: str) -> None:
    texts, vectors, _ = clustered()
    with pytest.raises(InputError, match=says):
        find_groups(texts[:n], vectors[:n], k)
