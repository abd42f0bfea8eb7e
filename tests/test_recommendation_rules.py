"""Where each rule on recommendations begins: on either side of its boundary, and for whom."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reportgen.comparing.recommendation import Situation, with_recommendation
from reportgen.comparisons import Comparison, Question
from reportgen.predictions.evaluation_scheme import Evaluation
from reportgen.tables.comparisons import Unit

ROWS = {"test_rows": 600, "test_examples": 600}
ONE_TEST = Evaluation("hold_out", 1, 1, 1, 600, 600.0, **ROWS)
FOLDS: dict[str, Any] = {**ROWS, "train": 540.0, "overlap": 0.89}


def record(test: str, metric: str, unit: Unit = "rows", **fields: Any) -> Comparison:
    record = Question(("a", "b"), metric, unit=unit).record(test, p_value=0.5, estimate=0.1)
    return record.with_fields(**fields)


def recommendations(*records: Comparison, **situation: Any) -> list[str]:
    at = Situation(**{"evaluation": ONE_TEST, **situation})
    return [str(result.recommendation) for result in with_recommendation(records, at)]


@pytest.mark.parametrize(("copies", "expected"), [(6, "recommended"), (60, "avoid")])
def test_a_tenth_of_the_rows_that_repeat_another_take_the_recommendation_away(copies, expected):
    assert recommendations(record("mcnemar_midp", "accuracy"), identical_rows=copies) == [expected]


@pytest.mark.parametrize(
    ("chosen", "test", "metric", "unit", "expected"),
    [
        ("b", "mcnemar_midp", "accuracy", "rows", "avoid"),
        ("b", "declared_costs", "cost_sensitive_error_rate", "rows", "avoid"),
        ("b", "paired_permutation", "macro_f1", "rows", "avoid"),
        ("b", "corrected_resampled_t", "accuracy", "folds", "avoid"),
        ("b", "delong", "auc", "rows", "recommended"),
        ("b", "expected_cost", "expected_total_cost", "rows", "recommended"),
        ("b", "paired_permutation", "one_error", "rows", "recommended"),
        ("c", "mcnemar_midp", "accuracy", "rows", "recommended"),
    ],
)
def test_decisions_at_a_threshold_that_these_rows_chose_are_not_compared(
    chosen, test, metric, unit, expected
):
    at = Evaluation("k_fold", 10, 1, 10, 600, 60.0, **FOLDS) if unit == "folds" else ONE_TEST
    given = record(test, metric, unit)
    situation = {"evaluation": at, "chosen_thresholds": frozenset(chosen), "rarer_class": 200}
    assert recommendations(given, **situation) == [expected]


@pytest.mark.parametrize(
    ("shared", "expected"), [(0, "recommended"), (1, "valid"), (None, "valid")]
)
def test_two_samples_are_compared_where_they_are_known_to_share_no_examples(shared, expected):
    fisher = record("fisher", "accuracy", "samples", shared=shared)
    assert recommendations(fisher, rarer_class=200) == [expected]


@pytest.mark.parametrize(
    ("metric", "expected"),
    [("auc", "valid"), ("rank_loss", "valid"), ("mean_squared_error", "recommended")],
)
def test_claims_of_a_mean_area_and_of_one_minus_it_have_the_same_reason(metric, expected):
    of_folds = Evaluation("k_fold", 10, 1, 10, 600, 60.0, **FOLDS)
    question = Question(("a",), metric, unit="folds")
    null = {"claim": "is at least 0.9"}
    claim = question.record("corrected_one_sample_t", null=null, p_value=0.5, against=0.9)
    assert recommendations(claim, evaluation=of_folds) == [expected]


@pytest.mark.parametrize(("overlap", "expected"), [(0.0, "recommended"), (0.4, "valid")])
def test_folds_of_other_schemes_are_compared_where_no_training_sets_overlap(overlap, expected):
    unclear = Evaluation("unclear", 10, 1, 0, 60, 60.0, **FOLDS | {"overlap": overlap})
    test = record("corrected_resampled_t", "mean_squared_error", "folds")
    assert recommendations(test, evaluation=unclear) == [expected]


@pytest.mark.parametrize(("rows", "expected"), [(9, "valid"), (10, "recommended")])
def test_the_least_number_of_units_is_enough(rows, expected):
    small = Evaluation("hold_out", 1, 1, 1, rows, float(rows), test_rows=rows, test_examples=rows)
    assert recommendations(record("paired_t", "mean_absolute_error"), evaluation=small) == [
        expected
    ]


@pytest.mark.parametrize(("rarer", "expected"), [(9, "valid"), (10, "recommended")])
def test_the_least_number_of_rows_of_the_rarer_class_is_enough(rarer, expected):
    assert recommendations(record("delong", "auc"), rarer_class=rarer) == [expected]


def test_in_order_of_time_a_test_of_independent_rows_is_not_to_be_used():
    """Whether another test allows for the order or not: its reason is the same."""
    of_rows, in_order = (record(t, "accuracy") for t in ("mcnemar_midp", "diebold_mariano"))

    assert recommendations(of_rows, in_order, timed=True) == ["avoid", "recommended"]
    assert recommendations(of_rows, timed=True) == ["avoid"]


@pytest.mark.parametrize("p", [1e-2, 1e-12])
def test_leave_one_out_has_its_own_reason_however_small_p_is(p):
    each = Evaluation("leave_one_out", 600, 1, 600, 600, 1.0, **FOLDS)
    test = record("corrected_resampled_t", "accuracy", "folds", p_value=p)
    [advised] = with_recommendation([test], Situation(each))

    assert (advised.recommendation, advised.doubt) == ("valid", "level")
    assert str(advised.why).startswith("leave-one-out fits share all rows but one")


def test_leave_one_out_has_areas_that_no_test_compares():
    each = Evaluation("leave_one_out", 600, 1, 600, 600, 1.0, **FOLDS)
    tests = record("delong", "auc"), record("mcnemar_midp", "accuracy")
    assert recommendations(*tests, evaluation=each, rarer_class=200) == ["avoid", "valid"]


@pytest.mark.parametrize(
    "order", [("delong_rare_class", "delong"), ("delong", "delong_rare_class")]
)
def test_of_two_tests_of_a_measure_the_first_choice_is_recommended_wherever_it_stands(order):
    given = recommendations(*(record(test, "auc") for test in order), rarer_class=50)
    assert given == ["recommended" if test == "delong_rare_class" else "valid" for test in order]


@pytest.mark.parametrize(
    ("test", "metric", "points", "p", "expected"),
    [
        ("delong_groups_long_run", "auc", 150, 1e-6, "recommended"),
        ("delong_groups_long_run", "auc", 150, 1e-4, "valid"),
        ("delong_groups_long_run", "auc", 29, 1e-6, "valid"),
        ("diebold_mariano_groups", "accuracy", 29, 1e-6, "valid"),
    ],
)
def test_areas_of_panels_of_few_time_points_are_compared_where_p_is_far_below_the_level(
    test, metric, points, p, expected
):
    rows = 25 * points
    in_groups = replace(ONE_TEST, groups=25, test_rows=rows, test_examples=rows)
    given = record(test, metric).with_fields(observations=points, p_value=p)

    situation = {"evaluation": in_groups, "timed": True, "rarer_class": 200}

    assert recommendations(given, **situation) == [expected]
