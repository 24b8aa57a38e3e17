"""Batches side by side: all of them, the same numbers, and errors that come through."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attar import Embedder, Transformer
from attar.engine import direct as engine
from attar.engine.kernels import compiled_kernels
from attar.engine.threads import run_all

TEXTS = [f"the cat {'sat ' * (n % 9)}on mat {'dog ' * (n % 5)}" for n in range(60)]


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("n_items", [0, 1, 7])
def test_every_item_is_done_once(threads, n_items):
    usual = torch.get_num_threads()
    done: list[int] = []
    run_all(done.append, range(n_items), threads)
    assert sorted(done) == list(range(n_items))
    assert torch.get_num_threads() == usual


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_comes_through_and_threads_are_as_before(threads):
    usual = torch.get_num_threads()

    def work(item: int) -> None:
        if item == 3:
            raise ValueError("item 3")

    with pytest.raises(ValueError, match="item 3"):
        run_all(work, range(6), threads)
    assert torch.get_num_threads() == usual


def alike(found: np.ndarray, wanted: np.ndarray) -> None:
    """To the last bit where the products are our own."""
    if compiled_kernels() is not None:
        np.testing.assert_array_equal(found, wanted)
    else:
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6 * np.abs(wanted).max())


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_any_number_of_threads_gives_the_same_vectors(tiny_bert, tiny_bert_dir, threads, monkeypatch):
    monkeypatch.setattr(engine, "packed_batches", lambda lengths, n_workers: np.array_split(np.argsort(-lengths), 12))
    wanted = Embedder(tiny_bert, layers=(1, 3)).encode(TEXTS)
    alike(Embedder(Transformer(tiny_bert_dir, threads=threads), layers=(1, 3)).encode(TEXTS), wanted)


@settings(max_examples=20)
@given(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=80), st.integers(1, 3))
def test_a_vector_does_not_depend_on_the_texts_beside_it(tiny_bert, texts, layer):
    together = Embedder(tiny_bert, layers=layer).encode(texts)
    alone = np.stack([Embedder(tiny_bert, layers=layer).encode(text) for text in texts[:5]])
    alike(together[:5], alone)


def test_a_real_vector_does_not_depend_on_the_texts_beside_it():
    embedder = Embedder(Transformer())
    texts = [f"{'the river ran ' * (n % 7)}number {n} of many" for n in range(150)]
    together = embedder.encode(texts)
    alike(embedder.encode(texts[::-1])[::-1], together)
    alike(np.stack([embedder.encode(text) for text in texts[40:45]]), together[40:45])


def test_callers_in_several_threads_do_not_meet(tiny_bert):
    wanted = {layer: Embedder(tiny_bert, layers=layer).encode(TEXTS) for layer in range(4)}
    with ThreadPoolExecutor(4) as callers:
        for layer, found in callers.map(lambda n: (n % 4, Embedder(tiny_bert, n % 4).encode(TEXTS)), range(12)):
            alike(found, wanted[layer])
