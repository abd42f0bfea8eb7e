"""What every figure keeps to, whatever it shows."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from functools import cache

import altair as alt
import jsonschema
import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.charts import Figure, figures, style
from reportgen.results import Results
from tests import chart_gallery as gallery
from tests import charts_results
from tests.breadth import breadth
from tests.chart_gallery import FURTHER, drawing, figure

every = breadth("name", gallery.NAMES, gallery.EACH)


@pytest.mark.slow
def test_every_task_has_its_figures():
    names = [f"{report}-{key}" for report in gallery.REPORTS for key in gallery.figures_of(report)]
    others = [name for name in names if not name.startswith(("slices-", "many-"))]

    assert [*others, "slices-slices_0"] == list(gallery.NAMES)
    assert "slices-slices_0" in names


def test_further_curves_are_drawn_where_the_report_has_their_section():
    rich = charts_results.rich()
    rich = replace(rich, decision=replace(rich.decision, caveats=()))
    usual = [figure.id for figure in figures(rich)]

    assert usual == [name for name in gallery.figures_of("rich") if name not in FURTHER]


@cache
def schema() -> jsonschema.Draft7Validator:
    return jsonschema.Draft7Validator(alt.load_schema())


@every
def test_specification_follows_the_schema_of_vega_lite(name: str):
    schema().validate(figure(name).chart)


@every
def test_chart_compiles_without_a_warning(name: str, capfd: pytest.CaptureFixture[str]):
    drawing(name, anew=True)

    assert capfd.readouterr() == ("", "")


def test_a_compiler_warning_would_be_seen(capfd: pytest.CaptureFixture[str]):
    """The test above must be able to fail."""
    chart = json.loads(json.dumps(figure("rich-confusion_0").chart))
    chart["layer"][0]["encoding"]["bogus"] = {"field": "c1", "type": "quantitative"}
    charts_results.svg_of(chart)

    assert "bogus" in "".join(capfd.readouterr())


@every
def test_chart_has_its_final_width(name: str):
    width, height = charts_results.size(drawing(name))
    final = style.WIDTHS[figure(name).width]

    assert final - 8 <= width <= final + 2
    assert height < 950, "taller than a page"


@cache
def rates(models: int) -> dict[str, Figure]:
    results = charts_results.scored([f"m{i}" for i in range(models)])
    spec = {**results.spec, "sections": ["discrimination", "curves"]}
    return charts_results.by_id(replace(results, spec=spec))


@pytest.mark.parametrize("name", ["roc", "precision_recall", "gain"])
@breadth("models", [1, 3, 7], [3])
def test_rates_have_one_scale_on_both_axes(name: str, models: int):
    chart = rates(models)[name].chart
    plot = re.search(
        r'class="background"[^>]* d="M[\d.,]+h([\d.]+)v([\d.]+)', charts_results.svg_of(chart)
    )

    assert plot is not None
    assert float(plot[1]) == pytest.approx(float(plot[2]), abs=3)


@every
def test_text_is_large_enough(name: str):
    sizes = [
        e.get("font-size")
        for e in charts_results.elements(drawing(name))
        if e.tag.endswith("}text")
    ]

    assert sizes
    assert min(float(size.removesuffix("px")) for size in sizes if size) >= 9.5


@every
def test_no_tick_shows_the_digits_of_a_binary_fraction(name: str):
    assert not [
        word for word in charts_results.words(drawing(name)) if re.search(r"\d\.\d{5,}", word)
    ]


@every
def test_nothing_is_drawn_that_a_pdf_loses(name: str):
    svg = drawing(name)

    assert not re.search(
        r"gradient|mix-blend|<image|<filter|<mask|url\((?!#)", svg.replace('"#', "#"), re.I
    )
    texts = [e for e in charts_results.elements(svg) if e.tag.endswith("}text")]
    assert {e.get("opacity", "1") for e in texts} <= {"0", "1"}, "seen or not, nothing between"
    assert not [e for e in charts_results.elements(svg) if e.tag.endswith("}tspan")], (
        "text on two lines"
    )


@every
def test_background_is_left_to_the_page(name: str):
    assert 'fill="white"/>' not in drawing(name).split("<g", 1)[0]


@every
def test_fields_have_internal_names(name: str):
    """Names from the data would be read as paths: "quoted".dots[0] is one."""
    fields = [node["field"] for node in charts_results.nodes(figure(name).chart) if "field" in node]

    assert fields
    assert all(
        re.fullmatch(r"c\d|model|value|low|high|shape|color|fill", field) for field in fields
    )


@every
def test_nothing_is_asked_for(name: str):
    assert not [
        node for node in charts_results.nodes(figure(name).chart) if "url" in node or "href" in node
    ]


@every
def test_data_has_the_decimals_that_a_drawing_needs(name: str):
    for node in charts_results.nodes(figure(name).chart):
        for record in node.get("values", []):
            if not isinstance(record, dict):
                continue
            for value in record.values():
                for number in value if isinstance(value, list) else [value]:
                    assert not isinstance(number, float) or number == round(number, 5)
                    assert not isinstance(number, float) or math.isfinite(number)


@every
def test_words_are_there(name: str):
    shown = figure(name)

    assert all([shown.title, shown.subtitle.endswith((".", "?")), shown.alt.endswith(".")])
    assert re.fullmatch(r"[a-z0-9_]+", shown.id)
    assert shown.table.height
    assert len(shown.title) < 200


@breadth("report", ["rich", "classes", "labels", "numbers"], 1)
def test_same_results_give_the_same_figures(report: str):
    again = figures(Results.from_json(gallery.REPORTS[report]().to_json()))

    assert list(map(as_text, again)) == list(map(as_text, gallery.figures_of(report).values()))


def as_text(shown: Figure) -> str:
    parts = (
        shown.id,
        shown.title,
        shown.subtitle,
        shown.alt,
        shown.chart,
        shown.table.to_dicts(),
    )
    return json.dumps(parts)


def test_a_model_has_one_colour_in_every_figure():
    styles = {
        look.label: look
        for look in style.model_styles([m["name"] for m in charts_results.rich().data["models"]])
    }
    seen: dict[str, set[str]] = {label: set() for label in styles}
    for name in (
        "roc",
        "precision_recall",
        "cost_curve",
        "threshold",
        "threshold_2",
        "key_metrics",
        *(name for name in FURTHER if name != "roc_band"),
    ):
        for node in charts_results.nodes(figure(f"rich-{name}").chart):
            scale = node.get("scale") or {}
            if not str((scale.get("range") or [""])[0]).startswith("#"):
                continue
            for text, color in zip(scale["domain"], scale["range"], strict=True):
                owner = [label for label in styles if text.startswith(label[:8])]
                seen[owner[0]].add(color)

    assert seen == {label: {look.color} for label, look in styles.items()}


def test_seventy_models_look_different():
    styles = style.model_styles([f"m{i}" for i in range(70)])

    assert len({(look.color, tuple(look.dash), look.shape) for look in styles}) == 70


@pytest.mark.parametrize("color", style.PALETTE)
def test_colours_stand_out_on_white(color: str):
    """WCAG 2.1 asks 3 : 1 of graphics."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    assert 1.05 / (luminance + 0.05) >= 3


