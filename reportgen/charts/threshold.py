"""Metrics against the threshold: a panel per metric, all models in each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, style, texts
from reportgen.charts.metric_values import Numbers
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.scales import logarithmic_axis
from reportgen.charts.scores import lowest_of_crowded
from reportgen.charts.series import Series
from reportgen.charts.style import ModelStyle
from reportgen.column_statistics import as_float
from reportgen.records.definitions import Definitions
from reportgen.records.model import Results
from reportgen.tables import ThresholdCurve

COLUMNS = 3
EXTENT = 26
"""Room left of each panel, for the labels of its axis."""

GAP = 42
HEIGHT = 104
FINE = 1 / 500
"""How far a drawn line may be from the true one, in parts of an axis."""


def draw(
    curve: DataFrame[ThresholdCurve],
    model_styles: Sequence[ModelStyle],
    thresholds: Mapping[str, float],
    definitions: Definitions,
    lowest: float = 0.0,
) -> alt.ConcatChart | None:
    """Each metric of the table against the threshold, each model's own threshold marked.

    ``lowest`` is where a logarithmic axis begins, 0 where the axis is even.
    """
    members = pl.col("model").is_in([model_style.model for model_style in model_styles])
    whole = chart_layers.overall(curve).filter(members).drop_nulls("value")
    metrics = whole["metric"].unique(maintain_order=True).to_list()
    if not metrics:
        return None
    models = set(whole["model"])
    series = Series(
        [model_style for model_style in model_styles if model_style.model in models], style.FULL
    )
    columns = min(COLUMNS, len(metrics))
    width = (style.FULL - EXTENT - 7 - (columns - 1) * GAP) / columns
    if lowest:
        whole = whole.filter(pl.col("threshold") >= lowest)
    domain = [lowest or whole["threshold"].min(), whole["threshold"].max()]
    panels = [
        _panel(
            whole.filter(pl.col("metric") == metric),
            _drawn(metric, definitions),
            series,
            thresholds,
            lowest,
        )
        .encode(x=_x(domain, lowest, last=place + columns >= len(metrics)))
        .properties(
            width=width,
            height=HEIGHT,
            title=chart_layers.titled(_drawn(metric, definitions).label, width),
        )
        for place, metric in enumerate(metrics)
    ]
    rows = style.AXIS_ROOM + style.HEADING - 10
    chart: alt.ConcatChart = alt.concat(
        *panels, columns=columns, bounds="flush", spacing={"row": rows, "column": GAP}
    ).resolve_scale(color="shared", strokeDash="shared")
    return chart


class DrawnMetric(NamedTuple):
    """A metric of a panel: its printed name, and its highest value where it has one."""

    label: str
    highest: float | None


def _drawn(metric: str, definitions: Definitions) -> DrawnMetric:
    definition = definitions.metric(metric)
    highest = definition.highest if definition else None
    return DrawnMetric(texts.capitalised(definitions.label(metric)), highest)


def _x(domain: Sequence[Any], lowest: float, *, last: bool) -> alt.X:
    if not lowest:
        scale, axis = alt.Scale(domain=list(domain), nice=False), alt.Axis(tickCount=4)
        return alt.X("c1:Q", title="Threshold" if last else None, scale=scale, axis=axis)
    scale = alt.Scale(type="log", domain=list(domain), nice=False)
    title = "Threshold, log scale" if last else None
    return alt.X("c1:Q", title=title, scale=scale, axis=logarithmic_axis(lowest))


def _panel(
    rows: pl.DataFrame,
    metric: DrawnMetric,
    series: Series,
    thresholds: Mapping[str, float],
    lowest: float,
) -> alt.LayerChart:
    # Decimals of a threshold: as many digits at the low end of a logarithmic axis
    columns, digits = ("threshold", "value"), 5 - math.floor(math.log10(lowest)) if lowest else 5
    exact = chart_layers.records(rows.sort("threshold"), columns, series.lines, digits)
    stepped = all(len(line["c1"]) <= chart_layers.MANY for line in exact)
    lines = exact
    if not stepped:
        lines = [chart_layers.simple(line, FINE, logarithmic=lowest > 0) for line in exact]
    y = alt.Y(
        "c2:Q",
        title=None,
        scale=alt.Scale(domain=_domain(rows["value"], metric.highest), nice=False),
        axis=alt.Axis(tickCount=4, minExtent=EXTENT, maxExtent=EXTENT),
    )
    chart = (
        chart_layers.inline(lines, "c1", "c2")
        .mark_line(strokeWidth=series.stroke, interpolate="step-before" if stepped else "linear")
        .encode(y=y, color=series.color(), strokeDash=series.dash())
    )
    points = _chosen(exact, series, thresholds, digits)
    return chart_layers.layered(
        chart,
        chart_layers.hover(lines, c0="Model", c1="Threshold", c2=metric.label),
        chart_layers.markers(points, series, ("Threshold", metric.label)),
    )


def _chosen(
    lines: Sequence[chart_layers.Datum],
    series: Series,
    thresholds: Mapping[str, float],
    digits: int,
) -> list[chart_layers.Datum]:
    """Return each model's threshold on its line: the value of the next score at or above it."""
    by_text = {line["c0"]: line for line in lines}
    points = []
    for model_style in series.styles:
        line, chosen = (
            by_text.get(series.lines[model_style.model]),
            thresholds.get(model_style.model),
        )
        if line is None or chosen is None:
            continue
        at = int(np.searchsorted(line["c1"], round(chosen, digits)))
        if at < len(line["c1"]):
            points.append(
                {"c1": round(chosen, digits), "c2": line["c2"][at]} | series.marker(model_style)
            )
    return points


