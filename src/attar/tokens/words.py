"""Words of a text, as people see them; tokens of models are another matter."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_](?:[\w+#]|[-'.](?=\w))*", re.UNICODE)  # don't, c++, asp.net, e-mail
LONGEST = 40  # letters; what is longer is no word


def words_of(text: str) -> set[str]:
    """The distinct words of a text, in lower case."""
    return {word for word in _WORD.findall(text.lower()) if len(word) <= LONGEST}
