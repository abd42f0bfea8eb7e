"""Labels of every script: drawn with a font of the machine, else by their numbers; isolated."""

from __future__ import annotations

import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

import reportgen
from reportgen.charts import labels
from reportgen.render import fonts
from reportgen.text.scripts import END, ISOLATE, bare, isolated, legible, unbundled
from reportgen.text.system_fonts import FOLDERS, covering, installed

HEBREW = "אבג"
NAMES = ["مرحبا", "אבג_2 ไทย क्ष", "𠜎", "👩‍🔬" + "n" * 300]


SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20">'
    '<text x="5" y="15" font-family="Report Sans">{}</text></svg>'
)
PAGE = (
    '<html lang="en"><head><title>t</title><style>{}</style></head>'
    '<body><img alt="x" src="chart:a" /></body></html>'
)


def font(path: Path, characters: str, **metrics: int) -> Path:
    """Write a small font: a box for each character."""
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    for point in ((0, 700), (500, 700), (500, 0)):
        pen.lineTo(point)
    pen.closePath()
    box = pen.glyph()
    names = [".notdef", *(f"u{ord(mark):X}" for mark in characters)]
    built = FontBuilder(1000, isTTF=True)
    built.setupGlyphOrder(names)
    built.setupCharacterMap({ord(mark): f"u{ord(mark):X}" for mark in characters})
    built.setupGlyf(dict.fromkeys(names, box))
    built.setupHorizontalMetrics(dict.fromkeys(names, (600, 0)))
    built.setupHorizontalHeader(ascent=800, descent=-200)
    built.setupNameTable({"familyName": path.stem, "styleName": "Regular"})
    built.setupOS2(**{"usWeightClass": 400, "fsType": 0, **metrics})
    built.setupPost()
    built.font["head"].created = built.font["head"].modified = 0
    path.parent.mkdir(exist_ok=True)
    built.font.recalcTimestamp = False
    built.save(path)
    return path


@pytest.fixture
def no_fonts(monkeypatch):
    monkeypatch.setenv(FOLDERS, "")


@pytest.fixture
def hebrew(tmp_path, monkeypatch) -> Path:
    """A machine whose only font draws three letters of Hebrew."""
    monkeypatch.setenv(FOLDERS, str(tmp_path / "fonts"))
    return font(tmp_path / "fonts/Alef.ttf", HEBREW)


def spec(folder: Path) -> Path:
    rows = [f"{i % 2},{','.join(str((i * k) % 7 / 7) for k in range(1, 5))},דמ" for i in range(40)]
    columns = ",".join(f"p{k}" for k in range(4))
    (folder / "p.csv").write_text("\n".join([f"y,{columns},מקום", *rows]))
    models = "".join(f"  {json.dumps(n)}: {{score: p{k}}}\n" for k, n in enumerate(NAMES))
    (folder / "report.yaml").write_text(
        f"data: p.csv\ntitle: אבג 𠜎\ntruth: y\nmodels:\n{models}slices: [מקום]\n"
        "sections: [verdict, data]\nbootstrap: {replicates: 0}\nintervals: {ratios: delta}\n"
        "output: {formats: [html, pdf, markdown]}\n"
    )
    return folder / "report.yaml"


@pytest.mark.usefixtures("no_fonts")
def test_what_no_font_draws_is_named_by_its_number():
    assert legible("a 𠜎𠜱 b") == "a ‹U+2070E 20731› b"
    assert legible("𠜎\u200d𠜱!") == "‹U+2070E 200D 20731›!"
    assert not unbundled(legible("".join(NAMES)))


JOINED = ["👩‍🔬", "🇩🇪", "👍🏽", "👩‍❤️‍👨", "🏳️‍🌈"]


@pytest.mark.usefixtures("no_fonts")
@pytest.mark.parametrize("emoji", JOINED)
def test_joined_emoji_flags_and_skin_tones_are_one_picture(emoji):
    import uharfbuzz

    assert legible(emoji) == emoji
    cut = fonts.subsets(emoji, [fonts.EMOJI])[fonts.EMOJI]
    buffer = uharfbuzz.Buffer()
    buffer.add_str(emoji)
    buffer.guess_segment_properties()
    uharfbuzz.shape(uharfbuzz.Font(uharfbuzz.Face(uharfbuzz.Blob(cut))), buffer)
    shown = zip(buffer.glyph_infos, buffer.glyph_positions, strict=True)
    assert [info.codepoint > 0 for info, place in shown if place.x_advance] == [True]


@pytest.mark.parametrize("emoji", JOINED)
def test_a_label_is_never_cut_inside_a_picture(emoji):
    for size in range(8, 24):
        cuts = (labels.shorten(emoji * 9, size), labels.middle_cut(emoji * 9, size))
        for cut in cuts:
            assert not cut.replace(emoji, "").replace("…", "")
            assert len(cut) <= size


