"""Results in a notebook: a card that changes nothing of its page, charts that are images."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

import reportgen
from reportgen.errors import RenderError, ReportgenError
from reportgen.render import process

TRUTH = np.arange(40) % 3 == 0
SCORE = np.clip(0.3 * TRUTH + np.linspace(0, 0.7, 40) % 0.31, 0, 1)
WILD = "<script>alert('x')</script>"


@pytest.fixture(scope="module")
def report() -> reportgen.Report:
    return reportgen.report(
        TRUTH.astype(int),
        {"forest": SCORE, WILD: SCORE[::-1].copy()},
        gates=["forest.auc >= 0.5"],
        bootstrap={"replicates": 0},
    )


@pytest.fixture(scope="module")
def card(report) -> str:
    return report._repr_html_()


class Tags(HTMLParser):
    """The tags of a page with their attributes, and whether each is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_a_card_has_no_script_no_rule_and_no_request(card):
    page = Tags(card)

    assert not page.open
    assert not {tag for tag, _ in page.tags} & {"script", "style", "link", "iframe", "svg"}
    for _, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on") or name in ("id", "class")]
        assert (attributes.get("src") or "data:").startswith("data:image/svg+xml;base64,") or (
            "src" not in attributes
        )
    assert "http" not in re.sub(r'src="[^"]*"', "", card)


def test_a_card_states_the_conclusion_the_models_and_the_gates(card, report):
    assert report.results.decision.state_name in card
    assert "forest.auc &gt;= 0.5" in card
    assert "AUC" in card
    assert WILD not in card
    assert "&lt;script&gt;" in card


def test_the_charts_of_a_card_are_images_that_stand_alone(card):
    sources = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', card)

    assert sources
    for source in sources:
        drawing = base64.b64decode(source).decode()
        ElementTree.fromstring(drawing)
        assert "@font-face" in drawing
        assert "<script" not in drawing


@pytest.mark.slow
def test_single_charts_show_themselves(report):
    picture = report.picture("roc")

    assert picture.svg.startswith("<svg")
    assert picture._repr_html_().count("<img") == 1
    assert repr(picture).startswith("Picture: ")
    with pytest.raises(ReportgenError, match="did you mean 'roc'"):
        report.picture("rok")


def test_a_terminal_shows_a_few_lines(report):
    shown = repr(report).splitlines()

    assert len(shown) == 4
    assert "PASS" in shown[0] or "INCONCLUSIVE" in shown[0]


def test_without_charts_a_card_says_why(report, monkeypatch):
    def fails(*_args, **_limits):
        raise RenderError("nothing draws here")

    monkeypatch.setattr(process, "run", fails)
    card = report._repr_html_()

    assert "No charts: nothing draws here" in card
    assert "<img" not in card
