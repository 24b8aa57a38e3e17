"""Files made to do harm, thousands of them by `make fuzz`, a few of each kind here; seeded and bounded in time."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import strategies as st
from invariants import fuzz, holds
from mutations import damaged_words
from sound import make_sound
from targets import OPTIONS, TARGETS, Target

from attar_process import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_sound(tmp_path_factory.mktemp("sound"))


def test_what_is_sound_is_read(folder: Path) -> None:
    """Else the damage would not be what is refused."""
    commands = dict.fromkeys(target.commands[0] for target in TARGETS if target.file != "grid.toml")
    for command in commands:
        ended = run(*command, cwd=Path(shutil.copytree(folder, folder.parent / "copy", dirs_exist_ok=True)))
        shutil.rmtree(folder.parent / "copy")
        assert ended.code == 0, (command, ended)


@pytest.mark.parametrize("target", TARGETS, ids=[target.file for target in TARGETS])
def test_a_file_of_others(folder: Path, target: Target) -> None:
    file = min(folder.glob(target.file))
    damaged = target.damage(folder, str(file.relative_to(folder)))

    def once(data: st.DataObject) -> None:
        holds(target.file, folder, data.draw(damaged), *data.draw(st.sampled_from(target.commands)))

    fuzz(target.file, once)


@pytest.mark.parametrize("option", OPTIONS)
def test_words_on_the_command_line(folder: Path, option: str) -> None:
    begun, values = OPTIONS[option]
    joint = "=" if option.startswith("--") else ""  # of a short option it would be a part of the value

    def once(data: st.DataObject) -> None:
        holds(option, folder, {}, *begun, option + joint + data.draw(damaged_words(values)))

    fuzz(option, once)
