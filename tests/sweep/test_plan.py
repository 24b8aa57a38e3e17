from __future__ import annotations

from attar.sweep.plan import AVERAGE, BACKGROUND, MODEL, make_plan
from attar.sweep.subjects import Subject

A = Subject("a", "sts", ("x", "y", "x"), None)
B = Subject("b", "sts", ("y", "z"), None)


def test_each_text_once_with_a_place_for_each_task() -> None:
    plan = make_plan([A, B], ["z", "w"], ["mean", "mask"], ["idf"], {MODEL: ((0, 1),)}, 2)
    assert plan.texts == ("x", "y", "z", "w")
    assert {name: rows.tolist() for name, rows in plan.rows.items()} == {
        "a": [0, 1, 0],
        "b": [1, 2],
        BACKGROUND: [2, 3],
    }
    # Background texts are pooled under the weights of every task, for shapers that are fitted on them.
    assert plan.members == (("a",), ("a", "b"), ("a", "b"), ("a", "b"))
    assert plan.n_blocks == 2
    assert [plan.n_slots(b) for b in range(2)] == [4, 4]
    assert plan.slot("mask", "b", 1) == 1
    assert plan.slot("idf", "a", 1) == 2
    assert plan.slot("idf", "b", 1) == 3


def test_without_weights_of_their_own_texts_have_no_members() -> None:
    plan = make_plan([A, B], [], ["mean"], [], {MODEL: ((0, 1),)}, 3)
    assert plan.members == ((), (), ())
    assert plan.n_slots(0) == 1


def test_size_on_disk_by_hand() -> None:
    plan = make_plan([A], [], ["mean", "mask"], ["idf"], {MODEL: ((-1,), (0, 1))}, 8)
    # 2 texts, 3 weightings, layers of 8, 16 and 16 dims, 2 bytes each
    assert plan.n_bytes({-1: 8, 0: 16, 1: 16}) == 2 * 3 * 40 * 2
    assert plan.n_table_bytes(100, {-1: 8, 0: 16, 1: 16}) == 0


def test_size_with_avg_by_hand() -> None:
    plan = make_plan([A], [], ["mean"], [], {MODEL: ((0, 1),), AVERAGE: ((1,),)}, 8)
    assert plan.n_bytes({0: 16, 1: 16}) == 2 * 1 * 48 * 2
    assert plan.n_table_bytes(100, {0: 16, 1: 16}) == 100 * 16 * 4
