"""Texts to tokens: templates, tokenizers, special tokens spelled as text, byte-level pieces, sentences."""
