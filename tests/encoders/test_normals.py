"""The random numbers: hard-coded, against the normal quantile of scipy, and statistically."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from attar.encoders.normals import normals

MASK = 2**64 - 1
HARD_CODED = [
    ["-0x1.0ac5745fd1a85p-1", "0x1.91588bb31ee5ap-2", "0x1.afaaed589cf61p+0", "0x1.0e4794fc75ec8p-1"],
    ["-0x1.fa9d50c932420p-1", "0x1.bc281a8ea702cp-3", "0x1.0e169fac548d0p-3", "-0x1.38818b1e862c5p-1"],
]


def splitmix(word: int) -> int:
    """SplitMix64's finaliser in plain integers."""
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB & MASK
    return word ^ (word >> 31)


@pytest.mark.parametrize(("seed", "row"), [(0, 0), (0, 101), (7, 30521), (2**64 - 1, 250000)])
def test_against_plain_integers_and_the_exact_quantile(seed, row):
    golden = 0x9E3779B97F4A7C15
    key = splitmix((seed + golden) & MASK)
    wanted = []
    for pair in range(3):
        bits = splitmix((key + ((row << 32) + pair + 1) * golden) & MASK)
        wanted += [ndtri(((half & 0xFFFFFFFF) + 0.5) / 2**32) for half in (bits, bits >> 32)]
    np.testing.assert_allclose(normals(seed, np.array([row]), 6)[0], wanted, rtol=3e-7)


def test_hard_coded_values():
    """To the last bit: these must never change."""
    found = normals(0, np.array([0, 101]), 4)
    assert [[x.hex() for x in row] for row in found.tolist()] == HARD_CODED


def test_a_row_depends_on_nothing_but_seed_and_number():
    together = normals(3, np.array([5, 9, 5]), 7)
    np.testing.assert_array_equal(together[0], together[2])
    np.testing.assert_array_equal(normals(3, np.array([9]), 7)[0], together[1])
    np.testing.assert_array_equal(normals(3, np.array([9]), 4)[0], together[1, :4])
    assert not np.array_equal(normals(4, np.array([9]), 7)[0], together[1])
    assert normals(0, np.zeros(0, dtype=np.int64), 5).shape == (0, 5)


def test_they_are_standard_normal_and_independent():
    drawn = normals(1, np.arange(400), 256)
    assert stats.kstest(drawn.ravel(), "norm").pvalue > 0.01
    assert abs(stats.kurtosis(drawn.ravel())) < 0.05
    for other in (drawn[:, 1:] * drawn[:, :-1], drawn[1:] * drawn[:-1], drawn * normals(2, np.arange(400), 256)):
        assert abs(other.mean()) < 4 / np.sqrt(other.size)


def test_the_far_tail_is_right():
    rare = np.abs(normals(0, np.arange(2000), 512))
    expected = 2 * stats.norm.sf(3.5) * rare.size
    assert abs((rare > 3.5).sum() - expected) < 5 * np.sqrt(expected)
