"""The 26 tasks of the paper as one table of declarations.

Rows and classes are those of the paper's dataset tables; a source is listed only where it is known for certain.
"""

from __future__ import annotations

from attar.tasks.catalogue.classification import CLASSIFICATION
from attar.tasks.catalogue.clustering import CLUSTERING
from attar.tasks.catalogue.sts import STS
from attar.tasks.declaration import Declaration

CATALOGUE: tuple[Declaration, ...] = STS + CLUSTERING + CLASSIFICATION
