"""Residuals against what a normal distribution would give, all models in one chart."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, scales, style, texts
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.series import Series
from reportgen.records.model import Results
from reportgen.tables import ResidualQuantiles

AXES = ("expected", "residual")
NAMES = ("Normal quantile", "Residual (truth − estimate)")


def draw(quantiles: DataFrame[ResidualQuantiles], models: Sequence[str]) -> alt.LayerChart | None:
    """Sorted residuals against normal quantiles; on the dashed line they are normal."""
    rows = chart_layers.overall(quantiles)
    if not rows.height:
        return None
    series = Series(style.model_styles(models), style.HALF)
    across = scales.domain(rows["expected"].to_numpy())
    up = scales.domain(rows["residual"].to_numpy())
    digits = chart_layers.decimals(min(across[1] - across[0], up[1] - up[0]))
    lines = [
        {
            "c0": series.lines[model_style.model],
            **{f"c{i}": chart_layers.placed(part[axis], digits) for i, axis in enumerate(AXES, 1)},
        }
        for model_style in series.styles
        if (part := rows.filter(pl.col("model") == model_style.model)).height
    ]
    low, high = max(across[0], up[0]), min(across[1], up[1])
    points = (
        chart_layers.inline([chart_layers.simple(line) for line in lines], "c1", "c2")
        .mark_line(strokeWidth=series.stroke)
        .encode(
            x=scales.x("c1", NAMES[0], across),
            y=scales.y("c2", NAMES[1], up),
            color=series.color(),
            strokeDash=series.dash(),
        )
    )
    ends = round(low, digits), round(high, digits)
    return chart_layers.oblong(
        series,
        chart_layers.references([(end, end) for end in ends]),
        points,
        chart_layers.hover(lines, c0="Model", c1=NAMES[0], c2=NAMES[1]),
    )


@report_chart(30, "regression", curve="residual_quantiles")
def figures(results: Results) -> list[Figure]:
    """Return the figure, or none."""
    curve = captions.curve(results, "residual_quantiles")
    chart = draw(curve, results.models)
    if chart is None:
        return []
    rows, model_styles = chart_layers.overall(curve), captions.model_styles(results)
    ends = _reached(rows, model_styles)
    summaries = _summaries(ends, model_styles)
    widest = max(
        (model_style for model_style in model_styles if model_style.model in ends),
        key=lambda model_style: ends[model_style.model][1] - ends[model_style.model][0],
    )
    low, high, *_ = ends[widest.model]
    return [
        Figure(
            id="residual_quantiles",
            title=(
                f"Largest residuals: {captions.short(widest)}, from {texts.amount(low)} to "
                f"{texts.amount(high)}"
            ),
            subtitle=(
                "Are the residuals normally distributed? Dashed: a normal distribution; steeper "
                "ends are heavier tails."
            ),
            alt=f"Residuals against normal quantiles. {'; '.join(summaries)}.",
            chart=chart_layers.specification(chart),
            table=_table(rows, model_styles),
            width="half",
            section="errors",
        )
    ]


def _reached(
    rows: pl.DataFrame, model_styles: Sequence[style.ModelStyle]
) -> dict[str, tuple[float, ...]]:
    """Return the ends of each model's residuals, and of normal ones."""
    ends = rows.group_by("model").agg(
        low=pl.col("residual").min(),
        high=pl.col("residual").max(),
        normal_low=pl.col("expected").min(),
        normal_high=pl.col("expected").max(),
    )
    ranges = {model: tuple(limits) for model, *limits in ends.iter_rows()}
    return {
        model_style.model: ranges[model_style.model]
        for model_style in model_styles
        if model_style.model in ranges
    }


def _summaries(
    ends: dict[str, tuple[float, ...]], model_styles: Sequence[style.ModelStyle]
) -> list[str]:
    return [
        f"{model_style.label}: residuals from {texts.amount(low)} to {texts.amount(high)}, "
        f"expected if normal: from {texts.amount(normal_low)} to {texts.amount(normal_high)}"
        for model_style in model_styles
        if model_style.model in ends
        for low, high, normal_low, normal_high in [ends[model_style.model]]
    ]


def _table(rows: pl.DataFrame, model_styles: Sequence[style.ModelStyle]) -> pl.DataFrame:
    names = {model_style.model: model_style.label for model_style in model_styles}
    return chart_layers.thinned(rows, 20).select(
        pl.col("model").replace(names).alias("Model"),
        pl.col("expected").alias(NAMES[0]),
        pl.col("residual").alias("Residual"),
    )
