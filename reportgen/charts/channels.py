"""Arguments of Altair that charts share: a misspelt one fails the type check."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

import altair as alt


class Scaled(TypedDict):
    """The scale and the axis of a position, whichever field it shows."""

    scale: alt.Scale
    axis: NotRequired[alt.Axis]


class Position(Scaled):
    """The same with the title of the axis."""

    title: str | None


class Axes(TypedDict):
    """Both positions of a layer."""

    x: alt.X
    y: alt.Y


class Rows(TypedDict):
    """A row per name, and in it a line per model."""

    y: alt.Y
    yOffset: alt.YOffset


class ColoredRows(Rows):
    """The same with the colours of the models."""

    color: alt.Color


class AxisRoom(TypedDict, total=False):
    """The room beside an axis."""

    minExtent: float
    maxExtent: float


class AxisOptions(AxisRoom, total=False):
    """What an axis shows, and the room beside it."""

    values: list[float]
    format: str
    labels: bool
    ticks: bool
    tickBand: Literal["center", "extent"]


class Mark(TypedDict, total=False):
    """How words and lines look."""

    align: Literal["left", "center", "right"]
    baseline: Literal["top", "middle", "bottom"]
    color: str
    dx: float
    fontSize: float
    strokeCap: Literal["butt", "round", "square"]
    strokeWidth: float
