"""Vega-Lite specifications to SVG that a browser and the PDF writer draw alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, tostring

from reportgen.errors import Problem, RenderError
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
        reason = " ".join(str(error).strip().splitlines()[:2]) or "no reason given"
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


Move = tuple[float, float]

_MOVE = re.compile(r"translate\((-?[\d.]+),(-?[\d.]+)\)")
_STEP = re.compile(r"([A-Za-z])([^A-Za-z]*)")
_NUMBER = re.compile(r"-?\d*\.?\d+")
_CLIP = re.compile(r"url\(#(.*)\)")
_PAIR = (0, 1)
_MOVED_BY: Mapping[str, tuple[int | None, ...]] = {
    "H": (0,),
    "V": (1,),
    "A": (None, None, None, None, None, 0, 1),
}
"""Which part of a move each number after a command takes; after others x and y in turn."""

_OF_GROUP = ("clip-path", "opacity", "id")
"""What holds for a group as a whole: its members cannot take it over."""

_ENDS = ("x1", "y1", "x2", "y2")
_ALONE = ("stroke-opacity", "clip-path", "opacity", "transform")
"""With one of these a line does not look the same as a part of a longer path."""


def flattened(root: Element) -> Element:
    """Return a drawing that looks the same with fewer elements; ``root`` is used up."""
    groups = [child for child in root if _tag(child) == "g"]
    common = _presentation(groups[0]) if len(groups) == 1 else {}
    flat = Element(root.tag, root.attrib | common)
    _Flattening(flat.attrib, _clips(root)).spread(root, flat, (0.0, 0.0), common)
    return flat


@dataclass(frozen=True, slots=True)
class _Flattening:
    """What all of a drawing shares: its presentation attributes, and one name for equal clips."""

    shared: Mapping[str, str]
    clips: Mapping[str, str]

    def spread(self, old: Element, new: Element, move: Move, inherited: Mapping[str, str]) -> None:
        """Put what a group holds into another, moved and with the attributes that it inherits."""
        for child in old:
            kind, moved = _tag(child), _together(move, child.get("transform"))
            attributes, passed_on = self.attributes(child), {**inherited, **_presentation(child)}
            if kind == "defs":
                new.append(child)
            elif kind != "g":
                special = {k: v for k, v in passed_on.items() if self.shared.get(k) != v}
                self.add(new, _shape(child, kind, moved, special | attributes))
            elif attributes or isinstance(moved, str):
                group = Element(child.tag, _transform(moved) | attributes)
                self.spread(child, group, (0.0, 0.0), passed_on)
                self.add_group(new, group)
            else:
                self.spread(child, new, moved, passed_on)

    def attributes(self, element: Element) -> dict[str, str]:
        """Return what holds for an element as a whole, with the one name of its clip."""
        result = {key: element.attrib[key] for key in _OF_GROUP if key in element.attrib}
        if clip := _CLIP.fullmatch(result.get("clip-path", "")):
            result["clip-path"] = f"url(#{self.clips.get(clip[1], clip[1])})"
        return result

    def add(self, new: Element, shape: Element) -> None:
        """Add what is painted; a line in the style of the one before becomes a part of it."""
        fill, stroke = (shape.get(k, self.shared.get(k, "none")) for k in ("fill", "stroke"))
        if shape.tag.endswith("path") and fill == stroke == "none":
            return
        before = new[-1] if len(new) else shape
        if before is not shape and fill == "none" and _same_style(before, shape):
            before.set("d", before.get("d", "") + shape.get("d", ""))
        else:
            new.append(shape)

    def add_group(self, new: Element, group: Element) -> None:
        """Add a group that draws something; one like the one before becomes a part of it."""
        before = new[-1] if len(new) else group
        if before is not group and before.attrib == group.attrib and before.tag == group.tag:
            for shape in group:
                self.add(before, shape)
        elif len(group):
            new.append(group)


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _presentation(element: Element) -> dict[str, str]:
    held = {"transform", *_OF_GROUP}
    return {key: value for key, value in element.attrib.items() if key not in held}


def _same_style(one: Element, other: Element) -> bool:
    """Whether two lines have the same style, so that they may be drawn as one."""
    styles = ({k: v for k, v in path.attrib.items() if k != "d"} for path in (one, other))
    first, second = styles
    return one.tag == other.tag and first == second and first.keys().isdisjoint(_ALONE)


def _clips(root: Element) -> dict[str, str]:
    """Keep the first of the clips that are alike; return its name for each of them."""
    first: dict[str, str] = {}
    names: dict[str, str] = {}
    for definitions in [child for child in root if _tag(child) == "defs"]:
        for clip in list(definitions):
            name = clip.attrib.pop("id", "")
            names[name] = first.setdefault(tostring(clip, encoding="unicode"), name)
            clip.set("id", name)
            if names[name] != name:
                definitions.remove(clip)
    return names


def _together(move: Move, transform: str | None) -> Move | str:
    """Return one move for two, or the transform where one of them turns as well."""
    if not transform:
        return move
    if match := _MOVE.fullmatch(transform):
        return (move[0] + float(match[1]), move[1] + float(match[2]))
    return f"{_transform(move).get('transform', '')} {transform}".strip()


def _transform(moved: Move | str) -> dict[str, str]:
    if not isinstance(moved, str):
        moved = "translate({},{})".format(*map(_short, moved)) if any(moved) else ""
    return {"transform": moved} if moved else {}


def _short(value: float) -> str:
    """Hundredths of a pixel are finer than any screen or press."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _shape(old: Element, kind: str, moved: Move | str, presentation: dict[str, str]) -> Element:
    """Return a shape or a text with its move in its coordinates, where it can be there."""
    if (
        isinstance(moved, str)
        or "clip-path" in presentation
        or kind not in {"line", "path", "text"}
    ):
        shape = Element(old.tag, presentation | _transform(moved))
    elif kind == "text":
        x, y = (float(presentation.get(key, 0)) for key in "xy")
        shape = Element(
            old.tag, presentation | {"x": _short(x + moved[0]), "y": _short(y + moved[1])}
        )
    else:
        ends = [presentation.pop(end, "0") for end in _ENDS]
        path = presentation.get("d") or "M{},{}L{},{}".format(*ends)
        shape = Element(old.tag.replace("line", "path"), presentation | {"d": _path(path, moved)})
    shape.text = old.text
    shape.extend(old)
    return shape


def _path(path: str, move: Move) -> str:
    """Move a path: the commands in capitals, the others are relative to them."""

    def step(match: re.Match[str]) -> str:
        if match[1].islower() or match[1] == "Z":
            return match[0]
        parts = zip(_NUMBER.findall(match[2]), cycle(_MOVED_BY.get(match[1], _PAIR)), strict=False)
        return match[1] + ",".join(
            n if part is None else _short(float(n) + move[part]) for n, part in parts
        )

    return _STEP.sub(step, path)
