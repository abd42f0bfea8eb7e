"""Proportions of rows that are means of 0 and 1, and means that do not vary."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.clusters import Groups
from reportgen.intervals.proportions import wilson_modified
from reportgen.measuring.independent_means import independent_rows
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.row_means import means_by_group, rows_from_groups, rows_in_groups
from reportgen.metrics import REGISTRY
from tests.breadth import breadth

TOP2 = REGISTRY["multiclass"]["top2_accuracy"]
COVERAGE, WIDTH = (REGISTRY["regression"][n] for n in ("interval_coverage", "interval_width"))
ONE_ERROR = REGISTRY["multilabel"]["one_error"]


def ranked(correct: np.ndarray, weight: float = 1.0) -> pl.DataFrame:
    """Rows whose true class is among the first two, or behind them."""
    above = np.where(correct, 1, 2)
    return pl.DataFrame({"above": above, "weight": np.full(len(above), weight)})


def ends(row) -> tuple[float, float]:
    return row["low"], row["high"]


@pytest.mark.parametrize("missed", [0, 1, 3, 40])
def test_top_2_accuracy_has_the_limits_of_a_share_of_rows(missed):
    [row] = independent_rows(MetricSubject("m"), ranked(np.arange(234) >= missed), [TOP2])

    assert ends(row) == pytest.approx(wilson_modified(234 - missed, 234))
    assert row["interval"] == "wilson_modified"


@breadth("share", [0.8, 0.95, 0.99], [0.99])
def test_limits_of_top_2_accuracy_hold(share):
    random = np.random.default_rng(7)
    held = []
    for _ in range(400):
        rows = ranked(random.random(120) < share)
        [row] = independent_rows(MetricSubject("m"), rows, [TOP2])
        held.append(row["low"] <= share <= row["high"])

    assert 0.92 <= np.mean(held) <= 0.99


def test_a_proportion_in_groups_has_the_same_limits_from_rows_and_from_sums():
    """As accuracy has them, also where all rows are counted."""
    random = np.random.default_rng(5)
    code = np.sort(random.integers(0, 15, 300))
    number, groups = MetricSubject("m", grouped=True), Groups(code, 15)
    for chance in (0.7, 1.0):
        inside = random.random(300) < chance
        truth = np.where(inside, 0.0, 5.0)
        frame = pl.DataFrame({"truth": truth, "low": -1.0, "high": 1.0, "weight": 1.0})
        [of_rows] = rows_in_groups(number, frame, [COVERAGE], groups)
        means = means_by_group(frame, [COVERAGE], code)
        alone = Groups(np.arange(15), 15)
        [of_sums] = rows_from_groups(
            number,
            means.select(weight="weight of the group"),
            [COVERAGE],
            alone,
            {COVERAGE.name: float(inside.mean())},
            means,
            300,
        )

        assert of_rows["interval"] == "wilson_modified (groups)"
        assert of_rows["low"] < of_rows["value"]
        assert ends(of_sums) == pytest.approx(ends(of_rows))


def test_ties_make_a_proportion_a_mean_of_shares():
    frame = pl.DataFrame({"wrong_first": [0.5] + [0.0, 1.0] * 20, "weight": 1.0})
    [row] = independent_rows(MetricSubject("m"), frame, [ONE_ERROR])

    assert row["interval"] == "mean of shares"


@pytest.mark.parametrize("metric", ["one_error", "sample_recall"])
def test_rows_without_a_value_narrow_no_limits(metric):
    """Rows without a true label have neither."""
    of_rows = {
        "one_error": {"wrong_first": [0.0] * 30 + [1.0] * 10 + [None] * 120},
        "sample_recall": {
            "correct": [2] * 20 + [1] * 15 + [0] * 125,
            "true": [2] * 40 + [0] * 120,
        },
    }[metric]
    measure = REGISTRY["multilabel"][metric]
    frame = pl.DataFrame(of_rows).with_columns(weight=1.0)
    groups = Groups(np.arange(160), 160)
    for method, more in ((independent_rows, ()), (rows_in_groups, (groups,))):
        with_them, without = (
            method(
                MetricSubject("m"), part, [measure], *(g if k == 0 else g.among(KEPT) for g in more)
            )
            for k, part in enumerate((frame, frame.head(40)))
        )
        assert with_them[0]["value"] == without[0]["value"]
        assert ends(with_them[0]) == pytest.approx(ends(without[0]), rel=0.02)


KEPT = np.arange(160) < 40


def test_a_mean_that_varies_by_rounding_only_has_no_limits():
    low = np.random.default_rng(1).normal(size=60)
    frame = pl.DataFrame({"truth": low, "low": low, "high": low + 16.6, "weight": 1.0})
    groups = Groups(np.arange(60) // 4, 15)
    [row] = rows_in_groups(MetricSubject("m"), frame, [WIDTH], groups)

    assert row["value"] == pytest.approx(16.6)
    assert ends(row) == (None, None)
