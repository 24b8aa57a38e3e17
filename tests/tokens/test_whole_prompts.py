"""Prompts: ids are those of the whole string, and every token's role is known."""

from __future__ import annotations

import numpy as np
import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Regex, models, normalizers, pre_tokenizers, processors

import tiny_models
from attar.errors import InputError
from attar.tokens.byte_level import surface
from attar.tokens.templates import PROMPTS, Template, tidied
from attar.tokens.tokenizer import TextTokenizer
from attar.types import Role

_SPLIT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def words() -> list[str]:
    """Pieces that join what stands before and behind a text to it."""
    return [*tiny_models.WORDS, '."', '""', '?"', '"A', ":", '."', "'s", ';"', '"']


def bytes_split_by(numbers: str) -> tokenizers.Tokenizer:
    made = tiny_models.byte_level(words())
    split = pre_tokenizers.Split(Regex(_SPLIT % numbers), "isolated")
    made.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(False, use_regex=False)])
    return made


def llama3() -> tokenizers.Tokenizer:
    """A special token before every text."""
    made = bytes_split_by(r"\p{N}{1,3}")
    made.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    return made


def qwen() -> tokenizers.Tokenizer:
    made = bytes_split_by(r"\p{N}")
    made.normalizer, made.post_processor = normalizers.NFC(), processors.ByteLevel(trim_offsets=False)
    return made


def gpt2() -> tokenizers.Tokenizer:
    return tiny_models._bytes(words(), [])


def smollm() -> tokenizers.Tokenizer:
    made = gpt2()
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(True), pre_tokenizers.ByteLevel(False)])
    return made


