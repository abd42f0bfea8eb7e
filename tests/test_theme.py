"""The look of a report: logo and colours of its spec, refused where they cannot be shown."""

from __future__ import annotations

import io
import os
import re
import shutil
import struct
import zlib

import pytest
from fontTools.ttLib import TTFont, newTable
from PIL import Image
from pypdf import PdfReader

import reportgen
from reportgen import render
from reportgen.builds import build
from reportgen.builds.given_files import LARGEST
from reportgen.builds.logo import PNG, fault_of_png, fault_of_svg, logo_of
from reportgen.charts import confusion, figures, style
from reportgen.charts import multiclass_confusion as classes
from reportgen.errors import SpecError
from reportgen.records.declared import DeclaredSpec, DeclaredTheme
from reportgen.render.fonts import FOLDER
from reportgen.render.typefaces import fault_of_font, stored_typeface
from reportgen.resources import EXAMPLES
from reportgen.results import Results
from reportgen.spec import from_dict
from reportgen.spec.theme import contrast, lightened
from tests.page_text import page_text

LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'
SECTIONS = "\nsections: [verdict, key_numbers]\n"
BASE = {"data": "d.csv", "truth": "y", "models": {"m": {"score": "p"}}}


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(EXAMPLES / "watermelon", tmp_path, dirs_exist_ok=True)
    return tmp_path


def spec_with(folder, theme: str):
    path = folder / "report.yaml"
    path.write_text(path.read_text(encoding="utf-8") + f"\ntheme: {theme}\n", encoding="utf-8")
    return path


def built(folder, theme: str, *formats: str) -> reportgen.Build:
    return build(spec_with(folder, theme), out=folder / "out", formats=formats or ("html",))


@pytest.fixture(scope="module")
def themed(tmp_path_factory):
    """A report with logo, accent and fonts in all its forms, and its page rendered again."""
    folder = tmp_path_factory.mktemp("themed")
    shutil.copytree(EXAMPLES / "watermelon", folder, dirs_exist_ok=True)
    (folder / "logo.svg").write_text(LOGO)
    fonts = fonts_in(folder)
    theme = f'{{logo: logo.svg, accent: "#7a0019", fonts: {fonts}}}'
    done = built(folder, theme + SECTIONS, "html", "pdf", "json")
    again = Results.from_json(done.files["json"].read_text(encoding="utf-8"))
    return done, (done.files["html"].read_text(encoding="utf-8"), render.html(again))


def test_page_and_pdf_bear_logo_and_accent_also_when_rendered_again(themed):
    done, pages = themed
    for page in pages:
        assert '<img class="logo" src="data:image/svg+xml;base64,' in page
        assert ":root { --accent: #7a0019; --link: #7a0019 }" in page
    assert done.files["pdf"].stat().st_size > 10_000


def test_without_a_theme_a_page_has_neither(folder):
    path = folder / "report.yaml"
    path.write_text(path.read_text(encoding="utf-8") + SECTIONS, encoding="utf-8")
    page = page_text(reportgen.evaluate(path))

    assert '<img class="logo"' not in page
    assert not re.search(r"--accent: #", page)


def charts_of(spec) -> str:
    return str([figure.chart for figure in figures(reportgen.evaluate(spec))])


def test_models_have_the_colours_of_the_palette(folder):
    plain = charts_of(folder / "report.yaml")
    themed = charts_of(spec_with(folder, '{palette: ["#7A0019", "#00695c"]}'))

    assert "#7a0019" not in plain
    assert "#7a0019" in themed
    assert charts_of(EXAMPLES / "watermelon" / "report.yaml") == plain


@pytest.mark.parametrize(
    ("theme", "message"),
    [
        ({"accent": "red"}, "theme.accent: a colour such as \"#1757c2\" is expected, not 'red'"),
        ({"accent": "#8a8a8a"}, "theme.accent: a darker colour is expected, with 4.5 : 1 on white"),
        ({"palette": ["#ffe600"]}, "theme.palette.0: a darker colour is expected, with 3 : 1"),
        ({"palette": ["#7a0019", "#7A0019"]}, "theme.palette: colours that differ are expected"),
        ({"acent": "#7a0019"}, "unknown key 'acent' under theme"),
    ],
)
def test_colours_that_cannot_be_seen_are_refused(theme, message):
    with pytest.raises(SpecError) as caught:
        from_dict({**BASE, "theme": theme})

    assert message in str(caught.value)


