"""The PDF writer works out fewer styles, and sets the same pages."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PAGE = """<html lang="en"><head><title>T</title><style>/* the fonts of this report */
  @page { size: A6 } h2 { break-before: page } .footnote { float: footnote }</style>MORE</head>
<body><p><a href="#b">to B</a> text<span class="footnote">a note</span></p><ul><li>one</li></ul>
<section id="a"><h2>A</h2><table id="t"><tr><td>1</td></tr></table></section>
<section id="b"><h2>B</h2><p>x</p></section></body></html>"""

SETS = """
import hashlib, io, json, sys
import pypdf
from weasyprint import css
from reportgen.render import (fonts, paper)
from reportgen.render import pdf_input

styles = []
begin = css.ComputedStyle.__init__

def counted(self, *arguments):
    styles.append(self)
    begin(self, *arguments)

css.ComputedStyle.__init__ = counted

def facts(page):
    styles.clear()
    cut = fonts.subsets(set(page))
    made = paper.document(page, {}, cut, (), "2026-01-01T00:00:00+00:00")
    pdf = pypdf.PdfReader(io.BytesIO(made))
    destinations = pdf.named_destinations.items()
    return {
        "styles": len(styles),
        "texts": [sheet.extract_text().split() for sheet in pdf.pages],
        "drawn": [sheet.get_contents().get_data().hex() for sheet in pdf.pages],
        "links": {name: pdf.get_destination_page_number(place) for name, place in destinations},
    }

plain, styled = json.loads(sys.argv[1])
result = {"reused": facts(plain), "of others": facts(styled)}
pdf_input.is_styled_by_us = lambda root: False
print(json.dumps({**result, "whole": facts(plain)}))
"""


@pytest.fixture(scope="module")
def pages() -> dict[str, dict[str, object]]:
    """Pages set in a process of its own, as the PDF writer changes the one that it works in."""
    other = "<style>li { float: footnote }</style>"
    given = json.dumps([PAGE.replace("MORE", ""), PAGE.replace("MORE", other)])
    command = [sys.executable, "-c", SETS, given]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_footnotes_and_markers_of_lists_are_printed(pages):
    text = pages["reused"]["texts"][0]
    assert text.count("1.") == 1, "the footnote has its number"
    assert "•" in "".join(text)


@pytest.mark.parametrize("what", ["texts", "drawn"])
def test_the_pages_are_those_of_the_whole_style_sheet(pages, what):
    assert pages["reused"][what] == pages["whole"][what]


def test_a_link_leads_to_the_page_of_its_section(pages):
    assert pages["reused"]["links"] == {"a": 1, "b": 2, "t": 1} == pages["whole"]["links"]


def test_footnotes_by_a_style_sheet_of_others_are_printed(pages):
    assert pages["of others"]["texts"][0].count("2.") == 1


def test_elements_with_ids_share_styles_with_those_without(pages):
    assert pages["reused"]["styles"] < pages["whole"]["styles"] / 2
