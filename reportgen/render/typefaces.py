"""The typeface of a theme: fonts of the user, looked through and cut to what a report may show."""

from __future__ import annotations

import base64
import string
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reportgen.render.fonts import TAGS, THEME, Face
from reportgen.text import scripts

if TYPE_CHECKING:
    import uharfbuzz

    from reportgen.records.declared import DeclaredSpec

STYLES: Final = {"regular": (400, "normal"), "semibold": (600, "normal"), "italic": (400, "italic")}
"""Weight and style of each font, by its key in the spec."""

_BEGINNINGS = (b"\0\1\0\0", b"true", b"OTTO")
_TABLES = frozenset({"OS/2", "cmap", "head", "hhea", "hmtx", "maxp", "name", "post"})
_OUTLINES = frozenset({"glyf", "CFF "})
_RESTRICTED = 0x0002
_DAMAGED = "is a damaged font"
_LETTERS = string.ascii_letters + string.digits
_BEFORE_IDEOGRAPHS = 0x2E80
_URL = "data:font/sfnt;base64,"


def fault_of_font(content: bytes) -> str | None:
    """Return what keeps a font from being shown; None where nothing does."""
    import uharfbuzz

    if not content.startswith(_BEGINNINGS):
        return "is neither TrueType nor OpenType"
    try:
        return _fault_of_face(uharfbuzz.Face(uharfbuzz.Blob(content))) or (
            None if _draws(uharfbuzz.Face(uharfbuzz.Blob(_cut(content)))) else _DAMAGED
        )
    except (RuntimeError, ValueError):  # it cannot be cut; a table has a name that is no text
        return _DAMAGED


def _fault_of_face(face: uharfbuzz.Face) -> str | None:
    tables = set(face.table_tags)
    if not tables >= _TABLES or not tables & _OUTLINES or not face.unicodes:
        return _DAMAGED
    if "fvar" in tables:
        return "is a variable font; a file for each weight is expected"
    licence = bytes(face.reference_table("OS/2").data)[8:10]
    if int.from_bytes(licence) & 0x000F == _RESTRICTED:
        return "may not be embedded, as it says of itself"
    absent = [mark for mark in _LETTERS if ord(mark) not in face.unicodes]
    return f"has no glyph for {absent[0]}" if absent else None


def _draws(face: uharfbuzz.Face) -> bool:
    import uharfbuzz

    buffer = uharfbuzz.Buffer()
    buffer.add_str(_LETTERS)
    buffer.guess_segment_properties()
    uharfbuzz.shape(uharfbuzz.Font(face), buffer)
    return all(0 < place.x_advance < 8 * face.upem for place in buffer.glyph_positions)


def _cut(content: bytes) -> bytes:
    """A font without hints, cut to letters, punctuation and symbols."""
    import uharfbuzz

    request = uharfbuzz.SubsetInput()
    request.unicode_set.update(mark for mark in scripts.bundled() if mark < _BEFORE_IDEOGRAPHS)
    request.layout_feature_tag_set.update(TAGS)
    request.flags = uharfbuzz.SubsetFlags.NO_HINTING
    return bytes(uharfbuzz.subset(uharfbuzz.Face(uharfbuzz.Blob(content)), request).blob.data)


def data_url(content: bytes) -> str:
    """Return a font as it is stored: its letters, punctuation and symbols.

    Ideographs keep the fonts that reports have for them.
    """
    return _URL + base64.b64encode(_cut(content)).decode()


def stored_typeface(spec: DeclaredSpec) -> dict[str, str]:
    """Return the fonts of stored results by their keys, in base64; what is no font is left out."""
    stored = {key: spec.notes.get(spec.theme.fonts.get(key) or "", "") for key in STYLES}
    fonts = {key: url.removeprefix(_URL) for key, url in stored.items() if url.startswith(_URL)}
    return {key: text for key, text in fonts.items() if _is_font(text)}


def _is_font(text: str) -> bool:
    try:
        return fault_of_font(base64.b64decode(text, validate=True)) is None
    except ValueError:
        return False


def faces(fonts: Mapping[str, str], folder: Path) -> Iterable[Face]:
    """Lay the fonts of a job into a folder, and return their faces."""
    for key, text in fonts.items():
        weight, style = STYLES[key]
        path = folder / f"theme-{key}.otf"
        path.write_bytes(base64.b64decode(text))
        yield Face(path.name, THEME, weight, style, path)
