"""Estimates against the truth, and residuals against the estimates: a panel per model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, panels, scales, scatter, style, texts
from reportgen.charts.channels import Axes
from reportgen.charts.metric_values import Numbers
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.scatter import Ends
from reportgen.charts.style import ModelStyle
from reportgen.metric_names import quantile_in_words
from reportgen.records.model import Results
from reportgen.records.rows import quantile_levels
from reportgen.tables import Estimates

MOST = 20
"""Most panels; beyond, the models with the lowest RMSE."""

EXTENT = 34
GAP = 16
FAR = 0.6
"""Marks further from the truth's range than this part of it would squeeze the others."""

BINS = 10
"""Groups of rows whose mean residuals are joined."""


@dataclass(frozen=True, slots=True)
class Cloud:
    """One model's rows in the coordinates of its panel."""

    style: ModelStyle
    x: np.ndarray
    y: np.ndarray


def draw(
    estimates: DataFrame[Estimates], model_styles: Sequence[ModelStyle], *, residuals: bool = False
) -> alt.ConcatChart | None:
    """Estimate against truth with equal axes, or residual against estimate."""
    whole = _clouds(estimates, model_styles, residuals=residuals)
    if not whole:
        return None
    ends = _ends(whole, residuals=residuals)
    visible = [_within(part, ends) for part in whole]
    count = panels.columns(len(visible))
    width = panels.width(count, EXTENT + 16, GAP)
    height = min(width, 150.0) if residuals and count > 1 else width * (0.6 if residuals else 1)
    size = (width, height)
    squares = [scatter.cells(part.x, part.y, ends, size) for part in visible]
    dense = scatter.is_dense([len(p.x) for p in visible], [len(s[0]) for s in squares])
    names = ("Estimate", "Residual") if residuals else ("True value", "Estimate")
    charts = []
    for place, (part, cells) in enumerate(zip(visible, squares, strict=True)):
        cloud = (
            scatter.squares(cells, part.style, ends, size)
            if dense
            else scatter.points(part.x, part.y, part.style, ends)
        )
        axes = _axes(names, ends, place % count == 0, panels.is_lowest(place, count, len(visible)))
        line = [(ends[0][0], 0.0), (ends[0][1], 0.0)] if residuals else [(e, e) for e in ends[0]]
        layers = [cloud.encode(**axes), chart_layers.references(line, color=style.INK, dash=(4, 3))]
        layers += _means(part, ends, rim=dense) if residuals else []
        charts.append(panels.headed(layers, part.style.label, width, height))
    full = len(visible) % count == 0
    return panels.arranged(charts, count, row=style.HEADING + (4 if full else 32), gap=GAP)


def _clouds(
    estimates: pl.DataFrame, model_styles: Sequence[ModelStyle], *, residuals: bool
) -> list[Cloud]:
    parts = chart_layers.overall(estimates).partition_by("model", as_dict=True)
    point_clouds = []
    for model_style in model_styles:
        if (model_style.model,) not in parts:
            continue
        truth, estimate = (parts[model_style.model,][c].to_numpy() for c in ("truth", "estimate"))
        pair = (estimate, truth - estimate) if residuals else (truth, estimate)
        point_clouds.append(Cloud(model_style, *pair))
    return point_clouds


def _ends(point_clouds: Sequence[Cloud], *, residuals: bool) -> tuple[Ends, Ends]:
    """Return the ends of both axes, which all panels share; few marks far away are left out."""
    x, y = ([getattr(part, side) for part in point_clouds] for side in ("x", "y"))
    if residuals:
        low, high = _near(y)
        most = max(abs(low), abs(high)) or 1.0
        return _pair(scales.domain(np.array(_near(x)))), (-1.05 * most, 1.05 * most)
    truth = np.concatenate(x)
    span = FAR * float(truth.max() - truth.min()) or np.inf
    whole = np.concatenate(y)
    near = whole[(whole >= truth.min() - span) & (whole <= truth.max() + span)]
    both = _pair(scales.domain(truth, near))
    return both, both


def _within(part: Cloud, ends: tuple[Ends, Ends]) -> Cloud:
    inside = np.ones(len(part.x), dtype=bool)
    for values, (low, high) in zip((part.x, part.y), ends, strict=True):
        inside &= (values >= low) & (values <= high)
    return Cloud(part.style, part.x[inside], part.y[inside])


def outside(
    estimates: DataFrame[Estimates], model_styles: Sequence[ModelStyle], *, residuals: bool
) -> int:
    """Return how many marks lie outside the panels."""
    point_clouds = _clouds(estimates, model_styles, residuals=residuals)
    ends = _ends(point_clouds, residuals=residuals)
    return sum(len(part.x) - len(_within(part, ends).x) for part in point_clouds)


def _near(parts: Sequence[np.ndarray]) -> Ends:
    """Return the ends of the values, without the few that are far from all others."""
    whole = np.concatenate(parts)
    low, high = np.quantile(whole, [0.005, 0.995])
    room = 1.5 * (high - low)
    inliers = whole[(whole >= low - room) & (whole <= high + room)]
    return float(inliers.min()), float(inliers.max())


def _pair(ends: Sequence[float]) -> Ends:
    return ends[0], ends[1]


def _axes(names: tuple[str, str], ends: tuple[Ends, Ends], first: bool, lowest: bool) -> Axes:
    bare = {} if lowest else {"labels": False, "ticks": False}
    side = panels.room(EXTENT, shown=first)
    return {
        "x": scales.x("c1", names[0] if lowest else None, ends[0], number=4, **bare),
        "y": scales.y("c2", names[1] if first else None, ends[1], number=4, **side),
    }


