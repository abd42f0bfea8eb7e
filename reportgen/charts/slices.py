"""One or two measures of every slice with their intervals, the worst slice first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import altair as alt
import numpy as np
import polars as pl

from reportgen.charts import (
    captions,
    chart_layers,
    dot_intervals,
    labels,
    panels,
    scales,
    style,
    texts,
)
from reportgen.charts.channels import Position
from reportgen.charts.class_names import fitted
from reportgen.charts.metric_values import Numbers, NumberWithLimits
from reportgen.charts.registry import Figure, report_chart
from reportgen.charts.series import Series
from reportgen.charts.style import ModelStyle
from reportgen.records.definitions import Definitions
from reportgen.records.model import Results
from reportgen.tasks import PREDICTION, TaskInfo

FEWEST, MANY = 3, 20
"""Two slices are read in the table; of many that are mostly small the others are drawn."""

TALLEST = 760
"""Height that the rows may take together."""

GAP = 22

SliceEstimates = Mapping[tuple[str, str, str], NumberWithLimits]
"""Estimates by metric, model and slice."""


@dataclass(frozen=True, slots=True)
class Sliced:
    """The slices of one column, or of several crossed, in the order in which they are drawn.

    ``names`` are what to print by label, ``sizes`` the rows, ``small`` the
    labels of those that are too small to say much.
    """

    heading: str
    names: Mapping[str, str]
    sizes: Mapping[str, float]
    small: frozenset[str]
    left_out: int


def draw(
    estimates: SliceEstimates,
    model_styles: Sequence[ModelStyle],
    sliced: Sliced,
    whole: Numbers,
    task: TaskInfo,
    definitions: Definitions,
) -> alt.ConcatChart:
    """A row per slice and a panel per measure, a symbol per model; dashed: all rows."""
    series = Series(model_styles, style.FULL)
    cut = _fitted(sliced)
    margin = 12 + max(labels.text_width(name) for name in cut)
    count = len(task.slice_chart)
    width = (style.FULL - margin - 8 - (count - 1) * GAP) / count
    panel_layers = []
    for place, metric in enumerate(task.slice_chart):
        by_row = {
            (model_style.model, row): estimate
            for model_style in model_styles
            for label, row in zip(sliced.names, cut, strict=True)
            if (estimate := estimates.get((metric, model_style.model, label))) is not None
        }
        across = _across([*by_row.values(), *(whole.get(metric, k.model) for k in model_styles)])
        layers = dot_intervals.panel(
            _records(by_row, series), series, cut, across, 0 if place else margin
        )
        rules = _rules(metric, series, whole, across)
        title, height = (
            definitions.label(metric, task.name),
            len(cut) * row_height(len(model_styles)),
        )
        panel_layers.append(panels.headed([rules, *layers], title, width, height))
    return panels.arranged(panel_layers, count, row=0, gap=GAP)


def _fitted(sliced: Sliced) -> list[str]:
    """Return the names cut to their room, in brackets the rows and whether these are few."""
    counts = [
        f" ({texts.count(sliced.sizes[label])}{', small' if label in sliced.small else ''})"
        for label in sliced.names
    ]
    room = dot_intervals.WIDEST - 12 - max(labels.text_width(count) for count in counts)
    cut = fitted(list(sliced.names.values()), room)
    return [name + count for name, count in zip(cut, counts, strict=True)]


def row_height(models: int) -> int:
    """Return the height of a slice's row."""
    return max(13, 7 * models + 4)


def _records(
    estimates: Mapping[tuple[str, str], NumberWithLimits], series: Series
) -> list[chart_layers.Datum]:
    return [
        {
            "c0": series.lines[model],
            "c1": row,
            "c2": round(estimate.value, 5),
            "c3": round(estimate.value if estimate.low is None else estimate.low, 5),
            "c4": round(estimate.value if estimate.high is None else estimate.high, 5),
        }
        for (model, row), estimate in estimates.items()
        if estimate.value is not None
    ]


