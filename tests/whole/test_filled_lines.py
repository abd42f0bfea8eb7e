"""Lines of the PDF are full before an inline element that does not fit."""

from __future__ import annotations

import io

import pytest
from pypdf import PdfReader

from reportgen.render import paper

# The PDF writer leaves the file of its colour profile open.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

PAGE = """<html lang="en"><head><title>t</title><style>
@page {{ size: 900px 1000px; margin: 0 }} body {{ margin: 0; font-size: 13px }} p {{ margin: 0 }}
</style></head><body>{}</body></html>"""
TEXT = "The cost per row and the normalised cost are the error rate. See <b>Table 3</b>."


def test_a_line_that_only_its_last_space_overfills_does_not_end_after_its_first_word():
    widths = range(400, 520, 2)
    paragraphs = "".join(f'<p style="width: {width}px">{TEXT}</p>' for width in widths)
    written = paper.document(PAGE.format(paragraphs), {}, {}, (), "2026-01-01T00:00:00+00:00")

    pages = PdfReader(io.BytesIO(written)).pages
    lines = [line.strip() for page in pages for line in page.extract_text().splitlines()]

    assert "The" not in lines
    assert len([line for line in lines if line.startswith("The cost per row and")]) == len(widths)
