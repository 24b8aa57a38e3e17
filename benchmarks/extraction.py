"""How fast are vectors pressed out of a transformer, against other libraries on the same texts in the same run?

Peers take turns, round by round; each line gives sentences and tokens per second, the share of what this machine's
float32 matrix products reach (measured in the same rounds), the ratio to sentence-transformers with its spread, CPU and
wall time. Tokenisation counts; loading does not. Only needed tokens are counted, never padding.
Run: python benchmarks/extraction.py --model minilm --texts short [--rounds N] [--n N] [--peers a,b]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from peers import PEERS
from sample_texts import long_texts, short_texts

MODELS = Path(os.environ.get("ATTAR_MODELS", Path(__file__).resolve().parents[2] / "shared" / "models"))
BASELINE = "sentence-transformers"


def model_folder(name: str) -> Path:
    from attar.checkpoints import default

    if name == "minilm":
        return default.folder()
    if name == "mobilebert":
        return MODELS / "mobilebert-uncased"
    import shutil

    from transformers import BertConfig, BertModel

    folder = Path(tempfile.mkdtemp(prefix="attar-bench-"))
    torch.manual_seed(0)
    BertModel(BertConfig(position_embedding_type="absolute")).save_pretrained(folder)  # CTranslate2 asks for it
    for file in default.folder().glob("*token*"):
        shutil.copy(file, folder)
    shutil.copy(default.folder() / "vocab.txt", folder)
    return folder


def matmul_peak(seconds: float = 0.4) -> float:
    """FLOP/s of a large float32 product on all cores."""
    a, b = torch.randn(2048, 1536), torch.randn(1536, 1536)
    out = torch.empty(2048, 1536)
    torch.mm(a, b, out=out)
    start, n = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        torch.mm(a, b, out=out)
        n += 1
    return 2 * 2048 * 1536 * 1536 * n / (time.perf_counter() - start)


def needed(folder: Path, texts: list[str]) -> tuple[int, float]:
    """Tokens without padding, and the FLOP of the dense layers they go through."""
    from transformers import AutoModel

    from attar import Transformer

    n_tokens = len(Transformer(folder).tokenize(texts).ids)
    dense = [m for m in AutoModel.from_pretrained(folder).encoder.modules() if isinstance(m, torch.nn.Linear)]
    return n_tokens, 2.0 * n_tokens * sum(m.in_features * m.out_features for m in dense)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=["minilm", "bert-base", "mobilebert"], default="minilm")
    parser.add_argument("--texts", choices=["short", "long"], default="short")
    parser.add_argument("--n", type=int)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", default=",".join(PEERS), help="names, with commas between")
    args = parser.parse_args()
    n = args.n or (3000 if args.texts == "short" else 500)
    texts = short_texts(n) if args.texts == "short" else long_texts(n)
    folder = model_folder(args.model)
    n_tokens, flop = needed(folder, texts)
    run = {}
    for name in args.peers.split(","):
        try:
            run[name] = PEERS[name](folder)
            run[name](texts[:64])
        except Exception as error:
            print(f"  {name}: left out, {type(error).__name__}: {str(error)[:100]}")
            run.pop(name, None)

    wall: dict[str, list[float]] = {name: [] for name in run}
    cpu: dict[str, list[float]] = {name: [] for name in run}
    vectors, peaks = {}, []
    for _ in range(args.rounds):
        peaks.append(matmul_peak())
        for name, encode in run.items():
            start_cpu, start = time.process_time(), time.perf_counter()
            vectors[name] = encode(texts)
            wall[name].append(time.perf_counter() - start)
            cpu[name].append(time.process_time() - start_cpu)
    report(args, n, n_tokens, flop, wall, cpu, vectors, float(np.median(peaks)))


def report(args, n, n_tokens, flop, wall, cpu, vectors, peak) -> None:  # type: ignore[no-untyped-def]
    print(f"{args.model}, {n:,} {args.texts} texts, {n_tokens:,} tokens, {args.rounds} rounds, ", end="")
    print(f"{torch.get_num_threads()} threads, matmul peak {peak / 1e9:.0f} GFLOP/s")
    speeds = f"{'texts/s':>9}{'tokens/s':>10}{'% peak':>8}{'ratio':>7} {'(spread)':14}"
    heads = speeds + f"{'wall s':>8}{'CPU s':>8}{'CPU ratio':>11}"
    print(f"  {'':24}{heads}  greatest difference")
    base = BASELINE if BASELINE in wall else next(reversed(wall))
    for name in wall:
        seconds = float(np.median(wall[name]))
        ratios = np.array(wall[base]) / np.array(wall[name])
        difference = np.abs(_unit(vectors[name]) - _unit(vectors[base])).max()
        spread = f"({ratios.min():.2f} to {ratios.max():.2f})"
        print(
            f"  {name:24}{n / seconds:9.0f}{n_tokens / seconds:10.0f}{100 * flop / seconds / peak:8.0f}"
            f"{np.median(ratios):7.2f} {spread:14}{seconds:8.2f}{np.median(cpu[name]):8.2f}"
            f"{np.median(np.array(cpu[base]) / np.array(cpu[name])):11.2f}  {difference:.0e}"
        )


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


if __name__ == "__main__":
    main()