def test_only_a_report_that_shows_emoji_carries_their_font():
    assert fonts.with_pictures("好瓜 ❤ ✓ 1", []) == ()
    assert fonts.with_pictures("a 🍉", []) == (fonts.EMOJI,)


def test_a_label_cut_short_is_still_isolated_as_a_whole():
    long = labels.clean(HEBREW * 50, 20)
    squeezed = labels.squeeze(labels.clean(f"{HEBREW * 4} x"), 60)

    assert long == f"{ISOLATE}{(HEBREW * 7)[:19]}…{END}".replace(f"…{END}", f"{END}…")
    assert squeezed.count(ISOLATE) == squeezed.count(END) > 0


def test_marks_that_a_label_brings_along_cannot_turn_what_follows():
    label = labels.clean("a\u202eb\u2067c\u2066")

    assert label == "a□b□c□"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AUC of אב גד: 0.9", "AUC of <אב גד>: 0.9"),
        ("(אב) leads", "(<אב>) leads"),
        ("אב_2 − b", "<אב_2> − b"),
        ("plain", "plain"),
    ],
)
def test_only_the_words_that_run_from_right_to_left_are_isolated(text, expected):
    assert isolated(text).translate({ord(ISOLATE): "<", ord(END): ">"}) == expected
    assert bare(isolated(text)) == text


@pytest.mark.parametrize(
    "metrics", [{"usWeightClass": 700}, {"usWidthClass": 3}, {"fsType": 2}, {"fsSelection": 1}]
)
def test_bold_narrow_italic_and_restricted_fonts_are_passed_over(tmp_path, monkeypatch, metrics):
    monkeypatch.setenv(FOLDERS, str(tmp_path / "fonts"))
    font(tmp_path / "fonts/A.ttf", HEBREW, **metrics)
    (tmp_path / "fonts/B.ttf").write_bytes(b"no font")

    assert installed() == ()


def test_the_font_that_draws_most_is_taken_first(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDERS, str(tmp_path / "fonts"))
    few = font(tmp_path / "fonts/A.ttf", "א")
    most = font(tmp_path / "fonts/B.ttf", "אב")

    assert covering("אב") == [most]
    assert covering("א") == [few]
    assert covering("𠜎") == []


@pytest.mark.slow
@pytest.mark.usefixtures("no_fonts")
def test_a_report_in_every_script_builds_without_a_font_of_the_machine(tmp_path):
    built = reportgen.build(spec(tmp_path))

    page = built.files["html"].read_text()
    manifest = json.loads((built.path / "manifest.json").read_text())
    assert manifest["fonts"] == []
    assert "‹U+2070E›" in page
    assert "👩‍🔬nnn" in page
    assert '"Report Emoji"' in page
    assert not unbundled(fonts.shown(page))
    assert "𠜎" in built.files["markdown"].read_text()


def test_a_font_of_the_machine_draws_and_stands_in_the_manifest(tmp_path, hebrew, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    built = reportgen.build(spec(tmp_path))

    page = built.files["html"].read_text()
    manifest = json.loads((built.path / "manifest.json").read_text())
    [used] = manifest["fonts"]
    assert (used["path"], used["sha256"]) == ("Alef.ttf", sha256(hebrew.read_bytes()).hexdigest())
    assert f"{ISOLATE}אבג_2{END} ‹U+0E44" in page
    assert '"Report Other 1"' in page
    assert str(tmp_path) not in page


@pytest.mark.slow
@pytest.mark.usefixtures("hebrew")
def test_pages_with_a_font_of_the_machine_are_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    path = spec(tmp_path)
    one, other = (reportgen.build(path, out=tmp_path / name) for name in ("one", "other"))

    for name in ("html", "pdf", "markdown"):
        assert one.files[name].read_bytes() == other.files[name].read_bytes()


SHOWS = """
import io, json, sys
import pypdf
from reportgen.render import fonts, paper

label, font, svg, page = json.loads(sys.argv[1])
cut = fonts.subsets(label, (*fonts.FACES, *fonts.others([font])))
page = page.format(fonts.PLACE)
made = paper.document(page, {"a": svg.format(label)}, cut, (), "2026-01-01T00:00:00+00:00")
[sheet] = pypdf.PdfReader(io.BytesIO(made)).pages
print(sheet.get_contents().get_data().count(b" TJ"))
"""


def test_each_text_of_a_chart_is_one_text_in_the_pdf(hebrew):
    def shows(label: str) -> int:
        """In a process of its own, as the PDF writer changes the one that it works in."""
        given = json.dumps([label, str(hebrew), SVG, PAGE])
        done = subprocess.run(
            [sys.executable, "-c", SHOWS, given], capture_output=True, text=True, check=True
        )
        return int(done.stdout)

    assert shows("abc") == 1
    assert shows(HEBREW) == 1
