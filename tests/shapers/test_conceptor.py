from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attar.errors import InputError
from attar.shapers import Conceptor, parse


def test_by_hand():
    x = np.array([[2.0, 0.0], [0.0, 1.0]])  # R = diag(2, 0.5); alpha 1 keeps 1 / (1 + r): 1/3 and 2/3
    np.testing.assert_allclose(Conceptor(1).fit_transform(x), [[2 / 3, 0.0], [0.0, 2 / 3]])


def test_as_published():
    x = np.random.default_rng(0).standard_normal((200, 8)) @ np.diag(np.arange(1.0, 9)) + 3
    r = x.T @ x / len(x)
    c = r @ np.linalg.inv(r + 2.0**-2 * np.eye(8))  # the formula as it is printed, alpha = 2
    np.testing.assert_allclose(Conceptor().fit_transform(x), x - x @ c, atol=1e-9)


@given(st.floats(0.01, 100))
def test_strong_directions_are_damped_most_and_none_turned(alpha: float):
    x = np.random.default_rng(1).standard_normal((50, 4)) * [4, 3, 2, 1]
    kept = np.linalg.eigvalsh(Conceptor(alpha).fit(x).affine().linear)
    assert (kept > 0).all()
    assert (kept <= 1 + 1e-9).all()


@pytest.mark.parametrize("bad", [0, -1.0, float("nan"), "2", True, None])
def test_wrong_aperture(bad: object):
    with pytest.raises(InputError, match=r"alpha=.* is not allowed"):
        Conceptor(alpha=bad).fit(np.eye(3))


def test_names():
    assert [s.name for s in parse("conceptor,conceptor:0.5@background")] == ["conceptor", "conceptor:0.5@background"]