def _means(part: Cloud, ends: tuple[Ends, Ends], *, rim: bool) -> list[alt.Chart]:
    """Return the mean residual of rows with similar estimates as a line, rimmed on squares."""
    order = np.argsort(part.x, kind="stable")
    groups = np.array_split(order, min(BINS, max(1, len(order) // 10)))
    digits = chart_layers.decimals(ends[0][1] - ends[0][0])
    line = {
        "c0": 0,
        "c1": [round(float(part.x[group].mean()), digits) for group in groups],
        "c2": [round(float(part.y[group].mean()), digits) for group in groups],
    }
    base = chart_layers.inline([line], "c1", "c2")
    return [
        base.mark_line(color=color, strokeWidth=width, clip=True).encode(
            x=alt.X("c1:Q"), y=alt.Y("c2:Q")
        )
        for color, width in ([("white", 4)] if rim else []) + [(style.INK, 1.6)]
    ]


@report_chart(20, "regression", curve="estimates")
def figures(results: Results) -> list[Figure]:
    """Return both figures, of the best models where there are many."""
    model_styles = _shown(results)
    curve = captions.curve(results, "estimates")
    result = []
    for residuals in (False, True):
        chart = draw(curve, model_styles, residuals=residuals)
        if chart is not None:
            result.append(_figure(results, model_styles, chart, residuals=residuals))
    return result


def _shown(results: Results) -> list[ModelStyle]:
    model_styles = captions.model_styles(results)
    if len(model_styles) <= MOST:
        return model_styles
    order = Numbers(results.metrics).best_first(
        "root_mean_squared_error", [model_style.model for model_style in model_styles], lowest=True
    )
    return [model_style for model_style in model_styles if model_style.model in set(order[:MOST])]


def _figure(
    results: Results, model_styles: Sequence[ModelStyle], chart: alt.ConcatChart, *, residuals: bool
) -> Figure:
    curve = chart_layers.overall(captions.curve(results, "estimates"))
    numbers = Numbers(results.metrics)
    metric, name = ("mean_error", "mean residual") if residuals else ("r2", "R²")
    summaries = [
        f"{model_style.label}: {name} {numbers.get(metric, model_style.model).point}"
        for model_style in model_styles
    ]
    title = _bias(numbers, model_styles) if residuals else captions.best(results, "r2", "R²")
    if levels := quantile_levels(results.data["models"]):
        of = f"the {quantile_in_words(min(levels))}" if len(levels) == 1 else "quantiles"
        title = f"{'Residuals' if residuals else 'Estimates'} of {of}"
    what = "Residual (truth minus estimate) against estimate"
    return Figure(
        id="residuals" if residuals else "estimates",
        title=title,
        subtitle=_subtitle(results, curve, model_styles, residuals=residuals),
        alt=f"{what if residuals else 'Estimate against truth'}, one panel per model. "
        f"{'; '.join(summaries)}.",
        chart=chart_layers.specification(chart),
        table=_table(curve, model_styles),
        width="half" if len(model_styles) == 1 else "full",
        section="errors",
    )


def _bias(numbers: Numbers, model_styles: Sequence[ModelStyle]) -> str:
    """State whose estimates are furthest off on average, and in which direction."""
    biases = [
        (v, k) for k in model_styles if (v := numbers.value("mean_error", k.model)) is not None
    ]
    if not biases:
        return "Residuals against the estimates"
    value, model_style = max(biases, key=lambda pair: abs(pair[0]))
    side = "too low" if value > 0 else "too high"
    lead = "" if len(biases) == 1 else "Largest bias: "
    size = numbers.get("mean_error", model_style.model).point.lstrip("−<> ")
    return f"{lead}{captions.short(model_style)}, estimates {size} {side} on average"


def _subtitle(
    results: Results, curve: pl.DataFrame, model_styles: Sequence[ModelStyle], *, residuals: bool
) -> str:
    subtitle = (
        "Do the errors depend on the estimate? Line: mean residual of rows with similar "
        "estimates. Dashed: no bias."
        if residuals
        else "How close are the estimates to the true values? Dashed: equality."
    )
    rows = results.data["rows_evaluated"]
    drawn = max(curve["model"].value_counts()["count"].to_list())
    if drawn < rows:
        subtitle += (
            f" Shown: an evenly spaced sample of {texts.count(drawn)} of {texts.count(rows)} rows."
        )
    far = outside(captions.curve(results, "estimates"), model_styles, residuals=residuals)
    if far:
        lie = "estimate lies" if far == 1 else "estimates lie"
        subtitle += f" {texts.count(far)} {lie} outside the panels."
    if len(model_styles) < len(results.models):
        subtitle += f" Shown: the {len(model_styles)} models with the lowest RMSE."
    return subtitle if residuals else subtitle + _coverage(Numbers(results.metrics), model_styles)


def _coverage(numbers: Numbers, model_styles: Sequence[ModelStyle]) -> str:
    """Say how many truths lie in the models' prediction intervals."""
    parts = [
        f"{captions.short(model_style)} {texts.percent(value)}"
        for model_style in model_styles
        if (value := numbers.value("interval_coverage", model_style.model)) is not None
    ]
    return f" Coverage of the prediction intervals: {', '.join(parts)}." if parts else ""


def _table(curve: pl.DataFrame, model_styles: Sequence[ModelStyle]) -> pl.DataFrame:
    names = {model_style.model: model_style.label for model_style in model_styles}
    return (
        chart_layers.thinned(curve.filter(pl.col("model").is_in(list(names))), 20)
        .with_columns(residual=pl.col("truth") - pl.col("estimate"))
        .select(
            pl.col("model").replace(names).alias("Model"),
            pl.col("truth").alias("True value"),
            pl.col("estimate").alias("Estimate"),
            pl.col("residual").alias("Residual"),
        )
    )