def _across(estimates: Sequence[NumberWithLimits]) -> Position:
    ends = [
        e
        for estimate in estimates
        for e in (estimate.value, estimate.low, estimate.high)
        if e is not None
    ]
    domain = [round(end, 5) for end in scales.domain(np.array(ends or [0.0, 1.0]))]
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    return {"scale": scale, "axis": scales.axis(domain), "title": None}


def _rules(metric: str, series: Series, whole: Numbers, across: Position) -> alt.Chart:
    places = [
        {"c2": round(value, 5), "c8": model_style.color}
        for model_style in series.styles
        if (value := whole.value(metric, model_style.model)) is not None
    ]
    chart: alt.Chart = (
        chart_layers.inline(places)
        .mark_rule(strokeDash=[3, 3], strokeWidth=1)
        .encode(x=alt.X("c2:Q", **across), color=alt.Color("c8:N", scale=None))
    )
    return chart


@report_chart(120, *PREDICTION, each=True)
def figures(results: Results) -> list[Figure]:
    """Return a figure per declared slice that has three slices or more."""
    model_styles = captions.model_styles(results)
    estimates = _estimates(results, results.task.slice_chart)
    valued_of = {metric for (metric, _, _), e in estimates.items() if e.value is not None}
    drawn = tuple(metric for metric in results.task.slice_chart if metric in valued_of)
    task = replace(results.task, slice_chart=drawn)
    if not drawn:
        return []
    in_order = list(dict.fromkeys(label for _, _, label in estimates))
    result = []
    for place, group in enumerate(slicings(results, in_order)):
        valued = {
            k: v
            for k, v in group.slices.items()
            if _mean(estimates, task, model_styles, k) is not None
        }
        if len(valued) >= FEWEST:
            subset = Slicing(group.columns, valued)
            figure = _figure(results, task, estimates, model_styles, subset, f"slices_{place}")
            result.append(figure)
    return result


