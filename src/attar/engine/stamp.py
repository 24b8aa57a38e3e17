"""What compiled libraries say they were built from. setup.py runs this file too, so it imports nothing of ours."""

from __future__ import annotations

import hashlib
from pathlib import Path


def stamp(version: str, folder: Path) -> str:
    """The version, and a hash of the C sources in a folder; the version alone where there are none, as in a wheel."""
    digest = hashlib.sha256()
    sources = sorted((*folder.glob("_*.c"), *folder.glob("_*.h")))
    for path in sources:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return f"{version} {digest.hexdigest()[:16]}" if sources else version


def fits(built_from: str, wanted: str) -> bool:
    """Whether a library was built from what is here, as far as that can be known."""
    return built_from == wanted or built_from.split(" ")[0] == wanted