def _domain(values: pl.Series, highest: float | None) -> list[float]:
    """Return where the axis begins and ends: at round numbers, with 0 and the best value in it."""
    low, high = as_float(values.min()), as_float(values.max())
    if highest == 1:
        return [min(0.0, math.floor(5 * low) / 5), 1.0]
    step = _step(max(abs(low), abs(high)) or 1.0)
    return [min(0.0, step * math.floor(low / step)), step * max(1, math.ceil(high / step))]


def _step(widest: float) -> float:
    """Return a round distance between ticks, four of which reach about this far."""
    power = 10.0 ** math.floor(math.log10(widest / 4))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= widest / 4)


@report_chart(50, "binary", curve="threshold", each=True)
def figures(results: Results) -> list[Figure]:
    """Return one figure for the models with probabilities, and one for each other scale."""
    model_styles = captions.model_styles(results)
    options = {
        model_style.model: captions.model_data(results, model_style.model)
        for model_style in model_styles
    }
    alike = [
        model_style for model_style in model_styles if options[model_style.model]["probability"]
    ]
    groups = [alike] if alike else []
    groups += [[model_style] for model_style in model_styles if model_style not in alike]
    result: list[Figure] = []
    for group in groups:
        id_ = f"threshold_{model_styles.index(group[0])}" if result else "threshold"
        result += _figure(results, group, id_)
    return result


def _figure(results: Results, group: Sequence[ModelStyle], id_: str) -> list[Figure]:
    members = [model_style.model for model_style in group]
    curve = chart_layers.overall(captions.curve(results, "threshold")).filter(
        pl.col("model").is_in(members)
    )
    thresholds = {
        model: value
        for model in members
        if (value := captions.model_data(results, model)["threshold"]) is not None
    }
    lowest = lowest_of_crowded(results, members)
    chart = draw(
        captions.curve(results, "threshold"), group, thresholds, results.definitions, lowest
    )
    if chart is None:
        return []
    return [
        Figure(
            id=id_,
            title=_title(results, curve, group, thresholds),
            subtitle=("What would another threshold change? Marker: each model's threshold."),
            alt=_alt(results, curve, group, thresholds),
            chart=chart_layers.specification(chart),
            table=_table(results, curve, group),
            width="full",
            section="decisions",
        )
    ]


def _title(
    results: Results,
    curve: pl.DataFrame,
    group: Sequence[ModelStyle],
    thresholds: Mapping[str, float],
) -> str:
    """State where F1 is highest, for the model that reaches the highest of all.

    The curve holds that place and the threshold in use exactly. A model that
    brings its own decisions beside its scores has no F1 at its threshold.
    """
    peaks = curve.filter((pl.col("metric") == "f1") & pl.col("value").is_not_null())
    if not peaks.height:
        return "Every decision measure depends on the threshold"
    peak = peaks.sort("value", "threshold", descending=True).row(0, named=True)
    model_style = next(model_style for model_style in group if model_style.model == peak["model"])
    alike = _alike(curve, model_style.model, thresholds)
    who = captions.several([captions.short(one) for one in group if one.model in alike])
    best = f"{who}: F1 peaks at {texts.number(peak['value'])}, "
    best += f"threshold {texts.threshold(peak['threshold'])}"
    now = Numbers(results.metrics).value("f1", model_style.model)
    supplied = list(captions.model_data(results, model_style.model)["outputs"]) != ["score"]
    if now is None or model_style.model not in thresholds or supplied:
        return best
    current = texts.threshold(thresholds[model_style.model])
    if now >= peak["value"]:
        own = "its" if len(alike) == 1 else "their"
        return f"{who}: F1 is highest at {own} threshold {current}, {texts.number(now)}"
    digits = texts.digits_apart(now, peak["value"])
    best = f"{who}: F1 peaks at {texts.number(peak['value'], digits)}, "
    best += f"threshold {texts.threshold(peak['threshold'])}"
    return f"{best}; it is {texts.number(now, digits)} at {current}"


def _alike(curve: pl.DataFrame, model: str, thresholds: Mapping[str, float]) -> set[str]:
    """The models with the same F1 at every threshold, and the same threshold, as one of them."""

    def points(name: str) -> list[tuple[float, float]]:
        of_f1 = curve.filter(pl.col("metric") == "f1", pl.col("model") == name)
        return of_f1.select("threshold", "value").rows()

    expected = points(model)
    names = curve["model"].unique().to_list()
    same_threshold = [n for n in names if thresholds.get(n) == thresholds.get(model)]
    return {name for name in same_threshold if points(name) == expected}


def _alt(
    results: Results,
    curve: pl.DataFrame,
    group: Sequence[ModelStyle],
    thresholds: Mapping[str, float],
) -> str:
    metrics = curve["metric"].unique(maintain_order=True).to_list()
    chosen = [
        f"{model_style.label} at {texts.threshold(thresholds[model_style.model])}"
        for model_style in group
        if model_style.model in thresholds
    ]
    panels = texts.listed([_drawn(metric, results.definitions).label for metric in metrics])
    return f"{panels} against the threshold. Chosen thresholds: {'; '.join(chosen)}."


def _table(results: Results, curve: pl.DataFrame, group: Sequence[ModelStyle]) -> pl.DataFrame:
    names = {model_style.model: model_style.label for model_style in group}
    wide = curve.pivot("metric", index=["model", "threshold"], values="value")
    metrics = [column for column in wide.columns if column not in {"model", "threshold"}]
    return chart_layers.thinned(wide).select(
        pl.col("model").replace(names).alias("Model"),
        pl.col("threshold").alias("Threshold"),
        *(pl.col(metric).alias(_drawn(metric, results.definitions).label) for metric in metrics),
    )
