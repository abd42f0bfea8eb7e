"""Reliability of forecasts: observed frequency against forecast, a panel per model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, style
from reportgen.charts.channels import AxisRoom
from reportgen.charts.metric_values import Numbers
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.scales import UnitAxes
from reportgen.charts.style import ModelStyle
from reportgen.records.model import Results
from reportgen.tables import Calibration
from reportgen.tasks import CLASSIFICATION


@dataclass(frozen=True, slots=True)
class CalibrationText:
    """What axes and subtitle say."""

    observed: str
    forecast: str
    subtitle: str


RARE_TITLE = "Predicted and observed frequencies of a rare class"
"""Of a rare class every calibration error is small, so none is the finding."""

OF_POSITIVE = CalibrationText(
    "Observed frequency",
    "Predicted probability",
    "Do predicted probabilities match observed frequencies? Dashed: perfect calibration. "
    "Bars: confidence intervals. Below: distribution of the predictions.",
)
OF_HIGHEST = CalibrationText(
    "Proportion correct",
    "Highest probability",
    "Is the predicted class correct as often as its probability says? Dashed: perfect "
    "calibration; above it the model is underconfident, below it overconfident. Bars: "
    "confidence intervals. Below: distribution of the highest probability.",
)
"""Of several classes, the one with the highest score is evaluated."""

LOGARITHMIC = " Log scales; hollow: a bin without positives."
"""What is said of axes and bins where nearly all predictions are near 0."""

MARGIN = 45
"""Room left of the first panel, for its axis."""

EXTENT = 26
GAP = 18
TALLEST = 230
HISTOGRAM = 36


def draw(
    curve: DataFrame[Calibration],
    model_styles: Sequence[ModelStyle],
    words: CalibrationText = OF_POSITIVE,
) -> alt.VConcatChart | alt.ConcatChart | None:
    """Observed frequency against mean forecast per bin, over a histogram of the forecasts."""
    whole = chart_layers.overall(curve)
    with_curve = [
        model_style for model_style in model_styles if model_style.model in set(whole["model"])
    ]
    if not with_curve:
        return None
    columns, axes = _columns(len(with_curve)), UnitAxes.of(whole)
    full = style.HALF if len(with_curve) == 1 else style.FULL
    width = (full - MARGIN - 5 - GAP * (columns - 1)) / columns
    panels = [
        _panel(
            whole.filter(pl.col("model") == model_style.model),
            model_style,
            width,
            words,
            axes,
            first=place % columns == 0,
        )
        for place, model_style in enumerate(with_curve)
    ]
    rows = [_row(panels[start : start + columns]) for start in range(0, len(panels), columns)]
    return rows[0] if len(rows) == 1 else alt.vconcat(*rows, spacing=16)


def _row(panels: Sequence[tuple[alt.LayerChart, alt.Chart]]) -> alt.ConcatChart:
    """Return the panels side by side, each histogram under its reliability."""
    upper, lower = zip(*panels, strict=True)
    spacing = {"row": 8, "column": GAP}
    return alt.concat(*upper, *lower, columns=len(panels), bounds="flush", spacing=spacing)


def _columns(panels: int) -> int:
    if panels <= 4:
        return panels
    return 3 if panels <= 6 else 4 if panels <= 8 else 5


def _panel(
    bins: pl.DataFrame,
    model_style: ModelStyle,
    width: float,
    words: CalibrationText,
    axes: UnitAxes,
    *,
    first: bool,
) -> tuple[alt.LayerChart, alt.Chart]:
    over_labels = 0 if first else -3
    upper = _reliability(bins, model_style, words.observed, axes, first=first).properties(
        width=width,
        height=min(width, TALLEST),
        title=chart_layers.titled(
            model_style.label, width, color=model_style.color, dy=over_labels
        ),
    )
    lower = _histogram(bins, model_style, words.forecast, axes, first=first)
    return upper, lower.properties(width=width, height=HISTOGRAM)


def _reliability(
    bins: pl.DataFrame, model_style: ModelStyle, name: str, axes: UnitAxes, *, first: bool
) -> alt.LayerChart:
    records = [_point(row, axes) for row in bins.iter_rows(named=True)]
    bare = {} if first else {"labels": False, "ticks": False}
    title = name if first else None
    axis = {**bare, **_extent(first)}
    base = chart_layers.inline(records).encode(
        x=axes.x("c1", None, labels=False, ticks=False), y=axes.y("c2", title, **axis)
    )
    spread = base.transform_filter("isValid(datum.c3)")
    observed = "c6" if axes.lowest else "c2"
    tooltip = chart_layers.tooltips(**{"c1": "Mean prediction", observed: name, "c5": "Rows"})
    positive = base.transform_filter("datum.c6 !== 0") if axes.lowest else base
    layers = [
        chart_layers.references([(axes.lowest, axes.lowest), (1, 1)]),
        spread.mark_rule(color=model_style.color, strokeWidth=1.2).encode(
            y=axes.y("c3", title, **axis), y2=alt.Y2("c4:Q")
        ),
        positive.mark_line(color=model_style.color, strokeWidth=1.2, strokeDash=model_style.dash),
        positive.mark_point(
            color=model_style.color, shape=model_style.shape, filled=True, opacity=1, size=32
        ).encode(tooltip=tooltip),
    ]
    if any(record.get("c6") == 0 for record in records):
        without = base.transform_filter("datum.c6 === 0")
        hollow = without.mark_point(color=model_style.color, shape=model_style.shape, size=24)
        layers.append(hollow.encode(tooltip=tooltip))
    return chart_layers.layered(*layers)


def _point(row: Mapping[str, Any], axes: UnitAxes) -> chart_layers.Datum:
    """A bin: forecast, observed frequency and its limits as they are drawn, rows, and as it is."""
    names = ("mean_score", "observed", "observed_low", "observed_high")
    point = {f"c{k}": axes.placed(row[name]) for k, name in enumerate(names, 1)}
    point["c5"] = round(row["count"], 5)
    return point | ({"c6": round(row["observed"], axes.decimals)} if axes.lowest else {})


def _histogram(
    bins: pl.DataFrame, model_style: ModelStyle, name: str, axes: UnitAxes, *, first: bool
) -> alt.Chart:
    shares = bins.select("low", "high", share=pl.col("count") / pl.col("count").sum())
    records = [
        {"c1": axes.placed(low), "c2": axes.placed(high), "c3": round(share, 5), "c4": 0}
        for low, high, share in shares.iter_rows()
    ]
    y = alt.Y(
        "c3:Q",
        title="Rows" if first else None,
        scale=alt.Scale(domain=[0, max(record["c3"] for record in records)], nice=False),
        axis=alt.Axis(values=[], domain=False, grid=False, **_extent(first)),
    )
    chart: alt.Chart = (
        chart_layers.inline(records)
        .mark_bar(color=model_style.color, fillOpacity=0.6, stroke="white", strokeWidth=0.6)
        .encode(x=axes.x("c1", name, grid=False), x2=alt.X2("c2:Q"), y=y, y2=alt.Y2("c4:Q"))
    )
    return chart


def _extent(first: bool) -> AxisRoom:
    """Fix the room beside the axis, so that panels line up and the width is known."""
    return {"minExtent": EXTENT, "maxExtent": EXTENT} if first else {"maxExtent": 0}


@report_chart(70, *CLASSIFICATION, curve="calibration", each=True)
def figures(results: Results) -> list[Figure]:
    """Return the figure, or none where no model gives probabilities."""
    numbers = Numbers(results.metrics)
    model_styles = [
        model_style
        for model_style in captions.model_styles(results)
        if captions.model_data(results, model_style.model)["probability"]
    ]
    words = OF_HIGHEST if results.task.several_classes else OF_POSITIVE
    whole = captions.curve(results, "calibration")
    curve = Calibration.validate(whole.filter(pl.col("class").is_null()))
    chart = draw(curve, model_styles, words)
    if chart is None:
        return []
    summaries = [
        f"{model_style.label}: expected calibration error "
        f"{numbers.get('expected_calibration_error', model_style.model).point}, "
        f"Brier score {numbers.get('brier_score', model_style.model).point}"
        for model_style in model_styles
    ]
    return [
        Figure(
            id="calibration",
            title=RARE_TITLE
            if results.reading.a_class_is_rare
            else captions.best(
                results, "expected_calibration_error", "expected calibration error", lowest=True
            ),
            subtitle=words.subtitle
            + (LOGARITHMIC if UnitAxes.of(curve).lowest else "")
            + _remark(results, curve),
            alt=f"{words.observed} against {words.forecast.lower()}. {'; '.join(summaries)}.",
            chart=chart_layers.specification(chart),
            table=_table(curve, model_styles),
            width="half" if len(model_styles) == 1 else "full",
            section="calibration",
        )
    ]


def _remark(results: Results, curve: DataFrame[Calibration]) -> str:
    """What the bars leave out; nothing where there are none, as of weighted rows."""
    bars = curve["observed_low"].is_not_null().any()
    return captions.independent_rows(results, "Bars") if bars else ""


def _table(curve: pl.DataFrame, model_styles: Sequence[ModelStyle]) -> pl.DataFrame:
    names = {model_style.model: model_style.label for model_style in model_styles}
    return (
        chart_layers.overall(curve)
        .filter(pl.col("model").is_in(list(names)))
        .select(
            pl.col("model").replace(names).alias("Model"),
            pl.col("low").alias("From"),
            pl.col("high").alias("To"),
            pl.col("count").alias("Rows"),
            pl.col("mean_score").alias("Mean prediction"),
            pl.col("observed").alias("Observed frequency"),
            pl.col("observed_low").alias("Low"),
            pl.col("observed_high").alias("High"),
        )
    )
