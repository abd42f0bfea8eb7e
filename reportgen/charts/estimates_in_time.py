"""Truth and estimates over time: a panel per model, of means of steps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import altair as alt
import numpy as np
import polars as pl

from reportgen.charts import captions, chart_layers, labels, panels, scales, style, texts
from reportgen.charts.channels import Position
from reportgen.charts.registry import Figure, report_chart
from reportgen.records.model import Results
from reportgen.text.words import dated

if TYPE_CHECKING:
    from reportgen.charts.style import ModelStyle

MODELS = 3
"""Models that are drawn: the best, and the baseline where it is none of them."""

HEIGHT, EXTENT = 110, 40
"""Of a panel, and the room beside its axis, in px."""

TICKS = 4

TRUTH_WIDTH = 4
"""Of the line of the truth, in px: no colour of a model hides it, or looks like it."""

GAP = 3
"""A line is open where a step begins so many usual steps after the one before."""


def draw(curve: pl.DataFrame, model_styles: Sequence[ModelStyle]) -> alt.ConcatChart:
    """A panel below the other for each model: the range of the truth, its mean, the estimates."""
    shown = curve.filter(pl.col("model").is_in([one.model for one in model_styles]))
    ends = scales.domain(shown.select("lowest", "highest", "estimate").to_numpy())
    across = [float(shown["position"].to_numpy().min()), float(shown["position"].to_numpy().max())]
    across = across if across[0] < across[1] else [across[0] - 1, across[1] + 1]
    width = style.FULL - EXTENT - 8
    drawn, digits = [], chart_layers.decimals(ends[1] - ends[0])
    for place, model_style in enumerate(model_styles):
        lines = _lines(shown.filter(model=model_style.model), digits)
        x = _time_axis(shown, across, named=place == len(model_styles) - 1)
        y = scales.axis(ends, 4, minExtent=EXTENT - 8, maxExtent=EXTENT - 8)
        up: Position = {
            "title": None,
            "axis": y,
            "scale": alt.Scale(domain=ends, nice=False, zero=False),
        }
        drawn.append(
            panels.headed(_layers(lines, model_style, x, up), model_style.label, width, HEIGHT)
        )
    return panels.arranged(drawn, 1, row=style.HEADING + 10, gap=0)


def _layers(
    lines: Sequence[chart_layers.Datum], model_style: ModelStyle, x: alt.X, up: Position
) -> list[alt.Chart]:
    base, detail = chart_layers.inline(lines, "c1", "c2", "c3", "c4", "c5"), alt.Detail("c6:N")
    above = chart_layers.hover(lines, c8="Time", c2="Truth", c3="Estimate")
    tooltip = [alt.Tooltip("c8:N", title="Time"), *chart_layers.tooltips(c2="Truth", c3="Estimate")]
    return [
        base.mark_area(color=style.FAINT, opacity=0.25).encode(
            x=x, y=alt.Y("c4:Q", **up, stack=None), y2=alt.Y2("c5:Q"), detail=detail
        ),
        base.mark_line(color=style.FAINT, strokeWidth=TRUTH_WIDTH, opacity=0.7).encode(
            x=x, y=alt.Y("c2:Q", **up), detail=detail
        ),
        base.mark_line(color=model_style.color, strokeWidth=1.4).encode(
            x=x, y=alt.Y("c3:Q", **up), detail=detail
        ),
        above.encode(tooltip=tooltip),
    ]


def _lines(rows: pl.DataFrame, digits: int) -> list[chart_layers.Datum]:
    """A record for each stretch of time without a gap."""
    position = rows["position"].to_numpy()
    lengths = np.diff(position)
    usual = float(np.median(lengths)) if len(lengths) else 0.0
    starts = np.flatnonzero(lengths > GAP * usual) + 1 if usual else np.array([], dtype=int)
    return [
        {
            "c1": part["position"].to_list(),
            **{
                f"c{k}": chart_layers.placed(part[name], digits)
                for k, name in enumerate(("truth", "estimate", "lowest", "highest"), 2)
            },
            "c6": number,
            "c8": [_when(time) for time in part["time"]],
        }
        for number, rows_of in enumerate(np.split(np.arange(len(position)), starts))
        if (part := rows[rows_of.tolist()]).height
    ]


def _time_axis(rows: pl.DataFrame, ends: Sequence[float], *, named: bool) -> alt.X:
    """The axis of time, with a few of its points as they are written."""
    points = rows.unique("position").sort("position")
    places = np.linspace(ends[0], ends[1], TICKS)
    at = np.unique(np.abs(points["position"].to_numpy()[:, None] - places).argmin(axis=0))
    values = [float(points["position"][int(k)]) for k in at]
    names = [_when(points["time"][int(k)]) for k in at]
    middles = [(one + other) / 2 for one, other in pairwise(values)]
    until = zip(middles, names, strict=False)
    chosen = "".join(f"datum.value < {middle!r} ? '{name}' : " for middle, name in until)
    axis = alt.Axis(
        values=values, labelExpr=f"{chosen}'{names[-1]}'", grid=False, labelFlush=True, labels=named
    )
    scale = alt.Scale(domain=list(ends), nice=False)
    return alt.X("c1:Q", title="Time" if named else None, scale=scale, axis=axis)


def _when(time: str) -> str:
    """A time point as it is written, without what an expression could not hold."""
    return labels.clean(dated(time)).replace("'", "’").replace("\\", "")[:19]


@report_chart(15, "regression", curve="estimates_in_time")
def figures(results: Results) -> list[Figure]:
    """Return the figure of the best models and the baseline, where rows have a time."""
    curve = chart_layers.overall(captions.curve(results, "estimates_in_time"))
    if not curve.height:
        return []
    model_styles = _shown(results)
    title, rows = _title(curve, model_styles[0]), curve.filter(model=model_styles[0].model)
    one = bool((rows["rows"] == 1).all())
    means = "" if one else f" Both are means of {texts.count(rows.height)} steps of time."
    ranges = bool((rows["lowest"] < rows["highest"]).any())
    band = " Shaded: from the lowest to the highest truth of a step." if ranges else ""
    every = len(captions.model_styles(results))
    more = f" Shown: {len(model_styles)} of {every} models." if every > len(model_styles) else ""
    return [
        Figure(
            id="forecasts",
            title=title,
            subtitle="Do the estimates follow the truth over time? Wide and grey: truth; "
            f"coloured: estimate.{means}{band} Lines are open where rows are missing.{more}",
            alt=f"Truth and estimates over time. {title}.",
            chart=chart_layers.specification(draw(curve, model_styles)),
            table=_table(curve, model_styles),
            width="full",
            section="errors",
            named=("Time",),
        )
    ]


def _title(curve: pl.DataFrame, model_style: ModelStyle) -> str:
    """Where the estimates of a model are furthest off, and by how much."""
    rows = curve.filter(model=model_style.model)
    off = int((rows["truth"] - rows["estimate"]).abs().arg_max() or 0)
    error = float(rows["truth"][off] - rows["estimate"][off])
    by = f"{texts.amount(abs(error))} too {'low' if error > 0 else 'high'}"
    return f"{captions.short(model_style)} is furthest off at {_when(rows['time'][off])}: {by}"


def _shown(results: Results) -> list[ModelStyle]:
    """The first models by their order on page one, and the baseline."""
    ranked = [model.model for model in results.decision.models]
    every = captions.model_styles(results)
    order = sorted(every, key=lambda s: ranked.index(s.model) if s.model in ranked else len(ranked))
    baseline = results.declared.baseline
    first = order[:MODELS]
    if baseline not in [one.model for one in first]:
        first = [*order[: MODELS - 1], *(one for one in order if one.model == baseline)] or first
    return first if len(first) == min(MODELS, len(order)) else order[:MODELS]


def _table(rows: pl.DataFrame, model_styles: Sequence[ModelStyle]) -> pl.DataFrame:
    names = {one.model: one.label for one in model_styles}
    return chart_layers.thinned(rows.filter(pl.col("model").is_in(list(names))), 20).select(
        pl.col("model").replace(names).alias("Model"),
        pl.col("time").alias("Time"),
        pl.col("rows").alias("Rows"),
        pl.col("truth").alias("Truth"),
        pl.col("estimate").alias("Estimate"),
    )
