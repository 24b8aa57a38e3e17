"""attar corpus, and attar fit and attar static in shards, as a user calls them: real worker processes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.dataset as ds
import pytest
from corpora import sentences, text_file

from attar import Embedder, Table
from attar.cli import main


def fails(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    told = capsys.readouterr().err.strip().splitlines()
    return told[-1]


def test_embed_verify_and_damage(tiny_bert_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts, out = text_file(tmp_path / "a.txt", 30), tmp_path / "out"
    command = ["corpus", "plain", str(texts), "--model", str(tiny_bert_dir), "-o", str(out), "--shards", "3"]
    main([*command, "--on", "local", "--workers", "1"])
    table = ds.dataset(out).to_table()
    assert table["id"].to_pylist() == list(range(30))
    told = capsys.readouterr().err
    assert "wrote 30 vectors in 3 parts" in told
    assert told.count("--on local is now called --executor local; the old name still works") == 1
    main([*command, "--executor", "local", "--workers", "1", "--overwrite"])
    assert "--on" not in capsys.readouterr().err
    main(["corpus", "--verify", str(out)])
    assert "intact: 30 vectors in 3 parts" in capsys.readouterr().err
    part = out / "part-00001.parquet"
    part.write_bytes(part.read_bytes()[:-3])
    assert "part-00001.parquet has" in fails(["corpus", "--verify", str(out)], capsys)
    assert "part-00001.parquet has" in fails([*command, "--verify"], capsys)


def test_fit_and_static_in_shards(tiny_bert_dir: Path, tmp_path: Path) -> None:
    texts = str(text_file(tmp_path / "a.txt", 40))
    shared = ["--model", str(tiny_bert_dir), "--on", texts, "--executor", "local", "--workers", "1", "--shards", "2"]
    main(["fit", *shared, "--weights", "idf", "--shape", "zscore", "-o", str(tmp_path / "recipe")])
    assert Embedder.load(tmp_path / "recipe").encode(sentences(3)).shape == (3, 16)
    main(["static", *shared, "--layers", "1,3", "--sentences", "-o", str(tmp_path / "table")])
    counts = Table.load(tmp_path / "table").counts
    assert counts is not None
    long_enough = [text for text in sentences(40) if len(text) >= 10]
    assert 0 < len(long_enough) < 40
    assert int(np.sum(counts)) == sum(len(text.split()) + 2 for text in long_enough)


def test_bad_calls_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "wants RECIPE, TEXTS and -o FOLDER" in fails(["corpus", "plain"], capsys)
    assert "has no _manifest.json" in fails(["corpus", "--verify", str(tmp_path)], capsys)
    told = fails(["fit", "--on", "x.txt", "--shards", "3", "-o", str(tmp_path / "r")], capsys)
    assert "--shards is for work in shards: add --executor" in told
    told = fails(["fit", "--on", "x.txt", "--quantiles", "kll", "-o", str(tmp_path / "r")], capsys)
    assert "--quantiles kll is for work in shards: add --executor" in told
