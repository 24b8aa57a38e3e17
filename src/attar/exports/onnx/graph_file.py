"""A torch module as an ONNX file, which is run and compared before it is trusted."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from attar.errors import ModelError

Batch = tuple[Tensor, Tensor]  # ids and mask, (N, T) each

_INPUTS, _OUTPUT = ["input_ids", "attention_mask"], "sentence_embedding"
_AXES = {0: "texts", 1: "tokens"}
_LARGE = 1_500_000_000  # bytes; protobuf holds 2 GB, larger weights go into a file beside it
_TRACED, _CHECKED = 40, 300  # tokens in the batch that a graph is made from, and in the longest that it is checked on
_NOISE = 0.05  # of a vector's length; rounding is far below, even behind quantiles, a graph of one shape far above


def write_graph(graph: Any, path: Path, n_tokens: int, limit: int | None) -> None:
    """Trace the module, or export it symbolically where tracing is not enough; refuses what neither gets right.

    Tracing takes seconds where symbolic export takes minutes, but it keeps whatever a model's own code decides by
    the shape of its input. Texts longer and shorter than the traced ones reveal that.
    """
    n_bytes = sum(p.numel() * p.element_size() for p in (*graph.parameters(), *graph.buffers()))
    large = n_bytes > _LARGE
    width = min(limit or _TRACED, _TRACED)
    batch = _batch((width, width * 3 // 4), width, n_tokens)
    ways = [_symbolic(large)] if large else [_trace, _symbolic(large)]
    for way in ways:
        failed = _attempt(way, graph, batch, path) or _differs(graph, path, n_tokens, limit)
        if failed is None:
            return
    raise ModelError(f"no ONNX graph of this model gives what torch gives: {failed}; it can't be exported to onnx")


def _attempt(way: Callable[[Any, Batch, Path], None], graph: Any, batch: Batch, path: Path) -> str | None:
    """Why it failed, if it did."""
    try:
        with _quiet_export(), torch.no_grad():
            way(graph, batch, path)
    except Exception as error:  # exporters raise whatever an operation they do not know makes them
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return None


def _trace(graph: Any, batch: Batch, path: Path) -> None:
    torch.onnx.export(
        graph,
        batch,
        str(path),
        input_names=_INPUTS,
        output_names=[_OUTPUT],
        dynamic_axes=dict.fromkeys(_INPUTS, _AXES) | {_OUTPUT: {0: _AXES[0]}},
        opset_version=18,
        dynamo=False,
    )


def _symbolic(large: bool) -> Callable[[Any, Batch, Path], None]:
    def export(graph: Any, batch: Batch, path: Path) -> None:
        shape = {place: torch.export.Dim(name) for place, name in _AXES.items()}
        torch.onnx.export(
            graph,
            batch,
            str(path),
            input_names=_INPUTS,
            output_names=[_OUTPUT],
            dynamic_shapes=(shape, shape),
            dynamo=True,
            external_data=large,
            verbose=False,
        )

    return export


def _differs(graph: Any, path: Path, n_tokens: int, limit: int | None) -> str | None:
    """How far the file is from the module in other shapes than it was made from, if it is."""
    try:
        return _compare(graph, path, n_tokens, limit)
    except Exception as error:  # onnxruntime has a dozen classes of its own
        return f"{type(error).__name__}: {error}".splitlines()[0]


def _compare(graph: Any, path: Path, n_tokens: int, limit: int | None) -> str | None:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    longest = min(limit or _CHECKED, _CHECKED)
    for batch in (_batch((longest // 2, longest // 3, longest), longest, n_tokens), _batch((5,), 5, n_tokens)):
        with torch.no_grad():
            wanted = graph(*batch)
        feed = dict(zip(_INPUTS, (x.numpy() for x in batch), strict=True))
        found = torch.from_numpy(session.run([_OUTPUT], feed)[0])
        off = float(((found - wanted).norm(dim=1) / wanted.norm(dim=1).clamp(min=1e-30)).max())
        if not off <= _NOISE:
            return f"{off:.2g} of a vector's length off"
    return None


def _batch(lengths: tuple[int, ...], width: int, n_tokens: int) -> Batch:
    """Tokens drawn evenly, filled up on the right. Shape: (N, T) each"""
    draw = torch.Generator().manual_seed(0)
    ids = torch.randint(0, n_tokens, (len(lengths), width), generator=draw)
    mask = (torch.arange(width) < torch.tensor(lengths)[:, None]).long()
    return ids, mask


@contextlib.contextmanager
def _quiet_export() -> Iterator[None]:
    """Suppress what exporters print on stdout and their warnings about internals."""
    library = logging.getLogger("torch.onnx")
    level = library.level
    library.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        library.setLevel(level)
