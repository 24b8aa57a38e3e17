"""The 26 tasks of the paper, and more, as one table of declarations.

Rows and classes are those of the paper's dataset tables; a source is listed only where it is known for certain.
"""

from __future__ import annotations

from attar.tasks.catalogue.classification import CLASSIFICATION
from attar.tasks.catalogue.clustering import CLUSTERING
from attar.tasks.catalogue.sts import STS
from attar.tasks.declaration import Declaration

PAPER: tuple[Declaration, ...] = STS + CLUSTERING + CLASSIFICATION
# Tasks beyond the paper. They are chosen by name: families and "all" stand for the paper's tasks, as its averages do.
MORE: tuple[Declaration, ...] = ()
CATALOGUE: tuple[Declaration, ...] = PAPER + MORE
