"""The files of a sentence-transformers folder as all its versions, and servers that read them, understand them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

_MODES = {
    "cls": "cls_token",
    "max": "max_tokens",
    "mean": "mean_tokens",
    "mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "weightedmean": "weightedmean_tokens",
    "lasttoken": "lasttoken",
}


def make_classic(folder: Path, limit: int | None) -> None:
    """Rewrite what version 6 saved: short module names, the settings that older modules take, `max_seq_length`."""
    classic = {"Pooling": _pooling, "WeightedLayerPooling": _layers, "Dense": _dense}
    for module in json.loads((folder / "modules.json").read_text(encoding="utf-8")):
        name = module["type"].rpartition(".")[2]
        if name in classic:
            _rewrite(folder / module["path"] / "config.json", classic[name])
    _rewrite(folder / "modules.json", _short_names)
    _rewrite(folder / "sentence_bert_config.json", lambda config: _transformer(config, limit))
    _rewrite(folder / "tokenizer_config.json", _tokenizer)


def _short_names(modules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [m | {"type": "sentence_transformers.models." + m["type"].rpartition(".")[2]} for m in modules]


def _pooling(config: dict[str, Any]) -> dict[str, Any]:
    flags = {f"pooling_mode_{name}": mode == config["pooling_mode"] for mode, name in _MODES.items()}
    return {"word_embedding_dimension": config["embedding_dimension"]} | flags | {"include_prompt": True}


def _layers(config: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in config.items() if name != "embedding_dimension"}
    return {"word_embedding_dimension": config["embedding_dimension"]} | kept


def _dense(config: dict[str, Any]) -> dict[str, Any]:
    return {name: config[name] for name in ("in_features", "out_features", "bias", "activation_function")}


def _transformer(config: dict[str, Any], limit: int | None) -> dict[str, Any]:
    plain = config["modality_config"]["text"]["method_output_name"] == "last_hidden_state"
    return {"max_seq_length": limit, "do_lower_case": False} | ({} if plain else config)


def _tokenizer(config: dict[str, Any]) -> dict[str, Any]:
    traces = ("backend", "is_local", "local_files_only", "name_or_path")
    kept = {name: value for name, value in config.items() if name not in traces}
    return kept | {"tokenizer_class": "PreTrainedTokenizerFast"}


def _rewrite(path: Path, change: Callable[[Any], Any]) -> None:
    content = change(json.loads(path.read_text(encoding="utf-8")))
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
