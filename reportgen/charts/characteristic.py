"""Error characteristic (REC): the share of the rows within each tolerance, all models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from reportgen.charts import blocks, findings, scales, style, texts
from reportgen.charts.figure import Figure
from reportgen.charts.numbers import Numbers
from reportgen.charts.series import Series

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pandera.typing.polars import DataFrame

    from reportgen.results import Results
    from reportgen.tables import ErrorCharacteristic, Metrics

FAR = 2.5
"""The axis ends where all models have 98 % of their rows, if the largest error is this far."""


def draw(
    curve: DataFrame[ErrorCharacteristic], metrics: DataFrame[Metrics], models: Sequence[str]
) -> alt.LayerChart | None:
    """Share of rows against tolerance; marked: the error that half of the rows stay within."""
    rows, numbers = blocks.overall(curve), Numbers(metrics)
    if not rows.height:
        return None
    series = Series(style.looks(models), style.HALF)
    top = _top(rows)
    digits = blocks.decimals(top)
    lines = _lines(rows, series, digits)
    points = [
        {"c1": round(value, digits), "c2": 0.5} | series.marker(look)
        for look in series.looks
        if (value := numbers.value("median_absolute_error", look.model)) is not None
    ]
    drawn = (
        blocks.inline([_simple(line, top) for line in lines], "c1", "c2")
        .mark_line(strokeWidth=series.stroke, clip=True)
        .encode(
            x=scales.x("c1", "Tolerance (absolute error)", [0, top]),
            y=blocks.rate_y("c2", "Share of rows within"),
            color=series.color(),
            strokeDash=series.dash(),
        )
    )
    return blocks.square(
        series,
        blocks.references([(0, 0.5), (round(top, digits), 0.5)]),
        drawn,
        blocks.hover(lines, c0="Model", c1="Tolerance", c2="Share of rows"),
        blocks.markers(points, series, ("Median absolute error", "Share of rows")),
    )


def _lines(rows: pl.DataFrame, series: Series, digits: int) -> list[blocks.Record]:
    return [
        {
            "c0": series.lines[look.model],
            "c1": blocks.placed(part["tolerance"], digits),
            "c2": blocks.rounded(part["share"]),
        }
        for look in series.looks
        if (part := rows.filter(pl.col("model") == look.model)).height
    ]


def _top(rows: pl.DataFrame) -> float:
    """Return where the axis ends: at the largest error, or before a long tail."""
    largest = float(rows["tolerance"].max() or 0.0)  # type: ignore[arg-type]
    within = rows.filter(pl.col("share") >= 0.98).group_by("model").agg(pl.col("tolerance").min())
    most = float(within["tolerance"].max() or 0.0)  # type: ignore[arg-type]
    return (1.1 * most if 0 < most * FAR < largest else largest) or 1.0


def _simple(line: blocks.Record, top: float) -> blocks.Record:
    """Return the line without the points that the axis leaves out, but for the next one."""
    count = sum(value <= top for value in line["c1"]) + 1
    return blocks.simple(line | {field: line[field][:count] for field in ("c1", "c2")})


def figures(results: Results) -> list[Figure]:
    """Return the figure, or none."""
    models, looks = findings.models(results), findings.looks(results)
    curve = findings.curve(results, "error_characteristic")
    chart = draw(curve, results.metrics, models)
    if chart is None:
        return []
    numbers = Numbers(results.metrics)
    summaries = [
        f"{look.label}: half of the rows within "
        f"{texts.amount(numbers.value('median_absolute_error', look.model))}"
        for look in looks
    ]
    order = numbers.ranked("median_absolute_error", models, lowest=True)
    title = "Share of the rows within each error"
    if order:
        best = next(look for look in looks if look.model == order[0])
        value = numbers.value("median_absolute_error", order[0])
        lead = "Lowest median error: " if len(order) > 1 else ""
        title = f"{lead}{findings.short(best)}, half of the rows within {texts.amount(value)}"
    return [
        Figure(
            id="error_characteristic",
            title=title,
            subtitle=(
                "What share of the estimates is within each error? Higher is better. Marker: the "
                "median absolute error."
            ),
            alt=f"Share of rows against tolerance (REC curves). {'; '.join(summaries)}.",
            chart=blocks.specification(chart),
            table=_table(blocks.overall(curve), looks),
            width="half",
            section="errors",
        )
    ]


def _table(rows: pl.DataFrame, looks: Sequence[style.Look]) -> pl.DataFrame:
    names = {look.model: look.label for look in looks}
    return blocks.thinned(rows, 20).select(
        pl.col("model").replace(names).alias("Model"),
        pl.col("tolerance").alias("Tolerance"),
        pl.col("share").alias("Share of rows"),
    )
