"""What does it save to ask for lower layers only? Layers up to the half of the model against all of them.

Run: python benchmarks/layers.py [--model minilm|bert-base|mobilebert] [--n N] [--rounds N]
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from extraction import model_folder
from sample_texts import short_texts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=["minilm", "bert-base", "mobilebert"], default="bert-base")
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    from attar import Transformer
    from attar.pooling import scale_weights

    encoder = Transformer(model_folder(args.model))
    tokens = encoder.tokenize(short_texts(args.n))
    weights, _ = scale_weights(np.ones(len(tokens.ids), dtype=np.float32), tokens)
    half = encoder.n_layers // 2
    wanted = {"half": list(range(half + 1)), "all": list(range(encoder.n_layers + 1))}
    encoder.pool(tokens, weights[None], wanted["half"])
    wall: dict[str, list[float]] = {name: [] for name in wanted}
    cpu: dict[str, list[float]] = {name: [] for name in wanted}
    for _ in range(args.rounds):
        for name, layers in wanted.items():
            start, start_cpu = time.perf_counter(), time.process_time()
            encoder.pool(tokens, weights[None], layers)
            wall[name].append(time.perf_counter() - start)
            cpu[name].append(time.process_time() - start_cpu)
    print(f"{args.model}, {args.n:,} short texts, {args.rounds} rounds: layers 0 to {half} against 0 to {2 * half}")
    for what, seconds in (("wall", wall), ("CPU", cpu)):
        ratios = np.array(seconds["half"]) / np.array(seconds["all"])
        shown = f"{np.median(ratios):.2f} ({ratios.min():.2f} to {ratios.max():.2f})"
        print(f"  {what:5}{np.median(seconds['half']):7.2f} s against {np.median(seconds['all']):.2f} s, ratio {shown}")


if __name__ == "__main__":
    main()
