"""The map in a real browser, and what it may not run."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browser import Browser, find_browser

from attar.jobs.groups import Group, Groups
from attar.jobs.map_page import map_page
from attar.jobs.projection import MOST, drawn_rows, project

EVIL = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)> {{script}}"
N = 400


def sample(n: int = N, k: int = 2) -> str:
    texts = [EVIL, *(f"text number {i} about {'cats' if i % 2 else 'dogs'}" for i in range(1, n))]
    labels = np.arange(n) % k
    groups = [Group(g, n // k, [EVIL if g == 0 else "cats", "more"], np.array([g])) for g in range(k)]
    places = np.random.default_rng(0).uniform(size=(n, 2)).astype(np.float32)
    found = Groups(groups, labels, np.ones(n, dtype=np.float32), {})
    return map_page(texts, list(range(n)), found, np.arange(n), places, "A <title> & more")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = find_browser()
    if program is None:
        pytest.skip("no Chromium here: install chromium to test the page in a browser")
    opened = Browser(program, tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


def test_nothing_but_its_own_script_and_style_may_run() -> None:
    page = sample()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    assert "unsafe" not in policy.group(1)
    for tag, source in (("script", page.rpartition("<script>")[2].partition("</script>")[0]),
                        ("style", page.partition("<style>")[2].partition("</style>")[0])):  # fmt: skip
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy.group(1)
    assert page.count("<script") == 2
    data = page.partition('application/json">')[2].partition("</script>")[0]
    assert json.loads(data)["texts"][0] == EVIL


def test_it_opens_filters_and_answers_the_pointer(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "map.html"
    path.write_text(sample(), encoding="utf-8")
    browser.open(path, 1200, 800)
    assert browser.complaints == []
    assert browser.run("document.title") == "A <title> & more"
    assert browser.run("document.querySelectorAll('#groups button').length") == 2
    browser.run("(() => { const f = byId('filter'); f.value = 'CATS 11'; f.dispatchEvent(new Event('input')); })()")
    expected = sum(1 for i in range(1, N) if i % 2 and "11" in str(i))
    assert browser.run("byId('count').textContent").startswith(f"{expected} of {N} texts")
    assert browser.run("document.querySelectorAll('#found li').length") == expected
    browser.run("(() => { const f = byId('filter'); f.value = ''; f.dispatchEvent(new Event('input')); })()")
    browser.run("hover(nearest(toX(data.x[7]), toY(data.y[7])))")
    assert "text number 7 about cats" in browser.run("byId('tip').textContent")
    browser.run("hover(0)")
    assert EVIL in browser.run("byId('tip').textContent")
    browser.run("document.querySelectorAll('#groups button')[1].click()")
    assert browser.run("byId('count').textContent").startswith("200 of 400")
    before = browser.run("document.documentElement.dataset.theme")
    browser.run("byId('theme').click()")
    assert browser.run("document.documentElement.dataset.theme") != before
    assert browser.run("view.scale") == browser.run("view.fit")
    browser.run("byId('in').click()")
    assert browser.run("view.scale") > browser.run("view.fit")
    assert browser.complaints == []


def test_every_group_has_a_look_of_its_own(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "map.html"
    path.write_text(sample(k=23), encoding="utf-8")
    browser.open(path, 1200, 800)
    assert browser.complaints == []
    assert browser.run("new Set(worn.map((w) => w.hue + w.shape)).size") == 23
    assert browser.run("new Set(worn.slice(0, 10).map((w) => w.hue)).size") == 10
    assert browser.run("Math.max(...HUES.map((_, hue) => worn.filter((w) => w.hue === hue).length))") == 3
    # of the colours that are free for the eleventh group, it takes that of the group farthest away
    farthest = """(() => {
      const at = (g) => data.groups[g].at;
      const far = (g) => Math.hypot(at(g)[0] - at(10)[0], at(g)[1] - at(10)[1]);
      return [...Array(10).keys()].sort((a, b) => far(b) - far(a))[0];
    })()"""
    assert browser.run("worn.findIndex((w) => w.hue === worn[10].hue)") == browser.run(farthest)


def test_pointing_at_a_group_shows_it_alone_until_the_pointer_leaves(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "map.html"
    path.write_text(sample(), encoding="utf-8")
    browser.open(path, 1200, 800)
    browser.run("buttons[1].dispatchEvent(new Event('pointerenter'))")
    assert browser.run("[shown(0), shown(1)]") == [False, True]
    assert browser.run("byId('count').textContent") == ""  # only a click lists its texts
    browser.run("buttons[1].dispatchEvent(new Event('pointerleave'))")
    assert browser.run("[shown(0), shown(1)]") == [True, True]
    browser.run("hover(1)")
    assert browser.run("buttons.map((b) => b.classList.contains('under'))") == [False, True]


def test_twenty_thousand_points_are_drawn(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "map.html"
    path.write_text(sample(20_000), encoding="utf-8")
    browser.open(path, 1200, 800)
    assert browser.run("data.x.length") == 20_000
    coloured = "let n = 0; for (let i = 3; i < p.length; i += 4) if (p[i]) n++; return n;"
    image = "draw(); const p = pen.getImageData(0, 0, canvas.width, canvas.height).data;"
    assert browser.run(f"(() => {{ {image} {coloured} }})()") > 20_000
    assert browser.complaints == []


def test_places_lie_within_the_map_and_keep_neighbours() -> None:
    rng = np.random.default_rng(0)
    vectors = np.concatenate([rng.normal(size=(40, 8)) * 0.1 + np.eye(8)[g] for g in range(2)]).astype(np.float32)
    for how in ("pca", "tsne"):
        places = project(vectors, how)
        assert places.shape == (80, 2)
        assert places.min() >= 0
        assert places.max() <= 1
        between = np.linalg.norm(places[:40].mean(axis=0) - places[40:].mean(axis=0))
        assert between > np.linalg.norm(places[:40] - places[:40].mean(axis=0), axis=1).mean()
        np.testing.assert_array_equal(places, project(vectors, how))


def test_of_more_texts_a_sample_is_drawn() -> None:
    rows = drawn_rows(MOST + 5)
    assert len(rows) == MOST
    assert (np.diff(rows) > 0).all()
    assert len(drawn_rows(7)) == 7
