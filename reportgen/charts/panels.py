"""Small multiples: how many columns, how wide a panel, and the panels in their rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import altair as alt

from reportgen.charts import chart_layers, labels, style
from reportgen.charts.channels import AxisOptions

WIDEST = 300
"""Widest panel, so that one alone is no wider than a half-width chart."""


def columns(panels: int, most: int = 5) -> int:
    """Return how many panels stand side by side: full rows where there is a choice.

    >>> [columns(n) for n in (1, 3, 4, 6, 7, 9, 10, 12)]
    [1, 3, 4, 3, 4, 5, 5, 4]
    """
    if panels <= min(4, most):
        return panels
    rows = -(-panels // most)
    return -(-panels // rows)


def width(count: int, extent: float, gap: float) -> float:
    """Return the width of each of ``count`` panels in a row of full width, or less for one."""
    whole = style.HALF if count == 1 else style.FULL
    return min(WIDEST, (whole - extent - 8 - gap * (count - 1)) / count)


def room(extent: float, *, shown: bool) -> AxisOptions:
    """Fix the room beside an axis, so that panels line up and the width is known."""
    if shown:
        return {"minExtent": extent, "maxExtent": extent}
    return {"labels": False, "ticks": False, "maxExtent": 0}


def rate_axes(extent: float, *, first: bool, lowest: bool) -> tuple[alt.Axis, alt.Axis]:
    """Return the axes of a panel from 0 to 1, named at the first and the lowest of a grid."""
    ticks: AxisOptions = {"values": [0, 0.5, 1], "format": ".1~f"}
    bare: AxisOptions = {} if lowest else {"labels": False, "ticks": False}
    across = alt.Axis(**(ticks | bare), labelFlush=True)
    return across, alt.Axis(**(ticks | room(extent, shown=first)))


def names_axis(
    column: str, names: Iterable[str], extent: float, widest: float, *, touching: bool = False
) -> alt.Y:
    """Return the axis of names beside rows of dots, without names where it has no room.

    ``touching`` rows have no space between them, and a line where each begins.
    """
    options = room(extent, shown=extent > 0) | {"ticks": False}
    scale = alt.Scale(domain=list(names))
    if touching:
        options["tickBand"] = "extent"
        scale = alt.Scale(domain=list(names), padding=0)
    axis = alt.Axis(domain=False, grid=True, labelLimit=widest, **options)
    return alt.Y(column, title=None, scale=scale, axis=axis)


def arranged(
    panels: Sequence[alt.LayerChart], count: int, *, row: float, gap: float
) -> alt.ConcatChart:
    """Return the panels in rows of ``count``, with one legend for all."""
    spacing = {"row": row, "column": gap}
    chart: alt.ConcatChart = alt.concat(
        *panels, columns=count, bounds="flush", spacing=spacing
    ).resolve_scale(color="shared", strokeDash="shared", shape="shared")
    return chart


def is_lowest(place: int, count: int, panels: int) -> bool:
    """Whether no panel stands below the one at this place."""
    return place + count >= panels


def headed(layers: Sequence[alt.Chart], name: str, width_: float, height: float) -> alt.LayerChart:
    """Return the layers as a panel with its name over it, in line with those beside it.

    A title of Vega's would stand higher over an axis whose labels reach up.
    """
    # For alt.value Altair reads its whole schema; these have no types.
    left, above = alt.XValue(0), alt.YValue(-7)  # type: ignore[no-untyped-call]  # Altair has no types
    heading: alt.Chart = (
        chart_layers.inline([{"c3": labels.heading(name, width_)}])
        .mark_text(align="left", baseline="bottom", fontSize=10.5, fontWeight=600, limit=width_)
        .encode(text=alt.Text("c3:N"), x=left, y=above)
    )
    return chart_layers.layered(*layers, heading, width=width_, height=height)
