"""What the charts are made of: inline data, lines, marked points, reference lines.

Fields are called c0, c1, … because Vega reads dots, brackets and quotes in a
field name as a path. A record holds one line: c0 names it, the arrays follow.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from reportgen.charts import labels, style
from reportgen.charts.metric_values import Numbers
from reportgen.charts.registry import VegaLite
from reportgen.charts.series import Series
from reportgen.polylines import simplified

Datum = dict[str, Any]
Drawing = alt.LayerChart | alt.ConcatChart | alt.HConcatChart | alt.VConcatChart

FIT = alt.AutoSizeParams(type="fit", contains="padding")
RATE_TICKS = (0, 0.2, 0.4, 0.6, 0.8, 1)
NAMES = frozenset({"c0", "c7", "model"})
"""Fields of texts."""

MANY = 60
"""Most points that a line keeps without being asked whether they show."""


class Layer(alt.Chart):
    """A chart that nothing changes once it is made."""

    def __deepcopy__(self, memo: Any = None) -> Layer:
        """Altair copies all that a part holds whenever it becomes one of another."""
        return self.copy(deep=False)


class LayeredPanel(alt.LayerChart):
    """Layers that are a part of one chart alone, which may have them as they are."""

    def __deepcopy__(self, memo: Any = None) -> LayeredPanel:
        """A copy would be built from its layers anew."""
        return self


def inline(records: Sequence[Datum], *arrays: str) -> alt.Chart:
    """Return a chart on these records, with the named arrays unrolled to one row per element.

    The records go in as a tuple: Altair copies lists anew at every step.
    """
    chart = Layer(alt.InlineData(values=tuple(records)))
    return chart.transform_flatten(list(arrays)) if arrays else chart


def overall(table: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that are not of a slice."""
    return table.filter(pl.col("slice").is_null())


def records(
    table: pl.DataFrame, columns: Sequence[str], texts: Mapping[str, str], digits: int = 5
) -> list[Datum]:
    """Return one record per model that has points: c0 its text, c1, c2, … the columns."""
    points = overall(table).drop_nulls(columns[:2]).select("model", *columns)
    parts = points.partition_by("model", as_dict=True, include_key=False)
    return [
        {"c0": texts[model]}
        | {f"c{i}": rounded(parts[model,][column], digits) for i, column in enumerate(columns, 1)}
        for model in texts
        if (model,) in parts
    ]


def simple(line: Datum, fine: float = 1 / 1000, *, logarithmic: bool = False) -> Datum:
    """Return the line c1, c2 with as many points as its shape needs, where it has many.

    ``fine`` is how far it may stray, in parts of an axis: less than the eye sees.
    The horizontal axis may be ``logarithmic``.
    """
    if len(line["c1"]) <= MANY:
        return line
    x = np.array(line["c1"])
    indices = simplified(np.log(x) if logarithmic else x, np.array(line["c2"]), fine)
    arrays = {field: values for field, values in line.items() if isinstance(values, list)}
    return line | {field: [values[i] for i in indices] for field, values in arrays.items()}


def rounded(values: pl.Series, digits: int = 5) -> list[float | None]:
    """Return the values at the decimals that a drawing needs: five of an even axis to 1."""
    return (values.round(digits) + 0.0).to_list()


def decimals(span: float) -> int:
    """Return the decimals that place a mark on an axis of this length, whatever its unit.

    >>> decimals(300), decimals(0.002)
    (2, 7)
    """
    return 5 if not span or not math.isfinite(span) else 4 - math.floor(math.log10(abs(span)))


def placed(values: pl.Series, digits: int) -> list[float]:
    """Return the values at so many decimals, fewer than none for large ones."""
    return [round(value, digits) + 0.0 for value in values.to_list()]


def rate_x(field: str, title: str | None, **axis: Any) -> alt.X:
    """Return a horizontal position from 0 to 1."""
    return alt.X(f"{field}:Q", title=title, scale=_unit(), axis=_rate_axis(**axis))


def rate_y(field: str, title: str | None, **axis: Any) -> alt.Y:
    """Return a vertical position from 0 to 1."""
    return alt.Y(f"{field}:Q", title=title, scale=_unit(), axis=_rate_axis(**axis))


def _unit() -> alt.Scale:
    return alt.Scale(domain=[0, 1], nice=False)


def _rate_axis(**axis: Any) -> alt.Axis:
    return alt.Axis(values=RATE_TICKS, tickCount=len(RATE_TICKS), format=".1f", **axis)


def layered(*layers: alt.Chart, **properties: Any) -> alt.LayerChart:
    """Return the layers as one chart."""
    return LayeredPanel(layer=layers, **properties)


