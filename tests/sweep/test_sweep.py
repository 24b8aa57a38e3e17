from __future__ import annotations

import fcntl
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tiny_models
from attar import Embedder, Mix, Table, Template, Transformer, shapers, weights
from attar.engine.direct import DirectModel
from attar.errors import DataError, InputError, ModelError, OutputError
from attar.scores import score
from attar.sweep import Grid, Part, Settings, sweep
from attar.sweep.store import CellRow, Store, comparable
from attar.sweep.subjects import Subject
from attar.tasks import load
from attar.tokens.sentences import sentences


@pytest.fixture(scope="module")
def settings(small_data: Path) -> Settings:
    return Settings(background=small_data / "background.txt", jobs=1, block_texts=16, progress=False)


@pytest.fixture(scope="module")
def grid(small_data: Path, tiny_bert_dir: Path) -> Grid:
    tasks = (str(small_data / "pairs.tsv"), f"clustering:{small_data / 'groups.tsv'}", "isoscore")
    full = Part(
        tasks,
        ("none", "T0"),
        ((-1,), (2,), ("first", "last")),
        ("mean", "idf", "idf@background", "mask"),
        ((), ("zscore",), ("whiten@background", "unit")),
    )
    mixed = Part(tasks[:1], layers=(("first", "last"),), weights=("idf",), mix=(-0.5, 1.0))
    return Grid((full, mixed), (str(tiny_bert_dir),), runs=2, background_texts=50, average_texts=30)


@pytest.fixture(scope="module")
def passed() -> list[tuple[int, ...]]:
    """The sequences that go through a model while the runs of this module are made."""
    return []


