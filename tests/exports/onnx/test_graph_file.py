from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from attar.errors import ModelError
from attar.exports.onnx import graph_file
from attar.exports.onnx.graph_file import write_graph

onnx = pytest.importorskip("onnx")


class Counting(nn.Module):
    """A sum times the number of columns, which a trace, if asked for, keeps as it stands."""

    def __init__(self, kept: bool) -> None:
        super().__init__()
        self.kept = kept
        self.table = nn.Embedding(10, 3)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        kept = self.kept and torch.jit.is_tracing()
        n = 40 if kept else torch.ones_like(input_ids[:1]).sum()
        return (self.table(input_ids) * attention_mask[:, :, None]).sum(dim=1) * n


class Unrolling(nn.Module):
    """A loop over columns, which no graph can hold."""

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        total = torch.zeros(input_ids.shape[0], 2)
        for i in range(input_ids.shape[1]):
            total = torch.tanh(total + (input_ids[:, i] * attention_mask[:, i])[:, None] * 0.1)
        return total


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What each way of making a graph led to."""
    results: list[str] = []
    compare = graph_file._differs

    def note(*arguments: object) -> str | None:
        result = compare(*arguments)  # type: ignore[arg-type]
        results.append(result or "same")
        return result

    monkeypatch.setattr(graph_file, "_differs", note)
    return results


def test_axes_are_free(tried: list[str], tmp_path: Path) -> None:
    write_graph(Counting(kept=False), tmp_path / "model.onnx", 10, None)
    assert tried == ["same"]
    graph = onnx.load(tmp_path / "model.onnx").graph
    for value in graph.input:
        assert [d.dim_param for d in value.type.tensor_type.shape.dim] == ["texts", "tokens"]
    assert graph.output[0].type.tensor_type.shape.dim[0].dim_param == "texts"


def test_a_trace_that_kept_its_shape_is_found_and_replaced(tried: list[str], tmp_path: Path) -> None:
    write_graph(Counting(kept=True), tmp_path / "model.onnx", 10, None)
    # 40 columns were traced and 300 compared: 260 of 300 parts are missing
    assert tried == ["0.87 of a vector's length off", "same"]


def test_what_no_graph_holds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no ONNX graph of this model gives what torch gives"):
        write_graph(Unrolling(), tmp_path / "model.onnx", 10, 8)


def test_short_models_are_traced_and_checked_within_their_limit(tried: list[str], tmp_path: Path) -> None:
    class Placed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.places = nn.Embedding(6, 4)

        def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
            places = torch.ones_like(attention_mask).cumsum(dim=1) - 1  # a seventh would have no row
            return (self.places(places) * (input_ids * attention_mask)[:, :, None]).sum(dim=1)

    write_graph(Placed(), tmp_path / "model.onnx", 10, 6)
    assert tried == ["same"]


class Unknown(nn.Module):
    """An operation that ONNX Runtime does not have in float64."""

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        return torch.erf((input_ids * attention_mask).double()).float()


def test_what_onnxruntime_can_not_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"Could not find an implementation for Erf.*can't be exported to onnx"):
        write_graph(Unknown(), tmp_path / "model.onnx", 10, None)
