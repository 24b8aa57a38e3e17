"""The one table of encoders that stand around another: by their type in recipes."""

from __future__ import annotations

from attar.encoders.attended import Attended
from attar.encoders.dissected import Dissected
from attar.encoders.pooled import Pooled
from attar.encoders.side_by_side import SideBySide
from attar.encoders.wrapper import Wrapper

WRAPPERS: dict[str, type[Wrapper]] = {made.kind: made for made in (Pooled, SideBySide, Attended, Dissected)}
