"""A model folder or hub name to a loaded model: safetensors only, no remote code, no network for a folder."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attar.errors import MissingExtra, ModelError
from attar.io.arrays import map_arrays

if TYPE_CHECKING:
    from attar.checkpoints.gguf import GgufCheckpoint
    from attar.engine.decoder_model import DecoderModel
    from attar.engine.direct import DirectModel
    from attar.engine.model import LayeredModel

    Model = DirectModel | DecoderModel | LayeredModel

_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?")
_PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json")


def is_folder(name: str) -> bool:
    """Whether the name is a local folder; a path that leads nowhere is an error, never a hub look-up."""
    try:
        path = Path(name).expanduser()
        if name and path.is_dir():
            return True
        looks_local = not _HUB_NAME.fullmatch(name) or path.exists() or (len(path.parts) > 1 and path.parent.is_dir())
    except (OSError, RuntimeError):  # too long for a path, or the home of no one
        looks_local = True
    if looks_local:
        raise ModelError(
            f"no model folder at {_shown(name)}; give a folder with config.json, or the name of a model on a hub"
        )
    return False


def check_folder(folder: Path, weights_format: str) -> None:
    """Everything that can be said about the folder before any of it is loaded."""
    if not (folder / "config.json").is_file():
        raise ModelError(f"{str(folder)!r} is not a model folder: it has no config.json")
    config = _read_json(folder / "config.json")
    if (folder / "adapter_config.json").exists():
        raise ModelError(f"{str(folder)!r} holds an adapter; merge it into its model and save that as safetensors")
    _check_inside(folder / "config.json", config.get("transformers_weights", "config.json"))
    weights = sorted(folder.glob("*.safetensors"))
    for index in folder.glob("*.index.json"):
        weight_map = _read_json(index).get("weight_map")
        if not isinstance(weight_map, dict):
            raise ModelError(f"{index} should name the file of each array under 'weight_map'; found {weight_map!r}")
        for name in weight_map.values():
            _check_inside(index, name)
    if weights_format == "safetensors" and not weights:
        pickles = [name for name in _PICKLES if (folder / name).is_file()]
        if pickles:
            raise ModelError(
                f"{str(folder)!r} has its weights only as a pickle ({pickles[0]}), which can run code when loaded; "
                "convert it to safetensors, or, if you trust its source, ask for it by name: "
                "Transformer(..., weights_format='pickle')"
            )
        raise ModelError(f"{str(folder)!r} holds no weights: it has no *.safetensors file")


def _check_inside(path: Path, name: Any) -> None:
    """A file that another one names must lie beside it."""
    if not isinstance(name, str) or Path(name).name != name or not (path.parent / name).is_file():
        raise ModelError(f"{path} names {name!r}, which is not a file in the folder")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise ModelError(f"{path} can't be read as JSON: {error}") from None
    if not isinstance(content, dict):
        raise ModelError(f"{path} should hold a JSON object; it holds a {type(content).__name__}")
    return content


def load_model(
    name: str, revision: str | None, weights_format: str, threads: int | None = None, precision: str = "float32"
) -> Model:
    """The model itself: straight from its files where it is known; by transformers else, and in float64."""
    local = is_folder(name)
    if local:
        check_folder(Path(name).expanduser(), weights_format)
    model: Model | None = None
    if weights_format == "safetensors" and precision != "float64":
        model = open_directly(name, revision, precision)
    if model is None:
        model = _load_by_transformers(name, local, revision, weights_format, precision)
    model.threads = threads
    return model


def open_directly(
    name: str, revision: str | None = None, precision: str = "float32"
) -> DirectModel | DecoderModel | None:
    """The model without torch and transformers; None where it is not surely of a known architecture."""
    from attar.engine.families import Unexpected, build_model, is_known
    from attar.engine.products import PRODUCTS

    local = is_folder(name)
    folder = Path(name).expanduser() if local else hub_folder(name, revision)
    try:
        settings = _read_json(folder / "config.json")
        if not is_known(settings) or "transformers_weights" in settings:
            return None
        if not local:
            folder = hub_folder(name, revision, weights=True)
        return build_model(settings, _arrays(folder), PRODUCTS[precision])
    except (Unexpected, ModelError):  # transformers knows more, also what to say of damage
        return None


def open_gguf(checkpoint: GgufCheckpoint) -> DirectModel | DecoderModel:
    """The model of a GGUF file, which no other library is asked to run."""
    from attar.engine.families import Unexpected, build_model
    from attar.engine.products import float32

    try:
        return build_model(checkpoint.settings, checkpoint.arrays(), float32)
    except Unexpected:
        kind = checkpoint.settings["model_type"]
        raise ModelError(
            f"{checkpoint.location} is not a {kind} model as it is known: a setting or an array is missing, left over "
            "or of another shape; give the model as safetensors, which transformers can run"
        ) from None


def _arrays(folder: Path) -> dict[str, Any]:
    """What the weights hold, by name, as it lies in the file or files."""
    single, index = folder / "model.safetensors", folder / "model.safetensors.index.json"
    if single.is_file():
        return map_arrays(single, bfloat16=True)
    weight_map = _read_json(index)["weight_map"] if index.is_file() else {}
    found: dict[str, Any] = {}
    for file in sorted(set(weight_map.values())):
        found |= map_arrays(folder / file, bfloat16=True)
    return found


def _load_by_transformers(
    name: str, local: bool, revision: str | None, weights_format: str, precision: str
) -> LayeredModel:
    try:
        import torch
        import transformers
    except ImportError:
        raise MissingExtra("running a transformer", "models") from None
    from attar.engine import packing
    from attar.engine.model import LayeredModel

    packing.register()
    try:
        with _quiet(transformers):
            model, info = transformers.AutoModel.from_pretrained(
                str(Path(name).expanduser()) if local else name,
                revision=revision,
                local_files_only=local,
                use_safetensors=weights_format == "safetensors",
                trust_remote_code=False,
                dtype=torch.float64 if precision == "float64" else torch.float32,
                output_loading_info=True,
            )
    except Exception as error:  # of many kinds: a damaged file can make these libraries stumble anywhere
        raise ModelError(_load_failure(name, local, error)) from None
    half = reading_half(model)
    unused = () if half is model else ("decoder.",)
    missing = sorted(k for k in info["missing_keys"] if "pooler" not in k and not k.startswith(unused))
    if missing:
        raise ModelError(
            f"the weights of {name!r} lack {len(missing)} of the model's arrays ({', '.join(missing[:3])} ...); "
            "they would be random: is config.json the right one for these weights?"
        )
    return LayeredModel(half, precision)


def reading_half(model: Any) -> Any:
    """The encoder of a model that has a decoder too (some settings of T5 deny it); any other model itself."""
    both = model.config.is_encoder_decoder or (hasattr(model, "encoder") and hasattr(model, "decoder"))
    return model.get_encoder() if both else model


def hub_folder(name: str, revision: str | None, *, weights: bool = False) -> Path:
    """The local copy of a hub model's small files (settings, tokenizer), and of its weights if asked."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise MissingExtra("loading a model by its hub name", "models") from None
    try:
        patterns = ["*.json", "*.txt", "*.model"] + ["*.safetensors"] * weights
        return Path(snapshot_download(name, revision=revision, allow_patterns=patterns))
    except Exception as error:  # many kinds, from bad names to no network
        raise ModelError(_load_failure(name, False, error)) from None


def _load_failure(name: str, local: bool, error: Exception) -> str:
    reason = " ".join(str(error).split()) or type(error).__name__
    reason = reason if len(reason) <= 300 else reason[:297] + "..."
    if local:
        return f"can't load the model in {name!r}: {reason}"
    return f"can't load {name!r} from a hub (offline, or no such model); give a local folder instead: {reason}"


def _shown(name: str) -> str:
    return repr(name) if len(name) <= 120 else repr(name[:117] + "...")


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """No progress bars and no advice on stderr while a model loads."""
    library = logging.getLogger("transformers")
    level = library.level
    bars = transformers.utils.logging.is_progress_bar_enabled()
    library.setLevel(logging.ERROR)
    transformers.utils.logging.disable_progress_bar()
    try:
        yield
    finally:
        library.setLevel(level)
        if bars:
            transformers.utils.logging.enable_progress_bar()
