"""What wraps an encoder passes on all that it does not change."""

from __future__ import annotations

from pathlib import Path

import pytest

from attar import Embedder, Transformer
from attar.encoders.around import Around
from attar.encoders.cached import Cached
from attar.encoders.pooled import Pooled
from attar.errors import InputError
from attar.types import Encoder

# what each wrapper does in its own way, or what follows from the rest
OWN = {
    "kind", "pools_linearly", "pool", "pool_into", "token_vectors", "each_batch", "with_template", "configured", "spec",
    "from_spec",
}  # fmt: skip


def test_no_member_of_the_contract_is_forgotten() -> None:
    public = {name for name in {*vars(Encoder), *Encoder.__annotations__} if not name.startswith("_")}
    assert public - OWN == {name for name in vars(Around) if not name.startswith("_")}


@pytest.mark.parametrize("wrap", [lambda e, folder: Cached(e, folder), lambda e, _: Pooled(e, "max")])
def test_a_causal_model_on_a_device_stays_one(wrap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiny_bert) -> None:
    monkeypatch.setattr(Transformer, "causal", property(lambda self: True))
    monkeypatch.setattr(Transformer, "tuned_for_sentences", property(lambda self: True))
    wrapped = wrap(tiny_bert.with_template("T0"), tmp_path)
    monkeypatch.setattr(wrapped.encoder, "device", "cuda")
    assert (wrapped.causal, wrapped.tuned_for_sentences, wrapped.usual_weights) == (True, True, "mask")
    assert wrapped.device == "cuda"


def test_a_cache_holds_no_pooling_of_its_own(tiny_bert: Transformer, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"wrap the other way round: Pooled\(Cached"):
        Cached(Pooled(tiny_bert, "max"), tmp_path)
    texts = ["the cat sat", "a dog ran"]
    kept = Embedder(Pooled(Cached(tiny_bert, tmp_path), "max")).encode(texts)
    assert kept == pytest.approx(Embedder(Pooled(tiny_bert, "max")).encode(texts), abs=1e-6)
