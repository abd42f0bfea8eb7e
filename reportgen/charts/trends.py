"""Numbers from build to build, with intervals, limits of history, accepted levels and changes."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import polars as pl

from reportgen.charts import chart_layers, labels, scales, style, texts
from reportgen.charts.registry import Figure, report_chart
from reportgen.records.definitions import Definitions
from reportgen.records.model import Results
from reportgen.records.trend import Trend, TrendPoint
from reportgen.tasks import PREDICTION
from reportgen.text import numbers

HEIGHT = 200
OUT_OF_LIMIT = "#f6c9c4"
LEVEL = "#0e8f5a"
COLOURS = {"pass": "#1f2328", "fail": "#b3261e", "inconclusive": "#b26a00"}
SHAPES = {"pass": "circle", "fail": "triangle-down", "inconclusive": "diamond"}
PLAIN = ("#1f2328", "circle")
"""Of builds without gates."""

LETTERS = {"spec": "S", "versions": "V", "test rows": "D"}
"""Marks over builds in which something changed."""

OFTEN = 0.5
"""Share of the builds from which a change is the rule, and is not marked."""


def usual_changes(trend: Trend) -> set[str]:
    """What changes in more than half of the builds, such as the rows of each night."""
    pairs = max(1, len(trend.points) - 1)
    return {
        name
        for name in LETTERS
        if sum(name in point.changed for point in trend.points) > OFTEN * pairs and pairs > 2
    }


def draw(trend: Trend, title: str) -> alt.LayerChart:
    """A point per build with its interval; shaded: beyond the limit; dashed: accepted levels."""
    points = trend.points
    ends = [e for p in points for e in (p.value, p.low, p.high, p.limit) if e is not None]
    domain = scales.domain(np.array(ends), pad=0.12)
    digits = chart_layers.decimals(domain[1] - domain[0])
    across = alt.X(
        "c0:T",
        title=None,
        scale=alt.Scale(type="utc"),
        axis=alt.Axis(grid=False, labelOverlap=True, format="%d %b %Y", tickCount=6),
    )
    up = scales.y("c1", title, domain)
    values = [_record(point, digits) for point in points]
    layers = [
        *_limits(trend, across, up, domain, digits),
        *_levels(points, across, up, digits),
        chart_layers.inline(values)
        .mark_line(color=style.FAINT, strokeWidth=1)
        .encode(x=across, y=up),
        chart_layers.inline([one for one in values if "c2" in one])
        .mark_rule(color=style.FAINT, strokeWidth=1)
        .encode(x=across, y=alt.Y("c2:Q"), y2=alt.Y2("c3:Q")),
        chart_layers.inline(values)
        .mark_point(filled=True, opacity=1, size=40)
        .encode(
            x=across,
            y=up,
            color=alt.Color("c8:N", scale=None),
            shape=alt.Shape("c9:N", scale=None),
            tooltip=chart_layers.tooltips(c7="Build", c1=title, c2="Low", c3="High"),
        ),
        *_marks(trend, across, domain),
    ]
    return chart_layers.layered(*layers, width=style.FULL, height=HEIGHT, autosize=chart_layers.FIT)


def _record(point: TrendPoint, digits: int) -> chart_layers.Datum:
    colour = COLOURS.get(point.state or "", PLAIN[0])
    shape = SHAPES.get(point.state or "", PLAIN[1])
    name = point.build or "this build"
    record = {"c0": point.date, "c1": round(point.value, digits), "c7": name}
    record |= {"c8": colour, "c9": shape}
    if point.low is not None and point.high is not None:
        record |= {"c2": round(point.low, digits), "c3": round(point.high, digits)}
    return record


def _limits(
    trend: Trend, across: alt.X, up: alt.Y, domain: Sequence[float], digits: int
) -> list[alt.Chart]:
    """The region in the bad direction of the limits of history."""
    edge = domain[0] if trend.better == "higher" else domain[1]
    band = [
        {"c0": point.date, "c1": round(point.limit, digits), "c2": round(edge, digits)}
        for point in trend.points
        if point.limit is not None
    ]
    if not band:
        return []
    shape = chart_layers.inline(band)
    area = shape.mark_area(color=OUT_OF_LIMIT, opacity=1).encode(x=across, y=up, y2=alt.Y2("c2:Q"))
    edge_line = shape.mark_line(color="#b3261e", strokeWidth=1).encode(x=across, y=up)
    return [area, edge_line]


def _levels(points: Sequence[TrendPoint], across: alt.X, up: alt.Y, digits: int) -> list[alt.Chart]:
    """The value of each level that was accepted by hand, from its build to the next one's."""
    levels = [point for point in points if point.accepted is not None]
    if not levels:
        return []
    steps = [{"c0": point.date, "c1": round(point.value, digits)} for point in levels]
    steps.append({"c0": points[-1].date, "c1": round(levels[-1].value, digits)})
    line = chart_layers.inline(steps).mark_line(
        color=LEVEL, strokeDash=[5, 3], strokeWidth=1.5, interpolate="step-after"
    )
    return [line.encode(x=across, y=up)]


