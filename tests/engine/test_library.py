"""Which compiled code may run: by the processor, and by the user's limit."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from attar.engine.kernels import compiled_kernels
from attar.engine.library import Abilities, open_library
from attar.errors import InputError

SHOW = "from attar.engine.library import open_library; c = open_library(); print(c and int(c.abilities))"


def abilities_with(variable: str) -> str:
    environment = os.environ | {"ATTAR_INSTRUCTIONS": variable}
    ran = subprocess.run([sys.executable, "-c", SHOW], env=environment, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def test_none_is_none():
    assert open_library("none") is None
    assert compiled_kernels("none") is None


@pytest.mark.parametrize("limit", ["avx2", "avx512", "all"])
def test_never_more_than_allowed_or_there(limit):
    compiled, most = open_library(limit), open_library("all")
    if compiled is None or most is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    allowed = {"avx2": 1, "avx512": 3, "all": 15}[limit]
    assert compiled.abilities == most.abilities & allowed
    assert Abilities.VECTORS in compiled.abilities


def test_the_environment_says_how_much():
    if open_library("all") is None:
        pytest.skip("the C kernels are not built, or not for this processor")
    assert abilities_with("none") == "None"
    assert abilities_with("avx2") == "1"


def test_an_unknown_limit_is_refused():
    with pytest.raises(InputError, match=r"ATTAR_INSTRUCTIONS.*'avx3'.*allowed: none, avx2, avx512, all"):
        open_library("avx3")
