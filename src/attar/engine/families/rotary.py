"""The angles of rotary places, and how they are scaled for longer texts than a model was trained on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from attar.engine.decoder_kernels import Turning
from attar.engine.families.settings import Settings, Unexpected
from attar.types import Floats

_BASE = 10000.0


def turning(settings: Settings, dims: int, share: float = 1.0, kind: str = "full_attention") -> Turning:
    """Of heads of so many dims, of which a share is turned. `kind`: of layers, where these have their own settings."""
    given = settings.get("rope_parameters") or settings.get("rope_scaling") or {}
    if by_kind(given):
        given = given.get(kind)
    if not isinstance(given, dict):
        raise Unexpected
    told = (given.get("rope_theta"), settings.get("rope_theta"), settings.get("rotary_emb_base"))
    base = next((value for value in told if value is not None), _BASE)
    shares = (settings.get("rope_share"), given.get("partial_rotary_factor"), settings.get("partial_rotary_factor"))
    share = float(next((value for value in shares if value), share))  # the first: of a GGUF file
    turned = int(dims * share + 1e-6)
    if not isinstance(base, (int, float)) or isinstance(base, bool) or base <= 0 or turned < 2 or turned % 2:
        raise Unexpected
    exponents = np.arange(0, turned, 2, dtype=np.float32) / np.float32(turned)
    speeds = (np.float32(1) / np.power(np.float32(base), exponents)).astype(np.float32)
    speeds = _scaled(speeds, given)
    if "rope_divisors" in settings:  # a GGUF file gives them one by one
        speeds = (speeds / settings["rope_divisors"]).astype(np.float32)
    if not np.isfinite(speeds).all() or not (speeds > 0).all():
        raise Unexpected
    return Turning(speeds, bool(settings.get("rope_neighbours")))


def by_kind(given: Any) -> bool:
    """Whether these are settings of places for each kind of layers."""
    return isinstance(given, dict) and any(isinstance(value, dict) for value in given.values())


def turned_share(settings: Settings) -> float:
    """The least part of a head that any of the settings of config.json wants turned."""
    places = [settings.get(key) for key in ("rope_parameters", "rope_scaling")]
    places += [kind for given in places if isinstance(given, dict) for kind in given.values()]
    shares = [given.get("partial_rotary_factor") for given in (settings, *places) if isinstance(given, Mapping)]
    return min((float(share) for share in shares if isinstance(share, (int, float)) and share), default=1.0)


def _scaled(speeds: Floats, given: dict[str, Any]) -> Floats:
    kind = given.get("rope_type", given.get("type", "default"))
    if kind == "default":
        return speeds
    if kind == "linear":
        return (speeds / np.float32(_number(given, "factor"))).astype(np.float32)
    if kind == "llama3":
        return _llama3(speeds, given)
    raise Unexpected


def _llama3(speeds: Floats, given: dict[str, Any]) -> Floats:
    """Slow turns become slower by the factor, fast ones stay, and those between are mixed."""
    factor, low, high = (_number(given, key) for key in ("factor", "low_freq_factor", "high_freq_factor"))
    trained = _number(given, "original_max_position_embeddings")
    lengths = 2 * math.pi / speeds  # tokens of a whole turn
    share = (trained / lengths - low) / (high - low)
    mixed = (1 - share) * speeds / factor + share * speeds
    scaled = np.where(lengths > trained / low, speeds / factor, np.where(lengths < trained / high, speeds, mixed))
    return scaled.astype(np.float32)


def _number(given: dict[str, Any], key: str) -> float:
    value = given.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
        raise Unexpected
    return float(value)