def _figure(
    results: Results,
    task: TaskInfo,
    estimates: SliceEstimates,
    model_styles: Sequence[ModelStyle],
    group: Slicing,
    id_: str,
) -> Figure:
    means = {label: _mean(estimates, task, model_styles, label) or 0.0 for label in group.slices}
    lowest = results.definitions.lower_is_better(task.slice_chart[0])
    names = _worst_first(group, means, highest_first=lowest)
    large = [label for label in names if not group.slices[label].small]
    drawn = names
    if len(names) > MANY and FEWEST <= len(large) < len(names) / 2:
        drawn = {label: names[label] for label in large}
    sliced = _sliced(group, drawn, most=max(FEWEST, TALLEST // row_height(len(model_styles))))
    in_title = large or list(names)
    averaged = ", mean of the models" if len(model_styles) > 1 else ""
    spread, colon = _ends(in_title, names, means, averaged)
    titles = [results.definitions.label(metric, task.name) for metric in task.slice_chart]
    name = titles[0]
    return Figure(
        id=id_,
        title=f"{name} by {sliced.heading}: {spread}",
        subtitle=(
            "Is any slice worse than the rest? Bars: confidence intervals, where available. In "
            "brackets: rows. Dashed: all rows. Worst first."
            f"{_left_out(sliced)}{_small(results, sliced, in_title=in_title is not large)}"
            f"{_without_small(len(names) - len(drawn))}"
        ),
        alt=f"{' and '.join(titles)} of each slice of {sliced.heading}. {name}{colon}{spread}.",
        chart=chart_layers.specification(
            draw(
                estimates,
                model_styles,
                sliced,
                Numbers(results.metrics),
                task,
                results.definitions,
            )
        ),
        table=_table(estimates, model_styles, names, task, titles),
        width="full",
        section="slices",
    )


def _worst_first(
    group: Slicing, means: Mapping[str, float], *, highest_first: bool
) -> Mapping[str, str]:
    """The printed name of each slice by its label, the worst slice first."""
    sign = -1 if highest_first else 1
    order = sorted(group.slices, key=lambda label: sign * means[label])
    printed = labels.unique([group.slices[label].printed for label in order])
    return {label: printed[group.slices[label].printed] for label in order}


def _sliced(group: Slicing, names: Mapping[str, str], *, most: int) -> Sliced:
    """The slices to draw: the first of ``names``, at ``most`` so many."""
    shown = dict(list(names.items())[:most])
    sizes = {label: part.rows for label, part in group.slices.items()}
    small = frozenset(label for label, part in group.slices.items() if part.small)
    return Sliced(labels.clean(group.heading), shown, sizes, small, len(names) - len(shown))


def _ends(
    shown: Sequence[str], names: Mapping[str, str], means: Mapping[str, float], averaged: str
) -> tuple[str, str]:
    """The slices with the worst and the best value; where only one is not small, that.

    And what stands between the measure and them in a sentence.
    """
    ends = [f"{names[label]} ({texts.amount(means[label])})" for label in shown]
    if len(ends) == 1 and len(names) > 1:
        return f"{ends[0]}, the only slice that is not small", ": "
    return f"from {ends[0]} to {ends[-1]}{averaged}", " "


def _left_out(sliced: Sliced) -> str:
    shown = len(sliced.names)
    every = shown + sliced.left_out
    return f" Shown: the worst {shown} of {every}." if sliced.left_out else ""


def _without_small(count: int) -> str:
    """How many slices are not drawn as they are small."""
    if not count:
        return ""
    return f" {count} small slices are left out." if count > 1 else " 1 small slice is left out."


def _small(results: Results, sliced: Sliced, *, in_title: bool) -> str:
    """What a small slice is, where one is drawn, and whether the title has any."""
    if not sliced.small & sliced.names.keys():
        return ""
    in_title_too = "" if in_title else " Small slices are left out of the title."
    return f" {results.reading.small_slice}{in_title_too}"


def _estimates(
    results: Results, metrics: Sequence[str]
) -> dict[tuple[str, str, str], NumberWithLimits]:
    rows = results.metrics.filter(
        pl.col("slice").is_not_null() & pl.col("class").is_null() & pl.col("average").is_null(),
        pl.col("metric").is_in(list(metrics)),
    )
    return {
        (metric, model, label): NumberWithLimits(value, low, high)
        for metric, model, label, value, low, high in rows.select(
            "metric", "model", "slice", "value", "low", "high"
        ).iter_rows()
    }


def _mean(
    estimates: SliceEstimates, task: TaskInfo, model_styles: Sequence[ModelStyle], label: str
) -> float | None:
    """Return the mean of the models of the measure that orders the slices."""
    model_estimates = (
        estimates.get((task.slice_chart[0], model_style.model, label))
        for model_style in model_styles
    )
    values = [e.value for e in model_estimates if e is not None and e.value is not None]
    return sum(values) / len(values) if values else None


def _table(
    estimates: SliceEstimates,
    model_styles: Sequence[ModelStyle],
    names: Mapping[str, str],
    task: TaskInfo,
    titles: Sequence[str],
) -> pl.DataFrame:
    rows = [
        (
            text,
            model_style.label,
            *(
                estimates.get((m, model_style.model, k), NumberWithLimits(None)).value
                for m in task.slice_chart
            ),
        )
        for k, text in names.items()
        for model_style in model_styles
    ]
    columns = ["Slice", "Model", *titles]
    return pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)


@dataclass(frozen=True, slots=True)
class ChartSlice:
    """What to print for a slice, and its size; ``positives`` are those of two classes."""

    printed: str
    rows: float
    positives: float | None
    small: bool


@dataclass(frozen=True, slots=True)
class Slicing:
    """The slices of one column, or of several crossed, by their names in the results."""

    columns: tuple[str, ...]
    slices: dict[str, ChartSlice]

    @property
    def heading(self) -> str:
        """The columns as they are printed."""
        return " × ".join(self.columns)


def slicings(results: Results, labels: Collection[str]) -> list[Slicing]:
    """Return each declared slicing with those of its slices that are among ``labels``."""
    groups: dict[tuple[str, ...], dict[str, ChartSlice]] = {}
    columns = ("slicing", "slice", "values", "rows", "positives", "small")
    for names, label, values, *sizes in results.slices.select(columns).iter_rows():
        if label in labels:
            groups.setdefault(tuple(names), {})[label] = ChartSlice(", ".join(values), *sizes)
    return [Slicing(names, slices) for names, slices in groups.items()]
