"""The logo of a theme: read once, looked through, and carried along as text."""

from __future__ import annotations

import base64
import errno
import re
import struct
import zlib
from collections.abc import Iterator
from xml.etree import ElementTree

from reportgen.errors import SpecError
from reportgen.spec import Spec

LARGEST = 200_000
"""Bytes of a logo at most."""

_DEEPEST = 100
"""Levels of elements in each other at most."""

NOT_AN_IMAGE = "is neither PNG nor SVG"
_REACHES_OUT = re.compile(
    r"url\(\s*[\"']?(?!#)|@(?!media\b)|\\|javascript:|expression\(|(?:image|image-set|src)\(",
    re.IGNORECASE,
)
"""What loads something in a style, or may stand for it: an escape (a backslash), a rule of CSS."""

_ACTIVE = frozenset({"script", "foreignObject", "iframe", "image", "feImage", "set"})
_ANIMATES = "animate"
"""How the names of elements begin that change a picture over time."""

_REPEATED = frozenset({"marker", "pattern"})
"""Elements that are drawn once for each point of a path, or tile of a surface."""

_SHARED = frozenset({"mask", "clipPath", "filter"})
_MOST_DRAWN = 10_000
"""Elements of masks and clips at most, each counted as often as it is used."""

_NUMBER = re.compile(r"\b(?:nan|inf(?:inity)?)\b|\d[eE]\+?\d{2,}", re.IGNORECASE)
_NUMERIC = frozenset(
    {
        "d",
        "points",
        "transform",
        "viewBox",
        "width",
        "height",
        "x",
        "y",
        "cx",
        "cy",
        "r",
        "rx",
        "ry",
    }
    | {"x1", "x2", "y1", "y2", "offset", "opacity", "font-size", "stroke-width", "stroke-dasharray"}
)
_MARK = re.compile(r"url\(\s*[\"']?#([^\"')\s]+)")


def logo_of(spec: Spec) -> dict[str, str]:
    """Return the logo of a spec as a data URL by its file's name; none where it has no logo.

    Raises ``SpecError`` where it cannot be read, is neither PNG nor SVG, is too large, or holds
    what runs or what is loaded from elsewhere.
    """
    name = spec.theme.logo
    if name is None:
        return {}
    path = spec.base / name
    try:
        if not path.is_file():  # a pipe would be waited for
            raise FileNotFoundError(errno.ENOENT, "there is no such file")
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise _refused(spec, name, f"cannot be read: {error.strerror}") from None
    if len(content) > LARGEST:
        raise _refused(spec, name, f"has more than {LARGEST // 1000} kB", "save it smaller")
    kind = "png" if content.startswith(PNG) else "svg+xml"
    reason = fault_of_png(content) if kind == "png" else fault_of_svg(content)
    if reason:
        raise _refused(spec, name, reason, "save it as a PNG, or as a plain SVG")
    return {name: f"data:image/{kind};base64,{base64.b64encode(content).decode()}"}


def fault_of_svg(content: bytes) -> str | None:
    """What keeps an SVG from being shown; a browser runs nothing in it, but the PDF has it, too."""
    try:
        text = content.decode()
        if "<?xml-stylesheet" in text:
            return "names a style sheet"
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
        return f"nests elements {depth:,} levels deep; at most {_DEEPEST} are drawn"
    faults = map(_fault_of_element, root.iter())
    return next(filter(None, faults), None) or _fault_of_uses(root) or _fault_of_shared(root)


def _fault_of_uses(root: ElementTree.Element) -> str | None:
    """A copy of what holds copies: it may hold itself, or be a million of them."""
    attributes = (item for use in _uses(root) for item in use.attrib.items())
    copied = {value for key, value in attributes if key.rpartition("}")[2] == "href"}
    elements = (element for element in root.iter() if f"#{element.get('id')}" in copied)
    return "has a <use> of an element that has another <use>" if any(map(_uses, elements)) else None


