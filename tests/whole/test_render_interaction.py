"""What a page with scripts does: the threshold that is moved, tables, legends, accessibility."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from markupsafe import Markup

from reportgen import render
from reportgen.charts import figures
from reportgen.curves import threshold_counts
from reportgen.metric_names import CELLS
from reportgen.metrics import METRICS
from reportgen.render import environment, web
from reportgen.render.interaction import interactive
from reportgen.resources import EXAMPLES, TEMPLATES
from reportgen.results import Results, evaluate
from reportgen.sections.threshold_explorer import RATES, explorer
from reportgen.spec import from_dict, read
from reportgen.sweeping import sweep
from reportgen.text import numbers
from tests.breadth import breadth
from tests.browser_scripts import answered
from tests.hostile.browser import CHROMIUM

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
COSTS = {"false_negative": 7, "false_positive": 1.5}
AXE = Path(__file__).parents[1] / "vendor/axe.min.js.gz"

MOVED = """
var result = [], select = document.querySelector(".model");
var slider = document.querySelector(".position");
function texts(selector) {
  return Array.from(document.querySelectorAll(selector), (cell) => cell.textContent);
}
Array.from(select.options).forEach(function (option) {
  select.value = option.value;
  select.dispatchEvent(new Event("change"));
  var positions = [];
  for (var at = 0; at <= Number(slider.max); at += 1) {
    slider.value = at;
    slider.dispatchEvent(new Event("input"));
    var measures = [texts(".measures .now"), texts(".measures .then")];
    positions.push([texts(".rule")[0], texts("[data-count]"), ...measures]);
  }
  result.push(positions);
});
answer({hidden: document.querySelector(".explorer").hidden, models: result});
"""


def rows(size: int = 80, seed: int = 3) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    truth = random.random(size) < 0.3
    score = np.clip(0.3 * truth + 0.7 * random.random(size), 0, 1)
    return pl.DataFrame(
        {
            "truth": truth,
            "fine": score,
            "tied": score.round(1),
            "real": np.log(score + 1e-7) * 1000,
            "weight": random.random(size) * 3,
        }
    )


def spec(folder: Path, frame: pl.DataFrame, **more: object):
    frame.write_parquet(folder / "rows.parquet")
    return from_dict(
        {
            "data": "rows.parquet",
            "truth": "truth",
            "positive": "true",
            "models": {name: {"score": name} for name in ("fine", "tied", "real")},
            "threshold": 0.4,
            "costs": COSTS,
            "sections": ["discrimination", "decisions"],
            "bootstrap": {"replicates": 0},
            **more,
        },
        folder,
    )


def printed(counts: pl.DataFrame) -> list[list[str]]:
    """Measures of the engine at each row of a sweep, as reports print them."""
    shares = counts.select(
        **{name: METRICS[name].expression() for name in RATES},
        cost_sensitive_error_rate=METRICS["cost_sensitive_error_rate"].expression(**COSTS),
    )
    total = counts.select(METRICS["total_cost"].expression(**COSTS)).to_series()
    return [
        [numbers.aligned(shares[name][i], 3) for name in RATES]
        + [
            numbers.count(total[i]),
            numbers.aligned(shares["cost_sensitive_error_rate"][i], 3),
        ]
        for i in range(counts.height)
    ]


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Results:
    return evaluate(spec(tmp_path_factory.mktemp("plain"), rows()))


@pytest.fixture(scope="module")
def page(results) -> str:
    return render.html(results)


@needs_chromium
@breadth("weight", [None, "weight"], ["weight"])
def test_a_moved_threshold_shows_the_engines_numbers_at_every_position(tmp_path, page, weight):
    frame = rows()
    if weight:
        weighted = spec(tmp_path, frame, columns={"weight": weight}, sections=["decisions"])
        page = render.html(evaluate(weighted))
    seen = answered(page, MOVED, tmp_path)

    assert not seen["hidden"]
    for name, positions in zip(("fine", "tied", "real"), seen["models"], strict=True):
        remaining = ["truth", pl.col(name).alias("score"), *([weight] if weight else [])]
        whole = sweep(frame.select(remaining), weight=weight)
        expected = printed(whole)
        at = whole.filter(pl.col("threshold") >= 0.4).height - 1
        assert len(positions) == whole.height
        for row, (rule, counts, now, then) in enumerate(reversed(positions)):
            threshold = 0.4 if row == at else whole["threshold"][row]  # the one in use
            assert now == expected[row]
            assert then == expected[at]
            assert counts == [numbers.count(whole[c][row]) for c in ("tp", "fn", "fp", "tn")]
            assert numbers.threshold(threshold) in rule or row == 0


def test_rates_of_the_page_are_those_of_the_catalogue():
    random = np.random.default_rng(1)
    counts = pl.DataFrame({name: random.integers(0, 4, 200) * 1.0 for name in CELLS})

    for name, (part, whole) in RATES.items():
        sums = [sum(w * pl.col(c) for w, c in zip(ws, CELLS, strict=True)) for ws in (part, whole)]
        quotient = counts.select(pl.when(sums[1] != 0).then(sums[0] / sums[1])).to_series()
        engine = counts.select(METRICS[name].expression()).to_series()
        assert quotient.equals(engine, check_names=False), name


def test_many_thresholds_are_thinned_and_the_page_says_so(tmp_path):
    frame = rows(30_000)
    whole = sweep(frame.select("truth", pl.col("fine").alias("score")))
    thin = threshold_counts(whole, thresholds=[0.4])
    results = evaluate(spec(tmp_path, frame))
    shown = explorer(results)

    assert thin.height <= 1002
    assert thin["skipped"].sum() + thin.height == whole.height
    assert thin.join(whole, on=CELLS, how="semi").height == thin.height
    assert shown is not None
    assert [note.split(":")[0] for note in shown.notes] == ["fine", "real"]
    assert f"of its {whole.height:,} thresholds" in shown.notes[0]
    reported = shown.data["models"][0]
    assert reported["threshold"][reported["reported"]] >= 0.4
    positives = frame.filter(pl.col("truth") & (pl.col("fine") >= 0.4)).height
    assert reported["tp"][reported["reported"]] == positives


SORTED = """
var table = document.querySelector("#table-t table");
var input = document.querySelector(".filter input");
var head = table.querySelectorAll("thead button")[1], seen = [];
function names() {
  return Array.from(table.tBodies[0].rows).filter(function (row) { return !row.hidden; })
    .map(function (row) { return row.cells[0].textContent; }).join("");
}
function state() { return [head.parentNode.getAttribute("aria-sort"), names()]; }
seen.push(state());
for (var i = 0; i < 3; i += 1) { head.click(); seen.push(state()); }
input.value = "a 0.1"; input.dispatchEvent(new Event("input"));
seen.push(names());
answer(seen);
"""


@needs_chromium
def test_tables_sort_by_their_numbers_and_filter_by_words(tmp_path):
    """Texts would put 0.1 before < 0.001, and 1.0 × 10⁷ before 9."""
    values = [0.1004, None, 2e7, 9.0, 0.00001, 0.1001, -3.0, 0.5, 0.6, 0.7]
    page = table_page(dict(zip("ABCDEFGHIJ", values, strict=True)))
    seen = answered(page, SORTED, tmp_path)

    assert seen[0] == seen[3] == ["none", "ABCDEFGHIJ"]
    assert seen[1] == ["ascending", "GEFAHIJDCB"]
    assert seen[2] == ["descending", "CDJIHAFEGB"]
    assert seen[4] == "A"


def table_page(values: dict[str, float | None], *, cards: bool = False) -> str:
    """A page with one table and the scripts of reports."""
    env = environment()
    env.globals["page"].begin("html", 100, interactive=True)
    template = env.from_string(
        '{% from "macros.html.j2" import data_table with context %}'
        '<!DOCTYPE html><html lang="en"><head><style>{{ css }}</style></head>'
        '<body>{{ data_table(columns, rows, "T", id="t", cards=cards) }}'
        "<script>{{ script }}</script></body></html>"
    )
    columns = [{"key": "a", "label": "Name"}, {"key": "b", "label": "Value"}]
    lines = [{"cells": {"a": a, "b": numbers.number(b)}} for a, b in values.items()]
    css = Markup((TEMPLATES / "report.css").read_text())
    script = Markup(web.scripts()[1])
    return template.render(columns=columns, rows=lines, cards=cards, css=css, script=script)


LEGEND = """
function whenLive(act) {
  var charts = Array.from(document.querySelectorAll(".graphic"));
  if (charts.every((one) => one.dataset.live)) act();
  else requestAnimationFrame(function () { whenLive(act); });
}
whenLive(function () {
  var chart = document.querySelector('[data-chart="roc"]');
  function muted() { return chart.querySelectorAll('[opacity="0.12"]').length; }
  var before = muted(), label = chart.querySelector(".role-legend-label text");
  ["pointerdown", "pointerup", "click"].forEach(function (type) {
    var at = label.getBoundingClientRect();
    var place = {bubbles: true, clientX: at.x + 2, clientY: at.y + 2};
    label.dispatchEvent(new PointerEvent(type, place));
  });
  setTimeout(function () {
    var live = Array.from(document.querySelectorAll(".graphic"), (one) => one.dataset.live);
    answer({before: before, after: muted(), live: live});
  }, 500);
});
"""


@pytest.mark.slow  # one run in five, the browser draws no frame that brings the charts to life
@needs_chromium
def test_a_click_in_the_legend_mutes_the_other_models(tmp_path, page):
    seen = answered(page, LEGEND, tmp_path)

    assert set(seen["live"]) == {"yes"}
    assert not seen["before"]
    assert seen["after"] >= 4  # two models, each a line and a marker


KEYBOARD = (
    LEGEND.split("whenLive(function", maxsplit=1)[0]
    + """
