"""Texts of drawings, placed from their left ends.

The PDF writer puts a text that is centred or ends at its place onto a sheet of its
own, which costs more than the text. The widths are known, so every text can begin at its left.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from reportgen.render import fonts
from reportgen.text.scripts import is_joined, missing

if TYPE_CHECKING:
    import uharfbuzz

_SHARE = {"middle": 0.5, "end": 1.0}
"""The part of a text that lies left of its place."""

SEMIBOLD = 600

UNKNOWN = 0.7
"""Width, in em, of a narrow character of another font."""


def from_the_left(drawing: str) -> str:
    """Return a drawing whose texts all begin at their left ends, and look the same."""
    root = ElementTree.fromstring(drawing)  # noqa: S314 - our own drawing
    for text in root.iter(f"{root.tag.removesuffix('svg')}text"):
        share = _SHARE.get(text.get("text-anchor", ""))
        content = text.text or ""
        if share is None or len(text) or not _is_plain(content):
            continue
        size = float(text.get("font-size", "16px").removesuffix("px"))
        before = share * width(" ".join(content.split()), text.get("font-weight", "")) * size
        text.set("x", f"{float(text.get('x', 0)) - before:.3f}")
        del text.attrib["text-anchor"]
    return ElementTree.tostring(root, encoding="unicode")


def _is_plain(text: str) -> bool:
    """Whether the bundled fonts have all of a text, and set it from left to right."""
    return bool(text) and text.isprintable() and not missing(text) and not is_joined(text)


@cache
def width(text: str, weight: str = "") -> float:
    """Return the width of a text in em, kerned."""
    bold = weight == "bold" or (weight.isdigit() and int(weight) >= SEMIBOLD)
    return _shaped(text, _UPRIGHT[SEMIBOLD if bold else 400])


@cache
def advance(mark: str) -> float:
    """Return the width of a character in a table, in em, in the weight that makes it widest.

    Digits and signs are as wide as each other. What the bundled fonts lack has an estimate.

    >>> advance("1") == advance("8") == advance("+") > advance(".")
    True
    """
    if missing(mark):
        return 1.0 if unicodedata.east_asian_width(mark) in "WF" else UNKNOWN
    return max(_shaped(mark, face, tnum=True) for face in _UPRIGHT.values())


def _shaped(text: str, face: fonts.Face, **features: bool) -> float:
    import uharfbuzz

    font, buffer = _font(face), uharfbuzz.Buffer()
    buffer.add_str(text)
    buffer.guess_segment_properties()
    uharfbuzz.shape(font, buffer, features)
    return float(sum(place.x_advance for place in buffer.glyph_positions) / font.face.upem)


_UPRIGHT = {
    face.weight: face
    for face in fonts.FACES
    if face.family == fonts.SANS and face.style == "normal"
}


@cache
def _font(face: fonts.Face) -> uharfbuzz.Font:
    import uharfbuzz

    return uharfbuzz.Font(fonts.opened(face.path))