def _fault_of_shared(root: ElementTree.Element) -> str | None:
    """A mask or a clip that uses another may use itself; a large one may be used often."""
    shared = {one.get("id"): one for one in root.iter() if _tag(one) in _SHARED}
    styles = ("".join(one.itertext()) for one in root.iter() if _tag(one) == "style")
    if shared.keys() & {name for style in styles for name in _MARK.findall(style)}:
        return "uses a mask or clip in a style; name it in an attribute"
    drawn = 0
    for element in root.iter():
        used = {name for value in element.attrib.values() for name in _MARK.findall(value)}
        drawn += sum(len(list(shared[name].iter())) for name in used & shared.keys())
    if drawn > _MOST_DRAWN:
        return f"draws {drawn:,} elements of masks and clips; at most {_MOST_DRAWN:,} are drawn"
    marked = {
        name
        for one in shared.values()
        for part in one.iter()
        for value in part.attrib.values()
        for name in _MARK.findall(value)
    }
    return "holds a mask or clip that uses another" if marked & shared.keys() else None


def _tag(element: ElementTree.Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _uses(element: ElementTree.Element) -> list[ElementTree.Element]:
    return [part for part in element.iter() if _tag(part) == "use"]


def _fault_of_element(element: ElementTree.Element) -> str | None:
    tag = _tag(element)
    if tag in _ACTIVE | _REPEATED or tag.startswith(_ANIMATES):
        return f"holds <{tag}>"
    for key, value in element.attrib.items():
        local = key.rpartition("}")[2]
        outside = local == "href" and not value.startswith("#")
        if local.startswith("on") or outside or _REACHES_OUT.search(value):
            return f"holds the attribute {local}={value[:40]!r}"
        if local in _NUMERIC and _NUMBER.search(value):
            return f"holds a number that cannot be drawn: {local}={value[:40]!r}"
    if tag == "style" and _REACHES_OUT.search("".join(element.itertext())):
        return "holds a style that loads something"
    return None


def _refused(spec: Spec, name: str, reason: str, hint: str = "") -> SpecError:
    problem = spec.problem(("theme", "logo"), "logo", f"theme.logo: {name!r} {reason}", hint)
    return SpecError(problem)


PNG = b"\x89PNG\r\n\x1a\n"

_WIDEST = 4000
"""Pixels of a side at most."""

_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
"""Bits of a sample by the kind of colours (PNG specification, table 11.1)."""

_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Samples of a pixel by the kind of colours."""

_ADAM7 = (
    *((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4)),
    *((0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)),
)
"""First column and row of each pass of an interlaced image, and the steps between them."""

_AT_ONCE = 1 << 16
"""Bytes that are unpacked at a time."""

_DAMAGED = "is a damaged PNG"


def fault_of_png(content: bytes) -> str | None:
    """What keeps a PNG from being shown; None if nothing does."""
    if len(content) < 33 or content[12:16] != b"IHDR":
        return _DAMAGED
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", content[16:29])
    if not (0 < width <= _WIDEST and 0 < height <= _WIDEST):
        return f"has {width:,} × {height:,} pixels; at most {_WIDEST:,} a side are shown"
    chunks = list(_chunks(content))
    if not chunks or chunks[-1][0] != b"IEND" or depth not in _DEPTHS.get(colour, ()):
        return _DAMAGED
    packed = b"".join(data for kind, data in chunks if kind == b"IDAT")
    expected = _size(width, height, depth * _SAMPLES[colour], interlaced=bool(interlaced))
    return None if _unpacks_to(packed, expected) else _DAMAGED


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The chunks with their kind, up to the last one or to the first that is damaged."""
    at = len(PNG)
    while at + 12 <= len(content):
        (size,) = struct.unpack(">I", content[at : at + 4])
        body, check = content[at + 4 : at + 8 + size], content[at + 8 + size : at + 12 + size]
        if check != struct.pack(">I", zlib.crc32(body)):
            return
        yield body[:4], body[4:]
        if body[:4] == b"IEND":
            return
        at += 12 + size


def _size(width: int, height: int, bits: int, *, interlaced: bool) -> int:
    """Bytes of the pixels, with one of its filter before each line."""
    passes = _ADAM7 if interlaced else ((0, 0, 1, 1),)
    sides = [(-(-(width - x) // dx), -(-(height - y) // dy)) for x, y, dx, dy in passes]
    return sum(h * (1 + -(-w * bits // 8)) for w, h in sides if w > 0 and h > 0)


def _unpacks_to(packed: bytes, size: int) -> bool:
    unpacker, unpacked = zlib.decompressobj(), 0
    try:
        while unpacked < size:
            part = unpacker.decompress(packed, _AT_ONCE)
            if not part:
                return False
            unpacked, packed = unpacked + len(part), unpacker.unconsumed_tail
    except zlib.error:
        return False
    return True