whenLive(function () {
  var chart = document.querySelector('[data-chart="roc"]');
  var bar = chart.closest("figure").querySelector(".choices"), buttons = Array.from(bar.children);
  function state() {
    var pressed = buttons.map((one) => one.getAttribute("aria-pressed"));
    return [chart.querySelectorAll('[opacity="0.12"]').length, pressed];
  }
  function after(act, then) { act(); setTimeout(function () { seen.push(state()); then(); }, 400); }
  var seen = [state()];
  buttons[0].focus();
  var shown = bar.getBoundingClientRect().width > 100;
  bar.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}));
  var next = buttons.indexOf(document.activeElement);
  after(() => buttons[1].click(), () => after(() => buttons[1].click(), () => answer({
    seen: seen, shown: shown, next: next, names: buttons.map((b) => b.textContent),
    tabs: buttons.map((b) => b.tabIndex), inside: bar.closest("[role=img]") !== null,
  })));
});
"""
)


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("width", [1280, 390])
def test_the_keyboard_singles_out_a_model_too(tmp_path, page, width):
    """Buttons are pressed by Enter and Space; arrows go from one to the next."""
    seen = answered(page, KEYBOARD, tmp_path, width=width)

    (none, free), (muted, pressed), (again, released) = seen["seen"]
    assert none == again == 0 < muted
    assert free == released == ["false"] * 3
    assert pressed == ["false", "true", "false"]
    assert seen["shown"]
    assert not seen["inside"]
    assert seen["next"] == 1
    assert seen["tabs"] == [-1, 0, -1]
    assert [name.split()[0] for name in seen["names"]] == ["fine", "tied", "real"]


CARDS = """
var select = document.querySelector(".order select"), seen = [];
function names() {
  var cells = document.querySelectorAll("tbody tr > :first-child");
  return Array.from(cells, (cell) => cell.textContent).join("");
}
["1 descending", "0 ascending", ""].forEach(function (value) {
  select.value = value;
  select.dispatchEvent(new Event("change"));
  seen.push(names());
});
answer({seen: seen, shown: getComputedStyle(select.parentNode).display});
"""


@needs_chromium
@pytest.mark.parametrize(("width", "display"), [(390, "block"), (1280, "none")])
def test_cards_on_a_phone_are_ordered_by_a_choice(tmp_path, width, display):
    """Their heads, which order a table elsewhere, are not shown there."""
    page = table_page({"A": 0.5, "B": 0.00001, "C": 9.0}, cards=True)
    seen = answered(page, CARDS, tmp_path, width=width)

    assert seen == {"seen": ["CAB", "ABC", "ABC"], "shown": display}


SIDEWAYS = """
answer(Array.from(document.querySelectorAll(".table > .scroll"), function (scroll) {
  var line = scroll.previousElementSibling, over = scroll.scrollWidth > scroll.clientWidth + 1;
  return [over, Boolean(line) && line.className === "sideways"];
}));
"""


@needs_chromium
@pytest.mark.parametrize(("width", "is_cut"), [(390, True), (1280, False)])
def test_a_table_that_goes_on_beyond_the_screen_says_so(tmp_path, page, width, is_cut):
    seen = answered(page, SIDEWAYS, tmp_path, width=width)

    assert any(over for over, _ in seen) == is_cut
    assert all(said == over for over, said in seen)


def test_cards_name_what_stands_above_heads_that_are_alike():
    spread = [{"key": key, "label": "From", "spanner": key.title()} for key in ("cost", "share")]
    columns = [{"key": "model", "label": "Model"}, *spread, {"key": "p", "label": "p"}]
    env = environment()
    env.globals["page"].begin("html", 100, interactive=True)
    template = env.from_string(
        '{% from "macros.html.j2" import data_table with context %}'
        '{{ data_table(columns, rows, "T", id="t", cards=true) }}'
    )
    rows = [{"cells": dict.fromkeys(("model", "cost", "share", "p"), "1")}]

    labels = re.findall('data-label="([^"]*)"', template.render(columns=columns, rows=rows))
    assert labels == ["Cost: From", "Share: From", "p"]


def test_every_chart_has_tooltips_with_short_numbers(results):
    for figure in figures(results):
        chart = json.dumps(interactive(figure.chart))
        tooltips = re.findall(r'"tooltip": \[(.*?)\]', chart)
        assert tooltips, figure.id
        fields = [field for text in tooltips for field in re.findall(r"{.*?}", text)]
        assert all("format" in f for f in fields if "quantitative" in f), figure.id


@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(
    "name", ["breast_cancer", "diabetes", "digits", "digit_properties", "learners"]
)
def test_pages_are_accessible(tmp_path, name, width):
    """Without findings of axe-core, with charts as scripts draw them."""
    page = render.html(evaluate(read(EXAMPLES / name / "report.yaml")))
    axe = gzip.decompress(AXE.read_bytes()).decode().replace("</", "<\\/")
    run = """
      setTimeout(function () {
        axe.run(document, {resultTypes: ["violations"]}).then(function (result) {
          answer(result.violations.map((found) => [found.id, found.nodes[0].html]));
        });
      }, 2500);
    """

    assert answered(page, axe + run, tmp_path, width=width) == []


def test_the_drawings_of_the_pdf_do_not_know_of_it(results):
    [roc] = [one for one in figures(results) if one.id == "roc"]

    assert "params" in json.dumps(interactive(roc.chart))
    assert "params" not in json.dumps(roc.chart)
