"""Page one: what was decided, the state of the build, and how gates are reported."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from reportgen.sections.references import titles
from reportgen.sections.verdict import Verdict
from tests import sections_results
from tests.section_tables import EVERY, rendered, with_gates


@pytest.mark.parametrize(
    ("results", "kind", "headline"),
    [
        (sections_results.better, "note", "strong beats weak: "),
        (sections_results.worse, "note", "strong leads with AUC 0."),
        (sections_results.close, "note", "near has the highest AUC, 0."),
        (sections_results.twins, "note", "strong and same give the same outputs for every row ("),
        (sections_results.single, "note", "strong: AUC 0."),
    ],
)
def test_page_one_says_what_was_decided(results, kind, headline):
    verdict = Verdict.from_results(results(), [])

    assert verdict.kind == kind
    assert verdict.headline.startswith(headline)


@pytest.mark.parametrize("results", EVERY)
def test_page_one_has_the_number_of_rows(results):
    verdict = Verdict.from_results(results(), [])

    assert verdict.facts.startswith("300 rows · ")


def test_page_one_says_that_rows_repeat_examples_and_that_counts_have_no_weights():
    results = sections_results.better()
    tested = {"test_rows": 300, "test_examples": 100}
    data = {**results.data, "weighted": True, "evaluation": tested}
    verdict = Verdict.from_results(replace(results, data=data), [])

    start = "300 weighted rows of 100 examples · "
    assert verdict.facts.startswith(start)
    assert "% of rows, 29.0\u00a0% of weight)" in verdict.facts


def test_page_one_has_effect_interval_and_p_value():
    decision = sections_results.better().decision
    table = Verdict.from_results(sections_results.better(), []).models
    strong, weak = (row.cells for row in table.rows)

    assert [column.label for column in table.columns] == [
        "Model",
        "AUC (95\u00a0% CI)",
        "strong − model (95\u00a0% CI)",
        "p",
    ]
    assert strong["difference"].text == "–"
    assert re.fullmatch(r"\+0\.\d+", weak["difference"].text)
    assert weak["p"] == "< 0.001"
    assert decision.low > 0
    assert decision.headline.startswith("strong beats weak: ")


@pytest.mark.parametrize("results", EVERY)
def test_nothing_is_called_equal_and_no_hypothesis_accepted(results):
    page = rendered(results()).lower()
    for title in titles().values():  # of papers, some of which improve on others
        page = page.replace(title.lower(), "")

    assert not re.search(r"accept|\bequally\b|are equal|\bh0\b|prove", page)


@pytest.mark.parametrize(
    ("states", "kind", "line"),
    [
        ([], "note", "NO GATES"),
        (["pass"], "good", "PASS: the gate passed, on a point estimate"),
        (["inconclusive"], "caution", "INCONCLUSIVE: the gate is inconclusive"),
        (["fail", "fail"], "bad", "FAIL: both gates failed"),
        (["pass", "fail", "inconclusive"], "bad", "FAIL: 1 of 3 gates failed, 1 is inconclusive"),
    ],
)
def test_the_state_of_the_build_has_one_colour_and_says_how_many_gates(states, kind, line):
    section = Verdict.from_results(with_gates(*states), [])

    assert (section.kind, section.state) == (kind, line)


def test_a_gate_without_an_interval_is_said_to_rest_on_the_value():
    gates = Verdict.from_results(with_gates("pass"), []).gates

    assert gates is not None
    assert "Without an interval the point estimate decides." in gates.notes
