"""The page in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from browser import Browser, find_browser
from sample_cells import cell, sample

from attar.reports.cells import Cells
from attar.reports.formats import escape_latex
from attar.reports.page import page, page_data
from attar.tasks import published
from attar.tokens.templates import Template

DETAILS = {"average_texts": 9, "background_texts": 8, "dims": 20, "sampled_from": None, "source": "STS12"}


def two_models() -> Cells:
    rows = sample()
    other = [replace(row, model="other", cell="o" + row.cell, score=(row.score or 0) / 2) for row in rows]
    return Cells(tuple(other + rows))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page(two_models(), "A <title> & more"), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = find_browser()
    if program is None:
        pytest.skip("no Chromium here: install chromium to test the page in a browser")
    opened = Browser(program, tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


def choose(browser: Browser, name: str, value: str) -> None:
    browser.run(
        f"(() => {{ const s = document.querySelector('#f-{name}'); s.value = {value!r}; "
        "s.dispatchEvent(new Event('change')); })()"
    )


def test_it_opens_without_errors_and_shows_every_section(browser: Browser, report: Path) -> None:
    browser.open(report, 1280, 900)
    assert browser.complaints == []
    assert browser.run("document.title") == "A <title> & more"
    assert browser.run("document.querySelectorAll('main section').length") == 10
    assert browser.run("document.querySelectorAll('.empty').length") == 0
    assert browser.run("document.querySelectorAll('#sec-layers svg').length") == 3
    assert browser.run("document.querySelectorAll('#sec-heat svg').length") == 3
    assert browser.run("document.querySelectorAll('#sec-iso svg').length") == 2
    assert "Pearson" in browser.run("document.querySelector('#sec-iso').textContent")


def test_tables_hold_the_numbers(browser: Browser, report: Path) -> None:
    browser.open(report, 1280, 900)
    choose(browser, "model", "bert-base-uncased")
    first = "document.querySelector('#sec-tables table tbody tr')"
    shown = browser.run(f"[...{first}.cells].map(c => c.innerText.replace(/\\s+/g, ' ').trim())")
    # T0 at the last layer; no template; -0.5 and half of Avg.; Avg. alone
    ours = ("45.5", "44.6", "44.1", "45.1", "44.6")
    paper = [
        sum(published.score(task, column) or 0.0 for task in ("STS12", "STS13")) / 2
        for column in ("T0", "BERT", "BERT+Avg", "Avg")
    ]
    assert shown[:2] == ["mean", "none"]
    assert [cell.split()[0] for cell in shown[2:]] == list(ours)
    beside = [float(cell.split()[1]) for cell in shown[2:] if len(cell.split()) > 1]
    assert beside == pytest.approx(paper, abs=0.051)
    counts = "[...document.querySelectorAll('#sec-tables table')].map(t => t.querySelectorAll('.best').length)"
    best = browser.run(counts)
    assert all(n >= 2 for n in best)  # of T0 and of no template; the mixes have one number each, which is not marked
    assert browser.run("document.querySelector('#sec-tables td[data-tip]').dataset.tip").count("STS") == 2


def test_best_shows_regrets_of_recipes_that_the_run_has(browser: Browser, tmp_path: Path) -> None:
    rows = (cell("STS12", layers="3", score=0.5), cell("STS12", layers="3", weights="idf", score=0.5004))
    path = tmp_path / "few.html"
    path.write_text(page(Cells(rows)), encoding="utf-8")
    browser.open(path, 1280, 900)
    heads = browser.run("[...document.querySelectorAll('#sec-best thead th')].map(t => t.innerText)")
    assert [head for head in heads if head.startswith("regret")] == ["regret of plain"]
    assert browser.run("document.querySelectorAll('#sec-best tbody tr').length") == 1  # STS12, which is all of sts


def test_other_layers_are_shown_where_the_papers_are_not_there(browser: Browser, tmp_path: Path) -> None:
    rows = [cell("STS12", layers="3", weights=w, shape=s) for w in ("mean", "idf") for s in ("none", "zscore")]
    rows += [cell("STS12", layers="3", template="T0", mix=mix) for mix in (0.0, 0.5)]
    path = tmp_path / "last.html"
    path.write_text(page(Cells(tuple(rows))), encoding="utf-8")
    browser.open(path, 1280, 900)
    text = browser.run("document.querySelector('#sec-tables').innerText")
    assert "layers 3, as there is no cell at 1+3" in text
    assert browser.run("document.querySelectorAll('#sec-tables tbody tr').length") == 4
    heads = browser.run("[...document.querySelectorAll('#sec-tables thead th')].map(t => t.innerText.trim())")
    assert heads == ["aggregation", "post-processing", "T0", "T0 + 0.5 Avg.", "no template"]
    assert "needs cells at two layers" in browser.run("document.querySelector('#sec-layers').innerText")
    assert "has no cells for" not in browser.run("document.querySelector('main').innerText")


def test_columns_that_only_maps_need_are_named_below(browser: Browser, tmp_path: Path) -> None:
    rows = [cell("STS12", mix=i / 10) for i in range(11)]
    path = tmp_path / "mixes.html"
    path.write_text(page(Cells(tuple(rows))), encoding="utf-8")
    browser.open(path, 1280, 900)
    text = browser.run("document.querySelector('#sec-tables').innerText")
    assert "not in this table: Avg. by the weights 0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, of which" in text
    heads = browser.run(
        "[...document.querySelectorAll('#sec-tables thead th.label ~ th:not(.label)')].map(t => t.innerText.trim())"
    )
    assert heads == ["no template", "+ 0.5 Avg.", "Avg."]


def test_filters_work(browser: Browser, report: Path) -> None:
    browser.open(report, 1280, 900)
    text = "document.querySelector('#sec-tables').innerText"
    choose(browser, "subject", "clustering")
    assert browser.run("document.querySelectorAll('#sec-tables table').length") == 1
    assert "Clustering" in browser.run(text)
    choose(browser, "subject", "STS13")
    assert "STS13" in browser.run("document.querySelector('#sec-tables h3').innerText")
    before = browser.run(text)
    choose(browser, "model", "other")
    assert browser.run(text) != before
    choose(browser, "layers", "2")
    assert "layers 2" in browser.run(text)
    choose(browser, "template", "T0")
    assert browser.run("[...document.querySelectorAll('#sec-tables thead th')].map(t => t.innerText.trim())") == [
        "aggregation",
        "post-processing",
        "T0",
    ]
    choose(browser, "weights", "mask")
    assert "mask" in browser.run("document.querySelector('#sec-layers').innerText")
    assert browser.complaints == []


def test_task_tables_open_and_downloads_hold_what_is_shown(browser: Browser, report: Path) -> None:
    browser.open(report, 1280, 900)
    browser.run("document.querySelectorAll('#sec-appendix details').forEach(d => { d.open = true; })")
    for _ in range(50):
        if browser.run("document.querySelectorAll('#sec-appendix table').length") == 4:
            break
    assert browser.run("document.querySelectorAll('#sec-appendix table').length") == 4
    shown = browser.run("asCsv(document.querySelector('#sec-tables table'))").splitlines()
    assert shown[0].startswith("aggregation,post-processing,T0,T0 (published),no template")
    assert shown[1].startswith("mean,none,")
    assert shown[2].startswith("mean,zscore,")  # the label that is not repeated on the page
    tex = browser.run("asLatex(document.querySelector('#sec-tables table'), 'a & b')")
    assert r"\caption{a \& b}" in tex
    assert r"\textbf{" in tex
    caption = browser.run("captionOf(document.querySelector('#sec-tables .card'))")
    assert caption.endswith("(Spearman); mean of STS12, STS13; layers 1+3, with a template 3")
    tex = browser.run("""asLatex(document.querySelector('#sec-tables table'), '[X] <a|b> "c"*')""")
    assert escape_latex('[X] <a|b> "c"*') in tex


@pytest.mark.parametrize("part", ["", "#dark"])
def test_a_phone_needs_no_sideways_scrolling(browser: Browser, report: Path, part: str) -> None:
    browser.open(report, 390, 844, part)
    browser.run("document.querySelectorAll('#sec-appendix details').forEach(d => { d.open = true; })")
    assert browser.run("document.documentElement.scrollWidth") <= 390
    wide = "[...document.querySelectorAll('main .card')].filter(c => c.getBoundingClientRect().right > 391).length"
    assert browser.run(wide) == 0
    assert browser.run("document.documentElement.dataset.theme") == ("dark" if part else "light")


DEEP = """[...document.querySelectorAll('main svg')].flatMap(svg => {
  const boxes = [...svg.querySelectorAll('text')].filter(t => !t.getAttribute('transform') && t.textContent !== '×')
    .map(t => [t.textContent, t.getBoundingClientRect()]);
  return boxes.flatMap(([a, p], i) => boxes.slice(i + 1).filter(([, q]) =>
    p.left < q.right && q.left < p.right && p.top + 2 < q.bottom && q.top + 2 < p.bottom).map(([b]) => [a, b]));
})"""
SMALLEST = """Math.min(...[...document.querySelectorAll('main svg')].map(svg =>
  11 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width))"""


@pytest.mark.parametrize("width", [390, 1280])
def test_labels_of_a_deep_model_are_legible_and_apart(browser: Browser, tmp_path: Path, width: int) -> None:
    singles = [str(layer) for layer in range(-1, 25)]
    rows = [cell("STS12", layers=layers, template=t) for layers in (*singles, "1+24") for t in ("none", "T0")]
    rows += [cell("STS12", layers=layers, mix=m) for layers in (*singles, "1+24", "0+1+2+24") for m in (-1.0, 0.5, 1.0)]
    path = tmp_path / "deep.html"
    path.write_text(page(Cells(tuple(rows))), encoding="utf-8")
    browser.open(path, width, 900)
    assert browser.run("document.querySelectorAll('main svg').length") == 2
    assert browser.run(DEEP) == []
    assert browser.run(SMALLEST) >= 9.5


def test_hovering_shows_a_value(browser: Browser, report: Path) -> None:
    browser.open(report, 1280, 900)
    browser.run("document.querySelector('#sec-heat').scrollIntoView()")
    x, y = browser.run(
        "(() => { const b = document.querySelector('#sec-heat rect').getBoundingClientRect();"
        "return [b.x + b.width / 2, b.y + b.height / 2]; })()"
    )
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    assert browser.run("!document.querySelector('#tip').hidden")
    assert "layers 1" in browser.run("document.querySelector('#tip').textContent")


def test_data_can_not_break_out_of_the_page() -> None:
    nasty = cell("</script><script>alert(1)</script>")
    text = page(Cells((nasty,)))
    assert "</script><script>alert" not in text
    inside = text.partition('type="application/json">')[2].partition("</script>")[0]
    assert json.loads(inside)["names"]["task"] == [nasty.task]


def test_page_data_by_hand() -> None:
    data = page_data(Cells((cell("STS12", score=0.12345), cell("STS13", score=None))))
    assert data["cells"]["score"] == [12.345]
    assert data["cells"]["published"] == [45.1]
    assert data["failed"] == [("it failed", 1)]
    assert data["facts"][0]["tasks"] == {"STS12": [6216, 9999]}


def test_whitening_on_too_few_texts_is_told() -> None:
    rows = [
        replace(cell("STS12", shape=shape), texts=20, details=json.dumps(DETAILS))
        for shape in ("whiten", "whiten@background")
    ]
    enough = replace(cell("STS13", shape="whiten"), texts=100, details=json.dumps(DETAILS))
    told = "too few texts to tell what whiten{} does with more: {} for 20 dims{}, and it takes 100"
    assert page_data(Cells((*rows, enough)))["few"] == {
        "bert-base-uncased": {
            "STS12": [told.format("", 20, ""), told.format("@background", 8, "")],
            "sts": [told.format("", 20, " (STS12)"), told.format("@background", 8, " (STS12)")],
        }
    }


def test_the_page_tells_it_below_tables(browser: Browser, tmp_path: Path) -> None:
    rows = [cell("STS12", shape=shape, score=score) for shape, score in (("none", 0.5), ("whiten", 0.3))]
    rows = [replace(row, texts=20, details=json.dumps(json.loads(row.details) | {"dims": 20})) for row in rows]
    path = tmp_path / "few.html"
    path.write_text(page(Cells(tuple(rows))), encoding="utf-8")
    browser.open(path, 1280, 900)
    sentence = "too few texts to tell what whiten does with more: 20 for 20 dims, and it takes 100."
    assert sentence in browser.run("document.querySelector('#sec-tables').innerText")
    assert f"STS12: {sentence}" in browser.run("document.querySelector('#sec-shaping').innerText")
    assert "hurts on so few texts" in browser.run("document.querySelector('#sec-shaping tbody').innerText")


def test_templates_are_spelled_out() -> None:
    rows = (cell("STS12", template="T0"), cell("STS12", template="[X] in short: [MASK]"), cell("STS12"))
    templates = page_data(Cells(rows))["templates"]
    assert templates == {"T0": Template.named("T0").text, "[X] in short: [MASK]": "[X] in short: [MASK]"}
