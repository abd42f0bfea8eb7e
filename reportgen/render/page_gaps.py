"""Pages that end early, because the figures that follow are a little taller than what is left.

Such figures are drawn lower and the report is laid out again. Their text keeps its size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import weasyprint

EMPTY = 0.35
"""Share of a page that may be empty at its end."""

MOST = 0.3
"""Share of its height that a figure may lose."""

LEAST = 150.0
"""Height in px that it keeps."""

NAME = 9.0
"""Height in px of a row's name on an axis that lists them."""

OVER_SECTION = 24.0
"""Room over a section, in px, which a page does not begin with."""


@dataclass(frozen=True, slots=True)
class TooTall:
    """Charts that stand in one row, and by how many px they are too tall for the page before."""

    charts: tuple[str, ...]
    excess: float


def emptiness(document: weasyprint.Document) -> tuple[float, float]:
    """How much more of its pages is empty than may be, in pages: within sections, and in all.

    The last page does not count.
    """
    excess = [max(_left(page)[0] - EMPTY, 0.0) for page in document.pages[:-1]]
    followers = map(_begins_section, document.pages[1:])
    within = sum(e for e, begins in zip(excess, followers, strict=True) if not begins)
    return within, sum(excess)


def too_tall(document: weasyprint.Document, lost: Mapping[str, float]) -> Iterator[TooTall]:
    """Find what would fill pages that end early if it were lower by no more than it may lose.

    ``lost`` is what charts have lost already.
    """
    for page, following in pairwise(document.pages):
        share, left = _left(page)
        row = _first_row(following) if share > EMPTY else None
        if row is None:
            continue
        images = [box for box in row.descendants() if _source(box).startswith("chart:")]
        excess = row.position_y + row.margin_height() - _top(following) + OVER_SECTION - left
        charts = tuple(_source(box).removeprefix("chart:") for box in images)
        if images and 0 < excess <= min(map(_may_lose, images, (lost.get(c, 0.0) for c in charts))):
            yield TooTall(charts, excess)


def _may_lose(image: Any, lost: float) -> float:
    """What the drawing of a chart may lose still, in px."""
    height: float = image.height
    return min(MOST * (height + lost) - lost, height - LEAST)


def lowered(chart: Mapping[str, Any], by: float) -> dict[str, Any] | None:
    """Return a chart that is lower by so many px; several rows of panels share them alike.

    >>> lowered({"height": 300, "mark": "line"}, 20.0)
    {'height': 280, 'mark': 'line'}
    >>> lowered({"concat": [{"height": 230}, {"height": 36}], "columns": 1}, 20.0)
    {'concat': [{'height': 210}, {'height': 36}], 'columns': 1}
    >>> lowered({"concat": [{"height": 104}] * 6, "columns": 3}, 20.0)["concat"][0]
    {'height': 94}
    >>> lowered({"layer": []}, 20.0) is None
    True
    """
    if "height" in chart:
        height = round(chart["height"] - by)
        return {**_with_fewer_names(chart, height), "height": height}
    name = next((name for name in ("concat", "hconcat") if name in chart), "")
    panels = chart.get(name, [])
    tallest = max((panel.get("height", 0) for panel in panels), default=0)
    tall = [panel for panel in panels if panel.get("height") == tallest]
    if not tall:
        return None
    rows = -(-len(tall) // chart.get("columns", len(tall)))
    lower = [{**p, "height": round(tallest - by / rows)} if p in tall else p for p in panels]
    return {**chart, name: lower}


def _with_fewer_names(chart: Mapping[str, Any], height: float) -> dict[str, Any]:
    """A chart of which so few rows are named that the names stand apart at a height.

    >>> axis = {"encoding": {"y": {"axis": {"values": ["a", "b", "c", "d"]}}}}
    >>> _with_fewer_names({"layer": [axis]}, 30)["layer"][0]["encoding"]["y"]["axis"]
    {'values': ['a', 'c']}
    """
    result = dict(chart)
    if "layer" in result:
        result["layer"] = [_with_fewer_names(layer, height) for layer in result["layer"]]
    encoding = result.get("encoding", {})
    axis = encoding.get("y", {}).get("axis") or {}
    if values := axis.get("values"):
        fewer = {**axis, "values": values[:: ceil(NAME * len(values) / height)]}
        result["encoding"] = {**encoding, "y": {**encoding["y"], "axis": fewer}}
    return result


def _left(page: weasyprint.Page) -> tuple[float, float]:
    """What is empty at the end of a page: its share, and its height in px."""
    box = vars(page)["_page_box"]
    bottoms = [
        part.position_y + part.height
        for part in box.children[0].descendants()
        if _source(part) or type(part).__name__ == "LineBox"
    ]
    notes = [part.position_y for part in box.children[1:] if _holds_footnotes(part)]
    end = min([box.content_box_y() + box.height, *notes])
    left = end - max(bottoms, default=box.content_box_y())
    return left / box.height, left


def _begins_section(page: weasyprint.Page) -> bool:
    """Whether the first line of a page is the heading of a section."""
    boxes = vars(page)["_page_box"].children[0].descendants()
    lines = (box for box in boxes if _source(box) or type(box).__name__ == "LineBox")
    return getattr(next(lines, None), "element_tag", "") == "h2"


def _holds_footnotes(box: Any) -> bool:
    return type(box).__name__ == "FootnoteAreaBox" and bool(box.children)


def _top(page: weasyprint.Page) -> float:
    top: float = vars(page)["_page_box"].content_box_y()
    return top


def _first_row(page: weasyprint.Page) -> Any:
    """The first figure of a page, or the row that it stands in."""
    for box in vars(page)["_page_box"].children[0].descendants():
        classes = "" if box.element is None else box.element.get("class", "")
        if {"row", "chart"} & set(classes.split()):
            return box
    return None


def _source(box: Any) -> str:
    """The chart that an image shows; empty for other boxes."""
    is_image = box.element is not None and type(box).__name__.endswith("ReplacedBox")
    return str(box.element.get("src", "")) if is_image else ""
