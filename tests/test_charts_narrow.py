"""Wide charts on a narrow screen."""

from __future__ import annotations

from typing import Any

import pytest

from reportgen.charts import chart_layers, critical_difference, figures, narrow_layout, style
from reportgen.concluding import featured_models
from tests import charts_results as made
from tests import charts_tasks as tasks
from tests import sections_tasks

WIDE = {
    f"{name}-{figure.id}": figure
    for name, results in (
        ("rich", made.rich()),
        ("many", made.scored([f"model_of_{month}_2026" for month in range(1, 11)])),
        ("classes", tasks.classes()),
        ("labels", tasks.labelled()),
        ("numbers", tasks.estimated(models=3)),
        ("slices", sections_tasks.fifty_slices()),
    )
    for figure in figures(results)
    if figure.width == "full"
}
FORMS = {
    name: figure.narrow or narrow_layout.narrowed(figure.chart) for name, figure in WIDE.items()
}

every = pytest.mark.parametrize("name", WIDE)


def whole(name: str) -> dict[str, Any]:
    """The narrow form with what it shares with the wide one, as the page's script joins them."""
    chart = WIDE[name].chart
    return {"datasets": chart["datasets"], "config": chart["config"]} | (FORMS[name] or {})


def panels(chart: dict[str, Any]) -> list[dict[str, Any]]:
    parts = [part for key in ("concat", "hconcat", "vconcat") for part in chart.get(key, ())]
    return [panel for part in parts for panel in panels(part)] or [chart]


@every
def test_a_wide_chart_has_a_form_that_fits(name: str):
    drawing = made.drawn(whole(name))

    assert made.size(drawing)[0] <= narrow_layout.WIDTHS[-1] + 4
    assert made.size(made.drawn(WIDE[name].chart))[0] > style.FULL / 2


@every
def test_it_has_the_same_panels_with_room_for_each(name: str):
    wide, slim = panels(WIDE[name].chart), panels(FORMS[name] or {})

    assert len(slim) == len(wide)
    assert min(panel["width"] for panel in slim) >= narrow_layout.LEAST_ALONE


def test_panels_that_begin_a_row_show_the_axis():
    form = FORMS["classes-roc"]
    assert form is not None
    sides = [panel["layer"][1]["encoding"]["y"] for panel in form["concat"]]
    first = [place % form["columns"] == 0 for place in range(len(sides))]

    assert [side["title"] == "Recall" for side in sides] == first
    assert [side["axis"].get("labels", True) for side in sides] == first


def test_only_the_lowest_panels_name_the_axis_below():
    form = FORMS["rich-threshold"]
    assert form is not None
    titles = [panel["encoding"]["x"]["title"] for panel in form["concat"]]

    assert titles == [None] * (len(titles) - 2) + ["Threshold"] * 2


def test_each_histogram_stays_under_its_curve():
    form = FORMS["many-calibration"]
    assert form is not None

    assert [row["columns"] for row in form["vconcat"]] == [2] * (featured_models.MOST_MODELS // 2)
    assert all(
        [panel["height"] > 100 for panel in row["concat"]] == [True, True, False, False]
        for row in form["vconcat"]
    )


def test_a_longer_legend_makes_room_for_itself():
    chart, form = WIDE["many-cost_curve"].chart, FORMS["many-cost_curve"]
    assert form is not None
    legend = next(
        node["legend"] for node in made.nodes(form) if "columns" in node.get("legend", {})
    )

    assert legend["columns"] == 1
    assert form["height"] > chart["height"] + (featured_models.MOST_MODELS - 3) * style.LEGEND_ROW
    assert "datasets" not in form


def test_where_names_leave_no_room_the_chart_is_scrolled():
    panel = {"layer": [], "width": 180, "height": 90}
    chart = {"hconcat": [panel, panel], "spacing": 26, "datasets": {}, "config": {}}

    assert narrow_layout.narrowed(chart) is not None
    assert narrow_layout.narrowed(chart | {"hconcat": [panel | {"width": 90}] * 2}) is None


def test_a_diagram_of_ranks_fits_with_its_names():
    ranked = [(f"learner number {place}", 1.0 + place) for place in range(8)]
    drawing = made.drawn(
        chart_layers.specification(critical_difference.draw(ranked, 6.0, style.HALF))
    )

    assert made.size(drawing)[0] <= style.HALF + 4
    assert "CD 6.00" in made.words(drawing)
