"""Whatever is raised while a file of others is read becomes one sentence about that file."""

from __future__ import annotations

from pathlib import Path

import pytest

from attar.errors import InputError, ModelError
from attar.io.foreign import parse_json, read_json_object, reading


class PanicException(BaseException):
    """As libraries in Rust raise it: no Exception."""


@pytest.mark.parametrize(
    ("raised", "says"),
    [
        (PanicException("index out of bounds"), "f.json can't be read: index out of bounds"),
        (KeyError("vocab"), "f.json can't be read: KeyError 'vocab'"),
        (TypeError("unhashable"), "f.json can't be read: TypeError unhashable"),
        (RecursionError("maximum"), "f.json can't be read: things are nested too deeply in it"),
        (MemoryError(), "f.json can't be read: there is not enough memory for what it asks for"),
        (OSError(13, "Permission denied"), "f.json can't be read: Permission denied"),
        (ValueError(), "f.json can't be read: ValueError"),
    ],
)
def test_one_sentence(raised: BaseException, says: str) -> None:
    with pytest.raises(ModelError) as told, reading("f.json", ModelError):
        raise raised
    assert str(told.value) == says


def test_a_long_message_is_cut() -> None:
    with pytest.raises(InputError) as told, reading("f" * 1000):
        raise ValueError("x\n" * 10_000)
    assert len(str(told.value)) < 700
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_ends_a_program_passes(raised: type[BaseException]) -> None:
    with pytest.raises(raised), reading("f"):
        raise raised


def test_errors_of_our_own_pass_as_they_are() -> None:
    with pytest.raises(InputError, match=r"^as it was$"), reading("f", ModelError):
        raise InputError("as it was")


def test_json(tmp_path: Path) -> None:
    assert parse_json('{"a": 1}', "f") == {"a": 1}
    for text in ("[" * 100_000, "{", b"\xff"):
        with pytest.raises(InputError, match=r"^f can't be read as JSON"):
            parse_json(text, "f")
    (tmp_path / "f.json").write_text("[]")
    with pytest.raises(InputError, match="should hold a JSON object; it holds a list"):
        read_json_object(tmp_path / "f.json")
