"""Texts to tokens with roles: frames, templates, truncation, windows, and texts that look like special tokens."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

import tiny_models
from attar.errors import InputError, ModelError
from attar.tokens.byte_level import surface
from attar.tokens.templates import PAPER, Template
from attar.tokens.tokenizer import TextTokenizer, read_vocabulary
from attar.types import Role, Tokens

KINDS = {"wordpiece": tiny_models.wordpiece, "byte level": tiny_models.byte_level, "unigram": tiny_models.unigram}
every_kind = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)


def shown(tokenizer: TextTokenizer, tokens: Tokens, sequence: int = 0) -> list[str]:
    """Pieces with the first letter of their role."""
    where = slice(tokens.offsets[sequence], tokens.offsets[sequence + 1])
    pieces = tokenizer.vocabulary.pieces
    return [f"{pieces[i]}/{Role(r).name[:2]}" for i, r in zip(tokens.ids[where], tokens.roles[where], strict=True)]


def own(tokens: Tokens) -> list[int]:
    return tokens.ids[tokens.roles == Role.TEXT].tolist()


def test_frame_and_text_by_hand():
    tokenizer = TextTokenizer(tiny_models.wordpiece())
    tokens = tokenizer(["The cat walked.", "", "a"])
    assert shown(tokenizer, tokens) == ["[CLS]/SP", "the/TE", "cat/TE", "walk/TE", "##ed/TE", "./TE", "[SEP]/SP"]
    assert shown(tokenizer, tokens, 1) == ["[CLS]/SP", "[SEP]/SP"]
    assert tokens.lengths.tolist() == [7, 2, 3]
    assert not tokens.truncated.any()


@every_kind
def test_the_same_ids_as_the_library_gives(make):
    texts = ["The cat: playing!", "walked on the mat", "“quoted” zz", "", "  spaces  ", "a\nb"]
    tokens = TextTokenizer(make())(texts)
    wanted = [encoding.ids for encoding in make().encode_batch(texts)]
    assert [tokens.ids[a:b].tolist() for a, b in zip(tokens.offsets[:-1], tokens.offsets[1:], strict=True)] == wanted


def test_a_tokenizer_that_frames_nothing():
    tokens = TextTokenizer(tiny_models.without_frame())(["cat", ""])
    assert tokens.lengths.tolist() == [1, 0]


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_templates_are_tokenised_as_if_written_out(name):
    template = Template.named(name)
    tokenizer = TextTokenizer(tiny_models.wordpiece(), template)
    tokens = tokenizer(["A cat sat"])
    written = template.text.replace("[X]", "A cat sat")
    assert tokens.ids.tolist() == tiny_models.wordpiece().encode(written).ids
    assert (tokens.roles == Role.MASK).sum() == template.n_masks
    assert own(tokens) == tiny_models.wordpiece().encode("A cat sat", add_special_tokens=False).ids
    mask = tiny_models.wordpiece().token_to_id("[MASK]")
    assert (tokens.ids[tokens.roles == Role.MASK] == mask).all()
    assert (tokens.roles == Role.SPECIAL).sum() == 2


def test_roles_of_a_template_by_hand():
    tokenizer = TextTokenizer(tiny_models.wordpiece(), Template("[MASK] is [X], [MASK]!"))
    assert shown(tokenizer, tokenizer(["red"])) == (
        ["[CLS]/SP", "[MASK]/MA", "is/TE", "red/TE", ",/TE", "[MASK]/MA", "!/TE", "[SEP]/SP"]
    )
    assert tokenizer(["red"]).roles.tolist() == [3, 2, 1, 0, 1, 2, 1, 3]


@pytest.mark.parametrize("make", [tiny_models.byte_level, tiny_models.unigram])
def test_the_tokenizers_own_mask_is_used(make):
    tokenizer = TextTokenizer(make(), Template("the [X] means [MASK]."))
    tokens = tokenizer(["cat"])
    masks = tokens.ids[tokens.roles == Role.MASK]
    assert masks.tolist() == [make().token_to_id("<mask>")]


def test_a_mask_named_by_the_settings():
    tokenizer = tiny_models.wordpiece()
    tokenizer.add_special_tokens(["<<gap>>"])
    tokens = TextTokenizer(tokenizer, Template("[X] [MASK]"), mask_token="<<gap>>")(["cat"])
    assert tokens.ids[tokens.roles == Role.MASK].tolist() == [tokenizer.token_to_id("<<gap>>")]


def test_masks_on_a_tokenizer_without_one_are_refused():
    with pytest.raises(ModelError, match="has no mask token"):
        TextTokenizer(tiny_models.without_frame(), Template.named("T0"))
    tokens = TextTokenizer(tiny_models.without_frame(), Template("the [X]"))(["cat"])
    assert (tokens.roles == Role.TEMPLATE).any()


@every_kind
@pytest.mark.parametrize("template", [None, Template.named("T0")], ids=["plain", "T0"])
@pytest.mark.parametrize(
    "text",
    [
        "[MASK]",
        "a [SEP] b",
        "[CLS][PAD][UNK]",
        "<mask>",
        "<s> cat </s>",
        "[X]",
        'say "[X]" means [MASK].',
        '"',
        "<unk>",
    ],
)
def test_a_text_is_only_ever_text(make, template, text):
    tokenizer = TextTokenizer(make(), template)
    tokens = tokenizer([text])
    in_text = set(own(tokens))
    special = tokenizer.vocabulary.special_ids - {tokenizer.vocabulary.unknown_id}
    assert in_text
    assert not in_text & special
    n_masks = template.n_masks if template else 0
    assert (tokens.roles == Role.MASK).sum() == n_masks
    around = tokenizer(["cat"])
    for role in (Role.TEMPLATE, Role.MASK, Role.SPECIAL):
        assert tokens.ids[tokens.roles == role].tolist() == around.ids[around.roles == role].tolist()


def test_letters_of_a_special_token_that_the_model_holds_as_a_piece():
    tokenizer = TextTokenizer(tiny_models.unigram())
    tokens = tokenizer(["cat", "a <s> cat", "dog", "<mask>"])
    letters = [shown(tokenizer, tokens, n)[1:-1] for n in range(4)]
    assert letters[1] == ["▁/TE", "a/TE", "▁/TE", "<unk>/TE", "s/TE", "<unk>/TE", "▁cat/TE"]
    assert letters[3][2:5] == ["m/TE", "a/TE", "s/TE"]
    assert [letters[0], letters[2]] == [["▁cat/TE"], ["▁dog/TE"]]


def test_a_literal_mask_is_spelled_out():
    tokenizer = TextTokenizer(tiny_models.wordpiece())
    assert shown(tokenizer, tokenizer(["[MASK]"]))[1:-1] == (["[/TE", "m/TE", "##a/TE", "##s/TE", "##k/TE", "]/TE"])


def test_truncation_cuts_the_text_and_never_the_template():
    template = Template("this [X] means [MASK].")
    tokenizer = TextTokenizer(tiny_models.wordpiece(), template, max_tokens=8)
    tokens = tokenizer(["red blue cat dog", "cat", "red blue"])
    assert shown(tokenizer, tokens) == (
        ["[CLS]/SP", "this/TE", "red/TE", "blue/TE", "means/TE", "[MASK]/MA", "./TE", "[SEP]/SP"]
    )
    assert tokens.lengths.tolist() == [8, 7, 8]
    assert tokens.truncated.tolist() == [True, False, False]


@pytest.mark.parametrize("max_tokens", [0, -1, 2, True, 2.5, "8"])
def test_a_limit_without_room_for_text_is_refused(max_tokens):
    with pytest.raises(InputError, match="leaves no room for the text"):
        TextTokenizer(tiny_models.wordpiece(), max_tokens=max_tokens)


def test_windows_by_hand():
    # Room for 4 tokens of text, 1 of them shared with the window before: the text of 9 begins anew at 0, 3 and 5,
    # since the last window is a full one.
    tokenizer = TextTokenizer(tiny_models.wordpiece(), max_tokens=6, windows=1)
    tokens = tokenizer(["a b c d", "a b c d e f g h i", ""])
    assert tokens.texts.tolist() == [0, 1, 1, 1, 2]
    assert tokens.n_texts == 3
    assert not tokens.truncated.any()
    pieces = [[p[0] for p in shown(tokenizer, tokens, n)[1:-1]] for n in range(5)]
    assert pieces == [list("abcd"), list("abcd"), list("defg"), list("fghi"), []]


@settings(max_examples=40)
@given(st.lists(st.integers(0, 40), max_size=5), st.integers(3, 12), st.integers(0, 8))
def test_windows_cover_every_token_and_overlap_at_least_as_asked(lengths, max_tokens, windows):
    room = max_tokens - 2
    if windows >= room:
        return
    tokenizer = TextTokenizer(tiny_models.wordpiece(), max_tokens=max_tokens, windows=windows)
    # Places are told apart by running ids: the layout alone is under test.
    tokenizer.ids = lambda texts: (
        np.concatenate([np.arange(10, 10 + n, dtype=np.int32) for n in (*lengths, 0)]),
        np.array(lengths, dtype=np.int64),
    )
    tokens = tokenizer([""] * len(lengths))
    for text, length in enumerate(lengths):
        covered = []
        for n in np.flatnonzero(tokens.texts == text):
            part = tokens.ids[tokens.offsets[n] + 1 : tokens.offsets[n + 1] - 1].tolist()
            assert len(part) <= room
            if covered:
                assert len(part) == room
                assert len(set(covered) & set(part)) >= windows
            covered += part
        assert sorted(set(covered)) == list(range(10, 10 + length))


@pytest.mark.parametrize("windows", [-1, 4, 99, True, 1.5, "2"])
def test_windows_that_can_not_be_are_refused(windows):
    with pytest.raises(InputError, match="windows="):
        TextTokenizer(tiny_models.wordpiece(), max_tokens=6, windows=windows)


@pytest.mark.parametrize(
    ("make", "unknown", "mask", "marks"),
    [
        (tiny_models.wordpiece, "[UNK]", "[MASK]", ("##", "")),
        (tiny_models.byte_level, None, "<mask>", ("", "Ġ")),
        (tiny_models.unigram, "<unk>", "<mask>", ("", "▁")),
        (tiny_models.without_frame, None, None, ("", "Ġ")),
    ],
)
def test_vocabulary_of_each_kind(make, unknown, mask, marks):
    tokenizer = make()
    vocabulary = read_vocabulary(tokenizer)
    assert len(vocabulary) == tokenizer.get_vocab_size()
    assert (vocabulary.pieces[vocabulary.unknown_id] if vocabulary.unknown_id is not None else None) == unknown
    assert (vocabulary.pieces[vocabulary.mask_id] if vocabulary.mask_id is not None else None) == mask
    assert (vocabulary.continuation, vocabulary.word_start) == marks


def test_words_that_nothing_marks():
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    vocabulary = read_vocabulary(tokenizer)
    assert (vocabulary.continuation, vocabulary.word_start) == ("", "")
    assert not vocabulary.is_continuation(2)


def test_byte_level_pieces_are_read_as_text():
    words = ["caf" + "Ã©", "âĢľ"]  # the bytes of é and of an opening quote, as this kind writes them
    vocabulary = read_vocabulary(tiny_models.byte_level(words))
    surfaces = {surface(vocabulary, i) for i in range(len(vocabulary))}
    assert {"café", "“", "caf", "Ã"} <= surfaces  # the last is half a character, which stays as it is


def test_a_frame_of_tokens_that_are_not_there():
    settings = json.loads(tiny_models.wordpiece().to_str())
    del settings["post_processor"]["special_tokens"]["[SEP]"]
    with pytest.raises(ModelError, match="damaged"):
        TextTokenizer(tokenizers.Tokenizer.from_str(json.dumps(settings)))


def test_unknown_tokens_without_a_token_for_them():
    settings = json.loads(tiny_models.unigram().to_str())
    del settings["model"]["unk_id"]
    tokenizer = TextTokenizer(tokenizers.Tokenizer.from_str(json.dumps(settings)))
    with pytest.raises(ModelError, match="damaged"):
        tokenizer(["\u4e2d"])


def test_special_tokens_are_text_in_another_process_too():
    again = pickle.loads(pickle.dumps(TextTokenizer(tiny_models.wordpiece())))
    ids, _ = again.ids(["[MASK]"])
    assert again.vocabulary.mask_id not in ids
