"""Where the PDF breaks tables across pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import weasyprint

from reportgen.render import environment
from reportgen.render.templating import with_kept_cuts
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


def sheets_of(rooms: list[int], heads: Sequence[Mapping[str, str]]) -> list[list[Any]]:
    """The boxes of each page, where a table begins below so many points."""
    env = environment()
    env.globals["page"].begin("pdf", 100)
    text = env.from_string(PAGE).render(mode="pdf", rooms=rooms, heads=heads, rows=ROWS)
    sheets = [(TEMPLATES / name).read_text() for name in ("report.css", "print.css")]
    styles = [weasyprint.CSS(string=sheet) for sheet in (*sheets, SMALL_PAGES)]
    laid_out = weasyprint.HTML(string=with_kept_cuts(text)).render(stylesheets=styles)
    return [list(page._page_box.descendants()) for page in laid_out.pages]


def texts_in(boxes: Iterable[Any]) -> list[str]:
    return [box.text for box in boxes if hasattr(box, "text") and box.text]


def pages(rooms: list[int]) -> list[list[str]]:
    """The texts of each page, from the top, where a table begins below so many points."""
    return [texts_in(boxes) for boxes in sheets_of(rooms, HEADS)]


def test_a_short_group_of_rows_stays_on_one_page_with_its_label():
    broken = pages(list(range(0, 200, 6)))

    assert sum("alpha 0" in texts for texts in broken) == 34
    for texts in broken:
        rows = [text for text in texts if text.split(" ")[0] in GROUPS]
        for group in GROUPS:
            held = [text for text in rows if text.startswith(group)]
            assert held in ([], [group, *(f"{group} {row}" for row in range(4))])


def test_a_long_name_in_a_narrow_head_is_broken_between_its_parts_and_not_behind_its_dots():
    label = "…constraints_depth_6 − …constraints_depth_8"
    heads = [{"key": "name", "label": "Name"}, *({"key": k, "label": label} for k in "abc")]

    boxes = sheets_of([0], heads)[0]

    lines = [
        "".join(texts_in(box.descendants())).replace("\u200b", "").strip()
        for box in boxes
        if type(box).__name__ == "LineBox"
    ]
    assert [line for line in lines if "…" in line or "depth" in line] == 3 * [
        "…constraints_",
        "depth_6 −",
        "…constraints_",
        "depth_8",
    ]
