"""Post-processing of sentence vectors: scikit-learn transformers from (N, D) to (N, D')."""

from __future__ import annotations

from attar.shapers.abtt import AllButTheTop
from attar.shapers.affine import Affine
from attar.shapers.affine_shaper import AffineShaper, MomentShaper, fold
from attar.shapers.center import Center
from attar.shapers.moments import Moments
from attar.shapers.quantile import Quantile
from attar.shapers.robust import Robust
from attar.shapers.shaper import Shaper
from attar.shapers.shaper_names import NAMES, parse
from attar.shapers.unit import Unit
from attar.shapers.whiten import Whiten
from attar.shapers.zscore import ZScore

__all__ = [
    "NAMES",
    "Affine",
    "AffineShaper",
    "AllButTheTop",
    "Center",
    "MomentShaper",
    "Moments",
    "Quantile",
    "Robust",
    "Shaper",
    "Unit",
    "Whiten",
    "ZScore",
    "fold",
    "parse",
]
