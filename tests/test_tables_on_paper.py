"""Where the PDF breaks tables across pages."""

from __future__ import annotations

import weasyprint

from reportgen.render import environment
from reportgen.resources import TEMPLATES

HEADS = [{"key": "name", "label": "Name"}, {"key": "value", "label": "Value"}]
GROUPS = ("alpha", "beta", "gamma")
ROWS = [
    {"group": group, "cells": {"name": f"{group} {row}", "value": "0.5"}}
    for group in GROUPS
    for row in range(4)
]
PAGE = """{% from "macros.html.j2" import data_table %}
{% for room in rooms %}
<section><div style="height: {{ room }}pt"></div>
{{ data_table(heads, rows, "Rows", id="t%d" % loop.index) }}</section>
{% endfor %}"""
SMALL_PAGES = "@page { size: 120mm 100mm; margin: 10mm } section { break-before: page }"


def pages(rooms: list[int]) -> list[list[str]]:
    """The texts of each page, from the top, where a table begins below so many points."""
    env = environment()
    env.globals["page"].begin("pdf", 100)
    text = env.from_string(PAGE).render(mode="pdf", rooms=rooms, heads=HEADS, rows=ROWS)
    sheets = [(TEMPLATES / name).read_text() for name in ("report.css", "print.css")]
    styles = [weasyprint.CSS(string=sheet) for sheet in (*sheets, SMALL_PAGES)]
    laid_out = weasyprint.HTML(string=text).render(stylesheets=styles)
    return [
        [box.text for box in page._page_box.descendants() if hasattr(box, "text") and box.text]
        for page in laid_out.pages
    ]


def test_a_short_group_of_rows_stays_on_one_page_with_its_label():
    broken = pages(list(range(0, 200, 6)))

    assert sum("alpha 0" in texts for texts in broken) == 34
    for texts in broken:
        rows = [text for text in texts if text.split(" ")[0] in GROUPS]
        for group in GROUPS:
            held = [text for text in rows if text.startswith(group)]
            assert held in ([], [group, *(f"{group} {row}" for row in range(4))])
