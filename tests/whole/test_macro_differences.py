"""Differences in macro F1: their value, and limits by what each row adds."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import f1_score

from reportgen.charts import figures
from reportgen.clusters import Groups
from reportgen.comparing.class_differences import (
    ALIKE,
    FEW_OF_CLASS,
    FEW_ROWS,
    LEAST_OF_CLASS,
    NO_VALUE,
    MacroF1,
    between,
)
from reportgen.results import evaluate
from tests.quick import FEW, QUICK
from tests.simulations.macro_f1 import Design, missed, missed_by_rows

RANDOM = np.random.default_rng(3)
TRUTH, FIRST, SECOND = RANDOM.integers(0, 4, (3, 90))
FIRST = np.where(RANDOM.random(90) < 0.6, TRUTH, FIRST)
WEIGHTS = RANDOM.integers(1, 4, 90)


def of(predicted, weights=None):
    return MacroF1.of_classes(TRUTH, predicted, 4, weights)


def f1(predicted, weights):
    return f1_score(TRUTH, predicted, average="macro", sample_weight=weights)


@pytest.mark.parametrize("weights", [None, WEIGHTS.astype(float)])
def test_a_row_adds_what_the_value_changes_where_it_counts_a_little_more(weights):
    """Beside scikit-learn's macro F1 of weighted rows."""
    model, step = of(FIRST, weights), 1e-5
    base = np.ones(90) if weights is None else weights
    more = [f1(FIRST, base * (1 + step * (np.arange(90) == row))) for row in range(90)]

    assert model.value == pytest.approx(f1(FIRST, base), rel=1e-12)
    assert model.adds == pytest.approx((np.array(more) - model.value) / step, abs=1e-6)
    assert model.adds.sum() == pytest.approx(0, abs=1e-12)


def test_labels_of_which_each_row_has_one_are_classes():
    truth, given = (np.eye(4, dtype=bool)[column] for column in (TRUTH, FIRST))
    model, same = MacroF1.of_labels(truth, given), of(FIRST)

    assert model.value == pytest.approx(same.value)
    assert model.adds == pytest.approx(same.adds)


def test_groups_of_one_row_change_nothing_and_copies_of_rows_no_limit():
    alone = between(of(FIRST), of(SECOND)).test(0.95)
    one = between(of(FIRST), of(SECOND), Groups.of(pl.Series(range(90)))).test(0.95)
    assert one == pytest.approx(alone, abs=1e-12) or one["low"] == pytest.approx(alone["low"])

    twice = [MacroF1.of_classes(np.tile(TRUTH, 2), np.tile(p, 2), 4) for p in (FIRST, SECOND)]
    pairs = Groups.of(pl.Series(np.tile(np.arange(90), 2)))
    assert between(*twice, pairs).test(0.95)["low"] == pytest.approx(alone["low"])


def test_what_has_no_difference_or_no_value_says_so():
    assert between(of(FIRST), of(FIRST)).reason == ALIKE
    empty = MacroF1.of_classes(TRUTH, FIRST, 5)
    assert between(empty, empty).reason == NO_VALUE


def test_limits_leave_out_0_rarely_where_models_are_alike():
    """``python -m tests.simulations.macro_f1`` has 0.02 to 0.064 in all designs."""
    assert missed(Design(200, rare=0.05), 300) < 0.09
    assert missed(Design(200, models=6), 200) < 0.1


@pytest.mark.parametrize("columns", [{}, {"group": "group"}, {"time": "time"}])
def test_a_report_has_the_difference_with_limits_that_allow_for_what_is_declared(columns):
    frame = pl.DataFrame(
        {
            "y": TRUTH.astype(str),
            "a": FIRST.astype(str),
            "b": SECOND.astype(str),
            "group": np.arange(90) // 3,
            "time": np.arange(90),
        }
    )
    models = {name: {"label": name} for name in "ab"}
    spec = {"truth": "y", "models": models, "columns": columns, **QUICK}
    row = evaluate(spec, frame).differences.filter(metric="macro_f1").row(0, named=True)
    groups = {"": None, "group": frame["group"]}.get(next(iter(columns), ""))
    allows = {"group": "influence t (groups)", "time": "influence t (blocks of time)"}

    assert row["value"] == pytest.approx(f1(FIRST, None) - f1(SECOND, None))
    assert row["interval"] == allows.get(next(iter(columns), ""), "influence t")
    if "time" not in columns:
        of_groups = None if groups is None else Groups.of(groups)
        expected = between(of(FIRST), of(SECOND), of_groups).test(0.95)
        assert (row["low"], row["high"]) == pytest.approx((expected["low"], expected["high"]))


def test_fewer_than_fifteen_rows_have_no_limits_and_none_lie_outside_the_range():
    few = [MacroF1.of_classes(TRUTH[:14], p[:14], 4) for p in (TRUTH, SECOND)]
    frame = pl.DataFrame({"y": [*"xyz"] * 8, "a": [*"xyz"] * 8, "b": [*"yzx"] * 8})
    models = {name: {"label": name} for name in "ab"}
    row = evaluate({"truth": "y", "models": models, **QUICK}, frame.with_columns(b=pl.lit("x")))
    limited = row.differences.filter(metric="macro_f1").row(0, named=True)

    assert between(*few).reason == FEW_ROWS
    assert 0 < limited["low"] < limited["high"] <= 1.0


def test_page_one_has_no_other_average_of_few_rows():
    frame = pl.DataFrame({"y": [*"xyzxy"], "a": [*"xyzxy"], "b": [*"yxzyx"]})
    models = {name: {"label": name} for name in "ab"}
    decision = evaluate({"truth": "y", "models": models, **QUICK}, frame).decision

    assert not [one for one in decision.caveats if one.code == "other_measure"]


@pytest.mark.parametrize(("rows", "has_limits"), [(7, False), (8, True)])
def test_a_rare_label_leaves_no_limits(rows, has_limits):
    """One row more or less of few moves its F1 by more than what a row adds says."""
    random = np.random.default_rng(2)
    truth = np.column_stack([random.random(200) < 0.4, np.arange(200) < rows])
    given = [np.where(random.random(truth.shape) < 0.8, truth, ~truth) for _ in range(2)]
    mean = between(*(MacroF1.of_labels(truth, one) for one in given))

    assert (mean.reason is None) == has_limits
    assert mean.value is not None
    if not has_limits:
        assert mean.reason == FEW_OF_CLASS


def test_limits_of_rare_labels_would_leave_out_0_too_often():
    shares = missed_by_rows(1000)
    enough = [share for rows, share in shares.items() if rows >= LEAST_OF_CLASS]

    assert shares[1] > 0.2
    assert np.mean(enough) < 0.075


def test_the_measure_that_decides_is_drawn_first():
    random = np.random.default_rng(1)
    truth = random.integers(0, 3, 400)
    frame = pl.DataFrame({"y": [f"c{t}" for t in truth]})
    for name, right in (("a", 0.8), ("b", 0.55)):
        given = np.where(random.random(400) < right, truth, random.integers(0, 3, 400))
        frame = frame.with_columns(pl.Series(name, [f"c{g}" for g in given]))
    spec = {"truth": "y", "models": {m: {"label": m} for m in "ab"}}
    results = evaluate({**spec, "comparisons": {"primary": "macro_f1"}, **FEW}, frame)
    [figure] = [one for one in figures(results) if one.id == "differences"]

    assert figure.title.startswith("a significantly ahead in macro F1 by 0.")
    assert figure.table["Measure"].to_list() == ["macro F1", "accuracy"]
