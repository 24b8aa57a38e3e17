"""A recipe as a sentence-transformers folder, made of that library's own modules only."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from attar.encoders.transformer import Transformer
from attar.engine.quiet import quiet
from attar.errors import MissingExtra, RecipeError
from attar.exports import CARD, model2vec
from attar.exports.card import write_card
from attar.exports.classic_layout import make_classic
from attar.exports.fitted_parts import FittedParts, Step
from attar.exports.framed_tokenizer import save_tokenizer
from attar.exports.weight_table import nonzero_weights, weight_table, weights_by_id
from attar.io.aside import scratch
from attar.io.atomic import new_folder
from attar.shapers import Quantile
from attar.shapers.affine import Affine
from attar.types import Frame, Role
from attar.weights import First, Last, Mean

if TYPE_CHECKING:
    from attar.embedder import Embedder
    from attar.exports.base_model import BaseModel

USAGE = """from sentence_transformers import SentenceTransformer

vectors = SentenceTransformer("{folder}").encode(texts)"""
_ELSEWHERE = (
    "it needs sentence-transformers' own modules for layers or token weights, which text-embeddings-inference does not "
    "have"
)
_FLOAT64 = (
    "it runs in float64, on devices that have it; versions of transformers before 5 need "
    'model_kwargs={"torch_dtype": "float64"} for it'
)
_FLOAT16 = "run it in float32 or bfloat16: its token weights are beyond float16"


def export(embedder: Embedder, folder: Path, *, overwrite: bool = False) -> list[str]:
    """Write the folder, whole or not at all; returns what its users should know."""
    source = FittedParts.of(embedder)
    if not isinstance(source.encoder, Transformer):
        return model2vec.export(embedder, folder, overwrite=overwrite)
    _check(source)
    try:
        import sentence_transformers  # noqa: F401

        from attar.exports.base_model import load_base
    except ImportError:
        raise MissingExtra("exporting to sentence-transformers", "sentence-transformers") from None
    frame = source.encoder.frame
    pooling, notes = _pooling(source, frame)
    with scratch() as place, quiet():
        base = load_base(source.encoder, source.layers)
        modules = [*_layers(source, base, place), *pooling, *_shaping(source)]
        if len(source.layers) > 1 or len(pooling) > 1 or not base.ends_with_last:
            notes.append(_ELSEWHERE)
        if source.encoder.precision == "float64":
            notes.append(_FLOAT64)
        with new_folder(folder, CARD, overwrite=overwrite) as aside:
            _save(modules, aside, source.encoder.token_limit)
            write_card(aside, source, "sentence-transformers", USAGE.format(folder=folder.name), notes)
    return notes


def _check(source: FittedParts) -> None:
    """Refuse what no module of sentence-transformers can do."""
    for step in source.steps:
        if isinstance(step, Quantile):
            raise RecipeError(
                "sentence-transformers has no module for quantile; exportable instead: the same recipe "
                "with zscore, robust or whiten in its place, or this one --to onnx"
            )
    if min(source.layers) < 0:
        raise RecipeError(
            "sentence-transformers has no module for layer -1 (the token table); exportable instead: "
            "layers from 0 up, or layer -1 alone --to model2vec, or any --to onnx"
        )
    if sum(source.layer_weights) == 0:
        raise RecipeError(
            f"the layer weights {source.layer_weights} sum to 0, and sentence-transformers divides by their sum; "
            "exportable instead: weights with another sum, or these --to onnx"
        )


def _layers(source: FittedParts, base: BaseModel, place: Path) -> list[Any]:
    """The transformer, and the average over layers if there are several."""
    from sentence_transformers.sentence_transformer.modules import Transformer as Carrier
    from sentence_transformers.sentence_transformer.modules import WeightedLayerPooling

    encoder = source.encoder
    assert isinstance(encoder, Transformer)
    several = len(source.layers) > 1
    base.model.config.output_hidden_states = several
    base.model.save_pretrained(str(place))
    save_tokenizer(encoder, place)
    # An average takes all hidden states, and so has no need of the right one here.
    output = "last_hidden_state" if several or base.ends_with_last else ["hidden_states", source.layers[0]]
    carrier = Carrier(
        str(place),
        modality_config={"text": {"method": "forward", "method_output_name": output}},
        module_output_name="token_embeddings",
    )
    _check_carried(carrier.auto_model, base.model)
    if not several:
        return [carrier]
    import torch

    first = min(source.layers)
    weights = torch.zeros(base.n_layers + 1 - first)
    for layer, weight in zip(source.layers, source.layer_weights, strict=True):
        weights[layer - first] = weight
    width = encoder.width(first)
    average = WeightedLayerPooling(width, base.n_layers, first, torch.nn.Parameter(weights))
    return [carrier, average]


def _check_carried(loaded: Any, model: Any) -> None:
    """Refuses half a model, such as the encoder of BART, which would be loaded as a whole one of random weights."""
    if type(loaded) is not type(model):
        raise RecipeError(
            f"a {type(model).__name__} can't be exported: sentence-transformers loads the folder as a "
            f"{type(loaded).__name__}; exportable instead: this recipe --to onnx"
        )


def _pooling(source: FittedParts, frame: Frame) -> tuple[list[Any], list[str]]:
    """Token weights if they are not all the same, and pooling; and what is to be known about them."""
    from sentence_transformers.sentence_transformer.modules import Pooling, WordWeights

    width = source.encoder.width(source.layers[0])
    weights = source.weights
    if isinstance(weights, (First, Last)):
        ends = frame.head_roles if isinstance(weights, First) else frame.tail_roles
        if not weights.specials and Role.SPECIAL in ends:
            name = type(weights).__name__
            raise RecipeError(
                f"{name}(specials=False) can't be exported: sentence-transformers takes the very first or last token; "
                f"exportable instead: {name}(), or this one --to onnx"
            )
        return [Pooling(width, "cls" if isinstance(weights, First) else "lasttoken")], []
    if isinstance(weights, Mean) and weights.specials and weights.template and weights.masks:
        return [Pooling(width, "mean")], []
    vocabulary = source.encoder.vocabulary
    by_id = weights_by_id(weight_table(weights, vocabulary), frame, vocabulary)
    graded = nonzero_weights(by_id, frame)
    weigh = WordWeights(
        list(vocabulary.pieces), dict(zip(vocabulary.pieces, graded.tolist(), strict=True)), unknown_word_weight=0
    )
    return [weigh, Pooling(width, "mean")], [] if graded is by_id else [_FLOAT16]


def _shaping(source: FittedParts) -> list[Any]:
    import torch
    from sentence_transformers.sentence_transformer.modules import Dense, Normalize

    width = source.encoder.width(source.layers[0])
    total = sum(source.layer_weights)
    steps: list[Step] = list(source.steps)
    if not np.isclose(total, 1, rtol=0, atol=1e-12):  # the average over layers is divided by it
        scale = Affine(np.zeros(width), scale=np.full(width, total))
        steps[:1] = [scale.then(steps[0])] if steps and isinstance(steps[0], Affine) else [scale, *steps[:1]]
    modules: list[Any] = []
    for step in steps:
        if isinstance(step, Affine):
            matrix = torch.from_numpy(np.ascontiguousarray(step.dense().T, dtype=np.float32))
            offset = torch.from_numpy(step.offset.astype(np.float32))
            modules.append(Dense(step.n_in, step.n_out, activation_function=None, init_weight=matrix, init_bias=offset))
        else:
            modules.append(Normalize())
    return modules


def _save(modules: list[Any], folder: Path, limit: int | None) -> None:
    from sentence_transformers import SentenceTransformer

    SentenceTransformer(modules=modules, device="cpu").save_pretrained(str(folder), create_model_card=False)
    make_classic(folder, limit)
