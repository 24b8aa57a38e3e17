"""The sweep: a grid of recipes times tasks, scored from one forward pass per text and template."""

from __future__ import annotations

from attar.sweep.grid import Grid, Part
from attar.sweep.grid_file import read_grid
from attar.sweep.run import Settings, sweep

__all__ = ["Grid", "Part", "Settings", "read_grid", "sweep"]
