"""Fonts of this machine, for scripts that the bundled ones lack."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import uharfbuzz

FOLDERS = "REPORTGEN_FONTS"
"""Environment variable with the folders to look in, instead of the usual ones; empty for none."""

MOST = 5_000
"""Font files that are looked at."""

_USUAL = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.local/share/fonts",
    "~/.fonts",
    "/System/Library/Fonts",
    "/Library/Fonts",
    "~/Library/Fonts",
)
_ENDINGS = (".ttf", ".otf", ".ttc")
_RESTRICTED = 0x0002
_ITALIC = 0x0001


@dataclass(frozen=True, slots=True)
class SystemFont:
    """An upright font of regular weight that may be embedded, and the characters that it has."""

    path: Path
    characters: frozenset[int]


def installed() -> tuple[SystemFont, ...]:
    """Return the fonts of this machine that can be drawn with, by name."""
    return _installed(os.environ.get(FOLDERS))


@cache
def _installed(folders: str | None) -> tuple[SystemFont, ...]:
    fonts = (_read(path) for path in _files(folders))
    return tuple(font for font in fonts if font is not None)


def covered() -> frozenset[int]:
    """Return every code point that some font of this machine has."""
    return _covered(installed())


@cache
def _covered(fonts: tuple[SystemFont, ...]) -> frozenset[int]:
    return frozenset().union(*(font.characters for font in fonts))


def covering(characters: Collection[str]) -> list[Path]:
    """Return the fonts that draw these characters, as few as a greedy choice gives."""
    missing = {ord(mark) for mark in characters}
    chosen: list[Path] = []
    while missing:
        best = max(installed(), key=lambda font: _merit(font, missing), default=None)
        if best is None or not missing & best.characters:
            return chosen
        chosen.append(best.path)
        missing -= best.characters
    return chosen


def _merit(font: SystemFont, missing: set[int]) -> tuple[int, bool]:
    """How many of the characters a font has; of equals one without serifs. The first name wins."""
    return len(missing & font.characters), "serif" not in font.path.name.lower()


def _files(folders: str | None) -> Iterator[Path]:
    names = _USUAL if folders is None else [name for name in folders.split(os.pathsep) if name]
    paths = {
        Path(folder, file)
        for name in names
        for folder, _, files in os.walk(Path(name).expanduser())
        for file in files
        if file.lower().endswith(_ENDINGS)
    }
    yield from sorted(paths, key=lambda path: (path.name, path))[:MOST]


def _read(path: Path) -> SystemFont | None:
    import uharfbuzz

    try:
        face = uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(path)))
    except (OSError, uharfbuzz.HarfBuzzError):
        return None
    if not _is_plain(face):
        return None
    return SystemFont(path, frozenset(face.unicodes))


def _is_plain(face: uharfbuzz.Face) -> bool:
    """Whether a face has outlines, is upright, regular, proportional, and may be embedded."""
    tables = set(face.table_tags)
    if not {"glyf", "CFF "} & tables or "OS/2" not in tables:
        return False
    metrics, post = (bytes(face.reference_table(tag).data) for tag in ("OS/2", "post"))
    if len(metrics) < 64 or len(post) < 16:
        return False
    weight, width, licence = (int.from_bytes(metrics[at : at + 2]) for at in (4, 6, 8))
    upright = not int.from_bytes(metrics[62:64]) & _ITALIC
    proportional = not int.from_bytes(post[12:16])
    embeddable = licence & 0x000F != _RESTRICTED
    return weight == 400 and width == 5 and upright and proportional and embeddable