def _marks(trend: Trend, across: alt.X, domain: Sequence[float]) -> list[alt.Chart]:
    """Letters above the builds in which spec, versions or test rows changed."""
    usual = usual_changes(trend)
    marks = [
        {
            "c0": point.date,
            "c1": domain[1],
            "c2": "".join(LETTERS[name] for name in point.changed if name not in usual),
        }
        for point in trend.points
        if set(point.changed) - usual
    ]
    if not marks:
        return []
    text = chart_layers.inline(marks).mark_text(baseline="top", fontSize=9.5, color=style.QUIET)
    return [text.encode(x=across, y=alt.Y("c1:Q"), text=alt.Text("c2:N"))]


def _measure(trend: Trend, definitions: Definitions) -> str:
    name = definitions.label(trend.metric)
    return f"{trend.average} {name}" if trend.average else name


@report_chart(125, *PREDICTION)
def figures(results: Results) -> list[Figure]:
    """Return a figure for each number that the results trend."""
    if results.trends is None:
        return []
    return [
        _figure(trend, results.definitions, place)
        for place, trend in enumerate(results.trends.numbers)
    ]


def _figure(trend: Trend, definitions: Definitions, place: int) -> Figure:
    measure = _measure(trend, definitions)
    name = f"{labels.clean(trend.model)}: {measure}"
    last, first = trend.points[-1], trend.points[0]
    before = trend.points[-2]
    change = numbers.difference(last.value - before.value)
    return Figure(
        id=f"trend_{place}",
        title=f"{name} {texts.amount(last.value)}, {change} since {before.date}",
        subtitle=_subtitle(trend),
        alt=f"{name} of {len(trend.points)} builds from {first.date} to {last.date}: "
        f"{texts.amount(first.value)} in the first one, {texts.amount(last.value)} in the last.",
        chart=chart_layers.specification(draw(trend, texts.capitalised(measure))),
        table=_table(trend),
        width="full",
        section="trend",
    )


def _subtitle(trend: Trend) -> str:
    parts = ["How did the value change from build to build? Bars: confidence intervals."]
    if any(point.limit is not None for point in trend.points):
        parts.append("Shaded: beyond the prediction limit, an alarm.")
    if any(point.accepted is not None for point in trend.points):
        parts.append("Dashed: level accepted by hand.")
    shown = {name for point in trend.points for name in point.changed} - usual_changes(trend)
    marks = [f"{LETTERS[name]} {name}" for name in LETTERS if name in shown]
    if marks:
        parts.append(f"Changed since the build before: {', '.join(marks)}.")
    states = {point.state for point in trend.points}
    if states & {"fail", "inconclusive"}:
        parts.append("Triangle: a gate failed; diamond: inconclusive.")
    return " ".join(parts)


def _table(trend: Trend) -> pl.DataFrame:
    rows = [
        (p.date, p.build or "this build", p.value, p.low, p.high, p.limit, ", ".join(p.changed))
        for p in reversed(trend.points)
    ]
    heads = ("Date", "Build", "Value", "Low", "High", "Limit", "Changed")
    kinds = (pl.String(), pl.String(), *(pl.Float64(),) * 4, pl.String())
    schema = dict(zip(heads, kinds, strict=True))
    return pl.DataFrame(rows, schema=schema, orient="row")