@pytest.fixture(scope="module")
def run(
    grid: Grid, settings: Settings, passed: list[tuple[int, ...]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("sweeps") / "run"
    with pytest.MonkeyPatch.context() as patch:
        count_sequences(patch, passed)
        no_mix = replace(grid, parts=grid.parts[:1])
        sweep(no_mix, folder, settings)
    sweep(grid, folder, settings)
    return folder


def count_sequences(patch: pytest.MonkeyPatch, into: list[tuple[int, ...]]) -> None:
    plain = DirectModel.run

    def counted(self: DirectModel, tokens: Any, layers: Any, visit: Any) -> None:
        into.extend(tuple(part.tolist()) for part in np.split(tokens.ids, tokens.offsets[1:-1]))
        plain(self, tokens, layers, visit)

    patch.setattr(DirectModel, "run", counted)


def rows_of(run: Path) -> list[CellRow]:
    with Store.of_run(run) as store:
        return store.rows()


def find(rows: list[CellRow], **wanted: Any) -> CellRow:
    (found,) = [row for row in rows if all(getattr(row, name) == value for name, value in wanted.items())]
    return found


def test_each_distinct_text_goes_through_the_model_once_a_template(
    run: Path, passed: list[tuple[int, ...]], small_data: Path, tiny_bert: Transformer
) -> None:
    texts = {*load(small_data / "pairs.tsv").texts, *load(f"clustering:{small_data / 'groups.tsv'}").texts}
    seen = Counter(passed)
    assert set(seen.values()) == {1}
    background = {*sentences(small_data / "background.txt")}
    assert 2 * len(texts) < len(seen) <= 2 * (len(texts) + len(background))


def test_the_grid_is_whole_and_sound(run: Path) -> None:
    rows = rows_of(run)
    # 3 subjects, 3 layer sets, 3 shapes; 3 weights without a template and 4 with one; and 2 mixes on one task.
    assert len(rows) == 3 * 3 * 3 * (3 + 4) + 2
    assert all(row.error is None and row.score is not None for row in rows)
    assert {row.metric for row in rows} == {"spearman", "accuracy", "isoscore"}
    assert all(row.low <= row.score <= row.high for row in rows if row.family == "sts")  # type: ignore[operator]
    assert not (run / "cache").exists()


@pytest.mark.parametrize(
    ("template", "layers", "weighting", "shape"),
    [
        ("none", (2,), "mean", "none"),
        ("none", (1, 3), "idf", "zscore"),
        ("T0", (-1,), "idf@background", "none"),
        ("T0", (1, 3), "mask", "zscore"),
        ("none", (1, 3), "idf", "whiten@background,unit"),
    ],
)
def test_a_cell_is_what_an_embedder_gives(
    run: Path,
    small_data: Path,
    tiny_bert_dir: Path,
    grid: Grid,
    settings: Settings,
    template: str,
    layers: tuple[int, ...],
    weighting: str,
    shape: str,
) -> None:
    from attar.sweep.background import Background

    background = Background.read(settings.background, grid)
    corpus = background.counted if "background" in weighting else background.embedded
    task = load(small_data / "pairs.tsv")
    encoder = Transformer(tiny_bert_dir, None if template == "none" else Template.named(template))
    embedder = Embedder(encoder, layers, weights.parse(weighting), shapers.parse(shape))
    vectors = embedder.fit_transform(task.texts, background=list(corpus))
    wanted = Subject("pairs", "sts", task.texts, task).score(vectors, 1)["score"]
    row = find(
        rows_of(run),
        task="pairs",
        template=template,
        layers="+".join(map(str, layers)),
        weights=weighting,
        shape=shape,
        mix=0.0,
    )
    assert row.score == pytest.approx(wanted, abs=0.02)  # float16 swaps a few of 30 near pairs


def test_mixes_are_what_mix_gives(
    run: Path, small_data: Path, tiny_bert_dir: Path, grid: Grid, settings: Settings
) -> None:
    from attar.sweep.background import Background

    bert = Transformer(tiny_bert_dir)
    average = Table.average(bert, Background.read(settings.background, grid).averaged, (1, 3), progress=False)
    task = load(small_data / "pairs.tsv")
    for w in (-0.5, 1.0):
        vectors = Embedder(Mix(bert, average, w=w), (1, 3), weights.Idf()).fit_transform(task.texts)
        wanted = Subject("pairs", "sts", task.texts, task).score(vectors, 1)["score"]
        assert find(rows_of(run), mix=w).score == pytest.approx(wanted, abs=0.02)


def test_a_second_run_computes_nothing(
    run: Path, grid: Grid, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows_of(run)
    passed: list[tuple[int, ...]] = []
    count_sequences(monkeypatch, passed)
    assert sweep(grid, run, settings) == 0
    assert passed == []
    assert rows_of(run) == before


def test_kept_vectors_serve_a_larger_grid_without_a_pass(
    tmp_path: Path, grid: Grid, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = replace(grid.parts[0], templates=("none",), tasks=grid.tasks[:2], shapes=((),), weights=("mean",))
    kept = replace(settings, keep=True)
    first = sweep(replace(grid, parts=(part,)), tmp_path / "run", kept)
    passed: list[tuple[int, ...]] = []
    count_sequences(monkeypatch, passed)
    more = replace(part, shapes=((), ("zscore",)))
    assert sweep(replace(grid, parts=(more,)), tmp_path / "run", kept) == first
    assert passed == []
    assert (tmp_path / "run" / "cache").is_dir()


def test_scores_do_not_depend_on_blocks_or_threads(tmp_path: Path, grid: Grid, settings: Settings) -> None:
    part = replace(grid.parts[0], tasks=grid.tasks[:1], layers=(("last",),))
    found = []
    for name, chosen in (("a", settings), ("b", replace(settings, block_texts=7, jobs=3))):
        sweep(replace(grid, parts=(part,)), tmp_path / name, chosen)
        found.append([row.score for row in rows_of(tmp_path / name)])
    np.testing.assert_allclose(found[0], found[1], atol=0.01)


def test_what_can_not_be_scored_is_told_and_tried_again(
    tmp_path: Path, grid: Grid, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = replace(grid, parts=(Part(grid.tasks[:1]),))
    with monkeypatch.context() as patch:

        def refuse(*_: object) -> None:
            raise DataError("it has\nno use")

        patch.setattr(Subject, "score", refuse)
        assert sweep(one, tmp_path / "run", settings) == 1
    (row,) = rows_of(tmp_path / "run")
    assert (row.score, row.error) == (None, "it has no use")
    assert sweep(one, tmp_path / "run", settings) == 1
    (row,) = rows_of(tmp_path / "run")
    assert row.score is not None
    assert row.error is None


def test_two_sweeps_do_not_share_a_folder(tmp_path: Path, grid: Grid, settings: Settings) -> None:
    (tmp_path / "run").mkdir()
    with open(tmp_path / "run" / "lock", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(OutputError, match="another process is writing"):
            sweep(grid, tmp_path / "run", settings)


def test_a_background_that_is_needed_and_not_given(tmp_path: Path, grid: Grid, settings: Settings) -> None:
    with pytest.raises(InputError, match="--background FILE"):
        sweep(grid, tmp_path / "run", replace(settings, background=None))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("layers", "said"),
    [((9,), "layer 9 is out of range"), ((-1, "last"), "layers -1\\+2 have different widths .* each of them alone")],
)
def test_layers_that_a_model_lacks_are_told_before_any_model_starts(
    tmp_path: Path,
    grid: Grid,
    settings: Settings,
    tiny_electra_dir: Path,
    layers: tuple[int | str, ...],
    said: str,
) -> None:
    wrong = Grid((Part(grid.tasks[:1]), Part(grid.tasks[:1], layers=(layers,))), (str(tiny_electra_dir),))
    with pytest.raises(InputError, match=f"does not fit the model '.*tiny-electra': {said}"):
        sweep(wrong, tmp_path / "run", settings)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (
            ("whiten:9999",),
            "whiten:9999 would keep more than the 16 dims that the vectors have; give at most whiten:16",
        ),
        (("abtt:16",), "abtt:16 would remove all 16 dims of the vectors; give at most abtt:15"),
        (("whiten:4", "zscore", "abtt:5"), "abtt:5 would remove all 4 dims"),
    ],
)
def test_shapers_that_vectors_are_too_narrow_for_are_told_before_the_pass(
    tmp_path: Path, grid: Grid, settings: Settings, shape: tuple[str, ...], said: str
) -> None:
    wrong = replace(grid, parts=(Part(grid.tasks[:1], shapes=((), shape)),))
    with pytest.raises(InputError, match=f"does not fit the model '.*tiny-bert': {said}"):
        sweep(wrong, tmp_path / "run", settings)
    assert not (tmp_path / "run").exists()


def test_narrow_layers_beside_wide_ones_say_why_they_fail(
    tmp_path: Path, grid: Grid, settings: Settings, tiny_electra_dir: Path
) -> None:
    electra = Transformer(tiny_electra_dir)
    narrow, wide = electra.width(-1), electra.width(1)
    assert narrow < wide
    part = Part(grid.tasks[:1], layers=((-1,), (1,)), shapes=((f"whiten:{wide}",),))
    sweep(Grid((part,), (str(tiny_electra_dir),)), tmp_path / "run", settings)
    errors = {row.layers: row.error for row in rows_of(tmp_path / "run")}
    assert errors["1"] is None
    assert str(errors["-1"]).startswith(f"whiten:{wide} would keep more than the {narrow} dims that the vectors have")


def test_a_model_that_is_nowhere_is_told_before_the_others_start(
    tmp_path: Path, grid: Grid, settings: Settings
) -> None:
    with pytest.raises(ModelError, match="no model folder"):
        sweep(replace(grid, models=(*grid.models, "/nowhere/at-all")), tmp_path / "run", settings)
    assert not (tmp_path / "run").exists()


def test_room_and_what_is_there_are_announced(
    tmp_path: Path, grid: Grid, settings: Settings, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = Part(grid.tasks[:1], layers=((1,), (2,)), mix=(0.0, 0.5))
    small = replace(grid, parts=(part,))
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):

        def stop(*_: object) -> None:
            raise KeyboardInterrupt

        patch.setattr(Subject, "score", stop)
        sweep(small, tmp_path / "run", settings)
    cache = tmp_path / "run" / "cache"
    blocks = [path for path in cache.glob("*/*-0-*.npy") if "powers" not in path.name]
    held = sum(path.stat().st_size - 128 for path in blocks)  # without the headers
    table = sum(path.stat().st_size for path in cache.glob("average-*/*.safetensors"))
    caplog.clear()
    with caplog.at_level("INFO", logger="attar"):
        assert sweep(small, tmp_path / "run", settings) == 4
    n = len(set(load(grid.tasks[0]).texts))
    (said,) = [record.getMessage() for record in caplog.records if "distinct texts" in record.getMessage()]
    assert f"{n} distinct texts once through the model, {n} of them already, " in said
    announced = [1000 * float(size) for size in re.findall(r"([\d.]+) kB", said)]
    assert announced == pytest.approx([held, table], rel=0.1)
    assert said.endswith("then 4 of 4 cells to score")


def test_rows_say_where_they_come_from(run: Path, tiny_bert: Transformer) -> None:
    row = find(rows_of(run), task="pairs", template="none", layers="1+3", weights="mean", shape="zscore")
    assert row.model_sha256 == tiny_bert.fingerprint
    assert row.model == tiny_bert.folder.name
    assert '"ZScore"' in row.recipe
    assert "seconds" not in comparable(row)


def test_two_tasks_of_one_name_are_refused(
    tmp_path: Path, small_data: Path, tiny_bert_dir: Path, settings: Settings
) -> None:
    groups = small_data / "groups.tsv"
    part = Part((f"clustering:{groups}", f"classification:{groups}"))
    with pytest.raises(InputError, match="would both be called 'groups': rename a file"):
        sweep(Grid((part,), (str(tiny_bert_dir),)), tmp_path / "run", settings)


@pytest.mark.parametrize(
    "name", ["sts", "clustering", "classification", "isoscore", "alignment", "uniformity", "background", "all"]
)
def test_a_task_named_like_a_family_or_a_measure_is_refused(
    tmp_path: Path, small_data: Path, tiny_bert_dir: Path, settings: Settings, name: str
) -> None:
    mine = tmp_path / f"{name}.tsv"
    mine.write_bytes((small_data / "groups.tsv").read_bytes())
    part = Part((f"clustering:{mine}", str(small_data / "pairs.tsv")))
    with pytest.raises(InputError, match=rf"would be called '{name}', .*: rename its file, to 'my-{name}' for example"):
        sweep(Grid((part,), (str(tiny_bert_dir),)), tmp_path / "run", settings)
    assert not (tmp_path / "run").exists()


def test_two_models_of_one_name_are_refused(
    tmp_path: Path, small_data: Path, tiny_bert_dir: Path, settings: Settings
) -> None:
    other = tiny_models.bert(tmp_path / tiny_bert_dir.name, seed=1)
    part = Part((str(small_data / "pairs.tsv"),))
    with pytest.raises(InputError, match=r"would both be called 'tiny-bert': rename a folder"):
        sweep(Grid((part,), (str(tiny_bert_dir), str(other))), tmp_path / "run", settings)
    sweep(Grid((part,), (str(tiny_bert_dir),)), tmp_path / "run", settings)
    with pytest.raises(InputError, match="two models are called 'tiny-bert'"):
        sweep(Grid((part,), (str(other),)), tmp_path / "run", settings)


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"rows": 12}, "is there with 40 and with 12 texts"), ({"runs": 3}, "twice for the same recipe")],
)
def test_other_rows_or_runs_are_not_mixed_into_a_run(
    tmp_path: Path, small_data: Path, tiny_bert_dir: Path, settings: Settings, changed: dict[str, int], said: str
) -> None:
    grid = Grid((Part((f"clustering:{small_data / 'groups.tsv'}",)),), (str(tiny_bert_dir),), runs=2)
    sweep(grid, tmp_path / "run", settings)
    with pytest.raises(InputError, match=said):
        sweep(replace(grid, **changed), tmp_path / "run", settings)  # type: ignore[arg-type]
    assert sweep(grid, tmp_path / "run", settings) == 0  # nothing is lost


