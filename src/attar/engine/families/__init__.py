"""The architectures that run straight from their arrays, and how each calls its settings and its parts.

Whatever is not just as expected here (a setting that is missing or asks for another computation; an array that is
missing, left over or of another shape) is left to transformers, which knows all of it.

A new family is one file with a class that has `prefix` (what stands before the names in a file that holds more than the
model), `own` (what the names of its arrays begin with), `renamed` (parts of names) and `build`; and one line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy.typing as npt

from attar.engine.decoder_model import DecoderModel
from attar.engine.direct import DirectModel
from attar.engine.families.gpt2 import Gpt2
from attar.engine.families.gpt_neox import GptNeoX
from attar.engine.families.llama import GEMMA, GEMMA3, GRANITE, MISTRAL, OLMO2, PHI3, QWEN2, QWEN3, SMOLLM3, Llama
from attar.engine.families.mobilebert import MobileBert
from attar.engine.families.opt import Opt
from attar.engine.families.post_norm import DISTILBERT_FAMILY, ROBERTA, PostNorm
from attar.engine.families.settings import Settings, Unexpected
from attar.engine.parts import ArrayParts
from attar.engine.products import MakeProduct, bfloat16, float32
from attar.io.quantized import StoredRows

__all__ = ["FAMILIES", "Arrays", "Unexpected", "build_model", "is_known"]

Arrays = Mapping[str, npt.NDArray[Any] | StoredRows]
_UNUSUAL = ("is_decoder", "add_cross_attention", "pruned_heads", "quantization_config", "is_encoder_decoder")
_BUFFERS = (".position_ids", ".token_type_ids", ".attn.bias", ".attn.masked_bias", ".inv_freq")  # of older versions


class Family(Protocol):
    @property
    def prefix(self) -> str: ...

    @property
    def own(self) -> frozenset[str] | set[str]: ...

    @property
    def renamed(self) -> Mapping[str, str]: ...

    @property
    def weights_as_stored(self) -> bool: ...

    def build(self, settings: Settings, parts: ArrayParts, product: MakeProduct) -> DirectModel | DecoderModel:
        """Raises Unexpected, or a LookupError or ValueError for a part that is not as it should be."""
        ...


FAMILIES: dict[str, Family] = {
    "bert": PostNorm("bert."),
    "roberta": ROBERTA,
    "xlm-roberta": ROBERTA,
    "camembert": ROBERTA,
    "electra": PostNorm("electra."),
    "distilbert": DISTILBERT_FAMILY,
    "mobilebert": MobileBert(),
    "llama": Llama(),
    "mistral": MISTRAL,
    "qwen2": QWEN2,
    "qwen3": QWEN3,
    "gemma": GEMMA,
    "gemma3_text": GEMMA3,
    "phi3": PHI3,
    "smollm3": SMOLLM3,
    "olmo2": OLMO2,
    "granite": GRANITE,
    "gpt2": Gpt2(),
    "opt": Opt(),
    "gpt_neox": GptNeoX(),
}


def is_known(settings: Settings) -> bool:
    """Whether the architecture is one of these; that the model is as expected, `build_model` tells."""
    kind = settings.get("model_type")
    return isinstance(kind, str) and kind in FAMILIES


def build_model(settings: Settings, arrays: Arrays, product: MakeProduct) -> DirectModel | DecoderModel:
    """Raises Unexpected."""
    if not is_known(settings) or any(settings.get(key) for key in _UNUSUAL):
        raise Unexpected
    if settings.get("position_embedding_type", "absolute") != "absolute":
        raise Unexpected
    family = FAMILIES[settings["model_type"]]
    if family.weights_as_stored and product not in (float32, bfloat16):
        raise Unexpected
    named = _plain_names(arrays, family)
    parts = ArrayParts(named, brief=product is bfloat16)
    try:
        model = family.build(settings, parts, product)
    except (LookupError, ValueError) as error:
        raise Unexpected from error
    left = {name for name in named.keys() - parts.used if name.partition(".")[0] in family.own}
    if any(not name.endswith(_BUFFERS) for name in left):
        raise Unexpected
    return model


def _plain_names(arrays: Arrays, family: Family) -> dict[str, npt.NDArray[Any] | StoredRows]:
    """Without the prefix, and parts called as they are called today."""
    named: dict[str, npt.NDArray[Any] | StoredRows] = {}
    for name, array in arrays.items():
        plain = name.removeprefix(family.prefix)
        for old, new in family.renamed.items():
            plain = plain.replace(old, new)
        if plain in named:
            raise Unexpected
        named[plain] = array
    return named
