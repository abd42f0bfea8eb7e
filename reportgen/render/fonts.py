"""The bundled typefaces: which there are, what they lack, and the parts that one report needs."""

from __future__ import annotations

import base64
import html
import io
import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import Problem, RenderError
from reportgen.resources import TEMPLATES
from reportgen.text import scripts

if TYPE_CHECKING:
    import uharfbuzz

PLACE = "/* the fonts of this report */"
"""Where a page wants its @font-face rules."""

_PLACE = re.compile(rf"(<style>\s*){re.escape(PLACE)}")

FOLDER = TEMPLATES / "fonts"
SANS = "Report Sans"
MONO = "Report Mono"
THEME = "Theme Sans"
"""The family of the fonts that a theme gives."""

_TAG = re.compile(r"<(?:style|script)\b.*?</(?:style|script)>|<!--.*?-->|<[^>]*>", re.DOTALL)
_CONTENT = re.compile(r"\bcontent: ([^;}]*)")
GENERATED = frozenset(string.printable.strip() + "•◦▪·…–—×− ")
"""Characters that style sheets and browsers write of themselves: markers, page numbers."""

_FEATURES = ("kern", "mark", "mkmk", "ccmp", "locl", "tnum", "lnum", "case")
TAGS = {int.from_bytes(name.encode()) for name in _FEATURES}


@dataclass(frozen=True, slots=True)
class Face:
    """One font file, and how a style sheet asks for it; ``source`` is where, if not bundled."""

    file: str
    family: str
    weight: int = 400
    style: str = "normal"
    source: Path | None = None

    @property
    def path(self) -> Path:
        """The file itself."""
        return self.source or FOLDER / self.file


FACES = (
    Face("ReportSans-Regular.ttf", SANS),
    Face("ReportSans-SemiBold.ttf", SANS, weight=600),
    Face("ReportSans-Italic.ttf", SANS, style="italic"),
    Face("ReportMono-Regular.ttf", MONO),
)

EMOJI = Face(scripts.EMOJI.name, "Report Emoji")
"""The pictures, for reports that show some."""

_JOINED = frozenset(map(ord, f"{scripts.JOINERS}\ufe0f"))
"""What joins pictures to one, and asks for a picture."""


def with_pictures(characters: Iterable[str], faces: Iterable[Face]) -> tuple[Face, ...]:
    """Return faces, after that of emoji where any of the characters is one."""
    shows_any = any(map(scripts.is_picture, characters))
    return (*((EMOJI,) if shows_any else ()), *faces)


def others(paths: Iterable[Path | str]) -> tuple[Face, ...]:
    """Return faces of fonts that are not bundled, each a family of its own."""
    return tuple(
        Face(f"other-{number}{Path(path).suffix}", f"Report Other {number}", source=Path(path))
        for number, path in enumerate(paths, 1)
    )


def visible(markup: str) -> set[str]:
    """Collect the characters that a page shows."""
    generated = "".join(_CONTENT.findall(markup))
    return (set(shown(markup)) | {mark for mark in generated if mark >= "\u3000"}) - scripts.UNSEEN


def shown(markup: str) -> str:
    """Return the text of a page without its tags, styles and scripts."""
    return html.unescape(_TAG.sub("", markup))


@cache
def opened(path: Path) -> uharfbuzz.Face:
    """Open a font, once."""
    import uharfbuzz

    return uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(path)))


def check(characters: Iterable[str], more: Iterable[Face] = ()) -> None:
    """Make sure that everything can be drawn with the bundled fonts and some more.

    Raises RenderError that names each character without a glyph.
    """
    supported = set().union(*(opened(face.path).unicodes for face in (FACES[0], *more)))
    missing = sorted(mark for mark in characters if ord(mark) not in supported)
    if missing:
        named = ", ".join(f"{mark} (U+{ord(mark):04X})" for mark in missing[:20])
        remainder = f" and {len(missing) - 20} more" if len(missing) > 20 else ""
        raise RenderError(
            Problem(
                "glyph",
                f"no font has a glyph for {named}{remainder}",
                hint="rename the model, class or column that holds it",
                count=len(missing),
            )
        )


