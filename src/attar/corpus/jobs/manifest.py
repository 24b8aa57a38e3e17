"""The manifest of an embedded corpus: every part with its rows and checksum; written last, checked by `verify`."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from attar._version import __version__
from attar.corpus.inputs.shards import ShardPlan
from attar.corpus.jobs.job_folder import DONE, MANIFEST, JobFolder
from attar.errors import DataError
from attar.io.foreign import read_json_object
from attar.pipeline import TextCounts

FORMAT = 1
_ABOUT = {"file": str, "rows": int, "bytes": int, "sha256": str}  # of each part


def write_manifest(folder: JobFolder, plan: ShardPlan, recipe: str, name: str) -> dict[str, Any]:
    """Gathers the marks of all parts."""
    counts, parts, dims = TextCounts(), [], 0
    for shard in plan.shards():
        facts = folder.facts(shard.name)
        counts += TextCounts(**facts["counts"])
        dims = facts["dims"]
        about = {key: facts[key] for key in ("rows", "bytes", "sha256")}
        parts.append({"file": f"{shard.name}.parquet", "first_row": shard.first_row, **about})
    manifest = {
        "format": FORMAT,
        "attar": __version__,
        "recipe": {"name": name, "sha256": recipe},
        "rows": plan.rows,
        "dims": dims,
        "ids": "of the input" if plan.has_ids else "row numbers",
        "inputs": [{"path": s.path, "rows": s.rows, "sha256": s.sha256} for s in plan.sources],
        "counts": asdict(counts),
        "parts": parts,
    }
    with folder.writing(MANIFEST) as aside:
        aside.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return manifest


def verify_corpus(out: str | Path) -> dict[str, Any]:
    """Compare every part of an embedded corpus with its manifest.

    Parameters
    ----------
    out : str or Path
        The folder that `embed_corpus` wrote.

    Returns
    -------
    dict
        The manifest.

    Raises
    ------
    DataError
        If parts are missing, changed or unknown; it names them.
    """
    folder = Path(out).expanduser()
    manifest = _read(folder)
    problems = [problem for part in manifest["parts"] if (problem := _problem(folder, part))]
    named = {part["file"] for part in manifest["parts"]}
    problems += [f"{path.name} is not in the manifest" for path in folder.glob("*.parquet") if path.name not in named]
    if problems:
        more = f"; and {len(problems) - 10} more" if len(problems) > 10 else ""
        raise DataError(
            f"{len(problems)} of {len(manifest['parts'])} parts of {str(out)!r} are not as they were written: "
            f"{'; '.join(problems[:10])}{more}; remove them and run the same command to make them again"
        )
    return manifest


def _read(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    if not path.is_file():
        done = len(list((folder / DONE).glob("*.json"))) if (folder / DONE).is_dir() else 0
        hint = f"{done} shards are done; run the same command again to finish" if done else "nothing was embedded there"
        raise DataError(f"{str(folder)!r} has no {MANIFEST}: {hint}")
    try:
        manifest = read_json_object(path, DataError)
        parts = manifest["parts"]
        if manifest["format"] != FORMAT or manifest["rows"] != sum(part["rows"] for part in parts):
            raise ValueError("its totals do not match its parts")
        if any(type(part[key]) is not kind for part in parts for key, kind in _ABOUT.items()):
            raise ValueError("its parts are not described as they should be")
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path} is damaged: {error}; run the same command to write it again") from None
    return manifest


def _problem(folder: Path, part: dict[str, Any]) -> str | None:
    path = folder / part["file"]
    if not path.is_file():
        return f"{path.name} is missing"
    if path.stat().st_size != part["bytes"]:
        return f"{path.name} has {path.stat().st_size:,} bytes, not {part['bytes']:,}"
    try:
        with open(path, "rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return f"{path.name} can't be read: {error.strerror or error}"
    return None if found == part["sha256"] else f"{path.name} has another checksum"
