"""Which recipe suits these texts and this model: without labels, or with a few answers."""

from __future__ import annotations

from attar.choosing.chosen import Chosen
from attar.choosing.run import ChooseSettings, choose

__all__ = ["ChooseSettings", "Chosen", "choose"]