def subsets(characters: Iterable[str], faces: Iterable[Face] = FACES) -> dict[Face, bytes]:
    """Cut every face down to the characters of one report, as TrueType.

    Kerning, marks and tabular figures stay.
    """
    import uharfbuzz

    code_points = {ord(mark) for mark in {*characters, *GENERATED}}
    cut = {}
    for face in faces:
        font = opened(face.path)
        request = uharfbuzz.SubsetInput()
        if face == EMOJI:
            request.unicode_set.update(code_points | _JOINED)
        elif face.source is None or face.family == THEME:
            request.unicode_set.update(code_points)
            request.layout_feature_tag_set.update(TAGS)
        else:
            request.unicode_set.update(code_points - scripts.bundled())
            request.pin_all_axes_to_default(font)
        cut[face] = bytes(uharfbuzz.subset(font, request).blob.data)
    return cut


def compressed(font: bytes) -> bytes:
    """Pack a TrueType font as WOFF: 30 % larger than WOFF2, in a thirtieth of the time."""
    from fontTools.ttLib import TTFont

    packed = io.BytesIO()
    opened = TTFont(io.BytesIO(font), lazy=True, recalcTimestamp=False)
    opened.flavor = "woff"
    opened.save(packed, reorderTables=None)
    return packed.getvalue()


def placed(page: str, text: str) -> str:
    """Put the rules of the fonts into a page; a text that reads like their place stays a text."""
    return _PLACE.sub(lambda start: start[1] + text, page, count=1)


def rules(sources: Mapping[Face, str]) -> str:
    """Write the ``@font-face`` rules; a source is what stands in ``src``."""
    of_theme = [face for face in sources if face.family == THEME]
    further = [f'"{face.family}"' for face in sources if face not in FACES and face not in of_theme]
    sans = ", ".join((f'"{SANS}"', *further, "sans-serif"))
    return (
        "\n".join(_declared(sources))
        + (_stacks(sans, further) if further else "")
        + (_theme_stacks(sans, of_theme) if of_theme else "")
    )


def _stacks(sans: str, families: Sequence[str]) -> str:
    """Rules by which a page falls back on further families."""
    mono = ", ".join((f'"{MONO}"', f'"{SANS}"', *families, "monospace"))
    return (
        f"\n:root, :root svg, :root svg text {{ font-family: {sans}; }}"
        f"\n:root code, :root pre, :root .code, :root .value.code {{ font-family: {mono}; }}"
    )


def _theme_stacks(sans: str, of_theme: Sequence[Face]) -> str:
    """Rules by which texts have the theme's font, and drawings and numbers the bundled one."""
    upright = all(face.style == "normal" for face in of_theme)
    bundled = ["table", "svg", "svg text", ".card .number", *([".formula"] if upright else [])]
    return (
        f'\n:root, :root caption {{ font-family: "{THEME}", {sans};'
        " font-variant-numeric: lining-nums; }"
        f"\n{', '.join(f':root {part}' for part in bundled)} {{ font-family: {sans}; }}"
    )


def _declared(sources: Mapping[Face, str]) -> Iterator[str]:
    yield from (
        f'@font-face {{ font-family: "{face.family}"; font-weight: {face.weight};'
        f" font-style: {face.style}; src: {source}; }}"
        for face, source in sources.items()
    )


def embedded(fonts: Mapping[Face, bytes]) -> str:
    """Write rules that hold the fonts themselves, for a page that requests nothing."""
    return rules(
        {
            face: "url(data:font/woff;base64,"
            + base64.b64encode(compressed(font)).decode()
            + ') format("woff")'
            for face, font in fonts.items()
        }
    )
