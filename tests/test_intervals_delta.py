"""The delta method: its gradient is exact, its limits are the known ones, and it says when not."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.intervals import Delta, delta_variances, kappa_variance
from reportgen.metrics import METRICS
from reportgen.metrics.summaries import f_beta
from tests.cases import agrees, all_cases
from tests.interval_limits import limits_of
from tests.test_intervals_closed import confusion, having, name_of

CELLS = ("tp", "fp", "fn", "tn")
SMOOTH = [
    *("accuracy", "precision", "f1", "f_half", "f2", "mcc", "cohen_kappa", "balanced_accuracy"),
    *("informedness", "markedness", "g_mean", "fowlkes_mallows", "jaccard", "prevalence_threshold"),
]


def table(*cells: float) -> pl.DataFrame:
    frame = pl.DataFrame([cells], schema=CELLS, orient="row", strict=False).cast(pl.Float64)
    return frame.with_columns(pl.col(c).alias(f"{c}2") for c in CELLS)


def variance(metric: str, frame: pl.DataFrame) -> float | None:
    return frame.select(Delta().spread_of(METRICS[metric].build())).item()


@pytest.mark.parametrize("case", having("kappa_se", "binary"), ids=name_of)
def test_the_delta_method_gives_kappas_standard_error_from_its_expression_alone(case):
    assert agrees(case, "kappa_se", variance("cohen_kappa", confusion(case)) ** 0.5)


def test_the_delta_method_gives_walds_variance_of_a_share():
    frame = table(30, 10, 5, 55)
    assert variance("accuracy", frame) == pytest.approx(0.85 * 0.15 / 100, rel=1e-10)
    assert variance("precision", frame) == pytest.approx(0.75 * 0.25 / 40, rel=1e-10)


def test_the_variance_of_f1_is_that_of_takahashi():
    tp, fp, fn, tn = 37.0, 12.0, 9.0, 142.0
    n, f = tp + fp + fn + tn, 2 * tp / (2 * tp + fp + fn)
    # Binary F1 as 2·TP / (2·TP + FP + FN): variance of the ratio at fixed n.
    whole = (2 * tp + fp + fn) / n
    moments = tp / n * (2 * (1 - f)) ** 2 + (fp + fn) / n * f**2
    assert variance("f1", table(tp, fp, fn, tn)) == pytest.approx(moments / whole**2 / n, rel=1e-9)


@pytest.mark.parametrize("beta", [0.3, 1.0, 4.0])
def test_the_gradient_has_ten_digits(beta):
    cells = np.array([41.0, 13.0, 8.0, 77.0])
    tp, fp, fn, _ = cells
    b = beta**2
    whole = (1 + b) * tp + b * fn + fp
    by_hand = np.array([(1 + b) * (b * fn + fp), -(1 + b) * tp, -(1 + b) * tp * b, 0]) / whole**2
    expected = (cells * by_hand**2).sum() - (cells * by_hand).sum() ** 2 / cells.sum()
    variance = table(*cells).select(Delta().spread_of(f_beta(beta))).item()
    assert variance == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("metric", SMOOTH)
def test_the_standard_error_is_the_spread_of_the_measure_over_samples(metric):
    shares = np.array([0.35, 0.1, 0.15, 0.4])
    samples = np.random.default_rng(0).multinomial(2000, shares, 4000)
    frame = pl.DataFrame(samples, schema=CELLS, orient="row")
    spread = frame.select(METRICS[metric].build()).to_series().std()
    assert variance(metric, table(*(2000 * shares))) ** 0.5 == pytest.approx(spread, rel=0.05)


@pytest.mark.parametrize("metric", ["f1", "mcc", "g_mean", "informedness"])
def test_the_limits_cover_the_measure_about_as_often_as_they_say(metric):
    shares = np.array([0.2, 0.1, 0.1, 0.6])
    value = METRICS[metric].build()
    truth = table(*shares).select(value).item()
    samples = np.random.default_rng(1).multinomial(300, shares, 2000)
    low, high = limits_of(Delta((-1, 1)), value)
    frame = pl.DataFrame(samples, schema=CELLS, orient="row").with_columns(
        pl.col(c).alias(f"{c}2") for c in CELLS
    )
    covered = frame.select((low <= truth) & (truth <= high)).to_series().mean()
    assert covered == pytest.approx(0.945, abs=0.015)


@pytest.mark.parametrize("metric", SMOOTH)
@pytest.mark.parametrize("cells", [(50, 0, 0, 50), (0, 0, 0, 0)], ids=str)
def test_a_perfect_or_empty_table_has_no_delta_interval(metric, cells):
    value = METRICS[metric].build()
    low, high = limits_of(Delta((-1, 1)), value)
    assert table(*cells).select(low=low, high=high).row(0) == (None, None)


@pytest.mark.parametrize("metric", SMOOTH)
def test_any_table_has_ordered_limits_in_bounds_or_none(metric):
    bounds = METRICS[metric].bounds
    value = METRICS[metric].build()
    low, high = limits_of(Delta(bounds), value)
    edges = [[a, b, c, d] for a in (0, 3) for b in (0, 1) for c in (0, 2) for d in (0, 5)]
    frame = pl.DataFrame([*edges, [10**9, 1, 3, 10**9]], schema=CELLS, orient="row")
    frame = frame.with_columns(pl.col(c).alias(f"{c}2") for c in CELLS)
    limits = frame.select(value=value, low=low, high=high)
    assert limits.select(pl.col("low").is_null() == pl.col("high").is_null()).to_series().all()
    with_limits = limits.drop_nulls("low")
    assert with_limits.height
    assert with_limits.select(pl.all().is_between(*bounds).all()).row(0) == (True, True, True)
    assert with_limits.select(
        (pl.col("low") <= pl.col("value")) & (pl.col("value") <= pl.col("high"))
    )["low"].all()


def test_a_cell_without_rows_adds_nothing_even_where_the_measure_bends():
    assert variance("g_mean", table(40, 3, 0, 57)) is not None
    assert variance("g_mean", table(0, 3, 40, 57)) is None


def test_squared_weights_enter_the_variance():
    frame = table(40, 10, 15, 60)
    heavier = frame.with_columns(pl.col(f"{c}2") * 3 for c in CELLS)
    assert variance("mcc", heavier) == pytest.approx(3 * variance("mcc", frame))
    assert heavier.select(kappa_variance()).item() == pytest.approx(
        variance("cohen_kappa", heavier)
    )


def test_a_rare_error_among_many_rows_keeps_its_variance():
    frame = table(5e8, 1, 1, 5e8)
    expected = 2e-9 * (1 - 2e-9) / 1e9
    assert variance("accuracy", frame) == pytest.approx(expected, rel=1e-3)


def test_every_row_of_a_frame_has_limits_of_its_own():
    frame = pl.concat([table(30, 10, 5, 55), table(50, 0, 0, 50), table(3, 1, 2, 5)])
    low, _ = limits_of(Delta(), METRICS["f1"].build())
    alone = [frame[k].select(low).item() for k in range(3)]
    assert frame.select(low).to_series().to_list() == alone


def test_the_delta_method_works_on_tables_of_any_shape():
    counts = np.array([[30.0, 5, 2, 3, 40, 6, 1, 4, 29]])
    variances = delta_variances(
        lambda cells: (
            cells[:, [0, 4, 8]].sum(axis=1, keepdims=True) / cells.sum(axis=1, keepdims=True)
        ),
        counts,
    )
    share = 99 / 120
    assert variances[0, 0] == pytest.approx(share * (1 - share) / 120)


def test_every_case_of_counts_has_delta_limits_around_its_measures():
    for case in all_cases("binary"):
        if "y_pred" not in case["spec"] or "degenerate" in case["case"]:
            continue
        frame = confusion(case)
        for metric in SMOOTH:
            value = METRICS[metric].build()
            low, high = limits_of(Delta((-1, 1)), value)
            row = frame.select(value=value, low=low, high=high).row(0)
            assert row[1] < row[0] < row[2], (case["case"], metric)
