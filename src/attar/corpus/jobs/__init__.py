"""What every job does: a folder that tells what is done, steps that can be resumed, a manifest at the end."""
