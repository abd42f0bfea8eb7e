"""The look of a report: logo, colours, fonts and template."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from reportgen.spec.base import SpecPart
from reportgen.spec.field_types import Text

_HEX = re.compile("#[0-9a-fA-F]{6}")
LEGIBLE, VISIBLE = 4.5, 3.0
"""Contrast with white that text needs, and lines and marks: WCAG 2.2, 1.4.3 and 1.4.11."""


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21: WCAG 2.2.

    >>> round(contrast("#767676", "#ffffff"), 2)
    4.54
    """
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def lightened(color: str, page: str) -> str:
    """Return a colour with as much white as text on a dark page needs.

    >>> lightened("#1757c2", "#12161b")
    '#5181d1'
    """
    for white in range(0, 101, 5):
        mixed = [round(value + (255 - value) * white / 100) for value in _channels(color)]
        lighter = "#" + "".join(f"{value:02x}" for value in mixed)
        if contrast(lighter, page) >= LEGIBLE:
            break
    return lighter


def _channels(color: str) -> list[int]:
    return [int(color[at : at + 2], 16) for at in (1, 3, 5)]


def _luminance(color: str) -> float:
    parts = [value / 255 for value in _channels(color)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _color(value: str) -> str:
    if not _HEX.fullmatch(value):
        raise PydanticCustomError("colour", 'a colour such as "#1757c2" is expected')
    return value.lower()


def _visible(value: str) -> str:
    if contrast(value, "#ffffff") < VISIBLE:
        raise PydanticCustomError("pale", "a darker colour is expected, with 3 : 1 on white")
    return value


def _legible(value: str) -> str:
    if contrast(value, "#ffffff") < LEGIBLE:
        raise PydanticCustomError("pale", "a darker colour is expected, with 4.5 : 1 on white")
    return value


def _different(values: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(values)) < len(values):
        raise PydanticCustomError("alike", "colours that differ are expected")
    return values


TextColor = Annotated[Text, AfterValidator(_color), AfterValidator(_legible)]
"""A colour that text can be read in."""

LineColor = Annotated[Text, AfterValidator(_color), AfterValidator(_visible)]
"""A colour that lines can be seen in."""


class ThemeFonts(SpecPart):
    """Fonts of headings and text; charts and tables keep the bundled font.

    TrueType or OpenType files in the folder of the spec, of at most 4 MB each.
    """

    regular: Text = Field(examples=["House-Regular.ttf"])
    """The font of texts."""
    semibold: Text = Field(examples=["House-SemiBold.ttf"])
    """The font of headings and of what is emphasised."""
    italic: Text | None = Field(None, examples=["House-Italic.ttf"])
    """The font of formulas; the bundled one where it is left out."""


class Theme(SpecPart):
    """The look of a report; what is left out stays as it is."""

    logo: Text | None = Field(None, examples=["logo.svg"])
    """PNG or SVG on page one, in the folder of the spec: at most 200 kB. Convert the texts of an
    SVG to outlines."""
    accent: TextColor | None = Field(None, examples=["#7a0019"])
    """Colour of the title, of section numbers and of links, with a contrast of at least 4.5 : 1 on
    white; on a dark screen it is lightened as far as needed."""
    palette: Annotated[tuple[LineColor, ...], Field(max_length=20), AfterValidator(_different)] = ()
    """Colours of the models in their order, each with at least 3 : 1 on white; they repeat where
    there are more models. Dashes and symbols tell models apart, too."""
    fonts: ThemeFonts | None = None
    """Fonts of headings and texts, as files of the folder of the spec."""
    template: Text | None = Field(None, examples=["page.html.j2"])
    """Jinja template in the folder of the spec that extends ``report.html.j2`` and overrides some
    of its blocks."""
