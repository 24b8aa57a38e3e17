"""How a transformer runs, for commands without a recipe too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attar import Table, Transformer
from attar.cli import main
from attar.commands.gathered import gathered
from attar.commands.running import Running

TEXTS = ["the cat sat on the mat", "a dog ran", "seven blue dogs"]


@pytest.mark.parametrize("more", [[], ["--executor", "local", "--workers", "1"]])
def test_a_table_is_averaged_in_the_precision_asked_for(tiny_bert_dir: Path, tmp_path: Path, more: list[str]) -> None:
    (tmp_path / "t.txt").write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    made = tmp_path / "table"
    asked = ["static", "--model", str(tiny_bert_dir), "--on", str(tmp_path / "t.txt"), "-o", str(made)]
    main([*asked, "--precision", "bfloat16", "--threads", "1", *more])
    rows = Table.load(made).by_layer[1]
    wanted, other = (
        Table.average(Transformer(tiny_bert_dir, precision=precision), TEXTS).by_layer[1]
        for precision in ("bfloat16", "float32")
    )
    np.testing.assert_allclose(rows, wanted, atol=1e-6)
    assert np.abs(rows - other).max() > 1e-4


@pytest.mark.parametrize("option", [["--precision", "int8"], ["--threads", "2"], ["--device", "cuda"]])
def test_what_runs_no_transformer_takes_no_such_option(
    tmp_path: Path, option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["static", "--zipfian", "--model", "m", "--on", "t.txt", "-o", str(tmp_path / "o"), *option])
    assert "runs no transformer: leave out" in capsys.readouterr().err


def test_gathered_options_come_as_one_argument() -> None:
    def command(running: Running, other: int) -> tuple[Running, int]:
        """What it does."""
        return running, other

    wrapped = gathered(command, [], "running", Running)
    assert wrapped(threads=2, precision=None, device="cpu", other=5) == (Running(2, None, "cpu"), 5)
    assert wrapped.__doc__ == "What it does."
