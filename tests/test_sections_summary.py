"""The Markdown summary."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from reportgen.predictions.validated import Check, ImproperScores
from reportgen.results.provenance import check_records
from reportgen.sections import summary
from reportgen.sections.markdown import GAP, escape
from reportgen.sections.slices import SlicesSection
from tests import sections_results, sections_tasks
from tests.breadth import breadth
from tests.section_tables import EVERY


@given(st.text())
def test_an_escaped_text_is_rendered_as_itself(text):
    """Checked with a Markdown parser that allows HTML, inside a table cell."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    page = parser.render(f"| a |\n|---|\n| x{escape(text)}x |\n")
    cell = re.search(r"<td>x(.*)x</td>", page, re.DOTALL)

    assert cell is not None
    assert "<" not in cell[1]
    assert page.count("<td>") == 1


@pytest.mark.parametrize(
    "text", ["a|b", "a`b`", "<b>", "*a*", "_a_", "[a](b)", "a\nb", "~~a~~", "# a", "- a", "1. a"]
)
def test_a_text_cannot_start_markup(text):
    page = MarkdownIt("commonmark", {"html": True}).enable(["strikethrough"]).render(escape(text))

    assert re.fullmatch(r"<p>[^<]*</p>\n", page)


@pytest.mark.parametrize("text", ["@all", "a@b", "#12", "https://x.org", "www.x.org", "gh-3"])
def test_a_text_makes_no_mention_and_no_link(text):
    assert GAP in escape(text)
    assert escape(text).replace(GAP, "") == text


@breadth("results", EVERY, 2)
def test_the_marker_is_hidden_on_the_first_line_and_the_verdict_follows(results):
    first, second, *_ = summary.text(results()).splitlines()

    assert re.fullmatch(r"<!-- reportgen summary [0-9a-f]{12} -->", first)
    assert second == f"## {escape(results().decision.headline)}"


def test_the_marker_stays_from_build_to_build():
    again = replace(
        sections_results.rich(), build={"id": "another", "created": "2026-01-01T00:00:00Z"}
    )

    assert summary.marker(again) == summary.marker(sections_results.rich())
    assert summary.marker(sections_results.single()) != summary.marker(sections_results.rich())


@pytest.mark.parametrize("results", EVERY)
def test_every_table_is_read_as_a_table(results):
    """No line of a table is left over as text, whatever the labels hold."""
    text = summary.text(results())
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)

    assert page.count("<tr>") == len([x for x in text.splitlines() if x.startswith("|")]) - (
        page.count("<table>")
    )
    assert "|</p>" not in page


def test_gaps_between_slices_are_folded():
    results = sections_tasks.fifty_slices()
    part = SlicesSection.from_results(results, ())
    text = summary.text(results)
    folded = text.partition("<summary>Slices</summary>")[2].partition("</details>")[0]

    assert folded.count("\n| ") > len(part.gaps[0].rows)
    assert "most in site 07" in folded
    assert "<summary>Slices</summary>" not in summary.text(sections_results.single())


def test_nothing_of_a_label_is_read_as_html_or_mention():
    text = summary.text(sections_results.rich())

    assert "<script>" not in text
    assert "@octocat" not in text
    assert "<b>of" not in text


def test_the_best_is_bold_where_a_test_shows_it():
    line = next(
        x for x in summary.text(sections_results.better()).splitlines() if x.startswith("| AUC")
    )

    assert re.fullmatch(
        r"\| AUC<sup>\w</sup> \| [\d.]+ \([\d.]+–[\d.]+\) \| \*\*[\d.]+\*\* \([\d.]+–[\d.]+\) \|",
        line,
    )


def test_a_long_summary_is_cut_to_what_a_comment_may_have(monkeypatch):
    whole = summary.text(sections_results.rich())
    monkeypatch.setattr(summary, "LONGEST", len(whole) - 1)
    shorter = summary.text(sections_results.rich())

    assert len(shorter) < len(whole)
    assert shorter.count("<details>") == whole.count("<details>") - 1
    assert shorter.count("<details>") == shorter.count("</details>")


def test_even_the_shortest_form_keeps_to_the_limit(monkeypatch):
    monkeypatch.setattr(summary, "LONGEST", 3_000)
    text = summary.text(sections_results.many(40))

    assert len(text) <= 3_000
    assert text.startswith("<!-- reportgen summary")
    assert text.endswith("the whole report is in report.html.*\n")


def test_the_limit_is_that_of_a_comment():
    assert summary.LONGEST == 65_536


def test_the_facts_have_the_number_of_groups_of_dependent_rows():
    results = sections_results.rich()
    groups = {"number": 12, "largest": 5, "mean_rows": 4.5}
    alike = replace(results, data={**results.data, "groups": {**groups, "mean_rows": 5.0}})
    grouped = replace(results, data={**results.data, "groups": groups})
    ones = {"number": 12, "largest": 1, "mean_rows": 1.0}
    single = replace(results, data={**results.data, "groups": ones})

    assert "12 groups." in summary.facts(grouped)
    assert "12 groups of 5 rows." in summary.facts(alike)
    assert "12 groups" not in summary.facts(single)


def test_without_a_sentence_no_paragraph_stands_below_the_state():
    results = sections_results.rich()
    silent = replace(results, decision=replace(results.decision, sentence=""))

    assert "\n\n\n" not in summary.text(silent).partition("\n| ")[0]


def test_the_sign_of_a_bias_is_explained_below_its_table():
    text = summary.text(sections_tasks.regression())

    assert "| Bias" in text
    first = text.partition("<details>")[0]
    assert first.count("Bias: truth − estimate, positive where estimates are too low.") == 1


def test_scores_that_do_not_add_up_to_1_are_a_reason_beside_the_table():
    results = sections_tasks.multiclass()
    scores = ImproperScores("soft", 300, 1.1, 1.2)
    check = Check("sums", scores.text, warning=True, improper=scores)
    off = replace(results, data={**results.data, "checks": check_records([check])})
    why = "Probability measures of soft are left out: in 300 rows the scores do not add up"

    assert why in summary.text(off).partition("<details>")[0]
    assert "Probability measures of" not in summary.text(results)


def test_the_facts_count_the_rows_without_weight():
    results = sections_results.rich()
    used = results.data["rows_evaluated"]
    data = {**results.data, "rows": used + 593, "roles": None}

    some = summary.facts(replace(results, data={**data, "weighted": True}))
    assert "Left out: 593 rows with weight 0." in some
    assert "weight 0" not in summary.facts(replace(results, data={**data, "weighted": False}))
