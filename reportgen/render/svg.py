"""Vega-Lite specifications to SVG that a browser and the PDF writer draw alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from reportgen.errors import Problem, RenderError
from reportgen.render.flat import flattened
from reportgen.render.fonts import FOLDER, SANS

VEGA_LITE = "6.4"
"""Version of Vega-Lite that specifications are written for, here and in the page's script."""

NAMESPACE = "http://www.w3.org/2000/svg"
DRAWN = re.compile("svg|g|path|rect|line|circle|ellipse|polygon|polyline|text|tspan|clipPath|defs")
"""Elements that may stay; gradients and filters are missing because PDF viewers lose them."""

_SILENT = re.compile(r"aria-.*|role|class|pointer-events|cursor")
_HARMFUL = re.compile(r"on.*|.*filter|mask", re.IGNORECASE)
_LOCAL_URL = re.compile(r"url\(\s*[\"']?#([^\"')]+)[\"']?\s*\)")
_SOLID = "1,0"
"""Dashes without a gap between them."""

_ANY_URL = re.compile(r"url\(|javascript:|data:|//", re.IGNORECASE)
_LONG_NUMBER = re.compile(r"-?\d+(?:\.\d{3,}(?:e-?\d+)?|(?:\.\d+)?e-?\d+)")
_MEASURE = re.compile("d|transform|points|[xy][12]?|d[xy]|r[xy]?|c[xy]|width|height")


def drawings(charts: Mapping[str, Mapping[str, Any]], folder: Path = FOLDER) -> dict[str, str]:
    """Draw every chart, one after the other: the compiler is not safe in parallel.

    ``folder`` holds the fonts that text is measured with. Fonts that are cut to
    the characters of the report save a fifth of the time.
    """
    import vl_convert

    vl_convert.register_font_directory(str(folder))
    return {name: drawing(name, chart) for name, chart in charts.items()}


def drawing(name: str, chart: Mapping[str, Any]) -> str:
    """Draw one chart from its specification; ``name`` begins every id in the result.

    Raises RenderError when the specification does not compile, wants data from
    outside, or draws what cannot be shown everywhere.
    """
    import vl_convert

    try:
        svg = vl_convert.vegalite_to_svg(
            _still(chart), vl_version=VEGA_LITE, allowed_base_urls=[], show_warnings=False
        )
    except ValueError as error:
        reason = (str(error).strip() or "no reason given").splitlines()[0]
        raise RenderError(
            Problem("chart", f"chart {name!r} could not be drawn: {reason}")
        ) from None
    return sanitised(name, svg)


def pixels(drawing: str) -> bytes:
    """Return a drawing as PNG on white, at twice its size; its fonts are those of ``drawings``."""
    import vl_convert

    png: bytes = vl_convert.svg_to_png(drawing, scale=2.0)
    return png


def _still(part: Any) -> Any:
    """Leave out what only a page with scripts shows: tooltips and points to hover over."""
    if isinstance(part, Mapping):
        visible = {key: value for key, value in part.items() if key not in {"tooltip", "datasets"}}
        result = {key: _still(value) for key, value in visible.items()}
        return result | {key: part[key] for key in ("datasets",) if key in part}
    if isinstance(part, list):
        return [_still(value) for value in part if not _is_live(value)]
    return part


def _is_live(layer: Any) -> bool:
    """Whether a layer needs a window, which a drawing has not."""
    transforms = layer.get("transform", []) if isinstance(layer, Mapping) else []
    return any("windowSize()" in str(transform.get("filter", "")) for transform in transforms)


def sanitised(name: str, svg: str) -> str:
    """Reduce a drawing to plain shapes and searchable text.

    Raises RenderError on scripts, outside references, gradients, blending and
    transparent text.
    """
    root = ElementTree.fromstring(svg)  # noqa: S314 - made by our own chart compiler
    _clean(name, root)
    root.set("font-family", SANS)
    ElementTree.register_namespace("", NAMESPACE)  # the PDF writer takes the prefix as it begins
    plain = ElementTree.tostring(flattened(root), encoding="unicode")
    return unicodedata.normalize("NFC", plain)


def _clean(name: str, element: ElementTree.Element) -> None:
    tag = element.tag.removeprefix(f"{{{NAMESPACE}}}")
    if not DRAWN.fullmatch(tag):
        raise _refusal(name, f"the element <{tag.rpartition('}')[2]}>")
    element.attrib = {
        key: _value(name, key, value) for key, value in element.attrib.items() if _kept(key, value)
    }
    if tag == "text" and "opacity" in element.attrib:
        raise _refusal(name, "transparent text (use fillOpacity)")
    for child in list(element):
        if child.get("opacity") != "0":
            _clean(name, child)
        if child.get("opacity") == "0" or _is_blank(child):
            element.remove(child)


def _kept(key: str, value: str) -> bool:
    if _SILENT.fullmatch(key) or (key == "opacity" and float(value) == 1):
        return False
    if key == "stroke-dasharray" and value == _SOLID:
        return False
    return not (key == "font-family" and value.startswith(SANS))


def _value(name: str, key: str, value: str) -> str:
    local = key.rpartition("}")[2]
    if _HARMFUL.fullmatch(local) or "mix-blend" in value:
        raise _refusal(name, f"the attribute {local}={value!r}")
    if local == "href" and not value.startswith("#"):
        raise _refusal(name, f"a link to {value!r}")
    if local == "id":
        return f"{name}-{value}"
    value = _LOCAL_URL.sub(rf"url(#{name}-\1)", value)
    if _ANY_URL.search(_LOCAL_URL.sub("", value)):
        raise _refusal(name, f"a reference to {value!r}")
    if _MEASURE.fullmatch(local):
        return _LONG_NUMBER.sub(_rounded, value)
    return value


def _rounded(match: re.Match[str]) -> str:
    """Hundredths of a pixel are finer than any screen or press."""
    return f"{float(match[0]):.2f}".rstrip("0").rstrip(".")


def _is_blank(element: ElementTree.Element) -> bool:
    """Whether an element draws nothing, as half of those that the compiler writes."""
    tag = element.tag.removeprefix(f"{{{NAMESPACE}}}")
    if element.get("display") == "none":
        return True
    if tag == "g":
        return len(element) == 0
    if tag == "path":
        painted = any(element.get(key, "none") != "none" for key in ("fill", "stroke"))
        return element.get("d", "") in {"", "M0,0h0v0h0Z"} and not painted
    return tag == "text" and not (element.text or len(element))


def _refusal(name: str, what: str) -> RenderError:
    return RenderError(
        Problem(
            "chart",
            f"chart {name!r} holds {what}, which does not draw the same everywhere",
            hint="use plain marks, stepped colours and fillOpacity",
        )
    )
