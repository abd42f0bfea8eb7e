"""Precision-recall curves of all models, with F1 iso-lines and break-even points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import altair as alt
import numpy as np
import polars as pl

from reportgen.charts import blocks, findings, style, texts
from reportgen.charts.blocks import Record
from reportgen.charts.figure import Figure
from reportgen.charts.numbers import Numbers
from reportgen.charts.series import Series

if TYPE_CHECKING:
    from pandera.typing.polars import DataFrame

    from reportgen.results import Results
    from reportgen.tables import Metrics, PrecisionRecall

AXES = ("recall", "precision")
ISO_LINES = (0.2, 0.4, 0.6, 0.8)
GAP = 0.02
"""Points further apart in recall are joined by the curve through them, not by a chord."""


def draw(
    curve: DataFrame[PrecisionRecall], metrics: DataFrame[Metrics], models: Sequence[str]
) -> alt.LayerChart | None:
    """Precision against recall; nothing where no model's recall is defined."""
    numbers, looks = Numbers(metrics), style.looks(models)
    members = [look for look in looks if numbers.value("recall", look.model) is not None]
    series = Series(members, style.HALF, numbers, "average_precision", "AP")
    lines = [blocks.simple(bent(line)) for line in blocks.records(curve, AXES, series.lines)]
    if not lines:
        return None
    drawn = (
        blocks.inline(lines, "c1", "c2")
        .mark_line(strokeWidth=series.stroke)
        .encode(
            x=blocks.rate_x("c1", "Recall"),
            y=blocks.rate_y("c2", "Precision"),
            color=series.color(),
            strokeDash=series.dash(),
        )
    )
    return blocks.square(
        series,
        *_background(numbers, models),
        drawn,
        blocks.hover(lines, c0="Model", c1="Recall", c2="Precision"),
        _break_even_points(numbers, series),
        blocks.operating_points(numbers, AXES, series, ("Recall", "Precision")),
    )


def bent(line: Record) -> Record:
    """Fill wide gaps with the points between: both counts grow in proportion there.

    Davis & Goadrich (2006), doi:10.1145/1143844.1143874. To the left of the
    first point precision is constant.
    """
    recall, precision = np.array(line["c1"]), np.array(line["c2"])
    if recall[0] > 0:
        recall, precision = np.insert(recall, 0, 0.0), np.insert(precision, 0, precision[0])
    hit = precision > 0
    false = np.where(hit, recall * (1 / np.where(hit, precision, 1) - 1), np.nan)
    wide = [
        np.linspace(a, b, 1 + int(np.ceil(max(b - a, 0) / GAP)))[1:-1] for a, b in pairwise(recall)
    ]
    place = np.repeat(np.arange(1, len(recall)), [len(part) for part in wide])
    between = np.concatenate(wide) if wide else np.array([])
    start = place - 1
    share = (between - recall[start]) / (recall[place] - recall[start])
    wrong = false[start] + share * (false[place] - false[start])
    known = ~np.isnan(wrong) & (between > 0)
    recall = np.insert(recall, place[known], between[known])
    precision = np.insert(precision, place[known], (between / (between + wrong))[known])
    return line | {"c1": recall.round(5).tolist(), "c2": precision.round(5).tolist()}


def _background(numbers: Numbers, models: Sequence[str]) -> list[alt.Chart]:
    inverse = [np.linspace(1, 2 / level - 1, 40).tolist() for level in ISO_LINES]
    iso = [
        [(round(1 / a, 5), round(1 / (2 / level - a), 5)) for a in line]
        for level, line in zip(ISO_LINES, inverse, strict=True)
    ]
    points = [numbers.value("break_even_point", model) for model in models]
    taken = [point for point in points if point is not None]
    free = [level for level in ISO_LINES if all(abs(level - point) > 0.06 for point in taken)]
    layers = [
        blocks.references(*iso, dash=(1, 0), color=style.ISO),
        blocks.references([(0, 0), (1, 1)]),
        blocks.notes(*((level, level, f"F1 {level:.1f}") for level in free), dx=7),
    ]
    known = (numbers.value("prevalence", model) for model in models)
    prevalence = next((value for value in known if value is not None), None)
    if prevalence is not None:
        said = f"prevalence {prevalence:.3f}"
        layers.append(blocks.references([(0, prevalence), (1, prevalence)], dash=(1, 3)))
        layers.append(blocks.notes((0, prevalence, said), dx=4, dy=-6))
    return layers


def _break_even_points(numbers: Numbers, series: Series) -> alt.Chart:
    points = [
        {"c1": round(value, 5)} | series.marker(look)
        for look in series.looks
        if (value := numbers.value("break_even_point", look.model)) is not None
    ]
    chart: alt.Chart = (
        blocks.inline(points)
        .mark_point(shape="diamond", fill="white", opacity=1, size=series.size, strokeWidth=1.5)
        .encode(
            x=alt.X("c1:Q"),
            y=alt.Y("c1:Q"),
            stroke=alt.Stroke("c8:N", scale=None),
            tooltip=blocks.tooltips(c7="Model", c1="Break-even point"),
        )
    )
    return chart


def figures(results: Results) -> list[Figure]:
    """Return the figure, or none."""
    models = findings.models(results)
    curve = findings.curve(results, "precision_recall")
    chart = draw(curve, results.metrics, models)
    if chart is None:
        return []
    numbers, looks = Numbers(results.metrics), style.looks(models)
    said = [
        f"{look.label}: average precision {numbers.get('average_precision', look.model)}, "
        f"break-even point {texts.number(numbers.value('break_even_point', look.model))}"
        for look in looks
        if numbers.value("average_precision", look.model) is not None
    ]
    return [
        Figure(
            id="precision_recall",
            title=findings.best(results, "average_precision", "average precision"),
            subtitle=(
                "How many of the rows called positive are positive, as more of the positives are "
                "found? Filled: the point that each model works at. Hollow: its break-even point, "
                "where precision equals recall." + findings.labels_only(results)
            ),
            alt=f"Precision against recall. {'; '.join(said)}.",
            chart=blocks.specification(chart),
            table=_table(curve, looks),
            width="half",
            section="discrimination",
        )
    ]


def _table(curve: pl.DataFrame, looks: Sequence[style.Look]) -> pl.DataFrame:
    names = {look.model: look.label for look in looks}
    return blocks.thinned(blocks.overall(curve)).select(
        pl.col("model").replace(names).alias("Model"),
        pl.col("threshold").alias("Threshold"),
        pl.col("recall").alias("Recall"),
        pl.col("precision").alias("Precision"),
    )