MASKED = '<mask id="m">{}</mask>{}<path'


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        (r"<style>path{fill:u\72l(http://x.org/a)}</style><path", "a style that loads"),
        (r'<path style="fill:\75rl(http://x.org/a)"', "the attribute style"),
        ("<style>@font-face{font-family:x;src:local(Arial)}</style><path", "a style that loads"),
        ("<style><x/>@import 'x';</style><path", "a style that loads"),
        ('<style>path{fill:image-set("http://x.org/a" 1x)}</style><path', "a style that loads"),
        ('<path marker-mid="url(#m)"/><marker id="m"/><path', "holds <marker>"),
        ("<pattern/><path", "holds <pattern>"),
        (MASKED.format("<g/>" * 200, '<g mask="url(#m)"/>' * 60), "draws 12,060 elements"),
        (MASKED.format('<g mask="url(#m)"/>', ""), "a mask or clip that uses another"),
        (MASKED.format("", "<style>path{mask:url(#m)}</style>"), "a mask or clip in a style"),
        ('<path transform="rotate(nan)"/><path', "a number that cannot be drawn"),
        ('<path d="M0 0 L1e999 4"/><path', "a number that cannot be drawn"),
    ],
)
def test_a_drawing_that_loads_or_is_drawn_without_end_is_refused(inside, message):
    reason = fault_of_svg(LOGO.replace("<path", inside).encode())

    assert reason is not None
    assert message in reason


def test_a_drawing_with_gradients_in_its_style_is_shown():
    """As programs for drawing save it, with media queries, clips and masks that are used once."""
    inside = (
        "<style>.st0{fill:url(#a);} @media print {.st0{fill:#000}}</style>"
        '<linearGradient id="a"><stop offset="0.5"/></linearGradient>'
        '<clipPath id="c"><rect width="9" height="9"/></clipPath><g clip-path="url(#c)"/><path'
    )

    assert fault_of_svg(LOGO.replace("<path", inside).encode()) is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (('<?xml-stylesheet href="x.css"?>' + LOGO).encode(), "names a style sheet"),
        (
            b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR" + struct.pack(">IIBB", 9, 9, 7, 9) + bytes(9),
            "a damaged",
        ),
        (LOGO.replace("<path", "<script>1</script><path").encode(), "holds <script>"),
        (LOGO.replace("<path", '<path onload="x()"').encode(), "holds the attribute onload"),
        (LOGO.replace("<path", '<use href="http://x.org/a.svg#b"/><path').encode(), "href="),
        (LOGO.replace("<path", '<path fill="url(http://x.org/a)"').encode(), "attribute fill"),
        (LOGO.replace("<path", "<style>@import 'x'</style><path").encode(), "a style that loads"),
        (
            LOGO.replace("<path", '<g id="a"><use href="#a"/></g><path').encode(),
            "a <use> of an element",
        ),
        (LOGO.replace("<path", "<g>" * 200 + "</g>" * 200 + "<path").encode(), "201 levels"),
        (('<!DOCTYPE svg [<!ENTITY a "b">]>' + LOGO).encode(), "document type"),
        (b"<html></html>", "neither PNG nor SVG"),
        (b"\x89PNG\r\n\x1a\n", "a damaged PNG"),
        (
            b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR" + struct.pack(">II", 90_000, 9) + bytes(9),
            "90,000 × 9 pixels",
        ),
        (b" " * 200_001, "more than 200 kB"),
        (None, "cannot be read"),
    ],
)
def test_a_logo_that_cannot_be_shown_is_refused_at_its_line(folder, content, message):
    if content is not None:
        (folder / "logo.svg").write_bytes(content)

    with pytest.raises(SpecError, match=r"theme\.logo") as caught:
        built(folder, "{logo: logo.svg}")

    problem = caught.value.problems[0]
    assert message in problem.message
    assert problem.line
    assert not list((folder / "out").glob("*/*/report.html"))


def png(width: int, height: int, pixels: bytes, kind: bytes) -> bytes:
    """An image of these pixels and filters; ``kind`` is depth, colours, two zeros, interlacing."""
    header = struct.pack(">II", width, height) + kind
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(pixels)), (b"IEND", b""))
    texts = (
        struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d)) for t, d in chunks
    )
    return PNG + b"".join(texts)


@pytest.mark.parametrize(
    ("kind", "size"), [(b"\x08\2\0\0\0", 8 * 25), (b"\1\0\0\0\0", 8 * 2), (b"\1\0\0\0\1", 30)]
)
def test_an_image_has_the_pixels_that_it_says_it_has(kind, size):
    """Of 8 × 8: three colours, two, and two in the seven passes of Adam7 (30 bytes)."""
    whole = png(8, 8, bytes(size), kind)

    assert fault_of_png(whole) is None
    assert fault_of_png(png(8, 8, bytes(size - 1), kind)) == "is a damaged PNG"
    assert fault_of_png(whole[:-16] + b"\0" + whole[-15:]) == "is a damaged PNG"
    assert fault_of_png(whole[:-1]) == "is a damaged PNG"


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "I;16"])
def test_images_of_another_library_are_shown(mode):
    target = io.BytesIO()
    Image.new(mode, (33, 7)).save(target, "png")

    assert fault_of_png(target.getvalue()) is None


