"""Charts, fonts, tables and numbers: the parts that a page is set from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from io import BytesIO

import pytest
from fontTools.ttLib import TTFont
from pypdf import PdfReader

from reportgen.errors import RenderError
from reportgen.render import columns, environment, fonts, paper, svg, templating, web

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
HOSTILE = "</script><script>alert(1)</script>"


def svg_of(body: str) -> str:
    return svg.sanitised("roc", f"{HEAD}{body}</svg>")


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("<script>1</script>", "<script>"),
        ("<foreignObject/>", "<foreignObject>"),
        ("<defs><linearGradient/></defs>", "<linearGradient>"),
        ('<image href="#a"/>', "<image>"),
        ('<path d="M0,0" fill="url(http://127.0.0.1/x)"/>', "reference"),
        ('<path d="M0,0" xlink:href="http://127.0.0.1/x"/>', "link"),
        ('<path d="M0,0" onload="1"/>', "onload"),
        ('<path d="M0,0" fill="red" style="mix-blend-mode: multiply"/>', "mix-blend"),
        ('<path d="M0,0" fill="red" filter="url(#f)"/>', "filter"),
        ('<text opacity="0.5">a</text>', "transparent text"),
    ],
)
def test_a_drawing_that_does_not_show_everywhere_is_refused(body, named):
    with pytest.raises(RenderError, match=named) as caught:
        svg_of(body)

    assert "'roc'" in str(caught.value)


def test_ids_are_made_the_charts_own_where_they_are_set_and_used():
    svg = svg_of(
        '<defs><clipPath id="clip1"><rect width="9"/></clipPath></defs>'
        '<path d="M0,0L1,1" stroke="red" clip-path="url(#clip1)"/>'
    )

    assert 'id="roc-clip1"' in svg
    assert "url(#roc-clip1)" in svg


def test_what_draws_nothing_is_left_out_and_coordinates_are_rounded():
    svg = svg_of(
        '<g aria-hidden="true" class="x"><g/></g><path d="" display="none"/>'
        '<text opacity="0">gone</text>'
        '<path d="M0.123456,2.000001L3.5,-0.0001" stroke="red" opacity="1"/>'
    )

    assert svg.count("<g") == 0
    assert "gone" not in svg
    assert "aria" not in svg
    assert 'd="M0.12,2L3.5,0"' in svg
    assert "opacity" not in svg


def test_text_of_a_drawing_stays_text():
    assert ">好瓜 &lt;b&gt;</text>" in svg_of("<text>好瓜 &lt;b&gt;</text>")


def test_characters_without_a_glyph_are_named_with_their_number():
    with pytest.raises(RenderError, match=r"𠜎 \(U\+2070E\)"):
        fonts.check("melon 𠜎")


@pytest.mark.parametrize(
    "characters", ["−≥≤±σχ²√∞εΣ·×→▲▼✓✗≈αβ", "好瓜坏瓜，。", "Привет", "Ελλάδα"]
)
def test_what_reports_are_written_with_has_glyphs(characters):
    fonts.check(characters)


def test_the_text_of_a_page_is_what_is_shown_of_it():
    markup = "<style>a{}</style><p title='x'>1 &lt; 2</p><!-- c --><script>s</script>"

    assert fonts.visible(markup) == set("1 < 2")


def test_a_subset_keeps_what_is_asked_for_and_figures_of_one_width():
    cut = fonts.subsets("好0")
    opened = TTFont(BytesIO(cut[fonts.FACES[0]]))
    features = {record.FeatureTag for record in opened["GSUB"].table.FeatureList.FeatureRecord}

    assert {ord("好"), ord("0"), ord("•")} <= set(opened.getBestCmap())
    assert ord("瓜") not in opened.getBestCmap()
    assert "tnum" in features
    assert max(map(len, cut.values())) < 60_000


def test_a_title_that_reads_like_the_place_of_the_fonts_does_not_take_them():
    page = f"<title>{fonts.PLACE}</title><style>\n{fonts.PLACE}\np {{}}</style>"

    assert fonts.placed(page, "FONTS").startswith(f"<title>{fonts.PLACE}</title><style>\nFONTS\n")


def test_a_subset_is_packed_for_browsers():
    face = fonts.FACES[0]
    packed = fonts.compressed(fonts.subsets("a", [face])[face])

    assert packed.startswith(b"wOFF")


def test_blanks_are_as_wide_as_figures_and_points():
    """Padding lines numbers up only as long as the fonts keep to this."""
    for face in fonts.FACES[:2]:
        font = TTFont(fonts.FOLDER / face.file)
        names, widths = font.getBestCmap(), font["hmtx"]
        tabular = _tabular(font)

        def width(mark, names=names, widths=widths, tabular=tabular):
            name = names[ord(mark)]
            return widths[tabular.get(name, name)][0]

        assert width(templating.FIGURE_SPACE) == width("0") == width("1") == width("−")
        assert width(templating.PUNCTUATION_SPACE) == width(".")


def _tabular(font: TTFont) -> dict[str, str]:
    table = font["GSUB"].table
    chosen = {
        place
        for record in table.FeatureList.FeatureRecord
        if record.FeatureTag == "tnum"
        for place in record.Feature.LookupListIndex
    }
    substitutions: dict[str, str] = {}
    for place in chosen:
        for part in table.LookupList.Lookup[place].SubTable:
            substitutions |= getattr(part, "ExtSubTable", part).mapping
    return substitutions


def test_json_in_a_page_cannot_end_its_element():
    written = web.harmless({"label": HOSTILE + "\u2028&"})

    assert not set("<>&\u2028") & set(written)
    assert json.loads(written) == {"label": HOSTILE + "\u2028&"}


@dataclass(frozen=True)
class Column:
    key: str
    label: str = ""
    align: str | None = None
    spanner: str | None = None


def test_numbers_in_a_column_line_up_at_the_point():
    columns_ = [Column("name"), Column("n")]
    rows = [
        {"cells": {"name": "a", "n": "12"}},
        {"cells": {"name": "b", "n": {"text": "0.934", "low": "0.9", "high": "1.0"}}},
        {"cells": {"name": "c", "n": "n/a"}},
        {"cells": {"name": "d"}},
    ]

    cells = [row["cells"].get("n") for row in templating.line_up(rows, columns_)]

    assert [cell and cell["text"] for cell in cells] == [
        "12" + templating.PUNCTUATION_SPACE + templating.FIGURE_SPACE * 3,
        "0.934",
        "n/a",
        None,
    ]
    assert len({cell["slot"] for cell in cells if cell}) == 1


def test_columns_share_a_page_by_what_they_hold():
    rows = templating.line_up(
        [{"cells": {"name": "a", "text": "a long text of many words " * 6, "n": "0.934"}}],
        [Column("name"), Column("text", align="left"), Column("n")],
    )

    layout = columns.layout(rows, [Column("name"), Column("text", align="left"), Column("n")])

    assert sum(layout.widths) == pytest.approx(100, abs=0.1)
    assert layout.widths[1] > 3 * max(layout.widths[0], layout.widths[2])
    assert (layout.stacked, layout.wide) == (False, False)


def test_the_word_of_a_head_is_not_broken_though_its_letters_are_wide():
    heads = [Column("name"), Column("s", "Stability"), Column("text", align="left")]
    rows = templating.line_up([{"cells": {"name": "a", "s": "9 %", "text": "word " * 90}}], heads)

    layout = columns.layout(rows, heads)

    room = layout.widths[1] * columns.PAGE / 100 - 2 * columns.PADDING
    assert room >= 1.06 * columns.length("Stability")


def test_ranked_values_of_eight_models_stand_upright():
    names = ["svm", "rf", "gbm", "knn", "nb", "tree", "lr", "mlp"]
    heads = [Column("set", "Data set"), *(Column(name, name) for name in names)]
    cells = {"set": "set_07"} | dict.fromkeys(names, "0.741 (6.5)")

    assert not columns.layout(templating.line_up([{"cells": cells}], heads), heads).wide


@pytest.mark.parametrize(
    ("models", "stacked", "wide"),
    [(3, False, False), (5, True, False), (8, True, True)],
)
def test_a_table_with_many_models_is_stacked_then_turned(models, stacked, wide):
    heads = [Column("measure"), *(Column(f"m{i}", f"model {i}") for i in range(models))]
    value = {"text": "0.9341", "low": "0.9120", "high": "0.9560"}
    cells = {"measure": "Accuracy"} | {f"m{i}": value for i in range(models)}

    layout = columns.layout(templating.line_up([{"cells": cells}], heads), heads)

    assert (layout.stacked, layout.wide) == (stacked, wide)
    assert layout.lines == (2 if stacked else 1,)


def test_rows_whose_words_are_broken_are_known_to_be_higher():
    heads = [Column("name"), Column("text", align="left")]
    texts = ["a few words", "a long text of many words " * 9]
    rows = [{"cells": {"name": "a", "text": text}} for text in texts]

    first, second = columns.layout(templating.line_up(rows, heads), heads).lines

    assert first == 1
    assert 2 <= second <= 4


def test_names_are_broken_where_that_keeps_intervals_on_the_line():
    """Few long names on two lines take less room than every interval below its value."""
    heads = [Column("name"), *(Column(f"m{i}") for i in range(4))]
    value = {"text": "0.9341", "low": "0.9123", "high": "0.9567"}
    names = ["a measure with several words", *("AUC",) * 9]
    rows = [{"cells": {"name": name} | {f"m{i}": value for i in range(4)}} for name in names]

    layout = columns.layout(templating.line_up(rows, heads), heads)

    assert not layout.stacked
    assert layout.lines == (2, *(1,) * 9)


def test_a_reference_may_point_forward():
    env = environment()
    page = env.globals["page"]
    source = (
        '{% from "macros.html.j2" import data_table, reference %}'
        '{{ reference("table", "later") }} {{ reference("table", "never") }}'
        '{{ data_table([], [], "First") }}{{ data_table([], [], "Second", id="later") }}'
    )
    page.begin("html", 10)

    text = page.linked(env.from_string(source).render())

    assert '<a class="reference" href="#table-later">Table 2</a>' in text
    assert "the table (not in this report)" in text
    assert text.count('<span class="number">Table 1</span>') == 1


def test_a_long_table_says_what_was_left_out():
    env = environment()
    env.globals["page"].begin("html", 2)
    template = env.from_string(
        '{% from "macros.html.j2" import data_table %}{{ data_table(columns, rows, "Long") }}'
    )

    text = template.render(columns=[Column("n")], rows=[{"cells": {"n": str(n)}} for n in range(5)])

    assert text.count("<tr>") == 3
    assert "The first 2 of 5 rows" in text


def test_a_macro_escapes_what_it_is_given():
    template = environment().from_string(
        '{% from "macros.html.j2" import callout, cell, chip, data_table, facts %}'
        "{{ cell(x) }}{{ chip(x) }}{{ callout('note', x, x) }}{{ facts([(x, x)]) }}"
        "{{ data_table([c], [], x, notes=[x]) }}"
    )

    text = template.render(x=HOSTILE, c=Column("a", HOSTILE, spanner=HOSTILE))

    assert HOSTILE not in text
    assert text.count("alert(1)") >= 10


LONG_PAGE_ONE = """<html lang="en"><head><title>t</title><style>
@page {{ size: 400px; margin: 0 }} p {{ margin: 0 }} section {{ break-before: page }}
.first {{ height: {height}px }} .close .first {{ height: {close}px }}
.flowing section {{ break-before: auto }} nav {{ break-inside: avoid }}
</style></head><body><div class="first"><p>One</p></div>
<nav id="contents"><p>Contents</p></nav><section><p>Section</p></section></body></html>"""


# The PDF writer leaves the file of its colour profile open.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("height", "close", "texts"),
    [
        (300, 100, ["One Contents", "Section"]),
        (395, 100, ["One Contents", "Section"]),
        (395, 395, ["One", "Contents Section"]),
    ],
)
def test_the_contents_have_no_page_to_themselves(height, close, texts):
    page = LONG_PAGE_ONE.format(height=height, close=close)

    written = paper.document(page, {}, {}, (), "2026-01-01T00:00:00+00:00")

    found = [" ".join(one.extract_text().split()) for one in PdfReader(BytesIO(written)).pages]
    assert found == texts