def references(
    *lines: Sequence[tuple[float, float]], dash: Sequence[int] = (3, 3), color: str = style.FAINT
) -> alt.Chart:
    """Return quiet lines through the points, in the coordinates of the chart they lie under."""
    rules = [
        {"c0": i, "c1": [x for x, _ in line], "c2": [y for _, y in line]}
        for i, line in enumerate(lines)
    ]
    chart: alt.Chart = (
        inline(rules, "c1", "c2")
        .mark_line(color=color, strokeWidth=1, strokeDash=list(dash), clip=True)
        .encode(
            x=alt.X("c1:Q"),
            y=alt.Y("c2:Q"),
            detail=alt.Detail("c0:N"),
        )
    )
    return chart


def notes(*annotations: tuple[float, float, str], **mark: Any) -> alt.Chart:
    """Return quiet words, each at a place in the coordinates of the chart."""
    words = [{"c1": x, "c2": y, "c3": text} for x, y, text in annotations]
    model_style: dict[str, Any] = {"align": "left", "color": style.QUIET, "fontSize": 9.5} | mark
    chart: alt.Chart = (
        inline(words)
        .mark_text(**model_style)
        .encode(x=alt.X("c1:Q"), y=alt.Y("c2:Q"), text=alt.Text("c3:N"))
    )
    return chart


def hover(lines: Sequence[Datum], **titles: str) -> alt.Chart:
    """Return unseen points along the lines that say their values on a page with scripts.

    A drawing is made without them.
    """
    fields = dict.fromkeys(("c1", "c2", *titles))
    unrolled: list[Any] = [field for field in fields if field not in {"c0", "c7"}]
    chart: alt.Chart = (
        Layer(alt.InlineData(values=tuple(lines)))
        .transform_filter("isValid(windowSize()[0])")
        .transform_flatten(unrolled)
        .mark_point(filled=True, opacity=0, size=90)
        .encode(x=alt.X("c1:Q"), y=alt.Y("c2:Q"), tooltip=tooltips(**titles))
    )
    return chart


def operating_points(
    numbers: Numbers,
    axes: tuple[str, str],
    series: Series,
    titles: tuple[str, str],
    *,
    least: float,
    digits: int,
) -> alt.Chart:
    """Return the point that each model works at, read from its metrics at its threshold.

    Points below ``least``, where the vertical axis begins, are left out.
    """
    points = [
        {"c1": round(x, 5), "c2": round(y, digits)} | series.marker(model_style)
        for model_style in series.styles
        if (x := numbers.value(axes[0], model_style.model)) is not None
        and (y := numbers.value(axes[1], model_style.model)) is not None
        and y >= least
    ]
    return markers(points, series, titles)


def markers(
    points: Sequence[Datum], series: Series, titles: tuple[str, str], size: float | None = None
) -> alt.Chart:
    """Return the models' symbols at c1, c2, each in the model's colour on a white rim."""
    chart: alt.Chart = (
        inline(points)
        .mark_point(filled=True, opacity=1, size=size or series.size, stroke="white", strokeWidth=1)
        .encode(
            x=alt.X("c1:Q"),
            y=alt.Y("c2:Q"),
            fill=alt.Fill("c8:N", scale=None),
            shape=alt.Shape("c9:N", scale=None),
            tooltip=tooltips(c7="Model", c1=titles[0], c2=titles[1]),
        )
    )
    return chart


def tooltips(**titles: str) -> list[alt.Tooltip]:
    """Return what is shown over a mark on a page with scripts; c0, c7 and model hold names."""
    return [
        alt.Tooltip(f"{field}:{'N' if field in NAMES else 'Q'}", title=title)
        for field, title in titles.items()
    ]


def square(series: Series, *layers: alt.Chart) -> alt.LayerChart:
    """Return the layers as a chart of half width whose two axes have one scale."""
    height = style.SQUARE + series.height
    return layered(*layers, width=style.HALF, height=height, autosize=FIT)


def oblong(series: Series, *layers: alt.Chart) -> alt.LayerChart:
    """Return the layers as a chart of half width whose two axes have scales of their own."""
    height = style.OBLONG + series.height
    return layered(*layers, width=style.HALF, height=height, autosize=FIT)


def titled(text: str, width: float, **more: Any) -> alt.TitleParams:
    """Return the heading of a panel, cut in its middle to its width."""
    return alt.TitleParams(labels.heading(text, width), limit=width, frame="group", **more)


def specification(chart: Drawing) -> VegaLite:
    """Return the chart as Vega-Lite, with the report's configuration and no other."""
    vega_lite: VegaLite = chart.to_dict(validate=False)
    datasets = {name: list(values) for name, values in vega_lite["datasets"].items()}
    return vega_lite | {"config": style.CONFIG, "datasets": datasets}


def thinned(table: pl.DataFrame, most: int = 40) -> pl.DataFrame:
    """Return at most about ``most`` rows per model, evenly spaced, first and last included."""
    place, rows = pl.int_range(pl.len()).over("model"), pl.len().over("model")
    step = (rows / most).ceil().cast(pl.Int64)
    return table.filter((place % step == 0) | (place == rows - 1))
