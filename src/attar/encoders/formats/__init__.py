"""Layouts of static models on disk: ours and those of other libraries."""
