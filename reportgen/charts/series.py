"""The channels that distinguish models in a chart, with one legend for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from reportgen.charts import labels, style
from reportgen.charts.metric_values import Numbers
from reportgen.charts.style import ModelStyle

SYMBOL = 26
"""Room of a stroke in the legend, with its gap."""

BETWEEN = 14
"""Room between two columns of legend."""

INDENT = 44
"""Room left of a legend, under the axis."""


MOST_ROWS = 12
"""Models of long names each have a row of the legend to themselves, if they are no more."""


class Series:
    """The models of one chart: their styles, their lines of legend, the widths of their strokes.

    ``lines`` gives each model's line of legend, which is also the value of the
    field c0: its label and, where ``metric`` is given, its number under the
    name ``name``.
    """

    def __init__(
        self,
        model_styles: Sequence[ModelStyle],
        width: int,
        numbers: Numbers | None = None,
        metric: str = "",
        name: str = "",
    ) -> None:
        crowded = len(model_styles) > style.CROWD
        self.styles = model_styles
        self.columns, self._room, legend_lines = _legend(
            model_styles, width, _tails(model_styles, numbers, metric, name)
        )
        self.lines = dict(
            zip((model_style.model for model_style in model_styles), legend_lines, strict=True)
        )
        self.height = -(-len(model_styles) // self.columns) * style.LEGEND_ROW
        self.stroke = 1.2 if crowded else 1.8
        self.size = 35 if crowded else 60

    def color(self, **legend: Any) -> alt.Color:
        """Return the colour of each model; ``legend`` changes how it is explained."""
        room = {"columns": self.columns, "labelLimit": self._room}
        styled = alt.Legend(title=None, **(room | legend))
        return alt.Color("c0:N", title=None, scale=self._scale("color"), legend=styled)

    def dash(self) -> alt.StrokeDash:
        """Return the dash pattern of each model."""
        return alt.StrokeDash("c0:N", title=None, scale=self._scale("dash"))

    def shape(self) -> alt.Shape:
        """Return the symbol of each model; the legend then shows symbols instead of strokes."""
        return alt.Shape("c0:N", title=None, scale=self._scale("shape"))

    def marker(self, model_style: ModelStyle) -> dict[str, str]:
        """Return the fields of a symbol: its line of legend, name, colour and shape.

        Colour and shape are as they are, without a scale.
        """
        style = {"c7": model_style.label, "c8": model_style.color, "c9": model_style.shape}
        return {"c0": self.lines[model_style.model], **style}

    def _scale(self, part: str) -> alt.Scale:
        values = [getattr(model_style, part) for model_style in self.styles]
        return alt.Scale(domain=list(self.lines.values()), range=values)


def _tails(
    model_styles: Sequence[ModelStyle], numbers: Numbers | None, metric: str, name: str
) -> list[list[str]]:
    """Return what may stand behind the models' names, the longest first."""
    if numbers is None:
        return [["" for _ in model_styles]]
    estimates = [numbers.get(metric, model_style.model) for model_style in model_styles]
    value_texts = [(estimate.point, str(estimate)) for estimate in estimates]
    is_defined = [estimate.value is not None for estimate in estimates]
    forms = [
        [f" · {name} {long}" for _, long in value_texts],
        [f" · {name} {brief}" for brief, _ in value_texts],
        [f" · {brief}" for brief, _ in value_texts],
    ]
    return [[t if k else "" for t, k in zip(form, is_defined, strict=True)] for form in forms]


def _legend(
    model_styles: Sequence[ModelStyle], width: int, tails: Sequence[Sequence[str]]
) -> tuple[int, float, list[str]]:
    """Return columns, the room of a line, and the lines: the longest form that fits, else cut."""
    half = width == style.HALF
    default_columns = (
        (1 if len(model_styles) <= style.CROWD else 2)
        if half
        else min(3, max(1, len(model_styles)))
    )
    for least in range(
        default_columns, 0 if len(model_styles) <= MOST_ROWS else default_columns - 1, -1
    ):
        for form in tails:
            lines = [
                model_style.label + tail
                for model_style, tail in zip(model_styles, form, strict=True)
            ]
            widest = max((labels.text_width(line) for line in lines), default=0)
            fitting = int((width - INDENT + BETWEEN) / (widest + SYMBOL + BETWEEN))
            if fitting >= least:
                columns = least if half else max(1, min(fitting, 6, len(model_styles)))
                return columns, room(width, columns), labels.distinct(lines, labels.LONGEST * 2)
    each = room(width, default_columns)
    rooms = [each - labels.text_width(tail) for tail in tails[-1]]
    cut = labels.fitted([model_style.label for model_style in model_styles], rooms)
    lines = [name + tail for name, tail in zip(cut, tails[-1], strict=True)]
    return default_columns, each, labels.distinct(lines, labels.LONGEST * 2)


def room(width: float, columns: int) -> float:
    """Return the room for the text of a line, in px, where so many stand beside each other."""
    return (width - INDENT - BETWEEN * (columns - 1)) / columns - SYMBOL
