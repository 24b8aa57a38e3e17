from __future__ import annotations

import pytest

from attar.io.plural import number_of


@pytest.mark.parametrize(("n", "said"), [(0, "0 texts"), (1, "1 text"), (2, "2 texts"), (1200, "1,200 texts")])
def test_by_hand(n: int, said: str) -> None:
    assert number_of(n, "text") == said
