"""Labels as they may be drawn."""

from __future__ import annotations

import unicodedata
from functools import partial

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.charts import figures, labels
from reportgen.comparisons.wording import bounded
from reportgen.results import evaluate
from tests import charts_results
from tests.breadth import breadth
from tests.quick import QUICK

INVISIBLE = [
    "\x00",
    "\x07",
    "\x1b",
    "\x7f",
    "\x85",
    "\ufffe",
    "\uffff",
    "\ud800",
    "\u202e",
    "\u2028",
]


@pytest.mark.parametrize("mark", INVISIBLE, ids=ascii)
def test_a_character_without_a_picture_becomes_a_visible_one(mark: str):
    assert labels.clean(f"a{mark}b") == "a□b"


@pytest.mark.parametrize("text", ["", " ", "\u3000", "\u00a0"], ids=ascii)
def test_an_empty_label_is_named(text: str):
    assert labels.clean(text) == "(empty)"


def test_accents_are_composed():
    assert labels.clean("e\u0301") == "é"


def test_a_long_label_ends_in_an_ellipsis():
    assert labels.clean("a" * 81) == "a" * 79 + "…"
    assert labels.clean("a" * 80) == "a" * 80


def test_a_cut_never_parts_a_letter_from_its_accent():
    assert labels.shorten("ab\u0323\u0302cd", 4) == "a…"


def test_labels_that_would_look_alike_are_cut_in_the_middle_or_numbered():
    long = "a" * 90
    unique_labels = labels.unique([long + "1", long + "2", "b\x01", "b\x02"])

    middle = "a" * 39 + "…" + "a" * 39
    assert list(unique_labels.values()) == [middle + "1", middle + "2", "b□", "b□ (2)"]


@given(st.lists(st.text(st.characters(exclude_categories=()), max_size=100), unique=True))
def test_labels_can_always_be_drawn_and_told_apart(texts: list[str]):
    unique_labels = labels.unique(texts)

    assert list(unique_labels) == texts
    assert len(set(unique_labels.values())) == len(texts)
    for label in unique_labels.values():
        assert 1 <= len(label) <= 80
        assert not {unicodedata.category(mark) for mark in label} & {"Cc", "Cs", "Cn", "Zl", "Zp"}
        label.encode()


@given(st.text(min_size=1, max_size=60), st.integers(20, 300))
def test_a_squeezed_label_fits(text: str, width: int):
    squeezed = labels.squeeze(text, width)

    assert squeezed == text or labels.text_width(squeezed) <= max(width, 35)


NAMES = [charts_results.SCRIPT, charts_results.QUOTED, "好瓜", "{{7*7}}", "a,b'c\\", "&amp;<b>"]


@breadth("name", NAMES, 1)
def test_a_drawing_holds_the_real_name_of_a_model(name: str):
    """Whatever it means to a template, a path or a browser."""
    roc = next(f for f in figures(charts_results.scored([name, "other"])) if f.id == "roc")
    svg = charts_results.svg_of(roc.chart)

    assert any(word.startswith(f"{name} · ") for word in charts_results.words(svg))
    assert "<script" not in svg


@breadth("name", [*NAMES, "", "x\x07\ufffe"], [NAMES[1]], ids=ascii)
def test_a_drawing_holds_the_real_name_of_a_class(name: str):
    confusion = next(
        f for f in figures(charts_results.scored(["m"], negative=name)) if f.id == "confusion_0"
    )
    svg = charts_results.svg_of(confusion.chart)
    shown = labels.clean(name)

    assert shown in confusion.chart["layer"][0]["encoding"]["y"]["sort"]
    assert any(
        shown.startswith(word.removesuffix("…"))
        for word in charts_results.words(svg)
        if len(word) > 1
    )
    assert "<script" not in svg


def test_long_names_that_differ_at_their_ends_stay_different_in_sentences_and_titles():
    stem = "gradient_boosting_with_calibrated_probabilities_and_monotone_constraints_"
    for cut in (bounded, partial(labels.middle_cut, longest=40)):
        one, other = (cut(stem + end) for end in ("candidate_a", "candidate_b"))
        assert one != other
        assert "…" in one
        assert len(one) <= 60


def test_of_a_rare_class_neither_accuracy_nor_a_calibration_error_is_the_finding():
    random = np.random.default_rng(3)
    truth = np.arange(3000) < 30
    scores = {m: 1 / (1 + np.exp(5 - 3 * truth - random.normal(size=3000))) for m in "ab"}
    spec = {"truth": "y", "models": {m: {"score": m} for m in "ab"}, **QUICK}
    titles = {f.id: f.title for f in figures(evaluate(spec, pl.DataFrame({"y": truth, **scores})))}

    assert "average precision" in titles["key_metrics"]
    assert "error" not in titles["calibration"]
