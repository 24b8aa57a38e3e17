"""A whole recipe as one ONNX graph: ids and mask in, vector out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from attar.encoders.mix import Mix
from attar.errors import MissingExtra
from attar.exports import CARD
from attar.exports.card import write_card
from attar.exports.fitted_parts import FittedParts
from attar.exports.framed_tokenizer import framed_tokenizer, pad_id
from attar.io.atomic import new_folder

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


def export(embedder: Embedder, folder: Path, *, overwrite: bool = False) -> list[str]:
    """Write model.onnx, tokenizer.json and a card, whole or not at all; returns what its users should know."""
    source = FittedParts.of(embedder)
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
        import onnxscript  # noqa: F401
        import torch  # noqa: F401
    except ImportError:
        raise MissingExtra("exporting to ONNX", "onnx") from None
    from attar.engine.quiet import quiet
    from attar.exports.onnx.graph import RecipeGraph
    from attar.exports.onnx.graph_file import write_graph

    with quiet():
        graph = RecipeGraph(source).eval()
    with new_folder(folder, CARD, overwrite=overwrite) as aside:
        encoder = _reader(source.encoder)
        write_graph(graph, aside / "model.onnx", len(encoder.vocabulary), encoder.token_limit)
        _tokenizer(source).save(str(aside / "tokenizer.json"))
        write_card(aside, source, "onnx", USAGE.format(folder=folder.name), [])
    return []


def _tokenizer(source: FittedParts) -> Any:
    """Frames, cuts and fills up texts by itself."""
    encoder = _reader(source.encoder)
    tokenizer = framed_tokenizer(encoder)
    limit = encoder.token_limit
    if limit is not None:
        tokenizer.enable_truncation(limit)
    filler = pad_id(encoder.vocabulary)
    tokenizer.enable_padding(pad_id=filler, pad_token=tokenizer.id_to_token(filler))
    return tokenizer


def _reader(encoder: Any) -> Any:
    """The encoder whose tokenizer reads the texts: of a mix the first, whose tokens both sides take."""
    while isinstance(encoder, Mix):
        encoder = encoder.a
    return encoder
