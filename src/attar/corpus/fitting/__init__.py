"""Fitting a recipe on a corpus: counts, moments, samples and sketches, gathered shard by shard and merged."""
