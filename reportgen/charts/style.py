"""How everything is drawn: one style per model, one set of sizes, one configuration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from reportgen.charts import labels
from reportgen.charts.registry import VegaLite, Width
from reportgen.text import name_starts

FULL = 660
HALF = 318
THIRD = 204
"""Final widths in px; a chart is never scaled, so its text keeps its size."""

WIDTHS: dict[Width, int] = {"full": FULL, "half": HALF, "third": THIRD}

SQUARE = 327
"""Height of a half-width chart with equal scales on both axes, without its legend."""

OBLONG = 250
"""Height of a half-width chart whose axes have scales of their own, without its legend."""

LEGEND_ROW = 17
"""Height of a line of legend."""

AXIS_ROOM = 40
"""Height under a panel for labels and title of its axis."""

HEADING = 26
"""Height over a panel for its heading, with a gap."""

FONT = "Report Sans, Inter, Noto Sans SC, sans-serif"
INK = "#1f2328"
QUIET = "#57606a"
FAINT = "#8c959f"
GRID = "#e7eaee"
ISO = "#d0d7de"

PALETTE = (
    "#1757c2",
    "#e8590c",
    "#401959",
    "#0e8f5a",
    "#c2409a",
    "#6a3d09",
    "#3d8fe0",
    "#807630",
    "#725cca",
    "#d6182f",
)
"""At least 3 : 1 on white. The first three differ clearly in grey and to colour-blind
eyes (simulated after Machado et al. 2009); beyond, dashes and symbols carry it too."""

_COLORS: ContextVar[Sequence[str]] = ContextVar("colours of models", default=PALETTE)

DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [4, 2], [12, 4], [5, 2, 1, 2, 1, 2])
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right")
CROWD = 6
"""Most models that are drawn with full strokes and a line of legend each."""


@dataclass(frozen=True, slots=True)
class ModelStyle:
    """How one model is drawn in every figure."""

    model: str
    label: str
    color: str
    dash: list[int]
    shape: str


@contextmanager
def colored(palette: Sequence[str]) -> Iterator[None]:
    """Where models have colours of their own; the usual ones where the palette is empty."""
    before = _COLORS.set(tuple(palette) or PALETTE)
    try:
        yield
    finally:
        _COLORS.reset(before)


def model_styles(models: Sequence[str]) -> list[ModelStyle]:
    """Return one style per model, fixed by its place in the spec.

    Colours repeat after the last one, dashes and shapes after seven, so that
    the first seventy differ in at least one of them.
    """
    start, colors = name_starts.start_of_models(models), _COLORS.get()
    short = {model: name_starts.without(start, model) for model in models}
    drawn = labels.unique(short.values())
    return [
        ModelStyle(
            model,
            drawn[short[model]],
            colors[place % len(colors)],
            DASHES[place % len(DASHES)],
            SHAPES[place % len(SHAPES)],
        )
        for place, model in enumerate(short)
    ]


def beside(count: int) -> Width:
    """Return the width of figures of one kind that stand beside each other.

    >>> beside(2), beside(3), beside(4), beside(5)
    ('half', 'third', 'half', 'third')
    """
    return "half" if count < 3 or count == 4 else "third"


_AXIS: VegaLite = {
    "labelFontSize": 10,
    "labelColor": QUIET,
    "labelPadding": 4,
    "labelLimit": 150,
    "titleFontSize": 10.5,
    "titleFontWeight": 400,
    "titleColor": INK,
    "titlePadding": 6,
    "gridColor": GRID,
    "domainColor": FAINT,
    "tickColor": FAINT,
    "tickSize": 4,
}

_LEGEND: VegaLite = {
    "orient": "bottom",
    "direction": "vertical",
    "labelFontSize": 10,
    "labelColor": INK,
    "titleFontSize": 10,
    "titleFontWeight": 400,
    "titleColor": QUIET,
    "rowPadding": 1,
    "columnPadding": 14,
    "offset": 8,
    "padding": 0,
    "symbolType": "stroke",
    "symbolSize": 400,
    "symbolStrokeWidth": 2,
}

CONFIG: VegaLite = {
    "font": FONT,
    "aria": False,
    "background": "transparent",
    "padding": {"left": 1, "top": 6, "right": 2, "bottom": 1},
    "view": {"stroke": None},
    "axis": _AXIS,
    "legend": _LEGEND,
    "text": {"fontSize": 10, "color": INK},
    "title": {"fontSize": 10.5, "fontWeight": 600, "color": INK, "anchor": "start", "offset": 5},
    "line": {"strokeCap": "butt", "strokeJoin": "round"},
}
