"""Approximate neighbours: usearch, hnswlib and faiss beside the exact product, on vectors of a file.

    python benchmarks/approximate.py build VECTORS.npy FOLDER --library usearch-f16   # once for each library
    python benchmarks/approximate.py query VECTORS.npy FOLDER                         # all that were built, in turn

The last 1,000 rows are the queries and are in no index. Building uses all cores; queries go one at a time on one
thread, as a person asks them. Recall is against the exact product. usearch, hnswlib and faiss-cpu must be installed.
"attar" is its own search with the graph of faiss-sq8: candidates of the graph in the order of their exact cosines.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

LIBRARIES = ("usearch-f32", "usearch-f16", "usearch-i8", "hnswlib", "faiss-flat", "faiss-fp16", "faiss-sq8")
N_QUERIES, TOP = 1000, 10
WIDTHS = (64, 128, 256)  # candidates that a search holds: more find more, and take longer
Search = Callable[[np.ndarray, int], np.ndarray]  # (Q, D), k -> rows (Q, k)


class Usearch:
    def __init__(self, kind: str, dims: int, m: int, ef: int) -> None:
        from usearch.index import Index

        self.index = Index(ndim=dims, metric="ip", dtype=kind, connectivity=m, expansion_add=ef)

    def build(self, vectors: np.ndarray) -> None:
        self.index.add(np.arange(len(vectors)), vectors)

    def save(self, path: str) -> None:
        self.index.save(path)

    @classmethod
    def opened(cls, path: str, kind: str, dims: int) -> Callable[[int], Search]:
        from usearch.index import Index

        index = Index(ndim=dims, metric="ip", dtype=kind)
        index.view(path)  # mapped

        def wide(width: int) -> Search:
            index.expansion_search = width
            return lambda queries, k: index.search(queries, k, threads=1).keys.reshape(len(queries), -1)

        return wide


class Hnswlib:
    def __init__(self, kind: str, dims: int, m: int, ef: int) -> None:
        import hnswlib

        self.dims, self.m, self.ef = dims, m, ef
        self.index = hnswlib.Index(space="ip", dim=dims)

    def build(self, vectors: np.ndarray) -> None:
        self.index.init_index(max_elements=len(vectors), M=self.m, ef_construction=self.ef)
        self.index.add_items(vectors, np.arange(len(vectors)))

    def save(self, path: str) -> None:
        self.index.save_index(path)

    @classmethod
    def opened(cls, path: str, kind: str, dims: int) -> Callable[[int], Search]:
        import hnswlib

        index = hnswlib.Index(space="ip", dim=dims)
        index.load_index(path)

        def wide(width: int) -> Search:
            index.set_ef(width)
            return lambda queries, k: index.knn_query(queries, k, num_threads=1)[0]

        return wide


class Faiss:
    def __init__(self, kind: str, dims: int, m: int, ef: int) -> None:
        import faiss

        metric = faiss.METRIC_INNER_PRODUCT
        kinds = {"fp16": faiss.ScalarQuantizer.QT_fp16, "sq8": faiss.ScalarQuantizer.QT_8bit}
        if kind == "flat":
            self.index: Any = faiss.IndexHNSWFlat(dims, m, metric)
        else:
            self.index = faiss.IndexHNSWSQ(dims, kinds[kind], m, metric)
        self.index.hnsw.efConstruction = ef

    def build(self, vectors: np.ndarray) -> None:
        if not self.index.is_trained:
            self.index.train(vectors[:: max(1, len(vectors) // 100_000)])
        self.index.add(vectors)

    def save(self, path: str) -> None:
        import faiss

        faiss.write_index(self.index, path)

    @classmethod
    def opened(cls, path: str, kind: str, dims: int) -> Callable[[int], Search]:
        import faiss

        faiss.omp_set_num_threads(1)
        index = faiss.read_index(path, getattr(faiss, "IO_FLAG_MMAP_IFC", faiss.IO_FLAG_MMAP))

        def wide(width: int) -> Search:
            index.hnsw.efSearch = width
            return lambda queries, k: index.search(queries, k)[1]

        return wide


def attar_search(folder: Path, rows: np.ndarray) -> Search:
    """The class that `attar search` uses, over the file of faiss-sq8, each node of which stands for one row."""
    from attar.jobs.approximate import Graph
    from attar.jobs.graph_file import GraphFile

    file = folder / "faiss-sq8.index"
    about = GraphFile(file.name, len(rows), file.stat().st_size, "")
    np.save(folder / about.nodes_file, np.concatenate([np.arange(len(rows) + 1), np.arange(len(rows))]))
    graph = Graph(folder, about, rows.shape[1])
    return lambda queries, k: graph.search(queries, [rows], k).rows


KINDS: dict[str, Any] = {"usearch": Usearch, "hnswlib": Hnswlib, "faiss": Faiss}


def build(vectors: np.ndarray, folder: Path, library: str, m: int, ef: int) -> None:
    name, _, kind = library.partition("-")
    rows = np.ascontiguousarray(vectors[:-N_QUERIES])
    made = KINDS[name](kind, rows.shape[1], m, ef)
    started, computed = time.perf_counter(), time.process_time()
    made.build(rows)
    seconds, computed = time.perf_counter() - started, time.process_time() - computed
    path = folder / f"{library}.index"
    made.save(str(path))
    about = {
        "library": library,
        "build_s": round(seconds, 1),
        "build_cpu_s": round(computed, 1),
        "mb": round(path.stat().st_size / 1e6),
        "rows": len(rows),
    }
    (folder / f"{library}.json").write_text(json.dumps(about))
    print(json.dumps(about), flush=True)


def exact(vectors: np.ndarray, queries: np.ndarray, k: int) -> np.ndarray:
    from attar.jobs.nearest import nearest

    return nearest(queries, [vectors], k).rows


def query(vectors: np.ndarray, folder: Path, rounds: int) -> None:
    from threadpoolctl import threadpool_limits

    rows, queries = vectors[:-N_QUERIES], np.ascontiguousarray(vectors[-N_QUERIES:])
    true = exact(rows, queries, TOP)
    one_by_one: dict[str, Search] = {"exact": lambda q, k: exact(rows, q, k)}
    facts: dict[str, dict[str, Any]] = {"exact": {"mb": round(rows.nbytes / 1e6), "build_s": 0.0}}
    for library in LIBRARIES:
        path = folder / f"{library}.index"
        if path.exists():
            name, _, kind = library.partition("-")
            started, before = time.perf_counter(), resident()
            wide = KINDS[name].opened(str(path), kind, rows.shape[1])
            opening = {"open_s": round(time.perf_counter() - started, 2), "opened_mb": resident() - before}
            facts[library] = json.loads((folder / f"{library}.json").read_text()) | opening
            for width in WIDTHS:
                one_by_one[f"{library} {width}"] = _set(wide, width)
    if "faiss-sq8" in facts:
        one_by_one["attar"], facts["attar"] = attar_search(folder, rows), facts["faiss-sq8"]
    times: dict[str, list[float]] = {name: [] for name in one_by_one}
    recalls: dict[str, float] = {}
    with threadpool_limits(1):
        for at in range(rounds):
            for name, search in one_by_one.items():
                asked = queries[:20] if name == "exact" else queries
                started = time.perf_counter()
                found = np.concatenate([search(q[None], TOP) for q in asked])
                times[name].append((time.perf_counter() - started) / len(asked) * 1e3)
                if at == 0:
                    hits = [len(set(a) & set(b)) for a, b in zip(found.tolist(), true.tolist(), strict=False)]
                    recalls[name] = sum(hits) / TOP / len(asked)
    for name, found in times.items():
        about = facts[name.partition(" ")[0]]
        spread = f"({min(found):.2f} to {max(found):.2f})"
        print(
            f"{name:16} recall@10 {recalls[name]:.3f}  {np.median(found):7.2f} ms {spread}"
            f"  build {about['build_s']:6.1f} s ({about.get('build_cpu_s', 0):.0f} of CPU)"
            f"  file {about['mb']:5} MB  open {about.get('open_s', 0):5} s +{about.get('opened_mb', 0)} MB",
            flush=True,
        )


def _set(wide: Callable[[int], Search], width: int) -> Search:
    def search(queries: np.ndarray, k: int) -> np.ndarray:
        return wide(width)(queries, k)

    return search


def resident() -> int:
    """Megabytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["build", "query"])
    parser.add_argument("vectors", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--library", choices=LIBRARIES)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--m", type=int, default=16)
    parser.add_argument("--ef", type=int, default=128)
    given = parser.parse_args()
    given.folder.mkdir(exist_ok=True)
    vectors = np.load(given.vectors, mmap_mode="r")
    if given.what == "build":
        build(vectors, given.folder, given.library, given.m, given.ef)
    else:
        query(np.ascontiguousarray(vectors), given.folder, given.rounds)


if __name__ == "__main__":
    main()
