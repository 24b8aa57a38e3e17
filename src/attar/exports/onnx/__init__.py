"""Recipes as ONNX graphs."""
