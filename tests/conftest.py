"""Where tests find real data and models; everything else they make themselves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
ROOT = Path(__file__).resolve().parent.parent


def _folder(variable: str, sibling: str) -> Path:
    folder = Path(os.environ.get(variable, ROOT.parent / "shared" / sibling))
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}: set {variable} to run this test")
    return folder


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with the evaluation datasets."""
    return _folder("ATTAR_DATA", "data")


@pytest.fixture(scope="session")
def mobilebert_dir() -> Path:
    """The folder of the real MobileBERT."""
    folder = _folder("ATTAR_MODELS", "models") / "mobilebert-uncased"
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}")
    return folder
