"""The libraries attar is compared with, each as a function from texts to vectors (the mean of the last layer)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

Encode = Callable[[list[str]], np.ndarray]
BATCH = 32


def attar_all_layers(folder: Path) -> Encode:
    """Every layer's mean at once; the last one is returned for comparison."""
    from attar import Transformer
    from attar.pooling import scale_weights

    encoder = Transformer(folder)
    layers = list(range(encoder.n_layers + 1))

    def encode(texts: list[str]) -> np.ndarray:
        tokens = encoder.tokenize(texts)
        weights, _ = scale_weights(np.ones(len(tokens.ids), dtype=np.float32), tokens)
        return encoder.pool(tokens, weights[None], layers)[0, :, -1]

    return encode


def attar_embedder(folder: Path, precision: str = "float32") -> Encode:
    from attar import Embedder, Transformer
    from attar.weights import Mean

    return Embedder(Transformer(folder, precision=precision), weights=Mean(specials=True)).encode


def sentence_transformers(folder: Path) -> Encode:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer

    word = Transformer(str(folder), max_seq_length=_limit(folder))
    model = SentenceTransformer(modules=[word, Pooling(word.get_word_embedding_dimension(), "mean")], device="cpu")
    return lambda texts: model.encode(texts, batch_size=BATCH, show_progress_bar=False)


def plain_transformers(folder: Path) -> Encode:
    """The loop of many tutorials: batches in the order given, padded."""
    import torch
    from transformers import AutoModel

    model = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()

    def run(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            out = model(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask))
        return out.last_hidden_state.numpy()

    return _padded(folder, run, by_length=False)


def onnx_runtime(folder: Path) -> Encode:
    """Sorted by length, which is kinder than its users usually are."""
    return _onnx_session(folder, _onnx_file(folder))


def onnx_runtime_fused(folder: Path) -> Encode:
    """Attention, GELU and norms joined to single operations by its own tool, which finds them in a traced graph."""
    from onnxruntime.transformers.optimizer import optimize_model
    from transformers import AutoConfig

    config, path = AutoConfig.from_pretrained(folder), _onnx_file(folder, traced=True)
    sizes = {"num_heads": config.num_attention_heads, "hidden_size": config.hidden_size}
    fused = optimize_model(str(path), model_type="bert", opt_level=1, **sizes)
    fused.save_model_to_file(str(path.with_name("fused.onnx")))
    print("  ONNX Runtime (fused):", {name: n for name, n in fused.get_fused_operator_statistics().items() if n})
    return _onnx_session(folder, path.with_name("fused.onnx"))


def openvino_float32(folder: Path) -> Encode:
    import openvino

    hints = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    model = openvino.compile_model(openvino.convert_model(str(_onnx_file(folder))), "CPU", hints)

    def run(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        return model([ids, mask])[0]

    return _padded(folder, run, by_length=True)


def _onnx_file(folder: Path, traced: bool = False) -> Path:
    """Exported by torch: as it does now, or traced, as it did when most tools that fuse operations were written."""
    import torch
    from transformers import AutoModel

    how = {"attn_implementation": "eager"} if traced else {}
    model = AutoModel.from_pretrained(folder, dtype=torch.float32, **how).eval()

    class Last(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            return self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state

    path = Path(tempfile.mkdtemp(prefix="attar-bench-")) / "model.onnx"
    ids, mask = torch.ones(2, 2, 7, dtype=torch.int64)
    mask[1, 5:] = 0  # a mask of ones alone would be left out of the graph
    if traced:
        names, axes = ["input_ids", "attention_mask"], {0: "batch", 1: "tokens"}
        each = dict.fromkeys([*names, "states"], axes)
        named = {"input_names": names, "output_names": ["states"], "dynamic_axes": each}
        torch.onnx.export(Last().eval(), (ids, mask), str(path), dynamo=False, opset_version=14, **named)
        return path
    dims = {0: torch.export.Dim("batch"), 1: torch.export.Dim("tokens", max=512)}
    torch.onnx.export(Last().eval(), (ids, mask), path, dynamo=True, dynamic_shapes=(dims, dims), verbose=False)
    return path


def _onnx_session(folder: Path, path: Path) -> Encode:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [entry.name for entry in session.get_inputs()]

    def run(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        return session.run(None, dict(zip(names, (ids, mask), strict=True)))[0]

    return _padded(folder, run, by_length=True)


def ctranslate2_float32(folder: Path) -> Encode:
    import ctranslate2
    import torch

    target = Path(tempfile.mkdtemp(prefix="attar-bench-")) / "ct2"
    ctranslate2.converters.TransformersConverter(str(folder)).convert(str(target), quantization="float32")
    encoder = ctranslate2.Encoder(str(target), inter_threads=1, intra_threads=torch.get_num_threads())

    def run(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        rows = [row[: int(n)].tolist() for row, n in zip(ids, mask.sum(1), strict=True)]
        return np.asarray(encoder.forward_batch(rows).last_hidden_state)

    return _padded(folder, run, by_length=True)


def _padded(folder: Path, run: Callable[[np.ndarray, np.ndarray], np.ndarray], *, by_length: bool) -> Encode:
    """Batches of 32, padded to their longest; the mean over tokens."""
    from transformers import AutoTokenizer

    tokenizer, limit = AutoTokenizer.from_pretrained(folder), _limit(folder)

    def encode(texts: list[str]) -> np.ndarray:
        ids = tokenizer(texts, truncation=True, max_length=limit)["input_ids"]
        order = np.argsort([-len(i) for i in ids]) if by_length else np.arange(len(ids))
        out: list[np.ndarray] = [np.empty(0)] * len(ids)
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            longest = max(len(ids[i]) for i in rows)
            padded, mask = np.zeros((2, len(rows), longest), dtype=np.int64)
            for r, i in enumerate(rows):
                padded[r, : len(ids[i])], mask[r, : len(ids[i])] = ids[i], 1
            states = run(padded, mask)
            means = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
            for r, i in enumerate(rows):
                out[i] = means[r]
        return np.stack(out)

    return encode


def _limit(folder: Path) -> int:
    from attar import Transformer

    return Transformer(folder).token_limit or 512


PEERS: dict[str, Callable[[Path], Encode]] = {
    "attar (all layers)": attar_all_layers,
    "attar": attar_embedder,
    "sentence-transformers": sentence_transformers,
    "transformers loop": plain_transformers,
    "ONNX Runtime": onnx_runtime,
    "ONNX Runtime (fused)": onnx_runtime_fused,
    "OpenVINO": openvino_float32,
    "CTranslate2 float32": ctranslate2_float32,
}
