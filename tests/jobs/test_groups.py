"""Groups, their names and how many there are."""

from __future__ import annotations

import numpy as np
import pytest

from attar.errors import InputError
from attar.jobs.function_words import is_function_word
from attar.jobs.groups import best_number, find_groups, silhouette
from attar.jobs.naming import telling_words
from attar.tokens.words import words_of

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


def test_many_groups_in_a_wide_space_are_counted() -> None:
    """Twelve groups on two sides, most dims noise: a silhouette over all dims sees the two sides alone."""
    rng = np.random.default_rng(3)
    labels = np.arange(1200) % 12
    side = np.where(labels % 2, -0.6, 0.6)[:, None]
    vectors = np.hstack([np.eye(12)[labels], side, rng.normal(size=(1200, 300)) * 0.2])
    assert len(find_groups(["x"] * 1200, vectors).groups) == 12


def test_the_number_of_groups_is_the_greatest_that_parts_about_best() -> None:
    assert best_number({2: 0.5, 3: 0.3, 8: 0.491, 12: 0.4}) == 8  # 0.491 is within 2 % of 0.5
    assert best_number({2: 0.5, 3: 0.3, 8: 0.489, 12: 0.4}) == 2
    assert best_number({2: -0.1, 3: -0.2}) == 2
    assert best_number({1: 0.0}) == 1


def test_silhouette_without_unit_length_by_hand() -> None:
    points = np.array([[0, 0], [4, 0]], dtype=np.float32)
    centers = np.array([[1, 0], [0, 3]], dtype=np.float32)  # distances 1 and 3, then 3 and 5
    assert silhouette(points, centers) == pytest.approx(((3 - 1) / 3 + (5 - 3) / 5) / 2)


def test_equal_texts_are_counted_once_when_groups_are_counted() -> None:
    texts, vectors, _ = clustered()
    again = np.concatenate([vectors, np.repeat(vectors[:1], 500, axis=0)])
    assert len(find_groups(texts + texts[:1] * 500, again).groups) == 3


def test_function_words_come_last_in_names() -> None:
    texts = ["how to not sort", "how to not sort", "red tree", "red tree"]
    names = telling_words(texts, np.array([0, 0, 1, 1]), 2)
    assert names[0][0] == "sort"
    assert set(names[0][1:]) == {"how", "to", "not"}
    assert telling_words(["how to", "how to", "b c", "b c"], np.array([0, 0, 1, 1]), 2)[0] == ["how", "to"]


def test_function_words() -> None:
    assert all(map(is_function_word, ("not", "don't", "doesn’t", "it's", "you're", "how", "the")))
    assert not any(map(is_function_word, ("system", "git", "fire", "let's-encrypt", "cat's")))


def test_a_group_without_words_is_named_by_its_most_central_text() -> None:
    _, vectors, _ = clustered()
    found = find_groups(["🙂 " * 30] * 60, vectors, k=1)
    assert found.groups[0].words == []
    assert found.groups[0].name == ("🙂 " * 30)[:40]
