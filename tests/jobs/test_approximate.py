"""The approximate graph beside an index: candidates that exact cosines order, texts added behind it, damage."""

from __future__ import annotations

import json
import logging
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from attar import Embedder
from attar.cli import main
from attar.errors import InputError, MissingExtra
from attar.io.locks import exclusive
from attar.jobs import graph_file, index
from attar.jobs.approximate import Graph, rows_of
from attar.jobs.graph_file import GraphFile, build_graph
from attar.jobs.index import Index
from attar.jobs.nearest import nearest

needs_faiss = pytest.mark.skipif(find_spec("faiss") is None, reason="faiss is not installed")


def units(n: int, dims: int = 24, seed: int = 0) -> np.ndarray:
    """Vectors with neighbours: each is near to one of 40 centres."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(99).normal(size=(40, dims))
    rows = centres[rng.integers(40, size=n)] + rng.normal(size=(n, dims)) * 0.7
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def documents(n: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    words = ["the", "a", "cat", "dog", "sat", "ran", "on", "mat", "blue", "red", "music", "river", "tree", "light"]
    return [" ".join(rng.choice(words, size=7)) + f" {i}" for i in range(n)]


def test_rows_of_parts_by_hand() -> None:
    parts = [np.array([[1.0], [2.0]], np.float32), np.array([[3.0]], np.float32)]
    assert rows_of(parts, np.array([2, 0, 1])).tolist() == [[3.0], [1.0], [2.0]]


@needs_faiss
def test_recall_and_exact_cosines(tmp_path: Path) -> None:
    vectors = units(5000)
    parts = [vectors[:3000], vectors[3000:]]
    about = build_graph(tmp_path, parts)
    queries = units(100, seed=1)
    found, true = Graph(tmp_path, about, 24).search(queries, parts, 10), nearest(queries, parts, 10)
    hits = [len(set(a) & set(b)) for a, b in zip(found.rows.tolist(), true.rows.tolist(), strict=True)]
    assert sum(hits) / 1000 > 0.95
    for row, cosine, query in zip(found.rows, found.cosines, queries, strict=True):
        np.testing.assert_allclose(cosine, vectors[row] @ query, atol=1e-6)  # not those of half precision
        assert (np.diff(cosine) <= 0).all()


@needs_faiss
def test_equal_vectors_hide_no_others(tmp_path: Path) -> None:
    vectors = np.concatenate([np.repeat(units(1), 600, axis=0), units(40, seed=3)])
    about = build_graph(tmp_path, [vectors])
    found = Graph(tmp_path, about, 24).search(vectors[600:], [vectors], 5)
    assert (found.rows[:, 0] == np.arange(600, 640)).all()
    copies = Graph(tmp_path, about, 24).search(vectors[:1], [vectors], 5)
    assert copies.rows.tolist() == [[0, 1, 2, 3, 4]]
    whole = build_graph(tmp_path, [vectors, vectors[:3], units(2, seed=4)], about)
    table = np.load(tmp_path / whole.nodes_file)
    assert table[:2].tolist() == [0, 603]
    assert len(table) == 43 + 1 + 645


@needs_faiss
def test_a_graph_is_continued(tmp_path: Path) -> None:
    vectors = units(2000)
    first = build_graph(tmp_path, [vectors[:1500]])
    whole = build_graph(tmp_path, [vectors[:1500], vectors[1500:]], first)
    assert (first.rows, whole.rows) == (1500, 2000)
    assert (tmp_path / first.file).exists()
    found = Graph(tmp_path, whole, 24).search(vectors[1500:], [vectors], 1)
    assert (found.rows[:, 0] == np.arange(1500, 2000)).mean() > 0.98


@needs_faiss
def test_an_index_with_a_graph_finds_what_exact_search_finds(
    tiny_bert: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "TAIL", 50)
    made = Index.build(tmp_path / "i", Embedder(tiny_bert), documents(300), approximate=True)
    queries = documents(20, seed=5)
    assert made.about.approximate["rows"] == 300
    first = sorted(path.name for path in (tmp_path / "i").glob("graph-*"))

    def same() -> float:
        opened = Index.open(tmp_path / "i")
        few, every = opened.search_all(queries, 5), opened.search_all(queries, 5, exact=True)
        return float(np.mean([len({h.id for h in a} & {h.id for h in b}) / 5 for a, b in zip(few, every, strict=True)]))

    assert same() > 0.97
    made.add(documents(40, seed=6))  # few: searched exactly behind the graph
    assert sorted(path.name for path in (tmp_path / "i").glob("graph-*")) == first
    assert same() > 0.97
    assert made.search(documents(40, seed=6)[39], 1)[0].row == 339
    made.add(documents(40, seed=7))  # now they are many
    assert sorted(path.name for path in (tmp_path / "i").glob("graph-*")) == ["graph-380.faiss", "graph-380.faiss.npy"]
    assert Index.open(tmp_path / "i").search(documents(40, seed=7)[3], 1)[0].row == 343
    assert same() > 0.97
    made.add(["one more"], approximate=False)
    assert list((tmp_path / "i").glob("graph-*")) == []
    assert Index.open(tmp_path / "i").search("one more", 1)[0].row == 380


@needs_faiss
def test_large_indexes_get_one_unasked(tiny_bert: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_file, "BEYOND", 100)
    assert Index.build(tmp_path / "a", Embedder(tiny_bert), documents(100)).about.approximate == {}
    assert Index.build(tmp_path / "b", Embedder(tiny_bert), documents(101)).about.approximate["rows"] == 101
    assert Index.build(tmp_path / "c", Embedder(tiny_bert), documents(101), approximate=False).about.approximate == {}
    opened = Index.open(tmp_path / "a")
    opened.add(documents(5, seed=2))
    assert opened.about.approximate["rows"] == 105


def test_without_the_library(
    tiny_bert: object,
    tiny_bert_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(MissingExtra, match=r"pip install 'attar\[approximate\]'"):
        Index.build(tmp_path / "i", Embedder(tiny_bert), documents(5), approximate=True)
    (tmp_path / "t.txt").write_text("\n".join(documents(60)))
    with pytest.raises(SystemExit):
        main(["index", str(tmp_path / "t.txt"), "--approximate", "-o", str(tmp_path / "i")])
    assert "attar[approximate]" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["t.txt"]
    monkeypatch.setattr(graph_file, "BEYOND", 4)
    monkeypatch.setattr(logging.getLogger("attar"), "propagate", True)
    with caplog.at_level("WARNING", "attar"):
        made = Index.build(tmp_path / "i", Embedder(tiny_bert), documents(5))
    assert made.about.approximate == {}
    assert "attar[approximate]" in caplog.text


@needs_faiss
@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda f: f.write_bytes(f.read_bytes()[:-100]), "not as index.json says"),
        (lambda f: f.write_bytes(bytes(len(f.read_bytes()))), "can't be read"),
        (lambda f: f.unlink(), "can't be read"),
        (lambda f: f.with_name("graph-60.faiss.npy").unlink(), "can't be read"),
        (lambda f: np.save(f.with_name("graph-60.faiss.npy"), np.arange(121)), "damaged"),
        (lambda f: np.save(f.with_name("graph-60.faiss.npy"), np.arange(5)), "not as index.json says"),
        (lambda f: f.with_name("graph-60.faiss.npy").write_bytes(b""), "can't be read"),
    ],
)
def test_damage_is_told(tiny_bert: object, tmp_path: Path, damage: object, says: str) -> None:
    Index.build(tmp_path / "i", Embedder(tiny_bert), documents(60), approximate=True)
    damage(tmp_path / "i" / "graph-60.faiss")  # type: ignore[operator]
    opened = Index.open(tmp_path / "i")
    with pytest.raises(InputError, match=says):
        opened.search("the cat")
    assert len(opened.search("the cat", exact=True)) == 5  # the vectors are all there


@pytest.mark.parametrize(
    "content",
    [
        {"file": "../../x", "rows": 5, "bytes": 1, "sha256": "", "library": "faiss"},
        {"file": "graph", "rows": "5", "bytes": 1, "sha256": "", "library": "faiss"},
        {"file": "graph", "rows": 3, "bytes": 1, "sha256": "", "library": "faiss"},
        {"file": "graph"},
        {"file": "graph", "rows": 5, "bytes": 1, "sha256": "", "library": "other"},
    ],
)
def test_what_index_json_may_not_say(tiny_bert: object, tmp_path: Path, content: dict) -> None:
    Index.build(tmp_path / "i", Embedder(tiny_bert), documents(5))
    path = tmp_path / "i" / "index.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"approximate": content}))
    with pytest.raises(InputError, match="build the index again"):
        Index.open(tmp_path / "i")


@needs_faiss
def test_a_kill_while_the_graph_is_made_leaves_the_index(
    tiny_bert: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("attar.jobs.building.build_graph", stop)
    with pytest.raises(KeyboardInterrupt):
        Index.build(tmp_path / "i", Embedder(tiny_bert), documents(60), approximate=True)
    assert not (tmp_path / "i").exists()
    monkeypatch.undo()
    made = Index.build(tmp_path / "i", Embedder(tiny_bert), documents(60), approximate=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["i"]
    monkeypatch.setattr(index, "build_graph", stop)
    with pytest.raises(KeyboardInterrupt):
        made.add(documents(5, seed=3), approximate=True)
    opened = Index.open(tmp_path / "i")
    assert len(opened) == 65  # the texts are in, and are searched exactly behind the graph
    assert opened.search(documents(5, seed=3)[4], 1)[0].row == 64
    with exclusive(tmp_path / "i" / "lock"):
        pass


def stop(*_: object, **__: object) -> GraphFile:
    raise KeyboardInterrupt
