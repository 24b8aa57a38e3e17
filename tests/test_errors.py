"""One small tree of errors."""

from __future__ import annotations

import pytest
import sklearn.exceptions

from attar import errors


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (errors.InputError, ValueError),
        (errors.ModelError, ValueError),
        (errors.RecipeError, ValueError),
        (errors.DataError, ValueError),
        (errors.OutputError, OSError),
        (errors.MissingExtra, ImportError),
        (errors.NotFittedError, sklearn.exceptions.NotFittedError),
    ],
)
def test_each_is_attars_and_of_the_kind_that_callers_expect(error, kind):
    assert issubclass(error, errors.AttarError)
    assert issubclass(error, kind)


def test_a_missing_extra_names_its_pip_line():
    assert "pip install 'attar[models]'" in str(errors.MissingExtra("running a transformer", "models"))


def test_an_unknown_name_shows_the_nearest_and_all():
    told = str(errors.unknown_name("fruit", "aple", ["apple", "pear"]))
    assert told == "unknown fruit 'aple' (did you mean 'apple'?); allowed: apple, pear"
    assert "did you mean" not in str(errors.unknown_name("fruit", 7, ["apple"]))


def test_no_other_names():
    with pytest.raises(AttributeError, match="no attribute 'Oops'"):
        errors.Oops  # noqa: B018
