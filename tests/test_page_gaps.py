"""Pages of the PDF that would end early."""

from __future__ import annotations

import io

import pytest
from pypdf import PdfReader

from reportgen.render import paper

# The PDF writer leaves the file of its colour profile open.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="{}"/>'
PAGE = """<html lang="en"><head><title>t</title><style>
@page {{ size: 400px 1000px; margin: 0 }} body {{ margin: 0 }}
figure, .row {{ break-inside: avoid; margin: 0 }} img {{ display: block }}</style></head>
<body><div style="height: {above}px; font-size: 8px">text<br/></div><p style="margin: 0">end</p>
<div class="row"><figure class="chart"><img alt="A chart" src="chart:a" /></figure></div>
<p>after</p></body></html>"""


def laid_out(above: int, height: int, *, can: bool = True) -> tuple[int, list[tuple[str, float]]]:
    """How many pages a figure below so much text makes, and how much lower it was drawn."""
    asked: list[tuple[str, float]] = []

    def lowered(name: str, by: float) -> str | None:
        asked.append((name, by))
        return SVG.format(height - by) if can else None

    page, drawings = PAGE.format(above=above), {"a": SVG.format(height)}
    created = "2026-01-01T00:00:00+00:00"
    written = paper.document(page, drawings, {}, (), created, lowered)
    return len(PdfReader(io.BytesIO(written)).pages), asked


def test_a_figure_a_little_too_tall_is_drawn_lower_and_fills_the_page():
    pages, [(name, by)] = laid_out(500, 520)

    assert (pages, name) == (2, "a")
    assert 20 < by < 120


@pytest.mark.parametrize(("above", "height"), [(100, 500), (800, 500), (500, 900)])
def test_a_figure_that_fits_or_is_far_too_tall_and_a_full_page_stay(above, height):
    assert laid_out(above, height)[1] == []


def test_a_chart_that_cannot_be_lower_stays():
    assert len(laid_out(500, 520, can=False)[1]) == 1
