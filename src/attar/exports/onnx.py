"""A whole recipe as one ONNX graph: ids and mask in, vector out."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attar.encoders.average import tokenizer_of
from attar.encoders.mix import Mix
from attar.errors import MissingExtra
from attar.exports.card import write_card
from attar.exports.frame import frame_of, pad_id, with_frame
from attar.exports.source import Source
from attar.files import new_folder

if TYPE_CHECKING:
    from attar.embedder import Embedder

USAGE = """import numpy as np
import onnxruntime
from tokenizers import Tokenizer

tokenizer = Tokenizer.from_file("{folder}/tokenizer.json")
tokenizer.encode_special_tokens = True  # a "[MASK]" in a text is text
session = onnxruntime.InferenceSession("{folder}/model.onnx")
batch = tokenizer.encode_batch(texts)
ids, mask = (np.array([getattr(e, name) for e in batch]) for name in ("ids", "attention_mask"))
(vectors,) = session.run(["sentence_embedding"], {{"input_ids": ids, "attention_mask": mask}})"""
_LARGE = 1_500_000_000  # bytes; protobuf holds 2 GB, larger weights go into a file beside it


def export(embedder: Embedder, folder: Path, *, overwrite: bool = False) -> list[str]:
    """Write model.onnx, tokenizer.json and a card, whole or not at all; returns what its users should know."""
    source = Source.of(embedder)
    try:
        import onnx  # noqa: F401
        import onnxscript  # noqa: F401
        import torch
    except ImportError:
        raise MissingExtra("exporting to ONNX", "onnx") from None
    from attar.exports.base_model import quiet
    from attar.exports.graph import RecipeGraph

    with quiet():
        graph = RecipeGraph(source).eval()
    with new_folder(folder, overwrite=overwrite) as aside:
        with torch.no_grad():
            _write_graph(graph, aside / "model.onnx")
        _tokenizer(source).save(str(aside / "tokenizer.json"))
        write_card(aside, source, "onnx", USAGE.format(folder=folder.name), [])
    return []


def _write_graph(graph: Any, path: Path) -> None:
    import torch

    ids = torch.ones((2, 40), dtype=torch.int64)
    mask = torch.ones_like(ids)
    mask[1, 30:] = 0
    n_texts, n_tokens = torch.export.Dim("texts"), torch.export.Dim("tokens")
    n_bytes = sum(p.numel() * p.element_size() for p in (*graph.parameters(), *graph.buffers()))
    with _unheard():
        torch.onnx.export(
            graph,
            (ids, mask),
            str(path),
            input_names=["input_ids", "attention_mask"],
            output_names=["sentence_embedding"],
            dynamic_shapes=({0: n_texts, 1: n_tokens}, {0: n_texts, 1: n_tokens}),
            dynamo=True,
            external_data=n_bytes > _LARGE,
            verbose=False,
        )


def _tokenizer(source: Source) -> Any:
    """Frames, cuts and fills up texts by itself."""
    encoder: Any = source.encoder
    while isinstance(encoder, Mix):
        encoder = encoder.a  # whose tokens both sides read
    tokenizer = with_frame(tokenizer_of(encoder), frame_of(encoder))
    limit = getattr(encoder, "limit", None)
    if limit is not None:
        tokenizer.enable_truncation(limit)
    filler = pad_id(encoder.vocabulary)
    tokenizer.enable_padding(pad_id=filler, pad_token=encoder.vocabulary.pieces[filler])
    return tokenizer


@contextlib.contextmanager
def _unheard() -> Iterator[None]:
    """The exporter tells of its progress on stdout and warns of what does not concern users."""
    library = logging.getLogger("torch.onnx")
    level = library.level
    library.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        library.setLevel(level)
