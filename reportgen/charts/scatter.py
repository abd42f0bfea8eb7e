"""Rows as a cloud: single points while they are few, else squares shaded by their number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from reportgen.charts import chart_layers, scales
from reportgen.charts.channels import Axes
from reportgen.charts.style import ModelStyle

Array = np.ndarray
Ends = tuple[float, float]

FEW = 400
"""Most rows of a panel that are drawn one by one, whatever is lighter."""

MANY = 1000
"""The same of all panels together."""

LIGHTER = 0.8
"""Squares are drawn where they are fewer than this part of the rows."""

CELL = 4.5
"""Side of a square in px."""

SHADES = ((1, 0.3), (2, 0.5), (4, 0.7), (8, 0.85), (16, 1.0))
"""How opaque a square is from so many rows on."""

CellColumns = tuple[Array, Array, Array]


def cells(x: Array, y: Array, ends: tuple[Ends, Ends], size: tuple[float, float]) -> CellColumns:
    """Return column, row and number of points of each square that has any."""
    across, up = (max(1, round(side / CELL)) for side in size)
    column = _binned(x, ends[0], across)
    row = _binned(y, ends[1], up)
    cell_ids, numbers = np.unique(column * up + row, return_counts=True)
    return cell_ids // up, cell_ids % up, numbers


def _binned(values: Array, ends: Ends, count: int) -> Array:
    place = (values - ends[0]) / (ends[1] - ends[0]) * count
    bins: Array = np.clip(place.astype(int), 0, count - 1)
    return bins


def is_dense(rows: Sequence[int], squares: Sequence[int]) -> bool:
    """Whether squares are worth it: many rows in a panel or in all, and fewer squares."""
    many = sum(rows) > MANY or max(rows) > FEW
    return many and sum(squares) < LIGHTER * sum(rows)


def points(x: Array, y: Array, model_style: ModelStyle, ends: tuple[Ends, Ends]) -> alt.Chart:
    """Return the rows one by one, the fainter the more there are."""
    digits = [chart_layers.decimals(high - low) - 1 for low, high in ends]
    layers = [
        {"c1": round(float(a), digits[0]), "c2": round(float(b), digits[1])}
        for a, b in zip(x, y, strict=True)
    ]
    opacity = 0.75 if len(x) <= 60 else 0.5 if len(x) <= 200 else 0.32
    chart: alt.Chart = (
        chart_layers.inline(layers)
        .mark_circle(color=model_style.color, fillOpacity=opacity, opacity=1, size=14)
        .encode(**_places(ends), tooltip=chart_layers.tooltips(c1="x", c2="y"))
    )
    return chart


def squares(
    cells: CellColumns, model_style: ModelStyle, ends: tuple[Ends, Ends], size: tuple[float, float]
) -> Any:
    """Return the squares, the more opaque the more rows they hold."""
    sides = [
        (high - low) / max(1, round(side / CELL))
        for (low, high), side in zip(ends, size, strict=True)
    ]
    digits = [chart_layers.decimals(high - low) for low, high in ends]
    layers = []
    for column, row, number in zip(*cells, strict=True):
        left, low = ends[0][0] + column * sides[0], ends[1][0] + row * sides[1]
        layers.append(
            {
                "c1": round(float(left), digits[0]),
                "c2": round(float(low), digits[1]),
                "c3": round(float(left + sides[0]), digits[0]),
                "c4": round(float(low + sides[1]), digits[1]),
                "c5": max(shade for least, shade in SHADES if number >= least),
                "c6": int(number),
            }
        )
    return (
        chart_layers.inline(layers)
        .mark_rect(color=model_style.color, opacity=1)
        .encode(
            **_places(ends),
            x2=alt.X2("c3:Q"),
            y2=alt.Y2("c4:Q"),
            fillOpacity=alt.FillOpacity("c5:Q", scale=None),
            tooltip=chart_layers.tooltips(c6="Rows"),
        )
    )


def _places(ends: tuple[Ends, Ends]) -> Axes:
    return {"x": scales.x("c1", None, ends[0]), "y": scales.y("c2", None, ends[1])}