@breadth(
    ("column", "reason"), [("group", "groups"), ("time", "order of time"), ("repeat", "repeats")], 1
)
def test_bars_that_take_rows_as_independent_say_so_where_they_are_not(column: str, reason: str):
    """Wilson's limits of a bin count its rows; ROC bands the rows of a class."""
    random = np.random.default_rng(4)
    truth = random.random(200) < 0.5
    score = 1 / (1 + np.exp(-2.0 * truth + 1 - random.normal(size=200)))
    frame = pl.DataFrame({"truth": truth, "p": score, "n": np.arange(200)})
    values = {"group": pl.col("n") // 5, "time": pl.col("n"), "repeat": pl.col("n") // 100}
    spec = {
        "data": "d.csv",
        "truth": "truth",
        "models": {"m": {"score": "p"}},
        "bootstrap": {"replicates": 20},
        "sections": {"add": ["curves"]},
    }
    subtitles = [
        {figure.id: figure.subtitle for figure in figures(evaluate(asked, rows))}
        for asked, rows in (
            (spec, frame),
            (spec | {"columns": {column: "c"}}, frame.with_columns(c=values[column])),
        )
    ]

    assert not [text for text in subtitles[0].values() if "independent" in text]
    remark = f"treat rows as independent and do not allow for {reason}."
    assert subtitles[1]["calibration"].endswith(f" Bars {remark}")
    assert "roc_band" in subtitles[0]
    assert subtitles[1].get("roc_band", f" Bands {remark}").endswith(f" Bands {remark}")
    assert ("roc_band" in subtitles[1]) == (column == "time")


def _flattened(part):
    """Every layer whose lines are unrolled, with the records behind it."""
    if isinstance(part, dict):
        if any("flatten" in step for step in part.get("transform", ())):
            yield part
        for key, value in part.items():
            yield from _flattened(value) if key != "datasets" else ()
    elif isinstance(part, list):
        for value in part:
            yield from _flattened(value)


@pytest.mark.parametrize("name", gallery.NAMES)
def test_both_coordinates_of_a_line_are_unrolled(name):
    """A layer whose place is still a list draws nothing, so no tooltip is shown."""
    chart = figure(name).chart
    for layer in _flattened(chart):
        fields = {field for step in layer["transform"] for field in step.get("flatten", ())}
        placed = {layer["encoding"][at]["field"] for at in ("x", "y") if at in layer["encoding"]}
        records = chart["datasets"][(layer.get("data") or chart["data"])["name"]]
        listed = {field for row in records for field in placed if isinstance(row.get(field), list)}
        assert listed <= fields
