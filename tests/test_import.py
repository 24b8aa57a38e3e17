"""Importing changes nothing and brings nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

import attar


def modules_after(code: str) -> set[str]:
    shown = "import sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", f"{code}\n{shown}"], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in run.stdout.split()}


def test_import_attar_is_light():
    heavy = {"torch", "transformers", "sklearn", "scipy", "pandas", "tokenizers", "pyarrow", "huggingface_hub", "numpy"}
    assert not modules_after("import attar") & heavy


def test_torch_waits_for_the_first_text():
    code = "from attar import Embedder, Template, Transformer, shapers, weights\nEmbedder(Transformer('x'), shapers=[])"
    assert not modules_after(code) & {"torch", "transformers"}


@pytest.mark.parametrize("name", ["AttarError", "Embedder", "Recipe", "Template", "Transformer", "shapers", "weights"])
def test_public_names(name):
    assert name in dir(attar)
    assert getattr(attar, name)


def test_a_name_that_is_none():
    with pytest.raises(AttributeError, match="has no attribute 'Embeder'; it has AttarError, Embedder"):
        attar.Embeder  # noqa: B018
