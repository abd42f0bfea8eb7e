"""Precision-recall curves of all models, with F1 iso-lines and break-even points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import floor, log10

import altair as alt
import numpy as np
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, labels, style
from reportgen.charts.chart_layers import Datum
from reportgen.charts.labels import OccupiedArea
from reportgen.charts.lines import COARSE, RateCurve, muted_note
from reportgen.charts.metric_values import Numbers
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.scales import UnitAxes
from reportgen.charts.series import Series
from reportgen.column_statistics import as_float
from reportgen.records.model import Results
from reportgen.tables import Metrics, PrecisionRecall
from reportgen.text import decimals
from reportgen.text.numbers import fixed

PRECISION_RECALL = RateCurve(
    "precision_recall",
    {"recall": "Recall", "precision": "Precision"},
    measure="average_precision",
    symbol="AP",
    phrase="average precision",
    needed=("recall",),
)
ISO_LINES = (0.2, 0.4, 0.6, 0.8)
PLOT = 270.0
"""Width and height of the plot in px, about."""

NOTE = 9.5
"""Size of the words in it."""

MARK = 0.02
"""Half the width of a symbol, in parts of an axis."""

FLAT = 0.05
"""Where no average precision is as high, the axis of precision is logarithmic."""

GAP = 0.02
"""Points further apart in recall are joined by the curve through them, not by a chord."""


def draw(
    curve: DataFrame[PrecisionRecall],
    metrics: DataFrame[Metrics],
    models: Sequence[str],
    under: Sequence[alt.Chart] = (),
) -> alt.LayerChart | None:
    """Precision against recall; nothing where no model's recall is defined.

    The layers of ``under`` lie beneath the curves.
    """
    numbers = Numbers(metrics)
    series = PRECISION_RECALL.series(numbers, models)
    axes = axes_of(curve, numbers, models)
    points = PRECISION_RECALL.records(curve, series, axes)
    lines = [_shaped(line, axes) for line in points]
    if not lines:
        return None
    beneath = [*_background(numbers, models, lines, axes), *under]
    even = _break_even_points(numbers, series, axes)
    return PRECISION_RECALL.draw(lines, series, numbers, beneath, [even], axes)


def axes_of(curve: DataFrame[PrecisionRecall], numbers: Numbers, models: Sequence[str]) -> UnitAxes:
    """The axis of precision: in logarithms where an even one would show a line at its foot."""
    areas = [numbers.value("average_precision", model) for model in models]
    if max((area for area in areas if area is not None), default=FLAT) >= FLAT:
        return UnitAxes()
    precision = chart_layers.overall(curve)["precision"].drop_nulls()
    least = as_float(precision.filter(precision > 0).min())
    return UnitAxes(10.0 ** floor(log10(least)))


def _shaped(line: Datum, axes: UnitAxes, fine: float = 0.001) -> Datum:
    line = bent(line, axes.decimals)
    if not axes.lowest:
        return chart_layers.simple(line, fine)
    points = [(x, axes.part(y)) for x, y in zip(line["c1"], line["c2"], strict=True) if y > 0]
    simple = chart_layers.simple(
        line | {"c1": [x for x, _ in points], "c2": [y for _, y in points]}, fine
    )
    return simple | {"c2": [round(axes.at(y), axes.decimals) for y in simple["c2"]]}


def bent(line: Datum, digits: int = 5) -> Datum:
    """Fill wide gaps with the points between: both counts grow in proportion there.

    Davis & Goadrich (2006), doi:10.1145/1143844.1143874. To the left of the
    first point precision is constant.
    """
    recall, precision = np.array(line["c1"]), np.array(line["c2"])
    if recall[0] > 0:
        recall, precision = np.insert(recall, 0, 0.0), np.insert(precision, 0, precision[0])
    defined = precision > 0
    false = np.where(defined, recall * (1 / np.where(defined, precision, 1) - 1), np.nan)
    wide = [
        np.linspace(a, b, 1 + int(np.ceil(max(b - a, 0) / GAP)))[1:-1] for a, b in pairwise(recall)
    ]
    place = np.repeat(np.arange(1, len(recall)), [len(part) for part in wide])
    between = np.concatenate(wide) if wide else np.array([])
    start = place - 1
    share = (between - recall[start]) / (recall[place] - recall[start])
    false_positives = false[start] + share * (false[place] - false[start])
    valid = ~np.isnan(false_positives) & (between > 0)
    recall = np.insert(recall, place[valid], between[valid])
    precision = np.insert(precision, place[valid], (between / (between + false_positives))[valid])
    return line | {"c1": recall.round(5).tolist(), "c2": precision.round(digits).tolist()}


def _background(
    numbers: Numbers, models: Sequence[str], lines: Sequence[Datum], axes: UnitAxes
) -> list[alt.Chart]:
    inverse = [np.linspace(1, 2 / level - 1, 40).tolist() for level in ISO_LINES]
    iso = [
        [(round(1 / a, 5), round(1 / (2 / level - a), 5)) for a in line]
        for level, line in zip(ISO_LINES, inverse, strict=True)
    ]
    ends = np.linspace(0, 1, 60 if axes.lowest else 2)
    equal = [(axes.at(part), axes.at(part)) for part in ends.tolist()]
    layers = [
        chart_layers.references(*iso, dash=(1, 0), color=style.ISO),
        chart_layers.references(equal),
    ]
    curves = [(line["c1"], [axes.part(y) for y in line["c2"]]) for line in lines]
    quiet = [([x for x, _ in line], [axes.part(y) for _, y in line]) for line in (*iso, equal)]
    taken = OccupiedArea([*curves, *_marks(numbers, models, axes)], quiet)
    prevalences = (numbers.value("prevalence", model) for model in models)
    prevalence = next((value for value in prevalences if value is not None), None)
    notes = []
    if prevalence is not None:
        layers.append(chart_layers.references([(0, prevalence), (1, prevalence)], dash=(1, 3)))
        text = f"prevalence {fixed(prevalence, max(3, decimals.two_significant(prevalence)))}"
        notes += _beside_line(text, axes.part(prevalence), taken)
    for level, line in zip(ISO_LINES, iso, strict=True):
        on_axes = [(x, axes.part(y)) for x, y in line]
        notes += _on_curve(f"F1 {level:.1f}", level, on_axes, taken)
    placed = [(x, round(axes.at(y), axes.decimals), text) for x, y, text in notes]
    return [*layers, chart_layers.notes(*placed, baseline="middle")] if notes else layers


def _marks(
    numbers: Numbers, models: Sequence[str], axes: UnitAxes
) -> list[tuple[list[float], list[float]]]:
    """Return the outlines of the models' points: where each works, and its break-even point."""
    outlines = []
    for model in models:
        even = numbers.value("break_even_point", model)
        works = [numbers.value(axis, model) for axis in PRECISION_RECALL.axes]
        for x, y in ((even, even), works):
            if x is not None and y is not None:
                at = axes.part(y)
                outlines.append(([x - MARK, x + MARK], [at - MARK, at + MARK]))
                outlines.append(([x - MARK, x + MARK], [at + MARK, at - MARK]))
    return outlines


