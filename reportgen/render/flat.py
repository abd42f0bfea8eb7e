"""Drawings with the fewest elements that draw the same.

The chart compiler nests every mark in several groups, each with a move of its
own, and draws every tick alone. The PDF writer pays for each of them. Here moves
are worked into the coordinates, and neighbours of one style become one path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle
from xml.etree.ElementTree import Element, tostring

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
