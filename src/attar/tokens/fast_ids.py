"""The same ids as `tokenizers` gives, many times faster, from the optional package tokie where it can be trusted.

tokie reads the same tokenizer.json. Its ids were compared with those of `tokenizers` for every code point: the two
disagree only on code points that one of them does not know, so texts with characters outside `TRUSTED` go to
`tokenizers`. A self-test on strings that are easy to get wrong runs before tokie's first use with a tokenizer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import tokenizers

from attar.io.aside import scratch
from attar.tokens.tokenizer import FlatIds
from attar.types import Ints, token_index

TRUSTED = (
    "\x00-\x7e\x80-\u0377\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u052f"  # Latin, IPA, accents, Greek, Cyrillic
    "\u061e-\u070d\u1e00-\u1f15"  # Arabic, more Latin and Greek
    "\u2000-\u2064\u2100-\u218b\u2190-\u2429\u2460-\u2b73"  # punctuation, symbols, arrows, mathematics
    "\u3000-\u303f\u3041-\u3096\u3099-\u30ff\u3220-\ua48c\uac00-\ud7a3\uf900-\ufa6d\uff01-\uffbe"  # CJK
    "\U0001f300-\U0001f6d7\U0001f900-\U0001fa53\U00020000-\U0002a6df"  # emoji, rare ideographs
)
_UNTRUSTED = re.compile(f"[^{TRUSTED}]")
_WORTHWHILE = 256  # texts, at once or one after the other; for fewer, loading tokie costs more than it saves
_MODELS = ("WordPiece", "BPE")  # the kinds that were compared

# fmt: off
_NASTY = (
    "", " ", "\n\t ", "a", "A cat sat.", "don't stop", "x" * 99, "x" * 100, "x" * 101, "x" * 250 + " end", "##ing ##s",
    "[MASK] a", "a [SEP] b", "[CLS]", "[UNK][PAD]", "<s> a </s>", "<mask>", "<|endoftext|>", "[mask]", "▁a ▁▁b", "Ġa",
    "naïve café", "e\u0301 a\u0300\u0323 \u0323\u0300a", "İstanbul ß ΑΣ ς ǅ", "ﬁ ﬂ ½ ² ① ™", "l’été « oui »",
    "中文字 and 日本語", "한국어 \u1112\u1161\u11ab", "ひらがなカタカナ",
    "\U0001f600 x\U0001f600y \U0001f469\u200d\U0001f469", "\U00020000b", "ﾊﾝｶｸ Ａ", "a\x00b \x01",
    "\x0b\x0c\x1c\x85", "a\u200bb\u200d\u00adc", "\u2028x\u2029",
    "x\u3000y\u00a0z", "1,000.5 $3 50% ~`^+=|<>", "a--b __c__ e.g. U.S.A.", "http://a.b/c?d=e&f#g", "(a)[b]{c}", "\\n",
)
# fmt: on


class FastIds:
    """A source of ids for `TextTokenizer.ids`: tokie where it gives the same as `plain`, else `plain` itself."""

    def __init__(self, tokenizer: tokenizers.Tokenizer, plain: Callable[[Sequence[str]], FlatIds]) -> None:
        self._tokenizer = tokenizer
        self._plain = plain
        self._n_seen = 0  # texts, until there are enough

    def __call__(self, texts: Sequence[str]) -> FlatIds:
        if self._n_seen < _WORTHWHILE:
            self._n_seen += len(texts)
        if self._n_seen < _WORTHWHILE or self._fast is None:
            return self._plain(texts)
        doubtful = [i for i, t in enumerate(texts) if (not t.isascii() or "\x7f" in t) and _UNTRUSTED.search(t)]
        if len(doubtful) == len(texts):
            return self._plain(texts)
        ids, lengths = _flat(self._fast, texts)
        if not doubtful:
            return ids, lengths
        return replace_ids(ids, lengths, np.array(doubtful), *self._plain([texts[i] for i in doubtful]))

    @property
    def is_fast(self) -> bool:
        """Whether tokie is at work."""
        return self._fast is not None

    @cached_property
    def _fast(self) -> Any:
        """A tokie tokenizer that passed the self-test, or None."""
        try:
            import tokie
        except ImportError:
            return None
        settings = json.loads(self._tokenizer.to_str())
        plain_added = [token for token in settings["added_tokens"] if not token["special"]]
        if settings["model"].get("type") not in _MODELS or plain_added:
            return None
        # In a text, special tokens are text; without them tokie has no way to see them otherwise.
        settings |= {"added_tokens": [], "truncation": None, "padding": None}
        with scratch() as folder:
            path = folder / "tokenizer.json"
            path.write_text(json.dumps(settings), encoding="utf-8")
            try:
                fast = tokie.Tokenizer.from_json(str(path))
            except Exception:  # whatever it can't read
                return None
        return fast if agree(lambda texts: _flat(fast, texts), self._plain) else None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_fast"}


def agree(one: Callable[[Sequence[str]], FlatIds], other: Callable[[Sequence[str]], FlatIds]) -> bool:
    """Whether two sources give the same ids for strings that are easy to get wrong."""
    trusted = [text for text in _NASTY if not _UNTRUSTED.search(text)]
    (ids, lengths), (others_ids, others_lengths) = one(trusted), other(trusted)
    return np.array_equal(ids, others_ids) and np.array_equal(lengths, others_lengths)


def _flat(fast: Any, texts: Sequence[str]) -> FlatIds:
    ids, lengths = fast.encode_batch_flat(list(texts), add_special_tokens=False)
    return ids.view(np.int32), lengths.astype(np.int64)


def replace_ids(
    ids: np.ndarray[Any, np.dtype[np.int32]], lengths: Ints, texts: Ints, new_ids: Any, new_lengths: Ints
) -> FlatIds:
    """The ids of these texts exchanged for others."""
    begins = np.cumsum(lengths) - lengths
    kept = lengths.copy()
    kept[texts] = 0
    merged = kept.copy()
    merged[texts] = new_lengths
    starts = np.cumsum(merged) - merged
    out = np.empty(int(merged.sum()), dtype=np.int32)
    out[token_index(starts, kept)] = ids[token_index(begins, kept)]
    out[token_index(starts[texts], new_lengths)] = new_ids
    return out, merged
