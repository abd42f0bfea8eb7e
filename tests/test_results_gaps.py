"""Gaps between slices and their tests: in the results, and as they are printed."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import chi2_contingency, fisher_exact

from reportgen import tables
from reportgen.comparing.gaps import NO_TEST, gaps
from reportgen.comparisons import pooled_z
from reportgen.measuring.slices import record
from reportgen.results import Results, evaluate, typed
from reportgen.sections.slices import SlicesSection
from reportgen.tables import Metrics
from reportgen.text.reasons import WEIGHTED
from tests import sections_results, sections_tasks

Cells = tuple[float, float, float, float]
"""Counts of a slice: tp, fn, fp, tn."""

A, B, C = (50, 50, 10, 90), (70, 30, 10, 90), (60, 40, 10, 90)


def numbers(label: str, cells: Cells) -> list[dict[str, Any]]:
    tp, fn, fp, tn = cells
    values = {
        **dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True)),
        "recall": tp / (tp + fn),
        "false_positive_rate": fp / (fp + tn),
        "detection_prevalence": (tp + fp) / sum(cells),
    }
    empty = dict.fromkeys(Metrics.to_schema().columns)
    return [
        {**empty, "metric": metric, "model": "m", "slice": label, "value": float(value)}
        for metric, value in values.items()
    ]


def gaps_of(untested: str | None = None, **slices: Cells) -> dict[str, dict[str, Any]]:
    """The gaps of one model by measure, between slices of one column."""
    metrics = [row for label, cells in slices.items() for row in numbers(f"s = {label}", cells)]
    sizes = [
        record(["s"], [label], sum(cells), cells[0] + cells[1]) for label, cells in slices.items()
    ]
    gap_table = gaps(
        typed(Metrics, metrics), typed(tables.Slices, sizes), "binary", ["m"], untested
    )
    return {gap["metric"]: gap for gap in gap_table.to_dicts()}


def test_a_share_of_one_class_needs_enough_rows_of_that_class_alone():
    """Of recall a slice with few negatives is not small: it may be the best of all."""
    one_sided = (58, 2, 1, 3)
    by_measure = gaps_of(a=A, b=B, c=one_sided)

    assert by_measure["recall"]["highest"] == "s = c"
    assert by_measure["recall"]["left_out"] == []
    assert by_measure["detection_prevalence"]["left_out"] == ["s = c"]
    assert by_measure["false_positive_rate"]["left_out"] == ["s = c"]
    tiny = gaps_of(a=A, b=B, c=(9, 0, 1, 3))
    assert {tuple(gap["left_out"]) for gap in tiny.values()} == {("s = c",)}


@pytest.mark.parametrize(
    ("first", "second"), [((15, 50), (30, 50)), ((83, 86), (90, 93)), ((1, 400), (9, 380))]
)
def test_the_test_of_two_shares_agrees_with_chi_square_of_the_table(first, second):
    table = [[successes, rows - successes] for successes, rows in (first, second)]

    expected = chi2_contingency(table, correction=False).pvalue
    assert pooled_z(*zip(first, second, strict=True)).p_value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("successes", "rows"), [((0, 0), (40, 50)), ((40, 50), (40, 50))])
def test_shares_that_are_all_or_nothing_are_not_tested(successes, rows):
    assert pooled_z(successes, rows) is None


def test_few_expected_rows_are_called_rough():
    assert pooled_z((1, 2), (20, 20)).rough
    assert not pooled_z((10, 9), (20, 20)).rough


def test_the_gap_is_between_the_lowest_and_the_highest_slice():
    gap = gaps_of(a=A, b=B, c=C)["recall"]

    assert (gap["lowest"], gap["highest"], gap["slices"]) == ("s = a", "s = b", 3)
    assert (gap["lowest_value"], gap["highest_value"]) == (0.5, 0.7)
    assert gap["gap"] == pytest.approx(0.2)


def test_the_p_value_counts_the_pairs_that_the_ends_were_picked_from():
    alone = gaps_of(a=A, b=B)["recall"]["p_value"]
    three = gaps_of(a=A, b=B, c=C)["recall"]["p_value"]

    assert alone == pytest.approx(chi2_contingency([A[:2], B[:2]], correction=False).pvalue)
    assert three == pytest.approx(2 * 3 * alone)


def test_one_slice_of_many_is_tested_against_the_others_together():
    many = {f"v{k}": A for k in range(12)}
    gap = gaps_of(**many, odd=(20, 80, 10, 90))["recall"]
    others = [[20, 80], [12 * 50, 12 * 50]]

    assert (gap["slice"], gap["slice_value"], gap["others_value"]) == ("s = odd", 0.2, 0.5)
    assert gap["p_value"] == pytest.approx(2 * 13 * fisher_exact(others).pvalue)


def test_slices_in_two_halves_are_tested_by_their_ends():
    many = {f"v{k}": (40 + 20 * (k % 2), 60 - 20 * (k % 2), 10, 90) for k in range(4)}
    gap = gaps_of(**many)["recall"]
    ends = chi2_contingency([[40, 60], [60, 40]], correction=False).pvalue

    assert gap["slice"] is None
    assert gap["p_value"] == pytest.approx(2 * 6 * ends)


def test_two_slices_have_one_test():
    gap = gaps_of(a=A, b=(20, 80, 10, 90))["recall"]

    assert (gap["slice"], gap["slice_value"], gap["others_value"]) == (None, None, None)


def test_the_p_values_are_corrected_after_holm():
    gap_rows = [g for g in gaps_of(a=A, b=(70, 30, 13, 87)).values() if g["p_value"] is not None]
    gap_rows.sort(key=lambda gap: gap["p_value"])
    steps = [min(1, (len(gap_rows) - i) * gap["p_value"]) for i, gap in enumerate(gap_rows)]

    assert [gap["p_adjusted"] for gap in gap_rows] == pytest.approx(np.maximum.accumulate(steps))


def test_equalised_odds_is_the_larger_of_its_two_gaps():
    by_metric = gaps_of(a=A, b=(70, 30, 40, 60))
    odds, parts = (
        by_metric["equalised_odds"],
        [by_metric["recall"], by_metric["false_positive_rate"]],
    )

    assert odds["gap"] == pytest.approx(parts[1]["gap"]) == pytest.approx(0.3)
    assert odds["p_value"] == pytest.approx(2 * min(part["p_value"] for part in parts))


def test_a_gap_without_a_test_says_why():
    by_metric = gaps_of(a=(100, 0, 10, 90), b=(100, 0, 30, 70))
    kept_back = gaps_of("the rows are weighted", a=A, b=B)

    assert by_metric["recall"]["untested"] == "the proportion is 0 or 1"
    assert by_metric["equalised_odds"]["untested"] == "one of its two gaps is not tested"
    assert by_metric["false_positive_rate"]["untested"] is None
    assert {gap["untested"] for gap in kept_back.values()} == {"the rows are weighted"}
    assert {gap["p_adjusted"] for gap in kept_back.values()} == {None}


def test_a_slice_is_small_by_its_rows_whatever_they_weigh():
    frame = sections_results.frame()
    models = {"m": {"score": "strong"}}
    spec = {"truth": "truth", "positive": "yes", "models": models, "slices": ["site"]}
    heavy = frame.with_columns(w=pl.when(site="tiny").then(1000.0).otherwise(1.0))
    results = evaluate({**spec, "columns": {"weight": "w"}}, heavy)
    sizes = {row["slice"]: row for row in results.slices.to_dicts()}

    assert sizes["site = tiny"]["rows"] == frame.filter(site="tiny").height
    assert sizes["site = tiny"]["small"]
    assert results.gaps.is_empty()


def test_gaps_of_weighted_rows_are_told_and_not_tested():
    frame = sections_results.frame().with_columns(w=pl.lit(2.0))
    spec = {"truth": "truth", "positive": "yes", "models": {"m": {"score": "strong"}}}
    results = evaluate({**spec, "slices": ["sex"], "columns": {"weight": "w"}}, frame)
    part = SlicesSection.from_results(results, [])

    assert set(results.gaps["untested"]) == {NO_TEST, WEIGHTED}
    assert f"Gaps are not tested: {WEIGHTED}." in part.gaps[0].notes


def test_the_gaps_that_are_printed_are_those_of_the_json():
    results = sections_tasks.fifty_slices()
    read = Results.from_json(results.to_json())

    assert read.gaps.equals(results.gaps)
    assert read.slices.equals(results.slices)
    (table,) = SlicesSection.from_results(read, []).gaps
    printed = [(str(r.cells["lowest"]), str(r.cells["highest"]), r.group) for r in table.rows]
    named = dict(read.slices.select("slice", pl.col("values").list.join(", ")).iter_rows())
    rows = read.gaps.select("lowest", "highest", "model").iter_rows()
    assert printed == [(named[low], named[high], model) for low, high, model in rows]


def test_crossed_slices_are_compared_apart_from_those_of_one_column():
    results = sections_results.rich()
    crossed = results.gaps.to_dicts()

    assert {tuple(gap["slicing"]) for gap in crossed} == {("site", "sex")}
    assert {label for gap in crossed for label in gap["left_out"]} == set(
        results.slices.filter("small", pl.col("slicing").list.len() == 2)["slice"]
    )


def test_fifty_slices_are_told_by_their_ends():
    part = SlicesSection.from_results(sections_tasks.fifty_slices(), [])
    (table,) = part.tables
    by_measure: dict[str | None, int] = {}
    for row in table.rows:
        by_measure[row.group] = by_measure.get(row.group, 0) + 1

    assert set(by_measure.values()) == {9}
    assert any("of 50 slices" in str(note) for note in table.notes)


def test_the_slice_that_is_worse_is_found():
    part = SlicesSection.from_results(sections_tasks.fifty_slices(), [])

    assert any("recall" in text and "most in site 07" in text for text in part.findings)


def test_a_small_slice_is_not_an_end_of_a_gap():
    part = SlicesSection.from_results(sections_tasks.fifty_slices(), [])
    ends = {str(row.cells[key]) for row in part.gaps[0].rows for key in ("lowest", "highest")}

    assert "site 09" not in ends
    assert "1 small slice is left out." in part.gaps[0].notes


def test_fairness_is_read_off_slices_of_one_column_only():
    part = SlicesSection.from_results(sections_results.rich(), [])
    fair = {
        table.caption: any("equalised odds" in str(note) for note in table.notes)
        for table in part.gaps
    }

    assert fair == {"Gaps between slices: site × sex": False}
