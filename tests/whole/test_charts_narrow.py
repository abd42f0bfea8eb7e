"""Wide charts on a narrow screen."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from reportgen.charts import chart_layers, critical_difference, narrow_layout, style
from reportgen.concluding import section_reading
from tests import chart_gallery as gallery
from tests import charts_results
from tests.breadth import breadth
from tests.chart_gallery import drawing, figure

WIDE = (
    *(f"rich-{key}" for key in ("leaders", "key_metrics", "threshold", "threshold_2")),
    *(f"rich-{key}" for key in ("calibration", "cost_curve", "differences", "roc_band")),
    *(f"classes-{key}" for key in ("leaders", "key_metrics", "roc", "precision_recall")),
    *(f"classes-{key}" for key in ("per_class", "calibration", "differences")),
    "classes-class_calibration",
    *(f"labels-{key}" for key in ("leaders", "key_metrics", "roc", "precision_recall")),
    *(f"labels-{key}" for key in ("per_class", "class_calibration")),
    *(f"numbers-{key}" for key in ("leaders", "key_metrics", "estimates", "residuals")),
    "numbers-differences",
    *(f"slices-{key}" for key in ("key_metrics", "threshold", "cost_curve", "slices_0")),
    *(f"many-{key}" for key in ("key_metrics", "threshold", "calibration", "cost_curve")),
    "many-differences",
)

EACH = ("rich-threshold", "classes-roc", "labels-per_class", "numbers-estimates")
"""One of each layout."""

every = breadth("name", WIDE, EACH)


@cache
def form(name: str) -> dict[str, Any] | None:
    """A wide figure's form for a narrow screen."""
    return figure(name).narrow or narrow_layout.narrowed(figure(name).chart)


def whole(name: str) -> dict[str, Any]:
    """The narrow form with what it shares with the wide one, as the page's script joins them."""
    chart = figure(name).chart
    return {"datasets": chart["datasets"], "config": chart["config"]} | (form(name) or {})


@pytest.mark.slow
def test_these_are_the_wide_figures():
    assert list(WIDE) == [
        f"{report}-{key}"
        for report in gallery.REPORTS
        for key, shown in gallery.figures_of(report).items()
        if shown.width == "full"
    ]


def panels(chart: dict[str, Any]) -> list[dict[str, Any]]:
    parts = [part for key in ("concat", "hconcat", "vconcat") for part in chart.get(key, ())]
    return [panel for part in parts for panel in panels(part)] or [chart]


@every
def test_a_wide_chart_has_a_form_that_fits(name: str):
    slim = charts_results.svg_of(whole(name))

    assert charts_results.size(slim)[0] <= narrow_layout.WIDTHS[-1] + 4
    assert charts_results.size(drawing(name))[0] > style.FULL / 2


@every
def test_it_has_the_same_panels_with_room_for_each(name: str):
    wide, slim = panels(figure(name).chart), panels(form(name) or {})

    assert len(slim) == len(wide)
    assert min(panel["width"] for panel in slim) >= narrow_layout.LEAST_ALONE


def test_panels_that_begin_a_row_show_the_axis():
    slim = form("classes-roc")
    assert slim is not None
    sides = [panel["layer"][1]["encoding"]["y"] for panel in slim["concat"]]
    first = [place % slim["columns"] == 0 for place in range(len(sides))]

    assert [side["title"] == "Recall" for side in sides] == first
    assert [side["axis"].get("labels", True) for side in sides] == first


def test_only_the_lowest_panels_name_the_axis_below():
    slim = form("rich-threshold")
    assert slim is not None
    titles = [panel["encoding"]["x"]["title"] for panel in slim["concat"]]

    assert titles == [None] * (len(titles) - 2) + ["Threshold"] * 2


def test_each_histogram_stays_under_its_curve():
    slim = form("many-calibration")
    assert slim is not None

    assert [row["columns"] for row in slim["vconcat"]] == [2, section_reading.MOST_IN_SLICES - 2]
    for row in slim["vconcat"]:
        tall = [panel["height"] > 100 for panel in row["concat"]]
        assert tall == [True] * row["columns"] + [False] * row["columns"]


def test_a_longer_legend_makes_room_for_itself():
    chart, slim = figure("many-cost_curve").chart, form("many-cost_curve")
    assert slim is not None
    legend = next(
        node["legend"] for node in charts_results.nodes(slim) if "columns" in node.get("legend", {})
    )

    assert legend["columns"] == 1
    assert slim["height"] > chart["height"] + (section_reading.MOST_MODELS - 3) * style.LEGEND_ROW
    assert "datasets" not in slim


def test_where_names_leave_no_room_the_chart_is_scrolled():
    panel = {"layer": [], "width": 180, "height": 90}
    chart = {"hconcat": [panel, panel], "spacing": 26, "datasets": {}, "config": {}}

    assert narrow_layout.narrowed(chart) is not None
    assert narrow_layout.narrowed(chart | {"hconcat": [panel | {"width": 90}] * 2}) is None


def test_a_diagram_of_ranks_fits_with_its_names():
    ranked = [(f"learner number {place}", 1.0 + place) for place in range(8)]
    drawing = charts_results.svg_of(
        chart_layers.specification(critical_difference.draw(ranked, [(0, 2)], 6.0, style.HALF))
    )

    assert charts_results.size(drawing)[0] <= style.HALF + 4
    assert "CD 6.00" in charts_results.words(drawing)
