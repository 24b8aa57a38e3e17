"""NotFittedError, which is scikit-learn's too. It lives apart because importing scikit-learn takes over a second."""

from __future__ import annotations

from sklearn.exceptions import NotFittedError as _SklearnNotFitted

from attar.errors import AttarError


class NotFittedError(AttarError, _SklearnNotFitted):  # type: ignore[misc]
    """Something that learns from texts was asked to work before it saw any."""
