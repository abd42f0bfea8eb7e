"""Error characteristic (REC): the share of the rows within each tolerance, all models."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, scales, style
from reportgen.charts.lines import COARSE, muted, muted_note, strokes
from reportgen.charts.metric_values import Numbers
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.series import Series
from reportgen.column_statistics import as_float
from reportgen.records.model import Results
from reportgen.records.rows import quantile_levels
from reportgen.tables import ErrorCharacteristic, Metrics

FAR = 2.5
"""The axis ends where all models have 98 % of their rows, if the largest error is this far."""


def draw(
    curve: DataFrame[ErrorCharacteristic],
    metrics: DataFrame[Metrics],
    models: Sequence[str],
    others: Results | None = None,
) -> alt.LayerChart | None:
    """Share of rows against tolerance; marked: the error that half of the rows stay within."""
    rows, numbers = chart_layers.overall(curve), Numbers(metrics)
    if not rows.height:
        return None
    series = Series(style.model_styles(models), style.HALF)
    top = _top(rows)
    digits = chart_layers.decimals(top)
    lines = _lines(rows, series, digits)
    points = [
        {"c1": round(value, digits), "c2": 0.5} | series.marker(model_style)
        for model_style in series.styles
        if (value := numbers.value("median_absolute_error", model_style.model)) is not None
    ]
    x = scales.x("c1", "Tolerance (absolute error)", [0, top])
    y = chart_layers.rate_y("c2", "Share of rows within")
    curves = strokes([_simple(line, top) for line in lines], series, x, y, clip=True)
    return chart_layers.oblong(
        series,
        chart_layers.references([(0, 0.5), (round(top, digits), 0.5)]),
        *_muted(others, top, digits),
        curves,
        chart_layers.hover(lines, c0="Model", c1="Tolerance", c2="Share of rows"),
        chart_layers.markers(points, series, ("Median absolute error", "Share of rows")),
    )


def _muted(others: Results | None, top: float, digits: int) -> list[alt.Chart]:
    return muted(
        others,
        "error_characteristic",
        ("tolerance", "share"),
        lambda line: _simple(line, top, COARSE),
        max(5, digits),
        c1="Tolerance",
        c2="Share of rows",
    )


def _lines(rows: pl.DataFrame, series: Series, digits: int) -> list[chart_layers.Datum]:
    return [
        {
            "c0": series.lines[model_style.model],
            "c1": chart_layers.placed(part["tolerance"], digits),
            "c2": chart_layers.rounded(part["share"]),
        }
        for model_style in series.styles
        if (part := rows.filter(pl.col("model") == model_style.model)).height
    ]


def _top(rows: pl.DataFrame) -> float:
    """Return where the axis ends: at the largest error, or before a long tail."""
    largest = as_float(rows["tolerance"].max(), 0.0)
    within = rows.filter(pl.col("share") >= 0.98).group_by("model").agg(pl.col("tolerance").min())
    most = as_float(within["tolerance"].max(), 0.0)
    return (1.1 * most if 0 < most * FAR < largest else largest) or 1.0


def _simple(line: chart_layers.Datum, top: float, fine: float = 1 / 1000) -> chart_layers.Datum:
    """Return the line without the points that the axis leaves out, but for the next one."""
    count = sum(value <= top for value in line["c1"]) + 1
    return chart_layers.simple(line | {field: line[field][:count] for field in ("c1", "c2")}, fine)


@report_chart(40, "regression", curve="error_characteristic", muted=True)
def figures(results: Results, others: Results | None = None) -> list[Figure]:
    """Return the figure, or none: of quantiles, errors of either sign are not alike."""
    if quantile_levels(results.data["models"]):
        return []
    models, model_styles = results.models, captions.model_styles(results)
    curve = captions.curve(results, "error_characteristic")
    chart = draw(curve, results.metrics, models, others)
    if chart is None:
        return []
    numbers = Numbers(results.metrics)
    summaries = [
        f"{model_style.label}: half of the rows within "
        f"{numbers.get('median_absolute_error', model_style.model).point}"
        for model_style in model_styles
    ]
    order = numbers.best_first("median_absolute_error", models, lowest=True)
    title = "Share of the rows within each error"
    if order and not results.reading.median_favoured:
        best = next(model_style for model_style in model_styles if model_style.model == order[0])
        value = numbers.get("median_absolute_error", order[0]).point
        lead = "Lowest median error: " if len(order) > 1 else ""
        title = f"{lead}{captions.short(best)}, half of the rows within {value}"
    return [
        Figure(
            id="error_characteristic",
            title=title,
            subtitle=(
                "What share of the estimates is within each error? Higher is better. Marker: the "
                "median absolute error." + muted_note(others)
            ),
            alt=f"Share of rows against tolerance (REC curves). {'; '.join(summaries)}.",
            chart=chart_layers.specification(chart),
            table=_table(chart_layers.overall(curve), model_styles),
            width="half",
            section="errors",
        )
    ]


def _table(rows: pl.DataFrame, model_styles: Sequence[style.ModelStyle]) -> pl.DataFrame:
    names = {model_style.model: model_style.label for model_style in model_styles}
    return chart_layers.thinned(rows, 20).select(
        pl.col("model").replace(names).alias("Model"),
        pl.col("tolerance").alias("Tolerance"),
        pl.col("share").alias("Share of rows"),
    )