def test_a_file_named_like_a_published_task_is_its_own_source(
    tmp_path: Path, small_data: Path, tiny_bert_dir: Path, settings: Settings
) -> None:
    mine = tmp_path / "STS12.tsv"
    mine.write_bytes((small_data / "pairs.tsv").read_bytes())
    sweep(Grid((Part((str(mine),)),), (str(tiny_bert_dir),)), tmp_path / "run", settings)
    with Store.of_run(tmp_path / "run") as store:
        assert [json.loads(row.details)["source"] for row in store.rows()] == [str(mine)]


def test_any_encoder_can_be_swept(small_data: Path, tiny_bert_dir: Path, tmp_path: Path, caplog: Any) -> None:
    """Templates and mixes are for models with context; all else is as for a transformer."""
    pairs = str(small_data / "pairs.tsv")
    table = tmp_path / "table"
    Table(np.eye(len(Transformer(tiny_bert_dir).vocabulary)), Transformer(tiny_bert_dir).backend_tokenizer).save(table)
    part = Part((pairs,), ("none", "T0"), (("last",),), ("mean", "idf"), ((), ("zscore",)), (0.0, 0.5))
    models = (str(table), f"random:{tiny_bert_dir}")
    background = small_data / "background.txt"
    caplog.set_level("INFO", "attar")
    n = sweep(Grid((part,), models), tmp_path / "run", Settings(background=background, progress=False, jobs=1))
    assert n == 2 * 2 * 2
    assert "template T0 is left out" in caplog.text
    row = find(rows_of(tmp_path / "run"), model="table", weights="idf", shape="zscore")
    embedder = Embedder(Table.load(table), weights=weights.Idf(), shapers=[shapers.ZScore()])
    task = load(pairs)
    wanted = score(embedder.fit_transform(task.texts), task)["score"]
    assert row.score == pytest.approx(wanted, abs=2e-3)  # pooled vectors are kept in float16


