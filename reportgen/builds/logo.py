"""The logo of a theme: read once, looked through, and carried along as text."""

from __future__ import annotations

import base64
import re
import struct
from xml.etree import ElementTree

from reportgen.errors import SpecError
from reportgen.spec import Spec

LARGEST = 200_000
"""Bytes of a logo at most."""

_WIDEST = 4000
"""Pixels of a side at most."""

_DEEPEST = 100
"""Levels of elements in each other at most."""

NOT_AN_IMAGE = "is neither PNG nor SVG"
_PNG = b"\x89PNG\r\n\x1a\n"
_REACHES_OUT = re.compile(r"url\(\s*[\"']?(?!#)|@import|javascript:|expression\(", re.IGNORECASE)
_ACTIVE = frozenset({"script", "foreignObject", "iframe", "image", "feImage", "animate", "set"})


def logo_of(spec: Spec) -> dict[str, str]:
    """Return the logo of a spec as a data URL by its file's name; none where it has no logo.

    Raises ``SpecError`` where it cannot be read, is neither PNG nor SVG, is too large, or holds
    what runs or what is loaded from elsewhere.
    """
    name = spec.theme.logo
    if name is None:
        return {}
    path = spec.base / name
    if not path.is_file():  # a pipe would be waited for
        raise _refused(spec, name, "cannot be read: there is no such file")
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise _refused(spec, name, f"cannot be read: {error.strerror}") from None
    if len(content) > LARGEST:
        raise _refused(spec, name, f"has more than {LARGEST // 1000} kB", "save it smaller")
    kind = "png" if content.startswith(_PNG) else "svg+xml"
    reason = _fault_of_png(content) if kind == "png" else _fault_of_svg(content)
    if reason:
        raise _refused(spec, name, reason, "save it as a PNG, or as a plain SVG")
    return {name: f"data:image/{kind};base64,{base64.b64encode(content).decode()}"}


def _fault_of_png(content: bytes) -> str | None:
    if len(content) < 33 or content[12:16] != b"IHDR":
        return "is a damaged PNG"
    width, height = struct.unpack(">II", content[16:24])
    if not (0 < width <= _WIDEST and 0 < height <= _WIDEST):
        return f"has {width:,} × {height:,} pixels; at most {_WIDEST:,} a side are shown"
    return None


def _fault_of_svg(content: bytes) -> str | None:
    """What keeps an SVG from being shown; a browser runs nothing in it, but the PDF has it, too."""
    try:
        text = content.decode()
        if "<!" in re.sub("<!--.*?-->", "", text, flags=re.DOTALL):
            return "declares a document type or entities"
        root = ElementTree.fromstring(text)  # noqa: S314 - no entities, and of bounded size
    except (ElementTree.ParseError, ValueError):
        return NOT_AN_IMAGE
    if root.tag.rpartition("}")[2] != "svg":
        return NOT_AN_IMAGE
    level, depth = [root], 0
    while level:
        level, depth = [part for element in level for part in element], depth + 1
    if depth > _DEEPEST:
        return f"has {depth:,} levels of elements in each other; at most {_DEEPEST} are drawn"
    return next(filter(None, map(_fault_of_element, root.iter())), None) or _fault_of_uses(root)


def _fault_of_uses(root: ElementTree.Element) -> str | None:
    """A copy of what holds copies: it may hold itself, or be a million of them."""
    attributes = (item for use in _uses(root) for item in use.attrib.items())
    copied = {value for key, value in attributes if key.rpartition("}")[2] == "href"}
    elements = (element for element in root.iter() if f"#{element.get('id')}" in copied)
    return "holds a <use> of what holds another" if any(map(_uses, elements)) else None


def _uses(element: ElementTree.Element) -> list[ElementTree.Element]:
    return [part for part in element.iter() if str(part.tag).rpartition("}")[2] == "use"]


def _fault_of_element(element: ElementTree.Element) -> str | None:
    tag = str(element.tag).rpartition("}")[2]
    if tag in _ACTIVE:
        return f"holds <{tag}>"
    for key, value in element.attrib.items():
        local = key.rpartition("}")[2]
        outside = local == "href" and not value.startswith("#")
        if local.startswith("on") or outside or _REACHES_OUT.search(value):
            return f"holds the attribute {local}={value[:40]!r}"
    return "holds a style that loads something" if _REACHES_OUT.search(element.text or "") else None


def _refused(spec: Spec, name: str, reason: str, hint: str = "") -> SpecError:
    problem = spec.problem(("theme", "logo"), "logo", f"theme.logo: {name!r} {reason}", hint)
    return SpecError(problem)
