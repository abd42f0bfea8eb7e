"""The same chart for a narrow screen: panels one below the other, a legend in fewer columns.

A specification of full width is rearranged; its data stay where they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from reportgen.charts import labels, style
from reportgen.charts.registry import VegaLite
from reportgen.charts.series import BETWEEN, INDENT, SYMBOL, room

WIDTHS = (style.HALF, 360, 400)
"""Widths to try, in px: the page scales a chart to its column, so wider ones have smaller text."""

LEAST = 105
"""Least width of panels that stand beside each other, in px; one alone may be smaller."""

LEAST_ALONE = 90
ROW = style.HEADING + 24
"""Room between rows of panels, for the labels of an axis and a heading."""


def narrowed(chart: Mapping[str, Any]) -> VegaLite | None:
    """Return a chart of full width for a narrow screen, without its data.

    None where there is no room for it: it is then scrolled sideways.
    """
    plain = {key: part for key, part in chart.items() if key not in {"datasets", "config"}}
    if "layer" in plain:
        return _single(plain)
    rows = _rows(plain)
    for width in WIDTHS:
        if (arranged := _arranged(plain, rows, width)) is not None:
            return arranged
    return None


def _single(chart: VegaLite) -> VegaLite:
    """Return a chart of one panel, as much higher as its legend gets longer."""
    panel: VegaLite
    panel, longer = _with_legend(chart, style.HALF)
    return panel | {"width": style.HALF, "height": chart["height"] + longer * style.LEGEND_ROW}


def _rows(chart: VegaLite) -> list[list[VegaLite]]:
    """Return the panels of each row, those that belong together (one over the other) as one."""
    if "vconcat" in chart:
        return [row for part in chart["vconcat"] for row in _rows(part)]
    panels = chart.get("concat") or chart["hconcat"]
    count = chart.get("columns", len(panels))
    rows = [panels[start : start + count] for start in range(0, len(panels), count)]
    if len(rows) > 1 and rows[0][0]["height"] != rows[1][0]["height"]:
        return [[{"upper": a, "lower": b} for a, b in zip(*rows, strict=True)]]
    return rows


def _arranged(chart: VegaLite, rows: Sequence[Sequence[VegaLite]], whole: int) -> VegaLite | None:
    """Return the panels in rows of fewer, or nothing where even one alone has no room."""
    old = len(rows[0])
    gap = _gap(chart)
    before = _of(rows[0][0], "upper")["width"]
    margin = style.FULL - old * before - gap * (old - 1)
    for count in range(old, 0, -1):
        width = (whole - margin - gap * (count - 1)) / count
        if width >= (LEAST if count > 1 else LEAST_ALONE):
            break
    else:
        return None
    panels = [panel for row in rows for panel in row]
    sources = (panels[0], rows[0][min(1, old - 1)], panels[-1])
    new_panels = [
        _placed(
            panel, sources, width, first=place % count == 0, lowest=place + count >= len(panels)
        )
        for place, panel in enumerate(panels)
    ]
    beside = whole - margin + INDENT  # the legend begins where the first panel does
    new_panels = [_with_legend(panel, beside)[0] for panel in new_panels]
    base = {k: v for k, v in chart.items() if k not in {"concat", "hconcat", "vconcat", "columns"}}
    spacing = {"row": ROW, "column": gap}
    if "upper" not in new_panels[0]:
        return base | {
            "concat": new_panels,
            "columns": count,
            "bounds": "flush",
            "spacing": spacing,
        }
    parts = [new_panels[start : start + count] for start in range(0, len(new_panels), count)]
    stacks = [
        {
            "concat": [panel[half] for half in ("upper", "lower") for panel in part],
            "columns": len(part),
            "bounds": "flush",
            "spacing": {"row": 8, "column": gap},
        }
        for part in parts
    ]
    return {k: v for k, v in base.items() if k != "bounds"} | {"vconcat": stacks, "spacing": 16}


def _gap(chart: VegaLite) -> float:
    part = chart["vconcat"][0] if "vconcat" in chart else chart
    spacing = part["spacing"]
    gap: float = spacing["column"] if isinstance(spacing, Mapping) else spacing
    return gap


def _of(panel: VegaLite, half: str) -> VegaLite:
    part: VegaLite = panel.get(half, panel)
    return part


def _placed(
    panel: VegaLite,
    sources: tuple[VegaLite, VegaLite, VegaLite],
    width: float,
    *,
    first: bool,
    lowest: bool,
) -> VegaLite:
    """Return a panel of this width with the axes that its place asks for.

    ``sources`` are the panels that show them: the first of a row, the second, and the lowest.
    """
    if "upper" in panel:
        both = {half: tuple(source[half] for source in sources) for half in ("upper", "lower")}
        return {
            "upper": _one(panel["upper"], both["upper"], width, first=first, lowest=None),
            "lower": _one(panel["lower"], both["lower"], width, first=first, lowest=lowest),
        }
    return _one(panel, sources, width, first=first, lowest=lowest)


def _one(
    panel: VegaLite, sources: Sequence[VegaLite], width: float, *, first: bool, lowest: bool | None
) -> VegaLite:
    side, under = sources[0 if first else 1], sources[2]
    height = panel["height"]
    if height >= 0.6 * panel["width"] and _channel(panel, "y").get("type") != "nominal":
        height = min(height, width)
    new_panel = _mapped(panel, lambda channel, old: _axis(channel, old, side, under, lowest))
    new_panel = _limited(new_panel, width) | {"width": width, "height": height}
    if "title" in new_panel:  # that of the first panel stands over its axis
        new_panel["title"] = new_panel["title"] | {"dy": side["title"].get("dy", 0)}
    return new_panel


def _axis(
    channel: str, old: VegaLite, side: VegaLite, under: VegaLite, lowest: bool | None
) -> VegaLite:
    if "axis" not in old:
        return old
    if channel == "y":
        shown = _channel(side, "y")
        return old | {"axis": shown["axis"], "title": shown.get("title")}
    if lowest is None:
        return old
    shown = _channel(under, "x")
    bare = old["axis"].get("labels") is False
    title = shown.get("title") if lowest else None
    axis = {"labelSeparation": 4} | (shown["axis"] if bare else old["axis"])
    return old | {"axis": axis, "title": title}


def _channel(panel: VegaLite, name: str) -> VegaLite:
    """Return the first channel of this name that says how its axis looks."""
    for layer in (panel, *panel.get("layer", ())):
        channel: VegaLite = layer.get("encoding", {}).get(name, {})
        if "axis" in channel:
            return channel
    return {}


def _mapped(panel: VegaLite, change: Any) -> VegaLite:
    """Return a panel with its x and y channels changed, in each of its layers."""
    copy = dict(panel)
    if "layer" in copy:
        copy["layer"] = [_mapped(layer, change) for layer in copy["layer"]]
    if "encoding" in copy:
        copy["encoding"] = {
            name: change(name, channel) if name in {"x", "y"} else channel
            for name, channel in copy["encoding"].items()
        }
    return copy


def _limited(panel: VegaLite, width: float) -> VegaLite:
    """Return a panel with its words cut to its width."""
    copy = dict(panel)
    if "layer" in copy:
        copy["layer"] = [_limited(layer, width) for layer in copy["layer"]]
    for key in ("mark", "title"):
        if isinstance(copy.get(key), Mapping) and "limit" in copy[key]:
            copy[key] = copy[key] | {"limit": width}
    if "title" in copy and labels.text_width(copy["title"]["text"], 10.5) > width:
        copy["title"] = copy["title"] | {"fontSize": 9.5}
    return copy


def _with_legend(part: Any, width: float) -> tuple[Any, int]:
    """Return a part of a chart with its legend in as many columns as fit, and the rows added."""
    if isinstance(part, list):
        pairs = [_with_legend(value, width) for value in part]
        return [value for value, _ in pairs], max((more for _, more in pairs), default=0)
    if not isinstance(part, Mapping):
        return part, 0
    if isinstance(part.get("legend"), Mapping) and "columns" in part["legend"]:
        return _legend(part, width)
    entries = {key: _with_legend(value, width) for key, value in part.items()}
    longer = max((more for _, more in entries.values()), default=0)
    return {key: value for key, (value, _) in entries.items()}, longer


def _legend(channel: Mapping[str, Any], width: float) -> tuple[VegaLite, int]:
    lines, legend = channel["scale"]["domain"], channel["legend"]
    widest = max(labels.text_width(line) for line in lines)
    fitting = int((width - INDENT + BETWEEN) / (widest + SYMBOL + BETWEEN))
    columns = max(1, min(legend["columns"], fitting))
    more = math.ceil(len(lines) / columns) - math.ceil(len(lines) / legend["columns"])
    changed = legend | {"columns": columns, "labelLimit": room(width, columns)}
    return dict(channel) | {"legend": changed}, more