def test_soft_tasks_are_scored_by_pearson(tmp_path: Path, tiny_bert_dir: Path) -> None:
    from attar.sweep.subjects import Subject
    from attar.tasks import ClassifyTask

    draw = np.random.default_rng(0)
    left = tuple(f"text {i}" for i in range(90))
    labels = draw.integers(0, 6, 90).astype(np.float64)
    splits = {"train": slice(0, 40), "dev": slice(40, 60), "test": slice(60, 90)}
    task = ClassifyTask("soft", left, left, labels, tuple("012345"), splits, soft=True)
    found = Subject("soft", "classification", tuple(task.texts), task).score(
        draw.normal(size=(len(task.texts), 4)).astype(np.float32), 1
    )
    assert found["metric"] == "pearson"
    assert found["score"] == found["pearson"]


def test_texts_that_lost_all_their_tokens_are_told(
    small_data: Path, tiny_bert_dir: Path, tmp_path: Path, caplog: Any
) -> None:
    (tmp_path / "pairs.tsv").write_text("text1\ttext2\tscore\nthe the\tcat\t1\ntree\tthe cat\t2\n\tred\t3\n")
    part = Part((str(tmp_path / "pairs.tsv"),), weights=("debiased",))
    sweep(Grid((part,), (str(tiny_bert_dir),)), tmp_path / "run", Settings(progress=False, jobs=1))
    assert "1 of 6 distinct texts lost every token to the weighting" in caplog.text
    assert "1 of 6 distinct texts have no token of their own" in caplog.text