@pytest.mark.parametrize("name", ["pipe", "a\0b", "a" * 300])
def test_a_logo_that_is_no_file_is_not_waited_for(folder, name):
    os.mkfifo(folder / "pipe")
    spec = from_dict({**BASE, "theme": {"logo": name}}, folder)

    with pytest.raises(SpecError, match=r"logo: .* cannot be read: (there is no such|File name)"):
        logo_of(spec)


def test_a_logo_outside_the_folder_of_the_spec_is_refused(folder):
    inner = folder / "inner"
    inner.mkdir()
    for path in EXAMPLES.joinpath("watermelon").iterdir():
        shutil.copy(path, inner)
    (folder / "logo.svg").write_text(LOGO)

    with pytest.raises(SpecError, match="outside"):
        build(spec_with(inner, "{logo: ../logo.svg}"), out=folder / "out", formats=["html"])


# fonts

TEXT = (FOLDER / "ReportMono-Regular.ttf").read_bytes()


def fonts_in(folder) -> str:
    """Put fonts into a folder; the part of a theme that names them."""
    (folder / "text.ttf").write_bytes(TEXT)
    shutil.copy(FOLDER / "ReportSans-SemiBold.ttf", folder / "head.ttf")
    return "{regular: text.ttf, semibold: head.ttf}"


def test_texts_have_the_fonts_of_the_theme_also_when_rendered_again(themed):
    done, pages = themed
    for page in pages:
        declared = re.findall(r'@font-face { font-family: "Theme Sans"; font-weight: (\d+)', page)
        assert declared == ["400", "600"]
        assert re.search(r':root, :root caption { font-family: "Theme Sans", "Report Sans"', page)
    fonts = PdfReader(done.files["pdf"]).pages[0]["/Resources"]["/Font"].values()
    names = {font.get_object()["/BaseFont"].partition("+")[2] for font in fonts}
    assert {"Theme-Sans", "Theme-Sans-Semi-Bold", "Report-Sans"} <= names


def edited(**tables) -> bytes:
    font = TTFont(io.BytesIO(TEXT))
    for tag, change in tables.items():
        change(font[tag])
    written = io.BytesIO()
    font.save(written)
    return written.getvalue()


def variable() -> bytes:
    font = TTFont(io.BytesIO(TEXT))
    font["fvar"] = newTable("fvar")
    font["fvar"].axes, font["fvar"].instances = [], []
    written = io.BytesIO()
    font.save(written)
    return written.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"wOF2" + TEXT, "neither TrueType nor OpenType"),
        (TEXT[:4000], "a damaged font"),
        (TEXT[:3000] + bytes(9000) + TEXT[12000:], "a damaged font"),
        (edited(**{"OS/2": lambda table: setattr(table, "fsType", 2)}), "may not be embedded"),
        (
            edited(cmap=lambda table: [one.cmap.pop(ord("q"), 0) for one in table.tables]),
            "no glyph for q",
        ),
        (variable(), "a variable font"),
        (TEXT + bytes(LARGEST), "more than 4 MB"),
        (None, "no such file"),
    ],
)
def test_a_font_that_cannot_be_shown_is_refused_at_its_line(folder, content, message):
    fonts = fonts_in(folder)
    (folder / "head.ttf").unlink()
    if content is not None:
        (folder / "head.ttf").write_bytes(content)

    with pytest.raises(SpecError, match=r"theme\.fonts\.semibold: 'head.ttf'") as caught:
        built(folder, f"{{fonts: {fonts}}}")

    problem = caught.value.problems[0]
    assert message in problem.message
    assert problem.line


def test_a_font_outside_the_folder_of_the_spec_is_refused(folder):
    fonts_in(folder)
    inner = folder / "inner"
    inner.mkdir()
    for path in EXAMPLES.joinpath("watermelon").iterdir():
        shutil.copy(path, inner)

    spec = spec_with(inner, "{fonts: {regular: ../text.ttf, semibold: ../head.ttf}}")
    with pytest.raises(SpecError, match="outside"):
        build(spec, out=folder / "out", formats=["html"])


def test_what_is_stored_in_place_of_a_font_is_left_out():
    fonts = {"regular": "a", "semibold": "b", "italic": "c"}
    notes = {"a": "a note", "b": "data:font/sfnt;base64,AAAA", "c": "data:font/sfnt;base64,*"}

    assert fault_of_font(TEXT) is None
    assert stored_typeface(DeclaredSpec(theme=DeclaredTheme(fonts=fonts), notes=notes)) == {}
    assert stored_typeface(DeclaredSpec()) == {}


# colours


def test_an_accent_is_lightened_for_dark_pages_until_text_can_be_read():
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast(lightened("#7a0019", "#12161b"), "#12161b") >= 4.5
    assert lightened("#7db7f2", "#12161b") == "#7db7f2"


@pytest.mark.parametrize("color", [*confusion.STEPS, *classes.CORRECT, *classes.ERRORS])
def test_numbers_in_confusion_tables_can_be_read(color):
    white = color in classes.DARK or color in confusion.STEPS[3:]

    assert contrast(color, "#ffffff" if white else style.INK) >= 4.5
