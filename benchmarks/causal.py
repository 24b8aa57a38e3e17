"""A causal model from its GGUF file: Attar, a transformers loop and llama.cpp on the same prompts, in turn.

    python benchmarks/causal.py MODEL.gguf [--n 128] [--rounds 5]

Prints texts per second (median of the rounds, and the least and the most), all on all cores. Peers are measured where
transformers and llama-cpp-python are installed. Of ways to batch for llama.cpp the fastest on a first round is taken.
All give the last layer of the last token; the cosine of each to Attar's float32 is printed too.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import numpy as np
import numpy.typing as npt
from sample_texts import short_texts

from attar import Embedder, Template, Transformer, weights

Run = Callable[[Sequence[str]], npt.NDArray[np.float32]]
LLAMA_CPP_TOKENS = (256, 512, 2048)  # of a batch


def attar_run(path: Path, template: str, reuse: bool = True, precision: str = "float32") -> Run:
    encoder = Transformer(path, template=template, precision=precision)
    embedder = Embedder(encoder, weights=weights.Answer())

    def run(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        encoder._model.reuses_beginnings = reuse  # type: ignore[union-attr]
        return embedder.encode(texts)

    return run


def transformers_run(path: Path, template: str) -> Run:
    """Batches of 32 as most people write it: padded, in float32."""
    import torch
    import transformers

    where = {"gguf_file": path.name}
    model = transformers.AutoModel.from_pretrained(str(path.parent), **where, dtype=torch.float32).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(path.parent), **where, padding_side="left")
    words = Template.named(template).text

    @torch.inference_mode()
    def run(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        found = []
        for start in range(0, len(texts), 32):
            prompts = [words.replace("[X]", text) for text in texts[start : start + 32]]
            batch = tokenizer(prompts, return_tensors="pt", padding=True)
            found.append(model(**batch).last_hidden_state[:, -1])
        return torch.cat(found).numpy()

    return run


def llama_cpp_run(path: Path, template: str, n_tokens: int) -> Run:
    import llama_cpp

    threads = os.cpu_count() or 1
    model = llama_cpp.Llama(
        str(path),
        embedding=True,
        pooling_type=llama_cpp.LLAMA_POOLING_TYPE_LAST,
        n_ctx=n_tokens,
        n_batch=n_tokens,
        n_ubatch=n_tokens,
        n_threads=threads,
        n_threads_batch=threads,
        verbose=False,
    )
    words = Template.named(template).text

    def run(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return np.array(model.embed([words.replace("[X]", text) for text in texts]), dtype=np.float32)

    return run


def best_llama_cpp(path: Path, template: str, texts: Sequence[str]) -> tuple[str, Run]:
    tried = {}
    for n_tokens in LLAMA_CPP_TOKENS:
        run = llama_cpp_run(path, template, n_tokens)
        tried[n_tokens] = min(timed(run, texts[:48])[0] for _ in range(2)), run
        print(f"{template}: llama.cpp, batches of {n_tokens} tokens: {48 / tried[n_tokens][0]:.1f} texts/s", flush=True)
    best = min(tried, key=lambda n: tried[n][0])
    return f"llama.cpp, batches of {best}", tried[best][1]


def timed(run: Run, texts: Sequence[str]) -> tuple[float, npt.NDArray[np.float32]]:
    start = time.perf_counter()
    vectors = run(texts)
    return time.perf_counter() - start, vectors


def runs_of(path: Path, template: str, texts: Sequence[str]) -> dict[str, Run]:
    runs = {
        "attar": attar_run(path, template),
        "attar, beginnings not reused": attar_run(path, template, reuse=False),
        "attar, bfloat16": attar_run(path, template, precision="bfloat16"),
    }
    try:
        runs["transformers loop"] = transformers_run(path, template)
    except ImportError as error:
        print(f"no transformers loop: {error}")
    try:
        name, run = best_llama_cpp(path, template, texts)
        runs[name] = run
    except ImportError as error:
        print(f"no llama.cpp: {error}")
    return runs


def measure(path: Path, template: str, texts: Sequence[str], rounds: int) -> None:
    runs = runs_of(path, template, texts)
    taken: dict[str, list[float]] = {name: [] for name in runs}
    vectors = {name: run(texts) for name, run in runs.items()}  # and everything is loaded
    for _ in range(rounds):
        for name, run in runs.items():
            taken[name].append(timed(run, texts)[0])
    for name, seconds in taken.items():
        speeds = sorted(len(texts) / s for s in seconds)
        ratio = median(b / a for a, b in zip(taken["attar"], seconds, strict=True))
        cosine = least_cosine(vectors["attar"], vectors[name])
        print(
            f"{template:10} {name:30} {median(speeds):6.1f} texts/s ({speeds[0]:.1f} to {speeds[-1]:.1f})  "
            f"attar is {ratio:.2f} times as fast, least cosine {cosine:.6f}",
            flush=True,
        )


def least_cosine(a: npt.NDArray[np.float32], b: npt.NDArray[np.float32]) -> float:
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    return float(((a * b).sum(axis=1) / lengths).min())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--n", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    for template in ("eol", "knowledge"):
        measure(given.model, template, short_texts(given.n), given.rounds)


if __name__ == "__main__":
    main()
