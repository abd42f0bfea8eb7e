"""What charts can do on a page with scripts: models chosen in the legend, short numbers, zoom.

The drawings of the page and of the PDF are made without it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from reportgen.charts.registry import VegaLite

SERIES = "c0"
"""The field that names a line, and so its entry in the legend."""

MUTED = 0.12
"""Opacity of what is not chosen in the legend."""

DENSE = 300
"""A panel with more marks can be zoomed."""

LEGEND = {
    "name": "series",
    "select": {"type": "point", "fields": [SERIES], "toggle": "true"},
    "bind": "legend",
}
"""A click in the legend chooses a model, or no longer does."""

SHIFTED = "[pointerdown[event.shiftKey], window:pointerup] > window:pointermove!"
ZOOM = {
    "type": "interval",
    "on": SHIFTED,
    "translate": SHIFTED,
    "zoom": "wheel![event.shiftKey]",
}
"""With the shift key, so that a page is scrolled as ever."""


def interactive(chart: Mapping[str, Any]) -> VegaLite:
    """Return a chart whose legend chooses, with short numbers in tooltips, and zoom where dense.

    Its data stay those of the chart.
    """
    spec = {key: part if key == "datasets" else deepcopy(part) for key, part in chart.items()}
    units = list(_units(spec, spec.get("data")))
    for unit, rows in units:
        _shorten(unit, rows)
    _choose_in_legend(units)
    for number, panel in enumerate(_panels(spec)):
        _zoom(panel, spec.get("datasets", {}), number)
    return spec


def _units(spec: VegaLite, data: Any) -> Iterator[tuple[VegaLite, list[Any]]]:
    """Every single view with its rows; a view without data has those around it."""
    yield from _of_part(spec, data, spec.get("datasets", {}))


def _of_part(
    part: VegaLite, data: Any, datasets: Mapping[str, Any]
) -> Iterator[tuple[VegaLite, list[Any]]]:
    data = part.get("data", data)
    if "mark" in part:
        yield part, _rows(data, datasets)
    for child in _children(part):
        yield from _of_part(child, data, datasets)


def _children(part: VegaLite) -> list[VegaLite]:
    names = ("layer", "concat", "hconcat", "vconcat")
    return [child for name in names for child in part.get(name, ())]


def _rows(data: Any, datasets: Mapping[str, Any]) -> list[Any]:
    rows = datasets.get(data["name"], []) if data and "name" in data else (data or {}).get("values")
    return rows if isinstance(rows, list) else []


def _shorten(unit: VegaLite, rows: list[Any]) -> None:
    """Let tooltips print as many digits as are read."""
    tooltips = unit.get("encoding", {}).get("tooltip", [])
    for tooltip in tooltips if isinstance(tooltips, list) else [tooltips]:
        if tooltip.get("type") == "quantitative" and "format" not in tooltip:
            tooltip["format"] = number_format(_values(rows, tooltip.get("field")))


def _values(rows: list[Any], field: str | None) -> list[float]:
    cells = [row.get(field) for row in rows if isinstance(row, Mapping)]
    listed = [item for cell in cells for item in (cell if isinstance(cell, list) else [cell])]
    return [abs(item) for item in listed if isinstance(item, int | float)]


def number_format(values: list[float]) -> str:
    """Return the format of d3 that shows about four digits of the largest value, no needless zeros.

    >>> number_format([0.2, 1.0]), number_format([0.3, 27.5]), number_format([120000.0])
    (',.4~f', ',.2~f', ',.0~f')
    """
    most = max((value for value in values if math.isfinite(value)), default=0.0)
    digits = 4 if most <= 1 else max(0, 3 - math.floor(math.log10(most)))
    return f",.{digits}~f"


def _choose_in_legend(units: list[tuple[VegaLite, list[Any]]]) -> None:
    """Let the legend of models mute what is not chosen, in every view that has a model's marks."""
    explained = [unit for unit, _ in units if _has_legend(unit)]
    names = {name for unit in explained for name in unit["encoding"]["color"]["scale"]["domain"]}
    if len(names) < 2:
        return
    for unit, rows in units:
        encoding, mark = unit.get("encoding", {}), unit["mark"]
        opacity = mark.get("opacity", 1) if isinstance(mark, Mapping) else 1
        models = {row.get(SERIES) for row in rows if isinstance(row, Mapping)}
        if opacity and "opacity" not in encoding and models and models <= names:
            chosen = {"param": LEGEND["name"], "value": opacity}
            encoding["opacity"] = {"condition": chosen, "value": MUTED}
    explained[0].setdefault("params", []).append(deepcopy(LEGEND))


def _has_legend(unit: VegaLite) -> bool:
    """Whether a view's legend names models."""
    color = unit.get("encoding", {}).get("color", {})
    scale = color.get("scale")
    return color.get("field") == SERIES and bool(scale and scale.get("domain") and color["legend"])


def _panels(spec: VegaLite) -> list[VegaLite]:
    """The layered parts, each with axes of its own."""
    if "layer" in spec:
        return [spec]
    return [panel for child in _children(spec) for panel in _panels(child)]


def _zoom(panel: VegaLite, datasets: Mapping[str, Any], number: int) -> None:
    """Let a crowded panel with two axes of numbers be zoomed and moved."""
    units = list(_of_part(panel, panel.get("data"), datasets))
    if sum(_marks(rows) for _, rows in units) < DENSE:
        return
    placed = [unit for unit, _ in units if _of_numbers(unit)]
    if len(placed) < len(units) or not placed:
        return
    placed[0].setdefault("params", []).append(
        {"name": f"zoom_{number}", "select": dict(ZOOM), "bind": "scales"}
    )
    for unit in placed:
        if isinstance(unit["mark"], dict):
            unit["mark"]["clip"] = True


def _marks(rows: list[Any]) -> int:
    return sum(
        max((len(v) for v in row.values() if isinstance(v, list)), default=1)
        for row in rows
        if isinstance(row, Mapping)
    )


def _of_numbers(unit: VegaLite) -> bool:
    encoding = unit.get("encoding", {})
    return all(encoding.get(axis, {}).get("type") == "quantitative" for axis in "xy")