def llama2() -> tokenizers.Tokenizer:
    """SentencePiece BPE: ▁ for spaces, bytes for what is unknown; `<s>` stands among the pieces."""
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{n:02X}>" for n in range(256)), "▁"]
    pieces += [*tiny_models.LETTERS, *(c for c in ':".,;?ABST')]
    vocabulary, merges = {piece: i for i, piece in enumerate(pieces)}, []
    for word in ["▁the", "▁cat", "▁:", '▁"', '."', '":', '"the', "▁means", "s>"]:
        for end in range(2, len(word) + 1):
            if word[:end] not in vocabulary and word[end - 1] in vocabulary:
                vocabulary[word[:end]] = len(vocabulary)
                merges.append((word[: end - 1], word[end - 1]))
    made = tokenizers.Tokenizer(models.BPE(vocabulary, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    made.add_special_tokens([tokenizers.AddedToken(t, special=True, normalized=False) for t in pieces[:3]])
    made.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return made


KINDS = {
    "llama 3": llama3, "qwen": qwen, "gpt-2": gpt2, "smollm": smollm, "llama 2": llama2, "unigram": tiny_models.unigram,
}  # fmt: skip
PARTS = [*"abeTA \"'.?!:;12\né中😀\u0301<>s/", "the cat", "'s", "</s>", "<s>", '."']
ODD = st.lists(st.sampled_from(PARTS), max_size=12).map("".join)


def ids_of_whole(tokenizer: tokenizers.Tokenizer, text: str) -> list[int]:
    tokenizer.encode_special_tokens = True
    return tokenizer.encode(text, add_special_tokens=True).ids


def spells_a_special(kind: str, text: str) -> bool:
    """Where `<s>` stands among the pieces, a tokenizer finds it in any text; ours never do."""
    return kind in ("llama 2", "unigram") and any(token in text for token in ("<s>", "</s>"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PROMPTS)
def test_ids_are_those_of_the_whole_prompt(kind, name):
    tokenizer, template = KINDS[kind](), Template.named(name)
    made = TextTokenizer(KINDS[kind](), template)

    @settings(max_examples=25)
    @given(ODD)
    def check(text: str) -> None:
        tokens = made([text])
        assert len(tokens) == template.n_forms
        assert not tokens.texts.any()
        if not spells_a_special(kind, text):
            for n, form in enumerate(template.forms):
                own = tokens.ids[tokens.offsets[n] : tokens.offsets[n + 1]].tolist()
                assert own == ids_of_whole(tokenizer, form.replace("[X]", text))

    check()


def shown(made: TextTokenizer, text: str) -> list[tuple[str, str]]:
    tokens = made([text])
    pairs = zip(tokens.ids.tolist(), tokens.roles.tolist(), strict=True)
    return [(surface(made.vocabulary, i) or made.vocabulary.pieces[i], Role(role).name) for i, role in pairs]


def test_roles_by_hand():
    found = shown(TextTokenizer(gpt2(), Template('"[X]" means')), "the cat.")
    assert found[0] == ('"', "TEMPLATE")
    assert [text for text, role in found if role == "TEXT"] == ["the", "cat", '."']  # one token of both
    assert found[-1][1] == "ANSWER"
    assert sum(role == "ANSWER" for _, role in found) == 1


def test_only_the_second_copy_counts():
    found = shown(TextTokenizer(gpt2(), Template("a [X]; b [X]")), "cat")
    assert [role for text, role in found if text == "cat"] == ["COPY", "TEXT"]
    assert "ANSWER" not in [role for _, role in found]


def test_special_tokens_of_the_frame_stay_around_the_prompt():
    found = shown(TextTokenizer(tiny_models.byte_level(), Template("[X] means")), "cat")
    assert (found[0][1], found[-1][1], found[-2][1]) == ("SPECIAL", "SPECIAL", "ANSWER")


def test_a_prompt_may_name_special_tokens_and_a_text_may_not():
    made = TextTokenizer(tiny_models.byte_level(), Template("<s>a [X]</s>"))
    ids = made(["</s>"]).ids.tolist()
    specials = [i for i in ids if i in made.vocabulary.special_ids]
    assert len(specials) == 4  # two of the prompt within two of the model


def test_the_text_is_cut_and_the_words_are_not():
    made = TextTokenizer(gpt2(), Template('This : "[X]" means'), max_tokens=30)
    whole, cut = TextTokenizer(gpt2(), Template('This : "[X]" means')), made(["cat " * 50, "dog"])
    assert (cut.lengths[0], cut.truncated.tolist()) == (30, [True, False])
    assert cut.ids[:30].tolist()[-1:] == whole(["cat"]).ids.tolist()[-1:]
    assert cut.roles[29] == Role.ANSWER


def test_both_copies_are_cut_alike():
    tokens = TextTokenizer(gpt2(), Template("a [X]; b [X]"), max_tokens=20)(["cat " * 50])
    assert (tokens.roles == Role.COPY).sum() == (tokens.roles == Role.TEXT).sum() > 1
    assert tokens.lengths[0] <= 20


def test_windows_hold_the_whole_text():
    text = " ".join(tiny_models.WORDS)
    tokens = TextTokenizer(gpt2(), Template("to [X] about"), max_tokens=12, windows=2)([text, "cat"])
    assert tokens.lengths.max() <= 12
    assert tokens.texts.tolist() == [0] * (len(tokens) - 1) + [1]
    alone = TextTokenizer(gpt2(), Template("to [X] about"))([text])
    assert set(alone.ids[alone.roles == Role.TEXT]) == set(tokens.ids[(tokens.roles == Role.TEXT)][:-1])


@pytest.mark.parametrize(
    ("template", "options", "message"),
    [
        ("to [X] about", {"max_tokens": 2}, "leaves no room"),
        ("[X] to [X]", {"max_tokens": 2}, "give a whole number above"),
        ("to [X] about", {"max_tokens": True}, "is not a whole number"),
        ("to [X] about", {"max_tokens": 8, "windows": 9}, "neighbouring windows can share"),
        ("[X] to [X]", {"max_tokens": 18, "windows": 2}, "twice"),
    ],
)
def test_limits_that_make_no_sense(template, options, message):
    with pytest.raises(InputError, match=message):
        TextTokenizer(gpt2(), Template(template), **options)


def test_berts_kind_needs_no_whole():
    """Words and text come apart at spaces and marks, so that the fast way stays."""
    made = TextTokenizer(tiny_models.wordpiece(), Template('sentence: "[X]" is'))
    assert made._whole is None
    assert made(['a "cat".']).ids.tolist() == ids_of_whole(tiny_models.wordpiece(), 'sentence: "a "cat"." is')
    assert TextTokenizer(tiny_models.wordpiece(), Template("sentence[X]is"))._whole is not None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("", ""), ("a cat", "a cat."), ("a cat.", "a cat."), ("is it?", "is it."), ('say "hi"', "say 'hi'"), ("x'", "x'")],
)
def test_texts_made_ready_as_for_prompteol(text, wanted):
    assert tidied(text) == wanted
    tokens = TextTokenizer(gpt2(), Template.parse("eol@prompteol"))([text])
    np.testing.assert_array_equal(tokens.ids, TextTokenizer(gpt2(), Template.named("eol"))([wanted]).ids)


def test_no_texts():
    assert len(TextTokenizer(gpt2(), Template.named("eol"))([])) == 0
