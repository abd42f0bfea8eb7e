"""Curves of all models in one chart of half width, and the table behind them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import altair as alt
import polars as pl

from reportgen.charts import captions, chart_layers, scales, style
from reportgen.charts.chart_layers import Datum
from reportgen.charts.series import Series
from reportgen.charts.style import ModelStyle

if TYPE_CHECKING:
    from reportgen.results import Results


COARSE = 1 / 250
"""How far a grey line may be from the true one, in parts of an axis."""


def members(results: Results, curve: str) -> list[ModelStyle]:
    """Return the styles of the models that have the curve."""
    models = set(chart_layers.overall(captions.curve(results, curve))["model"])
    return [
        model_style for model_style in captions.model_styles(results) if model_style.model in models
    ]


def strokes(lines: Sequence[Datum], series: Series, x: alt.X, y: alt.Y, **mark: Any) -> alt.Chart:
    """Return the lines c1, c2 of the models in their colours and dashes."""
    chart: alt.Chart = (
        chart_layers.inline(lines, "c1", "c2")
        .mark_line(strokeWidth=series.stroke, **mark)
        .encode(x=x, y=y, color=series.color(), strokeDash=series.dash())
    )
    return chart


def muted(
    others: Results | None,
    curve: str,
    columns: tuple[str, str],
    shape: Callable[[Datum], Datum] = lambda line: chart_layers.simple(line, COARSE),
    digits: int = 5,
    **titles: str,
) -> list[alt.Chart]:
    """Return the lines of the models that are not featured, thin and grey under the others.

    ``shape`` makes a line of its points, which have so many ``digits``; ``titles`` name ``c1``
    and ``c2`` where a reader points.
    """
    if others is None or curve not in others.curves:
        return []
    texts = {one.model: one.label for one in captions.model_styles(others)}
    records = chart_layers.records(others.curves[curve], columns, texts, digits)
    lines = [shape(line) for line in records]
    if not lines:
        return []
    quiet: alt.Chart = (
        chart_layers.inline(lines, "c1", "c2")
        .mark_line(color=style.FAINT, strokeWidth=0.7, strokeOpacity=0.6, clip=True)
        .encode(x=alt.X("c1:Q"), y=alt.Y("c2:Q"), detail=alt.Detail("c0:N"))
    )
    return [quiet, chart_layers.hover(lines, c0="Model", **titles)]


def muted_note(others: Results | None) -> str:
    """Return what the grey lines are, for a subtitle."""
    if others is None:
        return ""
    count = len(others.data["models"])
    return " Grey: the other model." if count == 1 else f" Grey: the {count} other models."


def square(
    lines: Sequence[Datum], series: Series, x: alt.X, y: alt.Y, *under: alt.Chart
) -> alt.LayerChart:
    """Return the lines c1, c2 as a square chart, over what lies under them."""
    simple = [chart_layers.simple(line) for line in lines]
    return chart_layers.square(series, *under, strokes(simple, series, x, y, clip=True))


RuleLine: TypeAlias = Sequence[tuple[float, float]]
"""A straight or broken line, by its points."""


@dataclass(frozen=True, slots=True)
class LineChart:
    """A square chart of a curve: the columns along its axes, their titles, and the rules beneath.

    The x axis is a rate. The y axis is one too where ``least`` is not given;
    else it begins at 0 and ends a little above the highest line, or at ``least``.
    """

    columns: tuple[str, str]
    titles: tuple[str, str]
    least: float | None = None
    rules: tuple[RuleLine, ...] = ()

    def draw(
        self, curve: pl.DataFrame, model_styles: Sequence[ModelStyle]
    ) -> alt.LayerChart | None:
        """Draw the lines of the models; nothing where there are none."""
        series = Series(model_styles, style.HALF)
        records = chart_layers.records(curve, self.columns, series.lines)
        if not records:
            return None
        x, y = chart_layers.rate_x("c1", self.titles[0]), chart_layers.rate_y("c2", self.titles[1])
        if self.least is not None:
            top = 1.05 * max(self.least, *(max(line["c2"]) for line in records))
            y = scales.y("c2", self.titles[1], [0, round(top, 5)])
        under = [chart_layers.references(*self.rules)] if self.rules else []
        return square(records, series, x, y, *under)


def table(
    curve: pl.DataFrame, model_styles: Sequence[ModelStyle], most: int = 20, **titles: str
) -> pl.DataFrame:
    """Return the named columns of the models under their titles, thinned to about ``most`` rows."""
    names = {model_style.model: model_style.label for model_style in model_styles}
    rows = chart_layers.overall(curve).filter(pl.col("model").is_in(list(names)))
    columns = [pl.col(name).alias(title) for name, title in titles.items()]
    return chart_layers.thinned(rows, most).select(
        pl.col("model").replace(names).alias("Model"), *columns
    )


def at(curve: pl.DataFrame, model: str, along: str, place: float) -> Datum | None:
    """Return the first row of the model's curve at this place or beyond, none behind its end."""
    rows = chart_layers.overall(curve).filter((pl.col("model") == model) & (pl.col(along) >= place))
    return rows.row(0, named=True) if rows.height else None
