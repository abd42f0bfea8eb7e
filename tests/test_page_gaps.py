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
{figures}<p style="height: 480px">after</p></body></html>"""
FIGURE = '<figure class="chart"><img alt="A chart" src="chart:{}" /></figure>'


def laid_out(
    above: int, *heights: int, share: float = 1, before: str = ""
) -> tuple[int, list[tuple[str, float]]]:
    """How many pages figures below so much text make, and how much lower each was drawn.

    Each is lowered by this share of what is asked; ``before`` stands before the last one.
    """
    asked: list[tuple[str, float]] = []
    drawn = dict(zip("abc", heights, strict=False))

    def lowered(name: str, by: float) -> str | None:
        asked.append((name, by))
        return SVG.format(drawn[name] - share * by) if share else None

    *figures, last = map(FIGURE.format, drawn)
    page = PAGE.format(above=above, figures="".join([*figures, before, last]))
    drawings = {name: SVG.format(height) for name, height in drawn.items()}
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
    assert len(laid_out(500, 520, share=0)[1]) == 1


def test_figures_are_lowered_in_turn_though_the_first_alone_leaves_more_empty():
    pages, asked = laid_out(500, 520, 460, 550)

    assert (pages, [name for name, _ in asked]) == (3, ["a", "c"])


def test_what_a_figure_loses_in_several_layouts_adds_up():
    first, second = (by for _, by in laid_out(500, 520, share=0.5)[1])

    assert second == pytest.approx(1.5 * first)


def test_a_page_that_a_section_ends_on_may_end_early():
    """Lowering the second figure leaves the end of the section empty, but no page within it."""
    begun = '<h2 style="break-before: page; margin: 0">Next</h2>'
    pages, asked = laid_out(500, 520, 460, 300, before=begun)

    assert (pages, [name for name, _ in asked]) == (3, ["a"])
