from __future__ import annotations

from pathlib import Path

import pytest

from attar import Transformer
from attar.errors import InputError
from attar.sweep.grid import Grid, Part, layer_sets
from attar.sweep.grid_file import paper_grid, read_grid


def write(folder: Path, text: str) -> str:
    path = folder / "grid.toml"
    path.write_text(text)
    return str(path)


def test_a_file_with_tasks_alone_takes_defaults(tmp_path: Path) -> None:
    grid = read_grid(write(tmp_path, 'tasks = ["sts", "tweet"]'))
    assert grid == Grid((Part(("sts", "tweet")),))
    assert grid.models == (None,)  # the embedded default
    assert grid.parts[0].layers == (("first", "last"),)
    assert not grid.needs_background


def test_a_file_with_everything(tmp_path: Path) -> None:
    text = """
    tasks = "sts, tweet"
    models = ["m"]
    templates = ["none", "T4"]
    layers = [[-1], ["each"], ["first", "last"]]
    weights = ["mean", "idf@background"]
    shapes = [[], ["zscore", "unit"]]
    mix = [0, 0.5]
    rows = 10
    [[also]]
    tasks = ["MR"]
    mix = [0]
    """
    grid = read_grid(write(tmp_path, text))
    assert grid.parts[0].tasks == ("sts", "tweet")
    assert grid.parts[0].mix == (0.0, 0.5)
    assert grid.parts[1] == Part(
        ("MR",),
        ("none", "T4"),
        ((-1,), ("each",), ("first", "last")),
        ("mean", "idf@background"),
        ((), ("zscore", "unit")),
        (0.0,),
    )
    assert (grid.rows, grid.models, grid.tasks, grid.templates) == (10, ("m",), ("sts", "tweet", "MR"), ("none", "T4"))
    assert grid.needs_background
    assert grid.mixes
    assert read_grid(str(tmp_path / "grid.toml"), ("other",)).models == ("other",)


def test_tasks_that_are_given_replace_all_tasks_of_the_file(tmp_path: Path) -> None:
    text = """
    tasks = ["sts"]
    [[also]]
    tasks = ["MR"]
    weights = ["idf"]
    [[also]]
    tasks = ["tweet"]
    """
    grid = read_grid(write(tmp_path, text), tasks=("TREC",))
    assert grid.parts == (Part(("TREC",)), Part(("TREC",), weights=("idf",)))
    assert read_grid(str(tmp_path / "grid.toml")).tasks == ("sts", "MR", "tweet")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names no tasks"),
        ("tasks = []", "names no tasks"),
        ('tasks = ["sts"]\ntemplate = ["T0"]', "did you mean 'templates'"),
        ('tasks = ["sts"]\ntemplates = ["T9"]', "unknown template 'T9'"),
        ('tasks = ["sts"]\nweights = ["idv"]', "did you mean 'idf'"),
        ('tasks = ["sts"]\nshapes = [["zscor"]]', "did you mean 'zscore'"),
        ('tasks = ["sts"]\nshapes = ["zscore"]\nlayers = 3', "layers = 3 of the grid is not a list"),
        ('tasks = ["sts"]\nlayers = [["each", 1]]', "'each' stands alone"),
        ('tasks = ["sts"]\nlayers = [[1.5]]', "hold 1.5"),
        ('tasks = ["sts"]\nmix = ["much"]', "'much', which is not a number"),
        ('tasks = ["sts"]\nrows = 0', "rows = 0 is not a whole number above 0"),
        ('tasks = ["sts"]\n[[also]]\nrows = 3', r"unknown key under \[\[also\]\]"),
        ('tasks = ["sts"]\nweights = ["mask"]', r"weights \['mask'\] take the masks of a template"),
        ('tasks = ["sts"]\nweights = ["mask"]\ntemplates = ["none", "It is [X]."]', "add a template that has"),
        ('tasks = ["sts"]\nalso = 3', "also = 3 of the grid is not a list"),
        ('tasks = ["sts"]\nalso = [3]', r"also of the grid holds 3; write its keys under \[\[also\]\]"),
        ('tasks = ["sts"]\nweights = []', r"weights = \[\] of the grid leaves no cell"),
        ('tasks = ["sts"]\nshapes = []', r"shapes = \[\] of the grid leaves no cell"),
        ('tasks = ["sts"]\nmodels = []', r"models = \[\] of the grid leaves no cell"),
        ('tasks = ["sts"]\n[also]\nweights = ["idf"]', r"write \[\[also\]\]"),
        ("tasks = [", "is not TOML"),
        ("tasks = [1]", "holds 1, which is not a name"),
    ],
)
def test_what_can_not_be_read_is_said(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_grid(write(tmp_path, text))


def test_a_grid_has_a_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"models = \[\] of the grid leaves no cell"):
        Grid((Part(("sts",)),), ())
    path = write(tmp_path, 'tasks = ["sts"]\nmodels = []')
    assert read_grid(path, ("mine",)).models == ("mine",)  # --model goes before it


def test_a_missing_file_is_said() -> None:
    with pytest.raises(InputError, match="give 'paper' or a TOML file"):
        read_grid("nowhere.toml")


def test_layer_sets_of_a_small_model(tiny_bert: Transformer) -> None:
    wanted = (("each",), ("first", "last"), (1, 2, "last"), ("last",))
    assert layer_sets(wanted, tiny_bert) == [(-1,), (0,), (1,), (2,), (3,), (1, 3), (1, 2, 3)]


def test_layers_of_two_widths_are_refused_together(tiny_electra_dir: Path) -> None:
    model = Transformer(tiny_electra_dir)
    assert layer_sets((("each",),), model) == [(-1,), (0,), (1,), (2,)]
    with pytest.raises(InputError, match="different widths"):
        layer_sets(((-1, 1),), model)


def test_masks_are_only_asked_of_templates_that_have_them(tiny_bert: Transformer) -> None:
    part = Part(("sts",), ("none", "T0"), ((1,),), ("mean", "mask", "mean-without-masks"))
    assert [recipe.weights.text for recipe in part.recipes("none", tiny_bert)] == ["mean"]
    assert [recipe.weights.text for recipe in part.recipes("T0", tiny_bert)] == ["mean", "mask", "mean-without-masks"]
    assert list(part.recipes("T4", tiny_bert)) == []


def test_the_paper_grid_has_its_tables_curves_and_heat_maps(tiny_bert: Transformer) -> None:
    grid = paper_grid()
    assert grid.templates == ("none", "T0", "T4", "T1", "T2", "T3")
    plain = {choice for part in grid.parts for choice in part.recipes("none", tiny_bert)}
    # Tables: 4 weights, 8 shapes, 3 mixes, and one named recipe. Heat maps: 8 sets, 10 mixes; they hold the curves,
    # and share the plain mean of first + last at 3 mixes with the tables.
    assert len(plain) == (4 * 8 * 3 + 1) + 8 * 10 - 3
    assert {choice.mix for choice in plain} == {-1 + 0.25 * i for i in range(10)}
