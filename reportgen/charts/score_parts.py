"""Distributions of scores over folds and periods of time: a panel per model, a bar per part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
import polars as pl

from reportgen.charts import captions, chart_layers, labels, panels, scales, style, texts
from reportgen.charts.channels import Position
from reportgen.charts.registry import Figure, report_chart
from reportgen.records import basis
from reportgen.records.data_summary import Distribution
from reportgen.records.model import Results
from reportgen.tasks import PREDICTION
from reportgen.text.words import dated, singular

MODELS = 3
"""Models that are drawn; results.json has all."""

HEIGHT, AXIS, GAP, BESIDE = 96, 34, 12, 0.17
"""Of a panel in px; room for its axis, between panels, and of a bar from the middle of its part."""

COLORS, SHAPES = (style.INK, style.FAINT), ("circle", "square")
"""Of the groups of rows, which are the same in each panel."""


@dataclass(frozen=True, slots=True)
class Panel:
    """What a panel shows: its heading, and the rows of each group."""

    heading: str
    rows: Sequence[Distribution]


def draw(parts: Sequence[Panel], groups: dict[str, str], part_title: str) -> alt.ConcatChart:
    """A panel per model: in each part the median, the middle half and 10 to 90 % of each group."""
    count = panels.columns(len(parts), most=4)
    width = panels.width(count, AXIS, GAP + AXIS)
    lines = list(dict.fromkeys(groups.values()))
    scale = alt.Scale(domain=lines, range=list(COLORS[: len(lines)]))
    color = alt.Color(
        "c0:N",
        title=None,
        scale=scale,
        legend=alt.Legend(columns=2, symbolSize=50) if len(lines) > 1 else None,
    )
    shape = alt.Shape(
        "c0:N",
        title=None,
        scale=alt.Scale(domain=lines, range=list(SHAPES[: len(lines)])),
        legend=alt.Legend(columns=2, symbolSize=50) if len(lines) > 1 else None,
    )
    drawn = [
        panels.headed(
            _layers(panel.rows, groups, (color, shape, scale), part_title),
            panel.heading,
            width,
            HEIGHT,
        )
        for panel in parts
    ]
    return panels.arranged(drawn, count, row=style.HEADING + 24, gap=GAP + AXIS)


def _layers(
    rows: Sequence[Distribution],
    groups: dict[str, str],
    channels: tuple[alt.Color, alt.Shape, alt.Scale],
    part_title: str,
) -> list[alt.Chart]:
    last = max(row.place for row in rows)
    ends = scales.domain(np.array([(row.low, row.high) for row in rows]))
    step = -(-last // 10)
    across: Position = {
        "title": part_title,
        "scale": alt.Scale(domain=[0.5, last + 0.5], nice=False),
        "axis": alt.Axis(values=list(range(1, last + 1, step)), format="d", grid=False),
    }
    up: Position = {
        "title": None,
        "scale": alt.Scale(domain=ends, nice=False, zero=False),
        "axis": scales.axis(ends, 4, minExtent=AXIS - 8, maxExtent=AXIS - 8),
    }
    x, (color, shape, scale) = alt.X("c1:Q", **across), channels
    base = chart_layers.inline(
        _records(rows, groups, digits=chart_layers.decimals(ends[1] - ends[0]))
    )
    return [
        base.mark_rule(strokeWidth=1).encode(
            x=x, y=alt.Y("c2:Q", **up), y2=alt.Y2("c5:Q"), color=color
        ),
        base.mark_rule(strokeWidth=3).encode(
            x=x, y=alt.Y("c3:Q", **up), y2=alt.Y2("c4:Q"), color=color
        ),
        base.mark_point(filled=True, opacity=1, size=34, stroke="white", strokeWidth=0.8).encode(
            x=x,
            y=alt.Y("c7:Q", **up),
            fill=alt.Fill("c0:N", scale=scale, legend=None),
            shape=shape,
            tooltip=chart_layers.tooltips(
                c0="Rows", c6="Part", c7="Median", c3="25 %", c4="75 %", c2="10 %", c5="90 %"
            ),
        ),
    ]


def _records(
    rows: Sequence[Distribution], groups: dict[str, str], *, digits: int
) -> list[chart_layers.Datum]:
    """A record per distribution; those of one part stand beside each other."""
    lines = list(dict.fromkeys(groups.values()))
    return [
        {
            "c0": groups[row.group],
            "c1": row.place + BESIDE * (2 * lines.index(groups[row.group]) - len(lines) + 1),
            "c6": row.place,
        }
        | {f"c{field}": round(value, digits) for field, value in _fields(row).items()}
        for row in rows
    ]


def _fields(row: Distribution) -> dict[int, float]:
    return {2: row.low, 3: row.lower_quartile, 4: row.upper_quartile, 5: row.high, 7: row.median}


@report_chart(30, *PREDICTION)
def figures(results: Results) -> list[Figure]:
    """Return a figure over folds and one over time, where the rows have these."""
    summary = results.data_summary
    if summary is None:
        return []
    drawn = [
        _figure(results, [row for row in summary.distributions if row.over == over], over)
        for over in ("time", "fold")
    ]
    return [figure for figure in drawn if figure is not None]


def _figure(results: Results, rows: Sequence[Distribution], over: str) -> Figure | None:
    ranked = [model.model for model in results.decision.models]
    names = {one.model: one for one in captions.model_styles(results)}
    having = {row.model for row in rows}
    first = sorted(names, key=lambda name: ranked.index(name) if name in ranked else len(ranked))
    shown = [name for name in first if name in having][:MODELS]
    shown = [name for name in names if name in shown]
    parts = [Panel("Truth", [row for row in rows if row.model is None])] if None in having else []
    parts += [
        Panel(names[name].label, [row for row in rows if row.model == name]) for name in shown
    ]
    if not shown:
        return None
    groups = _groups(results, rows)
    word, plural = _words(results, over)
    count = max(row.place for row in rows)
    leader = next(name for name in first if name in shown)
    title = _title(results, [row for row in rows if row.model == leader], groups, plural)
    left = sum(name in having for name in names) - len(shown)
    more = f" Shown: {len(shown)} of {len(shown) + left} models." if left else ""
    ends = {row.place: row.part for row in rows}
    first_part, last_part = (labels.clean(dated(ends[place])) for place in (1, count))
    when = f" Periods: {first_part} first, {last_part} last."
    return Figure(
        id=f"score_parts_{over}",
        title=title,
        subtitle=f"{_question(results)} Symbol: median. Thick: middle half of the "
        f"rows. Thin: from 10\N{NO-BREAK SPACE}% to 90\N{NO-BREAK SPACE}%."
        f"{when if over == 'time' else ''}{more}",
        alt=f"Quantiles of {_what(results)} in each of {count} {plural}. {title}.",
        chart=chart_layers.specification(draw(parts, groups, word)),
        table=_table([row for part in parts for row in part.rows], groups, word),
        width="full",
        section="data",
    )


def _words(results: Results, over: str) -> tuple[str, str]:
    """What one of the parts is called on the axis, and several of them in a sentence."""
    if over == "time":
        return "Period", "periods of time"
    parts = basis.parts(results.data)
    if parts == "data sets":
        return "Fold", "folds"
    return texts.capitalised(singular(parts)), parts


def _groups(results: Results, rows: Sequence[Distribution]) -> dict[str, str]:
    """The printed name of each group, in the order of their colours."""
    present = {row.group for row in rows}
    data = results.data
    order = [data.get("positive"), data.get("negative"), "correct", "with the label"]
    first = [name for name in order if name in present]
    names = [str(name) for name in dict.fromkeys([*first, *sorted(present)])]
    if results.task.of_numbers:
        return dict.fromkeys(names, "numbers")
    if results.task.several_classes:
        return {name: f"{name} predictions" for name in names}
    if results.task.several_labels:
        return {name: f"rows {name}" for name in names}
    return labels.unique(names)


def _question(results: Results) -> str:
    if results.task.of_numbers:
        return "Do the distributions of the truth and of each model's residuals stay the same?"
    return "Do the distributions stay the same?"


def _what(results: Results) -> str:
    if results.task.of_numbers:
        return "truth and residuals"
    return "the highest score" if results.task.several_classes else "the scores"


def _title(
    results: Results, rows: Sequence[Distribution], groups: dict[str, str], plural: str
) -> str:
    """Between what the median of the first group lies."""
    group = next(name for name in groups if any(row.group == name for row in rows))
    medians = [row.median for row in rows if row.group == group]
    [model] = {row.model for row in rows}
    printed = {one.model: captions.short(one) for one in captions.model_styles(results)}
    noun = "residual" if results.task.of_numbers else "score"
    of = "" if results.task.of_numbers else f" of {groups[group]}"
    ends = [texts.amount(end) for end in (min(medians), max(medians))]
    count = max(row.place for row in rows)
    between = f"is {ends[0]} in each of"
    if ends[0] != ends[1]:
        between = f"from {ends[0]} to {ends[1]} over"
    return f"{printed[model or '']}: median {noun}{of} {between} {count} {plural}"


def _table(rows: Sequence[Distribution], groups: dict[str, str], word: str) -> pl.DataFrame:
    return pl.DataFrame(
        [
            (
                labels.clean(row.model) if row.model else "truth",
                labels.clean(row.part),
                groups[row.group],
                row.rows,
                row.low,
                row.lower_quartile,
                row.median,
                row.upper_quartile,
                row.high,
            )
            for row in rows
        ],
        schema=["Model", word, "Group", "Rows", "10 %", "25 %", "Median", "75 %", "90 %"],
        orient="row",
        infer_schema_length=None,
    )
