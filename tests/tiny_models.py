"""Models and tokenizers small enough to build in a test, with weights large enough that every layer matters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MARKS = list(".,:;!?'\"-()[]\u201c\u201d")
_WORDS = """
the a cat dog sat ran on mat in is to of and man woman playing this sentence means about from dictionary which synonym
for paraphrase tree river light play walk blue red seven music
"""
WORDS = _WORDS.split()


def wordpiece(words: list[str] = WORDS) -> tokenizers.Tokenizer:
    """BERT's kind: lower-casing, ## for continuations; knows every letter, so only other scripts are unknown."""
    pieces = SPECIALS + MARKS + list(LETTERS) + [f"##{letter}" for letter in LETTERS] + ["##ing", "##ed"]
    pieces += [word for word in words if word not in pieces]
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    tokenizer = tokenizers.Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return _framed(tokenizer, SPECIALS, "[CLS]", "[SEP]")


def byte_level(words: list[str] = WORDS) -> tokenizers.Tokenizer:
    """RoBERTa's kind: bytes, Ġ for a space before, <mask> that swallows it."""
    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    return _framed(_bytes(words, specials), specials, "<s>", "</s>")


def without_frame() -> tokenizers.Tokenizer:
    """GPT-2's kind: bytes, no special tokens around a text and no mask."""
    return _bytes(WORDS, [])


def _bytes(words: list[str], specials: list[str]) -> tokenizers.Tokenizer:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {piece: i for i, piece in enumerate(specials + alphabet)}
    merges: list[tuple[str, str]] = []
    for word in sorted([f"Ġ{word}" for word in words] + words + ["ing"], key=len, reverse=True):
        for end in range(2, len(word) + 1):
            if word[:end] not in vocabulary:
                vocabulary[word[:end]] = len(vocabulary)
                merges.append((word[: end - 1], word[end - 1]))
    tokenizer = tokenizers.Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def unigram(words: list[str] = WORDS) -> tokenizers.Tokenizer:
    """XLM-RoBERTa's kind: ▁ for a word's beginning."""
    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    pieces = [(piece, 0.0) for piece in specials]
    pieces += [(f"▁{word}", -2.0) for word in words if len(word) > 1]
    pieces += [(piece, -5.0) for piece in ["▁", "ing", "ed", "s", *MARKS]]
    pieces += [(letter, -8.0) for letter in LETTERS if letter != "s"]
    tokenizer = tokenizers.Tokenizer(models.Unigram(pieces, unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    return _framed(tokenizer, specials, "<s>", "</s>")


def _framed(tokenizer: tokenizers.Tokenizer, specials: list[str], first: str, last: str) -> tokenizers.Tokenizer:
    tokenizer.add_special_tokens(
        [tokenizers.AddedToken(s, special=True, normalized=False, lstrip=s == "<mask>") for s in specials]
    )
    ids = [(name, tokenizer.token_to_id(name)) for name in (first, last)]
    tokenizer.post_processor = processors.TemplateProcessing(single=f"{first} $A {last}", special_tokens=ids)
    return tokenizer


def spread(model: Any, seed: int = 0, width: float = 0.3) -> Any:
    """Draws every matrix anew, wide enough for layers to differ much; biases and norms a little off their start."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                weight.normal_(0, width, generator=generator)
            else:
                weight.add_(torch.randn(weight.shape, generator=generator) * 0.05)
    return model.eval()


def save(folder: Path, model: Any, tokenizer: tokenizers.Tokenizer) -> Path:
    """A model folder as they are published."""
    model.save_pretrained(str(folder))
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def bert(folder: Path, seed: int = 0, **settings: Any) -> Path:
    """BERT with 3 blocks and 64 positions over the WordPiece tokenizer."""
    from transformers import BertConfig, BertModel

    tokenizer = wordpiece()
    return save(folder, spread(BertModel(BertConfig(**small(tokenizer) | settings)), seed), tokenizer)


def roberta(folder: Path) -> Path:
    """RoBERTa with 2 blocks over the byte-level tokenizer."""
    from transformers import RobertaConfig, RobertaModel

    tokenizer = byte_level()
    config = RobertaConfig(**small(tokenizer) | {"pad_token_id": 1, "num_hidden_layers": 2})
    return save(folder, spread(RobertaModel(config)), tokenizer)


def gpt2(folder: Path) -> Path:
    """GPT-2 with 2 blocks; its tokenizer frames nothing and has no mask."""
    from transformers import GPT2Config, GPT2Model

    tokenizer = without_frame()
    config = GPT2Config(vocab_size=tokenizer.get_vocab_size(), n_embd=16, n_layer=2, n_head=2, n_positions=64)
    return save(folder, spread(GPT2Model(config)), tokenizer)


def electra(folder: Path) -> Path:
    """ELECTRA, whose token table (8 dims) is narrower than its layers (16)."""
    from transformers import ElectraConfig, ElectraModel

    tokenizer = wordpiece()
    config = ElectraConfig(**small(tokenizer) | {"num_hidden_layers": 2, "embedding_size": 8})
    return save(folder, spread(ElectraModel(config)), tokenizer)


def small(tokenizer: tokenizers.Tokenizer) -> dict[str, Any]:
    return {
        "vocab_size": tokenizer.get_vocab_size(),
        "hidden_size": 16,
        "num_hidden_layers": 3,
        "num_attention_heads": 2,
        "intermediate_size": 24,
        "max_position_embeddings": 64,
    }
