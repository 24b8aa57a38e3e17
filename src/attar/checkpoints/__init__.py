"""Where a model comes from: a folder or a hub, read in one place."""

from attar.checkpoints.folder import FolderCheckpoint
from attar.checkpoints.opening import open_checkpoint

Checkpoint = FolderCheckpoint  # other sources join here as a union; all have the same attributes

__all__ = ["Checkpoint", "FolderCheckpoint", "open_checkpoint"]
