"""Building an index: the work lies beside the target until it is whole, and a run that was killed goes on from it."""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from attar.embedder import Embedder
from attar.errors import AttarError, InputError, OutputError
from attar.io.aside import remove_folder
from attar.io.atomic import check_target_folder, make_own_folder, new_file, replace_folder
from attar.io.locks import exclusive
from attar.io.plural import number_of
from attar.io.progress import Advance, bar, nothing
from attar.io.texts import check_texts
from attar.jobs.graph_file import GraphFile, build_graph, check_installed, is_wanted
from attar.jobs.index_files import (
    ABOUT,
    RECIPE,
    About,
    check_id,
    map_vectors,
    open_texts,
    read_rows,
    texts_file,
    vectors_file,
    write_part,
)
from attar.jobs.known import known_texts
from attar.shapers import Unit
from attar.types import Floats

log = logging.getLogger("attar")

Row = tuple[Any, str]  # id, text
PART_ROWS, PART_CHARACTERS = 65_536, 1 << 28
_LOCK, _DONE = "lock", "done-{:05}.json"


def build_folder(
    target: Path,
    embedder: Embedder,
    rows: Iterable[Row],
    *,
    overwrite: bool = False,
    approximate: bool | None = None,
    advance: Advance = nothing,
) -> About:
    """Write a whole index; what has to learn from the texts learns from all of them first."""
    check_target_folder(target, ABOUT, overwrite=overwrite)
    if approximate:
        check_installed()
    with _work_folder(target) as work:
        if embedder.needs_fit and not embedder.__sklearn_is_fitted__():
            held = list(rows)
            _check_some(held)
            vectors = embedder.fit_transform([text for _, text in held], progress=True)
            about = _write_parts(work, embedder, held, _slices_of(vectors))
        else:
            about = _write_parts(work, embedder, rows, _encoding(embedder, advance), _previous(work, embedder))
        embedder.save(work / RECIPE, overwrite=True)
        about = _with_graph(work, _with_fit(about, embedder), approximate)
        about.write(work)
        _put_in_place(work, target, about)
    return about


def row_parts(rows: Iterable[Row], seen: set[Any] | None = None) -> Iterator[tuple[list[Any], list[str]]]:
    """Ids and checked texts in parts; an id that comes twice is refused."""
    known = set() if seen is None else seen
    iterator, start = iter(rows), 0
    while part := list(_next_part(iterator)):
        ids = [row_id for row_id, _ in part]
        for row_id in ids:
            check_id(row_id)
            if row_id in known:
                raise InputError(f"the id {row_id!r} comes twice, here or in the index; name a column of distinct ids")
            known.add(row_id)
        texts, replaced = check_texts((text for _, text in part), start)
        if replaced:
            log.warning("lone surrogates became U+FFFD in %s", number_of(replaced, "text"))
        start += len(part)
        yield ids, texts


def _next_part(rows: Iterator[Row]) -> Iterator[Row]:
    """As many rows as a part may have; fewer where their texts are long."""
    held = 0
    for row in islice(rows, PART_ROWS):
        yield row
        held += len(row[1]) if isinstance(row[1], str) else 0
        if held > PART_CHARACTERS:
            return


def unit_rows(vectors: Floats) -> Floats:
    """Vectors of length 1; zero ones stay so."""
    rows: Floats = Unit().transform(np.asarray(vectors, dtype=np.float32))
    return rows


def document_rows(embedder: Embedder, texts: Sequence[str], vectors: Floats) -> tuple[Floats, int]:
    """The same of documents, and how many are zero: also where the model knows no token, for such all look the same."""
    rows = unit_rows(vectors)
    rows[~known_texts(embedder.encoder_, texts)] = 0
    return rows, int((~rows.any(axis=1)).sum())


def report_zeros(zeros: int, n_rows: int) -> None:
    """Zero vectors are counted and named."""
    if zeros:
        log.warning(
            "no query will find %s of %s: the model knows nothing of them, or their vector is zero",
            f"{zeros:,}",
            number_of(n_rows, "text"),
        )


Encode = Callable[[int, list[str]], Floats]


def _write_parts(work: Path, embedder: Embedder, rows: Iterable[Row], encode: Encode, previous: bool = False) -> About:
    about: About | None = None
    first = 0
    for number, (ids, texts) in enumerate(row_parts(rows)):
        done = work / _DONE.format(number)
        sha256 = _digest(ids, texts)
        account = _account(done) if previous else {}
        if account.get("sha256") != sha256 or not _is_whole(work, number, len(ids), account):
            vectors, zeros = document_rows(embedder, texts, encode(first, texts))
            write_part(work, number, ids, texts, vectors)
            account = {"sha256": sha256, "vectors": _digest_of(vectors), "zeros": zeros, "dims": vectors.shape[1]}
            with new_file(done) as aside:
                aside.write_text(json.dumps(account), encoding="utf-8")
        about = (about or About(dims=account["dims"])).with_part(len(ids), account["zeros"])
        first += len(ids)
    _check_some(about)
    assert about is not None
    report_zeros(about.zeros, about.n_rows)
    return about


