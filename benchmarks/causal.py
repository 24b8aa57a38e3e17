"""A causal model from its GGUF file: Attar, a transformers loop and llama.cpp on the same texts, one after the other.

    python benchmarks/causal.py MODEL.gguf [--n 64] [--rounds 3]

Prints texts per second of the best round of each, on all cores. llama.cpp is measured where llama-cpp-python is
installed; it gives the last layer of the last token.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from sample_texts import short_texts

from attar import Embedder, Template, Transformer, weights

Run = Callable[[Sequence[str]], object]


def attar_run(path: Path, template: str, reuse: bool = True) -> Run:
    encoder = Transformer(path, template=template)
    embedder = Embedder(encoder, weights=weights.Answer())

    def run(texts: Sequence[str]) -> object:
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
    def run(texts: Sequence[str]) -> object:
        found = []
        for start in range(0, len(texts), 32):
            prompts = [words.replace("[X]", text) for text in texts[start : start + 32]]
            batch = tokenizer(prompts, return_tensors="pt", padding=True)
            found.append(model(**batch).last_hidden_state[:, -1])
        return torch.cat(found)

    return run


def llama_cpp_run(path: Path, template: str) -> Run:
    import llama_cpp

    model = llama_cpp.Llama(
        str(path),
        embedding=True,
        pooling_type=llama_cpp.LLAMA_POOLING_TYPE_LAST,
        n_ctx=2048,
        n_batch=2048,
        verbose=False,
    )
    words = Template.named(template).text
    return lambda texts: model.embed([words.replace("[X]", text) for text in texts])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--n", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    texts = short_texts(given.n)
    for template in ("eol", "knowledge"):
        runs: dict[str, Run] = {
            "attar": attar_run(given.model, template),
            "attar, beginnings not reused": attar_run(given.model, template, reuse=False),
        }
        for name, make in (("transformers loop", transformers_run), ("llama.cpp", llama_cpp_run)):
            try:
                runs[name] = make(given.model, template)
            except ImportError as error:
                print(f"{template}: no {name}: {error}")
        best = dict.fromkeys(runs, float("inf"))
        for _ in range(given.rounds):
            for name, run in runs.items():
                start = time.perf_counter()
                run(texts)
                best[name] = min(best[name], time.perf_counter() - start)
        for name, seconds in best.items():
            ratio = seconds / best["attar"]
            print(
                f"{template:10} {name:30} {given.n / seconds:7.1f} texts/s  attar is {ratio:.2f} times as fast",
                flush=True,
            )


if __name__ == "__main__":
    main()
