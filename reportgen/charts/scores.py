"""Distributions of a model's scores: the positives upwards, the negatives downwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import log

import altair as alt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.charts import captions, chart_layers, labels, style, texts
from reportgen.charts.channels import Scaled
from reportgen.charts.class_names import of_two
from reportgen.charts.metric_values import Numbers
from reportgen.charts.registry import Figure, Width, report_chart
from reportgen.charts.scales import logarithmic_axis
from reportgen.charts.style import ModelStyle
from reportgen.records.model import Results
from reportgen.tables import ScoreDistribution

HEIGHT = {"half": 220, "third": 190}
"""By the width of the chart."""

LANE = 0.2
"""Share of the plot's height kept free of bars, for the names of the classes."""

STEEP = 0.35
"""Where one bin holds more than this of a class, heights are drawn as square roots."""

AXIS = 55
"""Room of the axis at left, in px."""

STEEP_TICKS = (0.05, 0.2, 0.5, 1.0)
FLAT_TICKS = (0.02, 0.04, 0.1, 0.2)


def draw(
    distribution: DataFrame[ScoreDistribution],
    model_style: ModelStyle,
    classes: tuple[str, str],
    threshold: float | None,
    highest: float,
    width: Width = "half",
) -> alt.LayerChart | None:
    """Share of each class per bin of the score; ``highest`` is the scale that models share."""
    rows = chart_layers.overall(distribution).filter(pl.col("model") == model_style.model)
    colors = (model_style.color, style.FAINT)
    steps = [
        _steps(rows.filter(pl.col("truth") == truth), sign, color)
        for truth, sign, color in zip(classes, (1, -1), colors, strict=True)
    ]
    drawn = [(truth, step) for truth, step in zip(classes, steps, strict=True) if step is not None]
    histograms = [step for _, step in drawn]
    if not histograms:
        return None
    names = labels.unique(classes)
    words = [f"{names[name]} {arrow}" for name, arrow in zip(classes, "↑↓", strict=True)]
    edges = [edge for step in histograms for edge in step["c1"]]
    at_right = threshold is not None and _crosses(threshold, edges, words, style.WIDTHS[width])
    layers = [
        _areas(histograms, highest, threshold),
        _name(words[0], 9.0, model_style.color, at_right=at_right),
        _name(words[1], alt.ExprRef("height - 8"), style.QUIET, at_right=at_right),
        chart_layers.hover(
            [_middles(step, names[truth]) for truth, step in drawn],
            c7="Class",
            c1="Score, about",
            c3="Share of class",
        ),
    ]
    if threshold is not None:
        layers.append(
            chart_layers.inline([{"c1": round(threshold, 5)}])
            .mark_rule(color=style.INK, strokeWidth=1.2, strokeDash=[6, 3])
            .encode(x=alt.X("c1:Q"))
        )
    return chart_layers.layered(
        *layers, width=style.WIDTHS[width], height=HEIGHT[width], autosize=chart_layers.FIT
    )


def _steps(rows: pl.DataFrame, sign: int, color: str) -> chart_layers.Datum | None:
    """Return the outline of one class: left edges, and the last right edge."""
    if not rows.height or rows["share"].null_count():
        return None
    shares = (sign * rows["share"]).round(5).to_list()
    places = chart_layers.decimals(rows["high"].item(0) - rows["low"].item(0))
    edges = chart_layers.placed(pl.concat([rows["low"], rows["high"].tail(1)]), max(5, places))
    return {"c0": color, "c1": edges, "c2": [*shares, shares[-1]]}


def _middles(step: chart_layers.Datum, truth: str) -> chart_layers.Datum:
    """Return the middle of the end of each bar, with its class and its share."""
    edges, shares = step["c1"], step["c2"][:-1]
    middles = [(low + high) / 2 for low, high in pairwise(edges)]
    return {"c1": middles, "c2": shares, "c3": [abs(share) for share in shares], "c7": truth}


def _areas(steps: list[chart_layers.Datum], highest: float, threshold: float | None) -> alt.Chart:
    steep = highest > STEEP
    top = highest / (1 - LANE) ** (2 if steep else 1)
    ticks = _ticks(highest, steep=steep)
    edges = [edge for step in steps for edge in step["c1"]]
    y = alt.Y(
        "c2:Q",
        stack=None,
        title="Share of class (√ scale)" if steep else "Share of class",
        scale=alt.Scale(type="sqrt" if steep else "linear", domain=[-top, top], nice=False),
        axis=alt.Axis(
            values=[-tick for tick in ticks] + [0, *ticks],
            labelExpr="replace(format(abs(datum.value), '.0%'), '%', '\u00a0%')",
        ),
    )
    title = _x_title(threshold, logarithmic=is_logarithmic(edges))
    x = alt.X("c1:Q", title=title, **_x_scale(edges))
    chart: alt.Chart = (
        chart_layers.inline(steps, "c1", "c2")
        .mark_area(interpolate="step-after", fillOpacity=0.75, line={"strokeWidth": 1})
        .encode(x=x, y=y, color=alt.Color("c0:N", scale=None, legend=None))
    )
    return chart


def _x_title(threshold: float | None, *, logarithmic: bool) -> str:
    """The title of the scores, short enough for a third of the page."""
    if threshold is None:
        return "Score, log scale" if logarithmic else "Score"
    at = f"threshold {texts.threshold(threshold)}"
    return f"Score (log), {at}" if logarithmic else f"Score ({at})"


