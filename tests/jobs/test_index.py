"""The index: whole or absent, exact, and open to more texts."""

from __future__ import annotations

import json
import logging
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from attar import Embedder, Transformer, shapers, weights
from attar.errors import InputError, ModelError, OutputError
from attar.jobs import building
from attar.jobs.index import Index

WORDS = tuple("the a cat dog sat ran on mat in man woman tree river light play walk blue red seven music".split())  # noqa: SIM905


def change(folder: Path, **settings: object) -> None:
    path = folder / "index.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))


def documents(n: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, size=6)) + f" {i}" for i in range(n)]


@pytest.fixture
def plain(tiny_bert: Transformer) -> Embedder:
    return Embedder(tiny_bert)


@pytest.fixture
def fitted(tiny_bert: Transformer) -> Embedder:
    return Embedder(tiny_bert, weights=weights.Idf(), shapers=[shapers.ZScore(), shapers.Unit()])


def test_finds_what_the_cosines_of_all_say(plain: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "PART_ROWS", 16)
    texts = documents(50)
    Index.build(tmp_path / "i", plain, texts)
    index = Index.open(tmp_path / "i")
    assert len(index) == 50
    assert [len(part) for part in index.parts] == [16, 16, 16, 2]
    queries = documents(3, seed=1)
    cosines = plain.similarity(plain.encode(queries), plain.encode(texts))
    for hits, row in zip(index.search_all(queries, 4), cosines, strict=True):
        expected = np.argsort(-row, kind="stable")[:4]
        assert [hit.id for hit in hits] == expected.tolist()
        assert [hit.text for hit in hits] == [texts[i] for i in expected]
        np.testing.assert_allclose([hit.cosine for hit in hits], row[expected], atol=1e-6)
    assert index.search(texts[49], 1)[0].row == 49


def test_queries_go_through_the_recipe_that_was_fitted_on_the_documents(fitted: Embedder, tmp_path: Path) -> None:
    texts = documents(60)
    Index.build(tmp_path / "i", fitted, texts)
    index = Index.open(tmp_path / "i")
    np.testing.assert_array_equal(index.embedder.encode(["a cat"]), fitted.encode(["a cat"]))
    assert index.search(texts[7], 1)[0].cosine == pytest.approx(1, abs=1e-6)
    assert index.about.fitted_on == 60


