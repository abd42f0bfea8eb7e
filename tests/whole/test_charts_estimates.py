"""The charts of regression models: axes, units, far estimates, many rows."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from reportgen.charts import (
    scatter,
    style,
)
from tests import charts_results
from tests import charts_tasks as tasks
from tests.breadth import breadth
from tests.charts_results import by_id, records


def test_axes_of_estimates_are_equal():
    chart = by_id(tasks.estimated())["estimates"].chart
    domains = [
        n["scale"]["domain"] for n in charts_results.nodes(chart) if "domain" in n.get("scale", {})
    ]

    assert len(domains) >= 2
    assert all(domain == domains[0] for domain in domains)
    plots = re.findall(
        r'class="background"[^>]* d="M[\d.,]+h([\d.]+)v([\d.]+)', charts_results.svg_of(chart)
    )
    width, height = (float(side) for side in plots[-1])
    assert width == pytest.approx(height, abs=1)


def is_mark(element: Any) -> bool:
    """Whether an element is drawn in the first model's colour."""
    return style.PALETTE[0] in {element.get("fill"), element.get("stroke")}


@breadth("unit", [1e-9, 1e9], 1)
def test_units_of_any_size_are_drawn_alike(unit: float):
    plain, other = by_id(tasks.estimated()), by_id(tasks.estimated(unit=unit))
    for name in ("estimates", "residuals", "residual_quantiles", "error_characteristic"):
        shapes = [
            [
                e.get("d")
                for e in charts_results.elements(charts_results.svg_of(figure.chart))
                if is_mark(e)
            ]
            for figure in (plain[name], other[name])
        ]
        assert len(shapes[0]) == len(shapes[1]) > 0
        assert abs(sum(map(len, shapes[0])) - sum(map(len, shapes[1]))) < 60
        assert max(map(len, charts_results.words(charts_results.svg_of(other[name].chart)))) < 40


def test_one_estimate_far_away_does_not_squeeze_the_others():
    figure = by_id(tasks.estimated(spoilt=1e6))["estimates"]
    domain = next(
        n["scale"]["domain"]
        for n in charts_results.nodes(figure.chart)
        if "domain" in n.get("scale", {})
    )

    assert domain[1] < 300
    assert "1 estimate lies outside" in figure.subtitle


def test_many_rows_are_squares_that_count_them_all():
    figure = by_id(tasks.estimated(rows=1400))["estimates"]
    squares = records(figure, "c5", "c6")

    assert sum(square["c6"] for square in squares) == 1400
    assert len(squares) < 1000


def test_a_square_holds_the_points_between_its_sides():
    x, y = np.array([0.1, 0.1, 0.9]), np.array([0.1, 0.1, 0.9])
    column, row, number = scatter.cells(x, y, ((0, 1), (0, 1)), (9.0, 9.0))

    assert list(zip(column, row, number, strict=True)) == [(0, 0, 2), (1, 1, 1)]


def test_coverage_of_an_interval_is_said():
    results = tasks.estimated()
    value = results.metrics.filter(metric="interval_coverage")["value"].item()

    assert f"model 0 {100 * value:.1f}\xa0%" in by_id(results)["estimates"].subtitle


def test_the_model_with_less_error_is_ahead():
    figure = by_id(tasks.estimated(rows=300, models=2))["differences"]

    assert "odel 0 significantly ahead in MSE by" in figure.title
    assert {record["c4"] for record in records(figure, "c4", "c5")} == {style.PALETTE[0]}