def _x_scale(edges: Sequence[float]) -> Scaled:
    """Return scale and axis: of logarithms where the bins are even in them."""
    domain = [min(edges), max(edges)]
    if not is_logarithmic(edges):
        axis = alt.Axis(grid=False, tickCount=5)
        return {"scale": alt.Scale(domain=domain, nice=False), "axis": axis}
    scale = alt.Scale(type="log", domain=domain, nice=False)
    return {"scale": scale, "axis": logarithmic_axis(domain[0], grid=False)}


def lowest_of_crowded(results: Results, models: Iterable[str]) -> float:
    """The score below which crowded scores of these models have their first bin, else 0."""
    rows = chart_layers.overall(captions.curve(results, "score_distribution"))
    bins = rows.select("model", pl.concat_list("low", "high").alias("edges")).explode("edges")
    by_model = (bins.filter(model=model)["edges"].to_list() for model in models)
    return min((min(edges) for edges in by_model if edges and is_logarithmic(edges)), default=0.0)


def is_logarithmic(edges: Sequence[float]) -> bool:
    """Return whether bins with these edges grow with the score."""
    ordered = sorted(set(edges))
    return ordered[0] > 0 and ordered[-1] - ordered[-2] > 2 * (ordered[1] - ordered[0])


def _ticks(highest: float, *, steep: bool) -> list[float]:
    if steep:
        return [tick for tick in STEEP_TICKS if tick <= highest]
    top = max((tick for tick in FLAT_TICKS if tick <= highest), default=highest)
    return [top / 2, top]


def _crosses(threshold: float, edges: Sequence[float], words: Iterable[str], width: float) -> bool:
    """Whether the line of a threshold crosses the names of the classes where they stand at left."""
    low, high, place = min(edges), max(edges), threshold
    if is_logarithmic(edges):
        low, high, place = log(low), log(high), log(max(threshold, low))
    share = (place - low) / (high - low) if high > low else 0.0
    return 0 <= share < 0.5 and share * (width - AXIS) < 10 + max(map(labels.text_width, words))


def _name(text: str, y: float | alt.ExprRef, color: str, *, at_right: bool) -> alt.Chart:
    chart: alt.Chart = (
        chart_layers.inline([{"c3": text}])
        .mark_text(
            align="right" if at_right else "left",
            baseline="middle",
            fontWeight=600,
            color=color,
            limit=240,
            x=alt.ExprRef("width - 5") if at_right else 5,
            y=y,
        )
        .encode(text=alt.Text("c3:N"))
    )
    return chart


@report_chart(40, "binary", curve="score_distribution", each=True)
def figures(results: Results) -> list[Figure]:
    """Return a figure per model that has scores: that of a single one beside what it decides."""
    distribution = captions.curve(results, "score_distribution")
    highest = chart_layers.overall(distribution)["share"].max()
    if not isinstance(highest, float):
        return []
    classes = (results.data["positive"], results.data["negative"])
    width, result = style.beside(distribution["model"].n_unique()), []
    for place, model_style in enumerate(captions.model_styles(results)):
        threshold = captions.model_data(results, model_style.model)["threshold"]
        chart = draw(distribution, model_style, classes, threshold, highest, width)
        if chart is not None:
            result.append(_figure(results, place, model_style, chart, width))
    return result


def _figure(
    results: Results, place: int, model_style: ModelStyle, chart: alt.LayerChart, width: Width
) -> Figure:
    numbers = Numbers(results.metrics)
    positive, negative = of_two(*_classes(results))
    shares = {
        positive: numbers.value("recall", model_style.model),
        negative: numbers.value("false_positive_rate", model_style.model),
    }
    parts = [f"{texts.percent(s)} of {name}" for name, s in shares.items() if s is not None]
    rows = chart_layers.overall(captions.curve(results, "score_distribution"))
    of_model = rows.filter(pl.col("model") == model_style.model)
    logarithmic = is_logarithmic([*of_model["low"], *of_model["high"]])
    beside = len(results.data["models"]) == 1 and all(s is not None for s in shares.values())
    labelled = "label" in captions.model_data(results, model_style.model)["outputs"]
    finding = (
        f"{' and '.join(parts)} {'are predicted positive' if labelled else 'reach the threshold'}"
    )
    return Figure(
        id=f"score_distribution_{place}",
        title=f"{captions.short(model_style)}: {finding}",
        subtitle=f"How well do the scores separate {positive} from {negative}?"
        + (" The first bars also include all lower scores." if logarithmic else ""),
        alt=f"Histogram of the scores of {model_style.label} by true class. {finding}.",
        chart=chart_layers.specification(chart),
        table=_table(results, model_style),
        width=width,
        section="decisions" if beside else "discrimination",
        first=beside,
    )


def _classes(results: Results) -> tuple[str, str]:
    return results.data["positive"], results.data["negative"]


def _table(results: Results, model_style: ModelStyle) -> pl.DataFrame:
    names = labels.unique(_classes(results))
    rows = chart_layers.overall(captions.curve(results, "score_distribution"))
    return rows.filter((pl.col("model") == model_style.model) & (pl.col("count") > 0)).select(
        pl.col("truth").replace(names).alias("Truth"),
        pl.col("low").alias("From"),
        pl.col("high").alias("To"),
        pl.col("count").alias("Rows"),
        pl.col("share").alias("Share of class"),
    )
