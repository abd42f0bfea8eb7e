"""Curves of all models in one chart of half width, and the table behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import altair as alt
import polars as pl

from reportgen.charts import captions, chart_layers, scales, style
from reportgen.charts.chart_layers import Datum
from reportgen.charts.metric_values import Numbers
from reportgen.charts.registry import Figure
from reportgen.charts.scales import UnitAxes
from reportgen.charts.series import Series
from reportgen.charts.style import ModelStyle
from reportgen.records.model import Results

COARSE = 1 / 250
"""How far a grey line may be from the true one, in parts of an axis."""

EVEN = UnitAxes()
"""Axes from 0 to 1."""


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


@dataclass(frozen=True, slots=True)
class RateCurve:
    """A square chart of two rates at every threshold, with the operating point of each model.

    ``columns`` are those of the table of this ``key`` by their titles, the two along the axes
    first. The legend has the ``measure`` of each model after its ``symbol``, in a sentence its
    ``phrase``; a model has a line where its point has each of ``needed``.
    """

    key: str
    columns: Mapping[str, str]
    measure: str
    symbol: str
    phrase: str
    needed: tuple[str, ...]

    @property
    def axes(self) -> tuple[str, str]:
        """The columns along the axes."""
        x, y, *_ = self.columns
        return x, y

    def series(self, numbers: Numbers, models: Sequence[str]) -> Series:
        """The models that have a line."""
        members = [
            one
            for one in style.model_styles(models)
            if all(numbers.value(name, one.model) is not None for name in self.needed)
        ]
        return Series(members, style.HALF, numbers, self.measure, self.symbol)

    def records(self, curve: pl.DataFrame, series: Series, axes: UnitAxes = EVEN) -> list[Datum]:
        """The points of each line."""
        return chart_layers.records(curve, tuple(self.columns), series.lines, axes.decimals)

    def draw(
        self,
        lines: Sequence[Datum],
        series: Series,
        numbers: Numbers,
        under: Sequence[alt.Chart],
        over: Sequence[alt.Chart] = (),
        axes: UnitAxes = EVEN,
    ) -> alt.LayerChart:
        """The lines between the layers under and over them, and the points on top."""
        x_title, y_title, *_ = self.columns.values()
        logarithmic = ", log scale" if axes.lowest else ""
        x, y = chart_layers.rate_x("c1", x_title), axes.y("c2", y_title + logarithmic)
        points = chart_layers.operating_points(
            numbers,
            self.axes,
            series,
            (x_title, y_title),
            least=axes.lowest,
            digits=axes.decimals,
        )
        titles = {f"c{k}": title for k, title in enumerate(self.columns.values(), 1)}
        hovered = chart_layers.hover(lines, c0="Model", **titles)
        return chart_layers.square(
            series, *under, strokes(lines, series, x, y), hovered, *over, points
        )

    def muted(
        self,
        others: Results | None,
        shape: Callable[[Datum], Datum] = lambda line: chart_layers.simple(line, COARSE),
        axes: UnitAxes = EVEN,
    ) -> list[alt.Chart]:
        """The lines of the models that are not featured."""
        x_title, y_title, *_ = self.columns.values()
        return muted(others, self.key, self.axes, shape, axes.decimals, c1=x_title, c2=y_title)

    def figure(
        self,
        results: Results,
        chart: alt.LayerChart,
        subtitle: str,
        opening: str,
        of_model: Callable[[Numbers, str], str],
    ) -> Figure:
        """The chart with its words; to those who do not see it ``of_model`` says each number."""
        numbers = Numbers(results.metrics)
        texts = [
            f"{one.label}: {of_model(numbers, one.model)}"
            for one in captions.model_styles(results)
            if numbers.value(self.measure, one.model) is not None
        ]
        return Figure(
            id=self.key,
            title=captions.best(results, self.measure, self.phrase),
            subtitle=subtitle + captions.labels_only(results),
            alt=f"{opening} {'; '.join(texts)}.",
            chart=chart_layers.specification(chart),
            table=self.table(results),
            width="half",
            section="discrimination",
        )

    def table(self, results: Results) -> pl.DataFrame:
        """The table behind the lines, by threshold."""
        titles = {"threshold": "Threshold", **{name: self.columns[name] for name in self.axes}}
        curve, styles = captions.curve(results, self.key), captions.model_styles(results)
        return table(curve, styles, most=40, **titles)


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
