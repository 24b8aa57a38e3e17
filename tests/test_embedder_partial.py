"""Learning by partial_fit, where sums suffice."""

from __future__ import annotations

import numpy as np
import pytest

from attar import Embedder
from attar.errors import InputError
from attar.shapers import AllButTheTop, Center, Quantile, Robust, Unit, Whiten, ZScore
from attar.weights import Debiased, Idf, Sif

TEXTS = [
    "the cat sat",
    "a dog ran",
    "music",
    "a dog ran",
    "walk to the river",
    "play, man",
    "red",
    "blue tree",
    "mat on",
]
SUFFICE = {
    "idf": {"weights": Idf()},
    "sif, unit": {"weights": Sif(), "shapers": [Unit()]},
    "center": {"shapers": [Center()]},
    "zscore, unit": {"shapers": [ZScore(), Unit()]},
    "debiased, whiten": {"weights": Debiased(), "shapers": [Whiten(3)]},
    "zscore, abtt": {"shapers": [ZScore(), AllButTheTop(1)]},
    "nothing to learn": {"layers": (1, 2)},
}


@pytest.mark.parametrize("settings", SUFFICE.values(), ids=SUFFICE)
def test_parts_give_what_the_whole_gives(tiny_bert, settings):
    parts = Embedder(tiny_bert, **settings)
    for start in (0, 4, 5):
        parts.partial_fit(TEXTS[start : {0: 4, 4: 5, 5: 9}[start]])
    whole = Embedder(tiny_bert, **settings).fit(TEXTS)
    found, wanted = np.abs(parts.encode(TEXTS)), np.abs(whole.encode(TEXTS))  # signs of components are free
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)
    assert parts.fitted_on_.target.texts == 9


REFUSED = {
    "quantile": ({"shapers": [Quantile()]}, "Quantile can't be fitted by partial_fit"),
    "robust": ({"shapers": [Robust()]}, "Robust can't be fitted by partial_fit"),
    "behind unit": ({"shapers": [Unit(), ZScore()]}, "after a shaper that is not affine"),
    "weights and shapers": ({"weights": Idf(), "shapers": [ZScore()]}, "can't be fitted by partial_fit together"),
    "background": ({"weights": Idf(on="background")}, "background corpus"),
}


@pytest.mark.parametrize(("settings", "told"), REFUSED.values(), ids=REFUSED)
def test_where_sums_do_not_suffice_it_is_refused(tiny_bert, settings, told):
    with pytest.raises(InputError, match=told):
        Embedder(tiny_bert, **settings).partial_fit(TEXTS)


def test_counts_go_on_after_fit(tiny_bert):
    embedder = Embedder(tiny_bert, weights=Idf()).fit(TEXTS[:4]).partial_fit(TEXTS[4:])
    whole = Embedder(tiny_bert, weights=Idf()).fit(TEXTS)
    np.testing.assert_array_equal(embedder.encode(TEXTS), whole.encode(TEXTS))


def test_moments_do_not_go_on_after_fit(tiny_bert):
    embedder = Embedder(tiny_bert, shapers=[ZScore()]).fit(TEXTS)
    with pytest.raises(InputError, match="has no sums to which"):
        embedder.partial_fit(TEXTS)
