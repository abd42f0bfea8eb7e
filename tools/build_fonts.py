r"""Build the bundled fonts of ``templates/fonts/`` from their published packages.

Run it again only to take a newer release of a typeface, or to cover more
characters:

    npm install --prefix FOLDER @expo-google-fonts/inter@0.4.2 \
        @expo-google-fonts/noto-sans-sc@0.4.3 @expo-google-fonts/jetbrains-mono@0.4.1 \
        @expo-google-fonts/noto-emoji@0.4.7
    python tools/build_fonts.py FOLDER/node_modules/@expo-google-fonts

Report Sans is Inter (Latin, Greek, Cyrillic, symbols) with the characters of
GB 2312 from Noto Sans SC in the same file. One file per weight means that
every program that draws text, the chart compiler, the browser and the PDF
writer, finds a Chinese label at the weight of the text around it; a list of
fallback families does not guarantee that. Report Mono is JetBrains Mono
without ligatures. Report Emoji is Noto Emoji, whose pictures are outlines of one colour, with
the ligatures of joined emoji, flags and skin tones. All are under the SIL Open Font License, which
asks that a changed font does not carry a reserved name.
"""

from __future__ import annotations

import argparse
import shutil
from dataclasses import dataclass
from pathlib import Path

from fontTools.merge import Merger
from fontTools.merge import Options as MergeOptions
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.ttLib.scaleUpem import scale_upem

DESTINATION = Path(__file__).resolve().parents[1] / "templates" / "fonts"

LATIN_GREEK_CYRILLIC = [*range(0x20, 0x7F), *range(0xA0, 0x530), *range(0x1E00, 0x1F00)]
SYMBOLS = [*range(0x2000, 0x2400), *range(0x2460, 0x2500), *range(0x25A0, 0x27C0), 0x2B24]
UNITS_PER_EM = 2048
FEATURES = ["kern", "mark", "mkmk", "ccmp", "locl", "tnum", "case"]


@dataclass(frozen=True)
class Face:
    """One file to build: where its Latin and its Chinese come from."""

    file: str
    family: str
    style: str
    weight: int
    latin: str
    chinese: str | None = None
    emoji: bool = False


FACES = (
    Face(
        "ReportSans-Regular.ttf",
        "Report Sans",
        "Regular",
        400,
        "inter/400Regular/Inter_400Regular.ttf",
        "noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf",
    ),
    Face(
        "ReportSans-SemiBold.ttf",
        "Report Sans",
        "SemiBold",
        600,
        "inter/600SemiBold/Inter_600SemiBold.ttf",
        "noto-sans-sc/600SemiBold/NotoSansSC_600SemiBold.ttf",
    ),
    Face(
        "ReportSans-Italic.ttf",
        "Report Sans",
        "Italic",
        400,
        "inter/400Regular_Italic/Inter_400Regular_Italic.ttf",
    ),
    Face(
        "ReportMono-Regular.ttf",
        "Report Mono",
        "Regular",
        400,
        "jetbrains-mono/400Regular/JetBrainsMono_400Regular.ttf",
    ),
    Face(
        "ReportEmoji-Regular.ttf",
        "Report Emoji",
        "Regular",
        400,
        "noto-emoji/400Regular/NotoEmoji_400Regular.ttf",
        emoji=True,
    ),
)
LICENCES = {
    "inter": "Inter-OFL.txt",
    "noto-sans-sc": "NotoSansSC-OFL.txt",
    "jetbrains-mono": "JetBrainsMono-OFL.txt",
    "noto-emoji": "NotoEmoji-OFL.txt",
}


def gb2312() -> set[int]:
    """Code points of GB 2312, and the full-width forms that go with them."""
    pairs = (bytes((high, low)) for high in range(0xA1, 0xF8) for low in range(0xA1, 0xFF))
    characters = "".join(pair.decode("gb2312", errors="ignore") for pair in pairs)
    return {*map(ord, characters), *range(0x3000, 0x3020), *range(0xFF00, 0xFFEF)}


def subset(path: Path, code_points: set[int], features: list[str]) -> TTFont:
    """The font reduced to ``code_points``, without hints."""
    options = Options(
        layout_features=features,
        hinting=False,
        notdef_outline=True,
        glyph_names=False,
        recalc_timestamp=False,
        name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14],
    )
    options.drop_tables += ["vhea", "vmtx", "VORG", "BASE", "STAT", "DSIG", "meta", "MVAR"]
    font = TTFont(path, recalcTimestamp=False)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=code_points)
    subsetter.subset(font)
    return font


def merged(latin: TTFont, chinese: TTFont, work: Path) -> TTFont:
    """Both in one font, with the line height and the layout features of the Latin one."""
    scale_upem(chinese, UNITS_PER_EM)
    metrics = {name: vars(latin[name]).copy() for name in ("hhea", "OS/2", "post")}
    parts = [work / "latin.ttf", work / "chinese.ttf"]
    for font, part in zip((latin, chinese), parts, strict=True):
        font.save(part)
    font = Merger(MergeOptions()).merge([str(part) for part in parts])
    for part in parts:
        part.unlink()
    for name in ("ascent", "descent", "lineGap"):
        setattr(font["hhea"], name, metrics["hhea"][name])
    for name in ("sTypoAscender", "sTypoDescender", "sTypoLineGap", "usWinAscent", "usWinDescent"):
        setattr(font["OS/2"], name, metrics["OS/2"][name])
    for name in ("underlinePosition", "underlineThickness"):
        setattr(font["post"], name, metrics["post"][name])
    return font


def rename(font: TTFont, face: Face) -> None:
    """Give the font our family name, one family for all weights, and fixed dates."""
    table = font["name"]
    copyright_notice = table.getDebugName(0)
    version = table.getDebugName(5)
    full = f"{face.family} {face.style}"
    names = {
        0: copyright_notice,
        1: face.family if face.style in {"Regular", "Italic"} else full,
        2: face.style if face.style in {"Regular", "Italic"} else "Regular",
        3: f"{full}; {version}",
        4: full,
        5: version,
        6: full.replace(" ", "") if face.style == "Regular" else full.replace(" ", "-", 1),
        13: "This Font Software is licensed under the SIL Open Font License, Version 1.1.",
        14: "https://openfontlicense.org",
        16: face.family,
        17: face.style,
    }
    table.names = []
    for identifier, text in names.items():
        table.setName(text, identifier, 3, 1, 0x409)
    font["OS/2"].usWeightClass = face.weight
    font["head"].modified = font["head"].created


def build(face: Face, source: Path) -> None:
    """Write one face into the destination."""
    characters = {*LATIN_GREEK_CYRILLIC, *SYMBOLS}
    if face.emoji:
        characters = set(TTFont(source / face.latin).getBestCmap())
    font = subset(source / face.latin, characters, FEATURES)
    if face.chinese:
        missing = (gb2312() | characters) - set(font.getBestCmap())
        font = merged(font, subset(source / face.chinese, missing, []), DESTINATION)
    rename(font, face)
    font.save(DESTINATION / face.file)
    size = (DESTINATION / face.file).stat().st_size
    print(f"{face.file}: {len(font.getBestCmap())} characters, {size / 1e6:.2f} MB")


def main() -> None:
    """Build every face and copy the licences."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("source", type=Path, help="folder that holds inter/, noto-sans-sc/, …")
    source = parser.parse_args().source
    for face in FACES:
        build(face, source)
    for package, file in LICENCES.items():
        shutil.copyfile(source / package / "LICENSE_FONT", DESTINATION / file)


if __name__ == "__main__":
    main()