def test_a_precision_makes_models_of_their_own(small_data: Path, tiny_bert_dir: Path, tmp_path: Path) -> None:
    """Cells of float32 and of int8 stand beside each other in a run, under other names and ids."""
    part = Part((str(small_data / "pairs.tsv"),), layers=(("last",),))
    plain = Grid((part,), (str(tiny_bert_dir),))
    assert sweep(plain, tmp_path / "run", Settings(progress=False)) == 1
    assert sweep(replace(plain, precision="float32"), tmp_path / "run", Settings(progress=False)) == 0
    assert sweep(replace(plain, precision="int8"), tmp_path / "run", Settings(progress=False)) == 1
    rows = {row.model: row for row in rows_of(tmp_path / "run")}
    name = tiny_bert_dir.name
    assert set(rows) == {name, f"{name} int8"}
    assert json.loads(rows[f"{name} int8"].recipe)["encoder"]["precision"] == "int8"
    task = load(str(small_data / "pairs.tsv"))
    vectors = Embedder(Transformer(str(tiny_bert_dir), precision="int8"), layers="last").fit_transform(task.texts)
    assert rows[f"{name} int8"].score == pytest.approx(score(vectors, task)["score"], abs=1e-3)
    assert rows[name].score != rows[f"{name} int8"].score
    with pytest.raises(InputError, match="unknown precision"):
        replace(plain, precision="half")