def _beside_line(text: str, level: float, taken: OccupiedArea) -> list[tuple[float, float, str]]:
    """Place words over or under a level line: at its ends rather than in its middle."""
    width = labels.text_width(text, NOTE) / PLOT
    starts = [0.01, 0.99 - width, *np.linspace(0.06, 0.94 - width, 12).tolist()]
    return _placed_text(text, [(x, level + up) for x in starts for up in (0.03, -0.03)], taken)


def _on_curve(
    text: str, level: float, line: Sequence[tuple[float, float]], taken: OccupiedArea
) -> list[tuple[float, float, str]]:
    """Place words right of a curve of equal F1, near the diagonal if they can be there."""
    near = sorted(line, key=lambda point: abs(point[0] - level))
    return _placed_text(text, [(x + 0.02, y + 0.02) for x, y in near], taken)


def _placed_text(
    text: str, places: Sequence[tuple[float, float]], taken: OccupiedArea
) -> list[tuple[float, float, str]]:
    """Return the words at the first of the places where no line runs, or not at all."""
    width, half = labels.text_width(text, NOTE) / PLOT, 0.55 * NOTE / PLOT
    index = taken.place([(x, y - half, x + width, y + half) for x, y in places])
    if index is None:
        return []
    x, y = places[index]
    return [(round(x, 4), round(y, 4), text)]


def _break_even_points(numbers: Numbers, series: Series, axes: UnitAxes) -> alt.Chart:
    points = [
        {"c1": round(value, axes.decimals)} | series.marker(model_style)
        for model_style in series.styles
        if (value := numbers.value("break_even_point", model_style.model)) is not None
        and value >= axes.lowest
    ]
    chart: alt.Chart = (
        chart_layers.inline(points)
        .mark_point(shape="diamond", fill="white", opacity=1, size=series.size, strokeWidth=1.5)
        .encode(
            x=alt.X("c1:Q"),
            y=alt.Y("c1:Q"),
            stroke=alt.Stroke("c8:N", scale=None),
            tooltip=chart_layers.tooltips(c7="Model", c1="Break-even point"),
        )
    )
    return chart


@report_chart(30, "binary", curve="precision_recall", muted=True)
def figures(results: Results, others: Results | None = None) -> list[Figure]:
    """Return the figure, or none."""
    models = results.models
    curve = captions.curve(results, "precision_recall")
    axes = axes_of(curve, Numbers(results.metrics), models)
    under = PRECISION_RECALL.muted(others, lambda line: _shaped(line, axes, COARSE), axes)
    chart = draw(curve, results.metrics, models, under)
    if chart is None:
        return []
    return [
        PRECISION_RECALL.figure(
            results,
            chart,
            "How does precision fall as recall rises? Filled: each model's operating point. "
            "Hollow: its break-even point, where precision equals recall."
            f"{muted_note(others)}",
            "Precision against recall.",
            lambda numbers, model: (
                f"average precision {numbers.get('average_precision', model)}, "
                f"break-even point {numbers.get('break_even_point', model).point}"
            ),
        )
    ]