def _check_some(found: Any) -> None:
    if not found:
        raise InputError("there are no texts to put into an index")


def _encoding(embedder: Embedder, advance: Advance) -> Encode:
    def encode(first: int, texts: list[str]) -> Floats:
        return np.concatenate(list(embedder.encode_chunks(texts, advance=advance)))

    return encode


def _slices_of(vectors: Floats) -> Encode:
    return lambda first, texts: vectors[first : first + len(texts)]


def _with_fit(about: About, embedder: Embedder) -> About:
    fitted = embedder.recipe.fitted_on
    on = fitted.target.texts if embedder.needs_fit and fitted is not None and fitted.target is not None else None
    return About(**{**vars(about), "fitted_on": on})


def _with_graph(work: Path, about: About, approximate: bool | None) -> About:
    if not is_wanted(about.n_rows, approximate):
        return about
    with bar(about.n_rows, "texts in the graph") as advance:
        return replace(about, approximate=asdict(build_graph(work, map_vectors(work, about), advance=advance)))


def _digest(ids: list[Any], texts: list[str]) -> str:
    digest = hashlib.sha256()
    for row_id, text in zip(ids, texts, strict=True):
        digest.update(repr(row_id).encode() + b"\0" + text.encode() + b"\0")
    return digest.hexdigest()


def _digest_of(vectors: Floats) -> str:
    return hashlib.sha256(vectors.tobytes()).hexdigest()


def _account(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_whole(work: Path, number: int, rows: int, account: dict[str, Any]) -> bool:
    """Whether a part that an earlier run says it wrote is there as it was written."""
    dims, zeros = account.get("dims"), account.get("zeros")
    if type(dims) is not int or type(zeros) is not int or not 0 <= zeros <= rows:
        return False
    try:
        vectors = np.load(vectors_file(work, number), mmap_mode="r", allow_pickle=False)
        texts = read_rows(open_texts(texts_file(work, number)), texts_file(work, number))
        same = _digest(texts["id"], texts["text"]) == account["sha256"]
    except Exception:  # whatever the libraries make of it
        return False
    alike = vectors.shape == (rows, dims) and vectors.dtype == np.float32
    return bool(same and alike and _digest_of(vectors) == account.get("vectors"))


def _previous(work: Path, embedder: Embedder) -> bool:
    """Whether parts that an earlier run left were made by this recipe and model; if not, they are made anew."""
    path = work / "by.json"
    by = {"recipe": embedder.recipe.to_json(), "model": embedder.encoder_.fingerprint}
    same = bool(_account(path) == json.loads(json.dumps(by)))
    if not same:
        path.write_text(json.dumps(by), encoding="utf-8")
    elif (work / _DONE.format(0)).is_file():
        log.info("going on from what an earlier run has left")
    return same


@contextmanager
def _work_folder(target: Path) -> Iterator[Path]:
    """Beside the target; it stays where a run was stopped or the disk is full, and goes where something was refused."""
    place = target.resolve()
    work = place.with_name(f".{place.name}.unfinished")
    make_own_folder(work, lambda names: _LOCK in names, "the work of an earlier run")
    try:
        with exclusive(work / _LOCK):
            yield work
    except AttarError as error:
        if not isinstance(error, OutputError):
            remove_folder(work)
        raise
    except KeyboardInterrupt:
        if (work / _DONE.format(0)).is_file() or (work / ABOUT).is_file():
            log.info("what is done is kept in %s: the same command goes on from there", work)
        else:
            remove_folder(work)
        raise


def _put_in_place(work: Path, target: Path, about: About) -> None:
    """All that the index names and nothing else, also of an earlier run with more texts.

    The lock goes last: in a folder without it another process could begin before this one has moved it away.
    """
    numbers = range(len(about.parts))
    graph = GraphFile.read(about.approximate)
    named = {ABOUT, RECIPE, _LOCK} | ({graph.file, graph.nodes_file} if graph is not None else set())
    named |= {make(work, n).name for n in numbers for make in (vectors_file, texts_file)}
    for path in work.iterdir():
        if path.name not in named:
            path.unlink() if path.is_file() else shutil.rmtree(path)
    replace_folder(work, target)
    (target / _LOCK).unlink(missing_ok=True)
