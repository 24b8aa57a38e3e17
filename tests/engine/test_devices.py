"""Models on other devices: what is allowed, and that nothing is left behind on the CPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attar import Embedder, Transformer
from attar.checkpoints import open_checkpoint
from attar.cli import main
from attar.engine import loading, packing
from attar.engine.model import LayeredModel
from attar.errors import InputError

TEXTS = ["the cat sat", "a dog ran in the light", "cat", "the dog sat on a mat"]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A machine that claims to have CUDA and Metal, on which they are the CPU; tells what was moved where."""
    moved: list[str] = []
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    real = LayeredModel.__init__

    def on_cpu(self: LayeredModel, model: Any, precision: str = "float32", device: str = "cpu") -> None:
        moved.append(device)
        real(self, model, precision, "cpu")

    monkeypatch.setattr(LayeredModel, "__init__", on_cpu)
    return moved


@pytest.mark.parametrize("device", ["cuda", "cuda:1", "mps"])
def test_vectors_are_the_same_there(tiny_bert_dir: Path, stand_in: list[str], device: str) -> None:
    wanted = Embedder(Transformer(tiny_bert_dir), layers="first,last").encode(TEXTS)
    there = Embedder(Transformer(tiny_bert_dir, device=device), layers="first,last")
    np.testing.assert_allclose(there.encode(TEXTS), wanted, atol=1e-5)
    assert stand_in == [device]  # by torch, though it would run without
    assert there.device == device
    assert "device" not in there.recipe.encoder  # it is no part of what a recipe says
    here = Embedder(tiny_bert_dir, layers="first,last")
    np.testing.assert_allclose(here.encode(TEXTS, device=device), wanted, atol=1e-5)
    here.encode(TEXTS, device=device)
    assert stand_in == [device, device]  # loaded once
    assert here.device == "cpu"


def test_the_command_line_passes_it_on(tiny_bert_dir: Path, tmp_path: Path, stand_in: list[str]) -> None:
    (tmp_path / "t.txt").write_text("the cat\n")
    command = ["encode", str(tmp_path / "t.txt"), "--model", str(tiny_bert_dir), "-o", str(tmp_path / "v.npy")]
    main([*command, "--device", "cuda"])
    assert stand_in == ["cuda"]


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:x", "mps:1", "", 3])
def test_devices_that_are_not_known(device: Any) -> None:
    with pytest.raises(InputError, match=r"allowed: cpu, cuda, cuda:1 \.\.\., mps"):
        Transformer(device=device)


def test_devices_that_are_not_there(tiny_bert_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    for device in ("cuda:1", "mps"):
        with pytest.raises(InputError, match="torch finds no such device on this machine; it finds cpu, cuda"):
            Embedder(Transformer(tiny_bert_dir, device=device)).encode("the cat")
    with pytest.raises(InputError, match="is for the CPU"):
        Embedder(Transformer(tiny_bert_dir, device="cuda", precision="int8")).encode("the cat")


def test_nothing_is_left_on_the_cpu(tiny_bert_dir: Path) -> None:
    """A whole pass on torch's device "meta", which computes shapes only and does not mix with the CPU."""
    packing.register()
    model = LayeredModel(loading.load_pretrained(open_checkpoint(str(tiny_bert_dir)), "float32"))
    assert model._undo_fast_blocks is not None
    model._undo_fast_blocks()
    model.model.to("meta")
    states: list[Any] = []
    ids = torch.zeros(8, dtype=torch.int64, device="meta")
    model._run_packed(ids, [(1, 2), (2, 3)], 0, [0, 3], lambda _, found: states.append(found))
    assert [found.device.type for found in states] == ["meta", "meta"]
    assert states[-1].shape == (1, 8, 16)
    mask = packing._window_mask(9, 3, False, torch.device("meta"))
    assert mask is not None
    assert mask.device.type == "meta"
