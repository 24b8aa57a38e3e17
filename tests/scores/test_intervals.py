from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, t

from attar.scores.intervals import percentile_interval, student_interval, wilson_interval


def test_wilson_by_hand() -> None:
    # 5 of 10: centre 1/2, reach z * sqrt(1/40 + z^2/400) / (1 + z^2/10) with z^2 = 3.8415
    reach = np.sqrt(3.841459) * np.sqrt(0.025 + 3.841459 / 400) / 1.3841459
    assert wilson_interval(0.5, 10) == pytest.approx((0.5 - reach, 0.5 + reach), abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 500), st.floats(0, 1))
def test_wilson_equals_scipy(n: int, share: float) -> None:
    right = round(share * n)
    expected = binomtest(right, n).proportion_ci(0.95, method="wilson")
    assert wilson_interval(right / n, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_student_equals_scipy() -> None:
    values = np.array([0.7, 0.72, 0.69, 0.75])
    expected = t.interval(0.95, df=3, loc=values.mean(), scale=values.std(ddof=1) / 2)
    assert student_interval(values) == pytest.approx(expected)


def test_one_value_has_no_spread() -> None:
    assert student_interval(np.array([0.4])) == (0.4, 0.4)


def test_percentiles_of_a_straight_line() -> None:
    assert percentile_interval(np.arange(1001) / 1000) == pytest.approx((0.025, 0.975))
