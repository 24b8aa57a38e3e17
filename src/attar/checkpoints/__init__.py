"""Where a model comes from: a folder, a hub or a GGUF file, read in one place."""

from attar.checkpoints.folder import FolderCheckpoint
from attar.checkpoints.gguf import GgufCheckpoint
from attar.checkpoints.opening import open_checkpoint

Checkpoint = FolderCheckpoint | GgufCheckpoint  # all have the same attributes

__all__ = ["Checkpoint", "FolderCheckpoint", "GgufCheckpoint", "open_checkpoint"]
