"""Curves of all models in one chart of half width, and the table behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from reportgen.charts import captions, chart_layers
from reportgen.charts.chart_layers import Record
from reportgen.charts.series import Series
from reportgen.charts.style import ModelStyle

if TYPE_CHECKING:
    from reportgen.results import Results


def members(results: Results, curve: str) -> list[ModelStyle]:
    """Return the looks of the models that have the curve."""
    models = set(chart_layers.overall(captions.curve(results, curve))["model"])
    return [
        model_style for model_style in captions.model_styles(results) if model_style.model in models
    ]


def square(
    lines: Sequence[Record], series: Series, x: alt.X, y: alt.Y, *under: alt.Chart
) -> alt.LayerChart:
    """Return the lines c1, c2 as a square chart, over what lies under them."""
    simple = [chart_layers.simple(line) for line in lines]
    drawn = (
        chart_layers.inline(simple, "c1", "c2")
        .mark_line(strokeWidth=series.stroke, clip=True)
        .encode(x=x, y=y, color=series.color(), strokeDash=series.dash())
    )
    return chart_layers.square(series, *under, drawn)


def table(curve: pl.DataFrame, model_styles: Sequence[ModelStyle], **titles: str) -> pl.DataFrame:
    """Return the named columns of the looks' models under their titles, thinned for reading."""
    names = {model_style.model: model_style.label for model_style in model_styles}
    rows = chart_layers.overall(curve).filter(pl.col("model").is_in(list(names)))
    columns = [pl.col(name).alias(title) for name, title in titles.items()]
    return chart_layers.thinned(rows, 20).select(
        pl.col("model").replace(names).alias("Model"), *columns
    )


def at(curve: pl.DataFrame, model: str, along: str, place: float) -> Record | None:
    """Return the first row of the model's curve at this place or beyond, none behind its end."""
    rows = chart_layers.overall(curve).filter((pl.col("model") == model) & (pl.col(along) >= place))
    return rows.row(0, named=True) if rows.height else None
