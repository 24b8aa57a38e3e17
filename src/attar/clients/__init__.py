"""Attar inside other libraries."""
