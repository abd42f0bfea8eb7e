"""Key numbers of estimates, each on its own scale: a panel per metric, a row per model."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, class_names, labels, panels, scales, style
from reportgen.charts.channels import Mark
from reportgen.charts.metric_values import Numbers, NumberWithLimits
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.style import ModelStyle
from reportgen.records.definitions import Definitions, MetricDefinition
from reportgen.records.model import Results
from reportgen.records.rows import quantile_levels
from reportgen.tables import Metrics

SHOWN = {"root_mean_squared_error": "RMSE", "mean_absolute_error": "MAE", "r2": "R²"}
WIDEST = 170
ROW = 24
TALLEST = 800
GAP = 30
ROOM = 0.26
"""Room for the value beside its mark, in parts of the axis."""


def draw(
    metrics: DataFrame[Metrics], model_styles: Sequence[ModelStyle], definitions: Definitions
) -> alt.ConcatChart | None:
    """Values with their intervals, where they have any."""
    numbers = Numbers(metrics)
    shown = [
        m
        for m in SHOWN
        if any(numbers.value(m, model_style.model) is not None for model_style in model_styles)
    ]
    if not shown:
        return None
    names = class_names.fitted([model_style.label for model_style in model_styles], WIDEST - 12)
    margin = 12 + max(labels.text_width(name) for name in names)
    width = (style.FULL - margin - 8 - GAP * (len(shown) - 1)) / len(shown)
    parts = [
        panels.headed(
            _panel(
                {n: numbers.get(metric, k.model) for n, k in zip(names, model_styles, strict=True)},
                metric,
                model_styles,
                definitions,
                margin if place == 0 else 0,
            ),
            SHOWN[metric],
            width,
            min(ROW * len(model_styles), TALLEST),
        )
        for place, metric in enumerate(shown)
    ]
    return panels.arranged(parts, len(parts), row=0, gap=GAP)


def _panel(
    estimates: dict[str, NumberWithLimits],
    metric: str,
    model_styles: Sequence[ModelStyle],
    definitions: Definitions,
    margin: float,
) -> list[alt.Chart]:
    ends = _ends(list(estimates.values()), definitions.metric(metric, "regression"))
    digits = chart_layers.decimals(ends[1] - ends[0])
    records = [
        {
            "c0": name,
            "c8": model_style.color,
            "c9": model_style.shape,
            "c3": estimate.point,
        }
        | {
            field: round(value, digits)
            for field, value in (
                ("c1", estimate.value),
                ("c4", estimate.low),
                ("c5", estimate.high),
            )
            if value is not None
        }
        for (name, estimate), model_style in zip(estimates.items(), model_styles, strict=True)
        if estimate.value is not None
    ]
    y = panels.names_axis("c0:N", estimates, margin, WIDEST)
    paint = alt.Color("c8:N", scale=None)
    base = chart_layers.inline(records).encode(y=y, color=paint)
    spread = chart_layers.inline([r for r in records if "c4" in r and "c5" in r]).encode(
        y=y, color=paint
    )
    layers = [
        base.mark_point(filled=True, opacity=1, size=60).encode(
            x=scales.x("c1", None, ends, number=4),
            shape=alt.Shape("c9:N", scale=None),
            tooltip=chart_layers.tooltips(c0="Model", c1=SHOWN[metric], c4="Low", c5="High"),
        ),
        _values(records, y, left=ends[1] == 1),
    ]
    if any("c4" in record for record in records):
        rule = spread.mark_rule(strokeWidth=1.6)
        layers.insert(0, rule.encode(x=scales.x("c4", None, ends, number=4), x2=alt.X2("c5:Q")))
    return layers


def _values(records: Sequence[chart_layers.Datum], y: alt.Y, *, left: bool) -> alt.Chart:
    """Return the values as words, right of the mark or of its interval, or left of it."""
    end = "c4" if left else "c5"
    value_labels = [
        {"c0": record["c0"], "c1": record.get(end, record["c1"]), "c3": record["c3"]}
        for record in records
    ]
    side: Mark = {"align": "right", "dx": -7} if left else {"align": "left", "dx": 7}
    words = chart_layers.inline(value_labels).mark_text(**side)
    chart: alt.Chart = words.encode(x=alt.X("c1:Q"), y=y, text=alt.Text("c3:N"))
    return chart


def _ends(estimates: Sequence[NumberWithLimits], metric: MetricDefinition | None) -> list[float]:
    """Return the ends of an axis: from zero, or around the intervals where all have one."""
    defined = [e for e in estimates if e.value is not None]
    lows = [e.value if e.low is None else e.low for e in defined]
    highs = [e.value if e.high is None else e.high for e in defined]
    low, high = min(v for v in lows if v is not None), max(v for v in highs if v is not None)
    zoomed = all(e.low is not None and e.high is not None for e in defined) and high > low
    if not zoomed:
        low = min(0.0, low)
    span = (high - low) or abs(high) or 1.0
    if metric and metric.highest == 1 and high + ROOM * span > 1:
        return [min(low, 1 - 2 * (high - low)) - ROOM * span if low else 0.0, 1.0]
    return [low - (0.06 * span if zoomed or low < 0 else 0.0), high + ROOM * span]


@report_chart(10, "regression")
def figures(results: Results) -> list[Figure]:
    """Return the figure; none of quantiles, nor where no key number has a value."""
    if quantile_levels(results.data["models"]):
        return []
    model_styles, numbers = captions.model_styles(results), Numbers(results.metrics)
    chart = draw(results.metrics, model_styles, results.definitions)
    if chart is None:
        return []
    summaries = [
        f"{model_style.label}: "
        + ", ".join(
            f"{name} {numbers.get(metric, model_style.model).point}"
            for metric, name in SHOWN.items()
        )
        for model_style in model_styles
    ]
    whole = any(
        numbers.get(m, model_style.model).low is not None
        for m in SHOWN
        for model_style in model_styles
    )
    bars = "Bars: confidence intervals. " if whole else ""
    return [
        Figure(
            id="key_metrics",
            title=captions.best(
                results,
                "root_mean_squared_error",
                "RMSE",
                lowest=True,
                tested="mean_squared_error",
            ),
            subtitle=(
                f"How far are the estimates from the true values? {bars}RMSE and MAE are in the "
                "unit of the truth. Lower RMSE and MAE and higher R² are better."
            ),
            alt=f"Key numbers of each model. {'; '.join(summaries)}.",
            chart=chart_layers.specification(chart),
            table=_table(numbers, model_styles),
            width="full",
            section="key_numbers",
        )
    ]


def _table(numbers: Numbers, model_styles: Sequence[ModelStyle]) -> pl.DataFrame:
    rows = [
        (name, model_style.label, estimate.value, estimate.low, estimate.high)
        for metric, name in SHOWN.items()
        for model_style in model_styles
        if (estimate := numbers.get(metric, model_style.model)).value is not None
    ]
    columns = ["Measure", "Model", "Value", "Low", "High"]
    return pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
