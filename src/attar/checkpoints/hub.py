"""Models by the names that a hub knows them by."""

from __future__ import annotations

from pathlib import Path

from attar.errors import MissingExtra, ModelError


def hub_folder(name: str, revision: str | None, *, weights: bool = False) -> Path:
    """The local copy of a hub model's small files (settings, tokenizer), and of its weights if asked.

    Raises
    ------
    ModelError
        Where the model can't be fetched: no such name, or no network.
    MissingExtra
        Without the package that fetches it.
    """
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise MissingExtra("loading a model by its hub name", "models") from None
    try:
        patterns = ["*.json", "*.txt", "*.model"] + ["*.safetensors"] * weights
        return Path(snapshot_download(name, revision=revision, allow_patterns=patterns))
    except Exception as error:  # many kinds, from bad names to no network
        raise load_failure(name, error, local=False) from None


def load_failure(name: str, error: Exception, *, local: bool) -> ModelError:
    """One line out of whatever a library raised."""
    reason = " ".join(str(error).split()) or type(error).__name__
    reason = reason if len(reason) <= 300 else reason[:297] + "..."
    if local:
        return ModelError(f"can't load the model in {name!r}: {reason}")
    return ModelError(
        f"can't load {name!r} from a hub (offline, or no such model); give a local folder instead: {reason}"
    )
