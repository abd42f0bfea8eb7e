"""Charts on a dark screen."""

from __future__ import annotations

import json
import re

import pytest

from reportgen.charts import confusion, dark, style
from reportgen.charts import multiclass_confusion as classes
from reportgen.resources import TEMPLATES
from reportgen.spec.theme import LEGIBLE, VISIBLE, contrast
from tests import chart_gallery as gallery
from tests.breadth import breadth

PAINT = re.compile(r'\b(?:fill|stroke)="(?!none|url)([^"]+)"')
COLOR = re.compile(r'"(#[0-9a-fA-F]{6})"')
RULE = re.compile(r'\[(fill|stroke)="([^"]+)"\] \{ \1: ([^ ]+) \}')


@breadth("name", gallery.NAMES, gallery.EACH)
def test_every_colour_of_a_drawing_has_a_counterpart_of_its_own(name):
    """A colour without one would be lightened, and come near another's counterpart."""
    colors = set(PAINT.findall(gallery.drawing(name)))
    ruled = {
        color for _, color, _ in RULE.findall(dark.rules(json.dumps(gallery.figure(name).chart)))
    }

    assert colors <= ruled
    assert colors - {"white"} <= dark.COUNTERPARTS.keys()


def test_every_colour_that_a_chart_names_has_a_counterpart():
    """Of all figures, drawn or not."""
    for name in gallery.NAMES:
        named = set(COLOR.findall(json.dumps(gallery.figure(name).chart)))

        assert named <= dark.COUNTERPARTS.keys(), name


def test_the_page_is_the_one_that_contrasts_are_measured_on():
    css = (TEMPLATES / "report.css").read_text()
    on_dark = css[css.index("prefers-color-scheme: dark") :]

    assert re.findall(r"--(?:page|card): ([^;]+);", on_dark) == [dark.PAGE, dark.PAGE]


@pytest.mark.parametrize("color", [*style.PALETTE, style.INK, style.QUIET])
def test_models_and_texts_can_be_read_on_a_dark_page(color):
    assert contrast(dark.COUNTERPARTS[color], dark.PAGE) >= LEGIBLE


def test_axes_can_be_seen_on_a_dark_page():
    assert contrast(dark.COUNTERPARTS[style.FAINT], dark.PAGE) >= VISIBLE


@pytest.mark.parametrize("color", [*confusion.STEPS, *classes.CORRECT, *classes.ERRORS])
def test_numbers_in_dark_confusion_tables_can_be_read(color):
    white = color in classes.DARK or color in confusion.STEPS[3:]
    text = dark.PAGE if white else dark.COUNTERPARTS[style.INK]

    assert contrast(dark.COUNTERPARTS[color], text) >= LEGIBLE


def test_a_colour_of_the_theme_is_lightened_until_it_can_be_read():
    rules = dict(rule[1:] for rule in RULE.findall(dark.rules('["#7a0019"]')))

    assert rules["white"] == "var(--card)"
    assert contrast(rules["#7a0019"], dark.PAGE) >= LEGIBLE