def test_texts_are_added_without_a_new_fit_and_age_is_told(
    fitted: Embedder, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    Index.build(tmp_path / "i", fitted, documents(60))
    index = Index.open(tmp_path / "i")
    before = index.embedder.encode(["the cat sat"])
    with caplog.at_level(logging.WARNING, "attar"):
        assert index.add(["a new text"]) == 1
        assert "grown old" not in caplog.text
        assert index.add(documents(70, seed=3)) == 70
        assert "grown old" in caplog.text
    again = Index.open(tmp_path / "i")
    assert len(again) == len(index) == 131
    assert again.search("a new text", 1)[0].id == 60
    np.testing.assert_array_equal(again.embedder.encode(["the cat sat"]), before)


def test_ids(plain: Embedder, tmp_path: Path) -> None:
    index = Index.build(tmp_path / "i", plain, ["the cat", "a dog"], ids=["x", "y"])
    assert index.search("the cat", 1)[0].id == "x"
    with pytest.raises(InputError, match="'x' comes twice"):
        index.add(["again"], ids=["x"])
    with pytest.raises(InputError, match="3 is no str"):
        index.add(["again"], ids=[3])
    with pytest.raises(InputError, match="no texts to add"):
        index.add([])
    assert len(Index.open(tmp_path / "i")) == 2


@pytest.mark.parametrize(
    ("texts", "ids", "says"),
    [
        ([], None, "no texts"),
        (["a", 3], None, "text 1 is 3"),
        (["a", "b"], [1, 1], "1 comes twice"),
        (["a"], [1.5], "1.5"),
        (["a"], [["b"]], "neither a whole number nor a string"),
    ],
)
def test_what_is_refused_leaves_nothing(
    plain: Embedder, tmp_path: Path, texts: list, ids: list | None, says: str
) -> None:
    with pytest.raises(InputError, match=says):
        Index.build(tmp_path / "i", plain, texts, ids)
    assert list(tmp_path.iterdir()) == []


def test_an_index_is_not_overwritten_unasked(plain: Embedder, tmp_path: Path) -> None:
    Index.build(tmp_path / "i", plain, ["the cat"])
    with pytest.raises(OutputError, match="it exists"):
        Index.build(tmp_path / "i", plain, ["a dog"])
    assert len(Index.build(tmp_path / "i", plain, ["a dog", "the"], overwrite=True)) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["i"]


def test_a_stopped_run_goes_on(plain: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "PART_ROWS", 10)
    texts, seen = documents(40), []
    real = Embedder.encode_chunks

    def stopping(self: Embedder, part: list[str], **settings: object) -> object:
        seen.append(len(part))
        if len(seen) == 3:
            raise KeyboardInterrupt
        return real(self, part, **settings)

    monkeypatch.setattr(Embedder, "encode_chunks", stopping)
    with pytest.raises(KeyboardInterrupt):
        Index.build(tmp_path / "i", plain, texts)
    assert not (tmp_path / "i").exists()
    index = Index.build(tmp_path / "i", plain, texts)
    assert len(seen) == 3 + 2  # the first two parts were kept
    np.testing.assert_allclose(np.concatenate(index.parts), shapers.Unit().transform(plain.encode(texts)), atol=1e-6)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["i"]


def test_what_an_earlier_run_left_of_other_texts_is_not_used(
    plain: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / ".i.unfinished"
    monkeypatch.setattr(building, "_put_in_place", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        Index.build(tmp_path / "i", plain, documents(5))
    assert work.is_dir()
    monkeypatch.undo()
    index = Index.build(tmp_path / "i", plain, documents(6, seed=9))
    assert index.search(documents(6, seed=9)[5], 1)[0].row == 5


def test_vectors_that_changed_since_an_earlier_run_are_made_anew(
    plain: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as stopped, pytest.raises(KeyboardInterrupt):
        stopped.setattr(building, "_put_in_place", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        Index.build(tmp_path / "i", plain, documents(5))
    path = tmp_path / ".i.unfinished" / "vectors-00000.npy"
    wanted = path.read_bytes()
    path.write_bytes(wanted[:-3] + bytes([wanted[-3] ^ 16]) + wanted[-2:])  # still finite, and of another direction
    Index.build(tmp_path / "i", plain, documents(5))
    assert (tmp_path / "i" / "vectors-00000.npy").read_bytes() == wanted


def test_a_run_that_was_killed_just_before_the_end_goes_on(
    plain: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as stopped, pytest.raises(KeyboardInterrupt):
        stopped.setattr(building, "replace_folder", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        Index.build(tmp_path / "i", plain, documents(5))
    left = sorted(path.name for path in (tmp_path / ".i.unfinished").iterdir())
    assert left == [
        "index.json",
        "lock",
        "recipe",
        "texts-00000.arrow",
        "vectors-00000.npy",
    ]  # and none may begin there
    Index.build(tmp_path / "i", plain, documents(5))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["i"]
    assert "lock" not in [path.name for path in (tmp_path / "i").iterdir()]


def test_no_other_process_begins_in_a_folder_that_is_about_to_be_moved(
    plain: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    move = building.replace_folder
    refused = []

    def at_the_last_moment(work: Path, target: Path) -> None:
        with pytest.raises(OutputError, match="another process is writing"):
            Index.build(target, plain, documents(3, seed=9))
        refused.append(target)
        move(work, target)

    monkeypatch.setattr(building, "replace_folder", at_the_last_moment)
    index = Index.build(tmp_path / "i", plain, documents(5))
    assert len(refused) == 1
    assert len(index) == 5


def test_more_parts_of_an_earlier_run_do_not_come_along(
    plain: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "PART_ROWS", 2)
    with monkeypatch.context() as stopped, pytest.raises(KeyboardInterrupt):
        stopped.setattr(building, "_put_in_place", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        Index.build(tmp_path / "i", plain, documents(5))
    Index.build(tmp_path / "i", plain, documents(3))
    Index.build(tmp_path / "other", plain, documents(3))
    names = [sorted(path.name for path in (tmp_path / name).iterdir()) for name in ("i", "other")]
    assert names[0] == names[1]


def test_there_is_no_moment_without_an_index(plain: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Index.build(tmp_path / "i", plain, ["the cat"])
    moments = []
    for name in ("rename", "replace", "unlink", "rmdir"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *a, real=real, **k: (moments.append(_is_index(tmp_path)), real(*a, **k)))
    Index.build(tmp_path / "i", plain, ["a dog", "the"], overwrite=True)
    assert len(moments) > 5
    assert all(moments)
    assert [path.name for path in tmp_path.iterdir()] == ["i"]


def _is_index(folder: Path) -> bool:
    return (folder / "i" / "index.json").is_file()


def test_a_part_ends_where_its_texts_are_long(plain: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "PART_CHARACTERS", 10)
    index = Index.build(tmp_path / "i", plain, ["the", "cat sat on", "a", "b", "the cat sat on the mat", "dog"])
    assert [len(part) for part in index.parts] == [2, 3, 1]
    assert [hit.text for hit in index.search("the cat sat on the mat", 1)] == ["the cat sat on the mat"]


def test_a_model_that_is_refused_leaves_nothing(tiny_bert_dir: Path, tmp_path: Path) -> None:
    model = shutil.copytree(tiny_bert_dir, tmp_path / "model")
    (model / "config.json").write_text("{")
    with pytest.raises(ModelError):
        Index.build(tmp_path / "i", Embedder(Transformer(model)), ["the cat"])
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda f: (f / "index.json").write_text("{"), "damaged"),
        (lambda f: (f / "index.json").write_text(json.dumps({"format": 9})), "format 9"),
        (lambda f: (f / "index.json").unlink(), "not an index"),
        (lambda f: change(f, parts=[]), "damaged: ValueError dims and parts"),
        (lambda f: change(f, parts=["2"]), "damaged: ValueError dims and parts"),
        (lambda f: change(f, dims=-1), "damaged: ValueError dims and parts"),
        (lambda f: change(f, zeros=None), "damaged: ValueError zeros and fitted_on"),
        (lambda f: change(f, approximate=[1]), "damaged: ValueError approximate"),
        (lambda f: (f / "vectors-00000.npy").write_bytes(b"x"), "can't be read"),
        (lambda f: np.save(f / "vectors-00000.npy", np.zeros((2, 3), np.float32)), "not as index.json says"),
        (lambda f: (f / "texts-00000.arrow").unlink(), "can't be read"),
    ],
)
def test_damage_is_told(plain: Embedder, tmp_path: Path, damage: object, says: str) -> None:
    Index.build(tmp_path / "i", plain, ["the cat"])
    damage(tmp_path / "i")  # type: ignore[operator]
    with pytest.raises(InputError, match=says):
        Index.open(tmp_path / "i")


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e20], ids=str)
@pytest.mark.parametrize("approximate", [False, True])
def test_vectors_that_were_not_written_so_are_told(
    plain: Embedder, tmp_path: Path, value: float, approximate: bool
) -> None:
    if approximate:
        pytest.importorskip("faiss")
    Index.build(tmp_path / "i", plain, documents(20), approximate=approximate)
    path = tmp_path / "i" / "vectors-00000.npy"
    vectors = np.load(path)
    vectors[7] = value
    np.save(path, vectors)
    with pytest.raises(InputError, match="not finite or not of length 1"):
        Index.open(tmp_path / "i").search("the cat", top=20)


def test_texts_whose_places_are_not_in_the_file(plain: Embedder, tmp_path: Path) -> None:
    """Arrow would read there all the same, and end the process."""
    Index.build(tmp_path / "i", plain, ["the cat sat", "a dog", "blue"], ["a", "b", "c"])
    path = tmp_path / "i" / "texts-00000.arrow"
    whole = path.read_bytes()
    for places in ([0, 1, 2, 3], [0, 11, 16, 20]):  # where the ids begin and end, and the texts
        at = whole.index(np.array(places, "<i8").tobytes())
        for wrong in ([0, 1 << 60, 2, places[3]], [0, 1, 2, 1 << 60], [-9, 1, 2, 3], [0, 5, 2, places[3]]):
            path.write_bytes(whole[:at] + np.array(wrong, "<i8").tobytes() + whole[at + 32 :])
            with pytest.raises(InputError, match=r"texts-00000\.arrow can't be read"):
                Index.open(tmp_path / "i").search("the cat", top=3)
            if places[3] == 3:
                with pytest.raises(InputError, match=r"texts-00000\.arrow can't be read"):
                    Index.open(tmp_path / "i").add(["the cat"], ["d"])
    path.write_bytes(whole[:at] + np.array([0, 24, 16, 20], "<i8").tobytes() + whole[at + 32 :])
    with pytest.raises(InputError, match=r"texts-00000\.arrow can't be read"):  # what lies beyond is no text
        Index.open(tmp_path / "i").search("the cat sat", top=1)


def test_no_query_finds_documents_of_which_nothing_is_known(
    plain: Embedder, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "attar"):
        index = Index.build(tmp_path / "i", plain, ["the cat sat", "\U0001f600", "a dog ran"])
        assert "no query will find 1 of 3 texts: the model knows nothing of them" in caplog.text
    assert index.search("the \U0001f600 \U0001f600", 3)[0].row != 1
    assert index.about.zeros == 1
    index.add(["\U0001f600 \U0001f600", "seven blue dogs"])
    assert index.about.zeros == 2
    assert {hit.row for hit in index.search("the cat \U0001f600", 5)} == {0, 2, 4}


def test_a_run_that_was_stopped_leaves_what_can_be_used_and_says_so(
    plain: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(building, "PART_ROWS", 2)
    write = building.write_part

    def stopped(folder: Path, number: int, *part: object) -> None:
        if number == last:
            raise KeyboardInterrupt
        write(folder, number, *part)

    monkeypatch.setattr(building, "write_part", stopped)
    caplog.set_level(logging.INFO, "attar")
    for last in (0, 1):
        with pytest.raises(KeyboardInterrupt):
            Index.build(tmp_path / "i", plain, documents(5))
        assert [path.name for path in tmp_path.iterdir()] == [".i.unfinished"] * last
        assert ("the same command goes on from there" in caplog.text) == bool(last)


def test_zero_vectors_are_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from small_tables import few_vectors, few_words

    from attar.encoders.table import Table

    texts = ["the cat", ""]
    with caplog.at_level(logging.WARNING, "attar"):
        index = Index.build(tmp_path / "i", Embedder(Table(few_vectors(), few_words())), texts)
        assert index.about.zeros == 1
        assert "no query will find 1 of 2 texts" in caplog.text
        index.search("", 1)
        assert "the query '' has a zero vector" in caplog.text
