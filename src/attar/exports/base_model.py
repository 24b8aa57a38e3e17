"""The transformer itself, loaded again and cut off after the last layer that a recipe needs."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from attar.encoders.transformer import Transformer
from attar.engine.loading import load_pretrained
from attar.errors import ModelError
from attar.exports.framed_tokenizer import pad_id

_READ = 1e-3  # of the greatest number; rounding is far below, padding that is read far above


@dataclass(frozen=True)
class BaseModel:
    """A plain transformers model."""

    model: Any
    n_layers: int  # that are left of it
    ends_with_last: bool  # its last_hidden_state is the highest wanted layer


def load_base(encoder: Transformer, layers: Sequence[int]) -> BaseModel:
    """The encoder's model in its precision and plain attention, without the blocks above the highest of these layers.

    Cutting off blocks does not give the same layer where the model norms its last one alone: then all blocks stay.
    """
    model = load_pretrained(encoder.checkpoint, encoder.precision).eval()
    filler = pad_id(encoder.vocabulary)
    if getattr(model.config, "trigram_input", False):
        # MobileBERT reads each token with its neighbours, so that the last one of a short text would see the padding
        # of a batch. A padding of zeros is what it sees when it stands alone.
        with torch.no_grad():
            model.get_input_embeddings().weight[filler] = 0
    last = max(layers)
    n_layers = encoder.n_layers
    with torch.no_grad():  # a model made in inference mode could not be cast
        _check_padding(model, filler, layers)
        wanted = _run(model)
        if last < n_layers:
            short = _shorten(model, last)
            if short is not None and _same_layers(_run(short), wanted, last):
                return BaseModel(short, last, True)
        ends = last == n_layers and _same(wanted.last_hidden_state, wanted.hidden_states[last])
    return BaseModel(model, n_layers, ends)


def _check_padding(model: Any, filler: int, layers: Sequence[int]) -> None:
    """Refuses a model that reads the padding of a batch, as one with convolutions may."""
    n_tokens = model.get_input_embeddings().weight.shape[0]
    text = torch.tensor([[i % n_tokens for i in range(1, 9) if i % n_tokens != filler]])
    padding = torch.full((1, 5), filler)
    ids, mask = torch.cat([text, padding], dim=1), torch.cat([torch.ones_like(text), torch.zeros_like(padding)], dim=1)
    alone = model(input_ids=text, output_hidden_states=True).hidden_states
    filled = model(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states
    for layer in layers:
        a, b = alone[layer], filled[layer][:, : text.shape[1]]
        if float((a - b).abs().max()) > _READ * float(a.abs().max()):
            raise ModelError(
                f"a {type(model).__name__} reads the padding of a batch, so that in other libraries a text's vector "
                "would change with its neighbours; it can't be exported"
            )


def _shorten(model: Any, n_layers: int) -> Any:
    """The same model with its first blocks only, or None where its settings do not allow it."""
    config = copy.deepcopy(model.config)
    try:
        config.num_hidden_layers = n_layers
        short = type(model)(config).to(model.dtype)
        missing = short.load_state_dict(model.state_dict(), strict=False).missing_keys
    except (AttributeError, TypeError, ValueError, RuntimeError, IndexError, KeyError):
        return None
    return None if missing else short.eval()


def _run(model: Any) -> Any:
    n_tokens = model.get_input_embeddings().weight.shape[0]
    ids = torch.arange(1, 15).remainder(n_tokens).view(2, 7)
    try:
        return model(input_ids=ids, output_hidden_states=True)
    except (RuntimeError, IndexError):  # a model without blocks may not run at all
        return None


def _same_layers(short: Any, wanted: Any, last: int) -> bool:
    if short is None or len(short.hidden_states) != last + 1:
        return False
    pairs = zip(short.hidden_states, wanted.hidden_states, strict=False)
    return all(_same(a, b) for a, b in pairs) and _same(short.last_hidden_state, wanted.hidden_states[last])


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and bool(torch.allclose(a, b, rtol=1e-5, atol=1e-6 * float(b.abs().max())))
