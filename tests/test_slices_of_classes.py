"""Slices of several classes and of several labels have limits, which gates read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.clusters import Groups
from reportgen.measuring.cell_slopes import BALANCE, SMOOTH, TableCells
from reportgen.measuring.independent_means import RowMoments
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.multiclass_model import foreseen_losses
from reportgen.measuring.row_means import rows_in_groups
from reportgen.measuring.table_limits import cell_limits, with_closed_limits
from reportgen.metrics import REGISTRY
from reportgen.resampling.cell_tables import CellTables
from reportgen.resampling.class_matrix import evaluate_tables
from tests.quick import BINARY_SPEC, QUICK

CLASSES = ("a", "b", "c")
LABELS = ("x", "y")
LIMITS = ("metric", "value", "low", "high")


def _of_classes(rows: int, seed: int = 5) -> tuple[dict, pl.DataFrame]:
    random = np.random.default_rng(seed)
    odds = random.normal(size=(rows, 3))
    truth = random.integers(0, 3, rows)
    odds[np.arange(rows), truth] += 1.5
    chances = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    columns = {f"p_{name}": chances[:, k] for k, name in enumerate(CLASSES)}
    site = ["north", "south"] * (rows // 2)
    frame = pl.DataFrame({"y": [CLASSES[k] for k in truth], "site": site, **columns})
    scores = {name: f"p_{name}" for name in CLASSES}
    spec = {"task": "multiclass", "truth": "y", "models": {"m": {"scores": scores}}}
    return spec | QUICK, frame


def _of_labels(rows: int) -> tuple[dict, pl.DataFrame]:
    random = np.random.default_rng(3)
    truth = random.random((rows, 2)) < 0.4
    score = 1 / (1 + np.exp(-(2 * truth - 1 + random.normal(size=(rows, 2)))))
    columns = {f"t_{name}": truth[:, k] for k, name in enumerate(LABELS)}
    columns |= {f"s_{name}": score[:, k] for k, name in enumerate(LABELS)}
    frame = pl.DataFrame({"site": ["north", "south"] * (rows // 2), **columns})
    scores = {name: f"s_{name}" for name in LABELS}
    names = {name: f"t_{name}" for name in LABELS}
    spec = {"task": "multilabel", "truth": names, "models": {"m": {"scores": scores}}}
    return spec | QUICK, frame


def _counted(spec: dict, frame: pl.DataFrame, folder: Path) -> reportgen.Results:
    path = folder / "rows.parquet"
    frame.write_parquet(path)
    return reportgen.evaluate(
        {**spec, "data": str(path), "slices": ["site"], "engine": "streaming"}
    )


def _numbers(results: reportgen.Results, of_slice: str | None) -> dict[str, tuple]:
    rows = results.metrics.filter(
        pl.col("slice").eq_missing(of_slice), pl.col("class").is_null(), pl.col("average").is_null()
    )
    return {name: ends for name, *ends in rows.select(LIMITS).iter_rows()}


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (_of_classes(200), {"log_loss", "brier_score", "top2_accuracy"}),
        (_of_labels(200), {"hamming_loss", "sample_f1", "coverage_error", "subset_accuracy"}),
    ],
    ids=["classes", "labels"],
)
def test_a_slice_has_the_limits_of_a_report_of_its_rows_alone(data, names):
    spec, frame = data
    sliced = _numbers(reportgen.evaluate({**spec, "slices": ["site"]}, frame), "site = north")
    alone = _numbers(reportgen.evaluate(spec, frame[::2]), None)

    for name in names:
        value, low, high = sliced[name]
        assert low < value < high
        assert sliced[name] == pytest.approx(alone[name])


def test_slices_have_limits_of_measures_of_their_table():
    spec, frame = _of_classes(200)
    costs = {"costs": {"a": {"b": 1, "c": 2}, "b": {"a": 1, "c": 1}, "c": {"a": 5, "b": 1}}}
    sliced = _numbers(
        reportgen.evaluate({**spec, **costs, "slices": ["site"]}, frame), "site = north"
    )
    alone = _numbers(reportgen.evaluate({**spec, **costs}, frame[::2]), None)
    choice = {"bootstrap": {"replicates": 1000}, "intervals": {"ratios": "bootstrap"}}
    resampled = _numbers(reportgen.evaluate({**spec, **costs, **choice}, frame[::2]), None)

    closed = {*SMOOTH, "bennett_s", "zero_one_loss", "cost_sensitive_error_rate", "total_cost"}
    for name in closed:
        (value, low, high), (_, least, most) = sliced[name], resampled[name]
        assert sliced[name] == pytest.approx(alone[name]), name
        assert low < value < high
        if name not in {
            BALANCE,
            "accuracy_gain",
        }:  # the largest of equal classes changes in samples
            assert high - low == pytest.approx(most - least, rel=0.2), name
    assert sliced["lambda_truth"][1:] == resampled["lambda_truth"][1:] == [None, None]


def test_slices_are_resampled_for_measures_that_the_spec_names():
    spec, frame = _of_classes(400)
    spec = {**spec, "bootstrap": {"replicates": 200}, "measures": ["cross_entropy"]}
    sliced = _numbers(reportgen.evaluate({**spec, "slices": ["site"]}, frame), "site = north")
    alone = _numbers(reportgen.evaluate(spec, frame[::2]), None)

    assert sliced["cross_entropy"] == pytest.approx(alone["cross_entropy"])
    assert sliced["cross_entropy"][1] < sliced["cross_entropy"][2]
    assert sliced["reference_entropy"][1] is None
    assert alone["reference_entropy"][1] is not None


@pytest.mark.parametrize(("most", "high"), [((0.97, 0.98), 0.97), ((0.1, 0.98), None)])
def test_the_upper_limit_of_class_balance_accuracy_is_at_least_that_of_a_macro_average(most, high):
    count = np.random.default_rng(4).integers(1, 30, (3, 3)).astype(float)
    cells, number = TableCells(count, count), MetricSubject("m")
    value = SMOOTH[BALANCE](cells)[0]
    of_all = [number.row(BALANCE, value), number.row("error_rate", 0.5)]
    of_macro = [
        number.average("macro").row(name, 0.1, 0.0, end)
        for name, end in zip(("precision", "recall"), most, strict=True)
    ]
    [row, *_] = with_closed_limits([*of_all, *of_macro], cells, BINARY_SPEC, None, None)
    own = cell_limits(cells, {BALANCE: value}, 0.95)[BALANCE]
    assert (row["low"], row["high"]) == (own[0], high or own[1])


@pytest.mark.parametrize("name", SMOOTH)
def test_slopes_of_measures_of_a_table_are_what_a_row_more_adds(name):
    count = np.random.default_rng(4).integers(1, 30, (3, 3)).astype(float)
    value, slopes = SMOOTH[name](TableCells(count, count))
    slopes = np.broadcast_to(slopes, count.shape)
    for cell in np.ndindex(count.shape):
        more = count.copy()
        more[cell] += 1e-6
        assert (SMOOTH[name](TableCells(more, more))[0] - value) / 1e-6 == pytest.approx(
            slopes[cell], abs=1e-6
        )


@pytest.mark.parametrize("name", sorted(SMOOTH.keys() - {"krippendorff_alpha"}))
def test_measures_of_a_table_are_the_metrics_of_their_names(name):
    count = np.random.default_rng(4).integers(1, 30, (3, 3)).astype(float)
    tables = CellTables.of(count.ravel()[None], np.arange(9), 3)
    [[value]] = evaluate_tables([REGISTRY["multiclass"][name]], tables)
    assert SMOOTH[name](TableCells(count, count))[0] == pytest.approx(value)


@pytest.mark.parametrize(
    ("name", "error"), [("linear_kappa", 0.04963544970877), ("quadratic_kappa", 0.04999417039800)]
)
def test_the_variance_of_weighted_kappa_is_that_of_its_asymptotic_error(name, error):
    """``std_kappa`` of ``cohens_kappa`` in statsmodels 0.15.0."""
    count = np.array([[40.0, 6.0, 3.0], [5.0, 29.0, 7.0], [1.0, 8.0, 33.0]])
    slopes = SMOOTH[name](cells := TableCells(count, count))[1]
    variance, _ = cells.powers(slopes - (count * slopes).sum() / count.sum())
    assert variance == pytest.approx(error**2)


def test_a_table_without_errors_has_a_lower_limit_that_rows_bring_nearer():
    ends = [
        cell_limits(TableCells(c, c), {"mcc": 1.0}, 0.95)["mcc"]
        for c in (np.diag([10.0, 10.0, 10.0]), np.diag([100.0, 100.0, 100.0]))
    ]
    assert ends[0][1] == ends[1][1] == 1.0
    assert 0.7 < ends[0][0] < 0.95 < ends[1][0] < 1


def test_groups_of_rows_that_are_alike_widen_limits_of_a_table():
    random = np.random.default_rng(1)
    truth, predicted = random.integers(0, 3, (2, 60))
    predicted = np.where(random.random(60) < 0.6, truth, predicted)
    once = pl.DataFrame({"truth": truth, "predicted": predicted, "group": np.arange(60)})
    groups = pl.concat([once] * 4).group_by(pl.all()).len("count")
    count = np.zeros((3, 3))
    np.add.at(count, (truth, predicted), 1.0)
    value = SMOOTH["mcc"](TableCells(count, count))[0]
    alone, grouped = (
        cell_limits(cells, {"mcc": value}, 0.95)["mcc"]
        for cells in (TableCells(count, count), TableCells(4 * count, 4 * count, groups))
    )
    assert grouped == pytest.approx(alone, abs=0.01)


def test_gates_by_slice_read_limits_of_losses_of_several_classes():
    spec, frame = _of_classes(80)
    gates = ["m.log_loss by site <= 0.75", "m.top2_accuracy by site >= 0.85"]
    results = reportgen.evaluate({**spec, "slices": ["site"], "gates": gates}, frame)

    for gate in results.gates.to_dicts():
        assert gate["low"] < gate["observed"] < gate["high"]
        assert gate["state"] == "inconclusive"


@pytest.mark.parametrize(
    ("data", "names"),
    [(_of_classes(640), {"log_loss", "brier_score"}), (_of_labels(100), {"hamming_loss"})],
    ids=["classes", "labels"],
)
def test_slices_have_limits_where_rows_are_counted(data, names, tmp_path):
    spec, frame = data
    counted = _counted(spec, frame, tmp_path)
    exact = reportgen.evaluate({**spec, "slices": ["site"]}, frame)

    for name in names:
        of_sums, of_rows = (_numbers(r, "site = north")[name] for r in (counted, exact))
        assert of_sums == pytest.approx(of_rows, rel=0.03)


def test_counted_slices_of_few_rows_have_no_limits_of_forecasts(tmp_path):
    """What their forecasts foresee is not summed: nearly perfect ones would be held too rarely."""
    spec, frame = _of_classes(100)
    counted = _counted(spec, frame, tmp_path)
    assert _numbers(counted, "site = north")["log_loss"][1:] == [None, None]


def test_fewer_than_ten_rows_have_no_limits_of_means():
    spec, frame = _of_classes(18)
    sliced = _numbers(reportgen.evaluate({**spec, "slices": ["site"]}, frame), "site = north")
    assert sliced["log_loss"][0] is not None
    assert sliced["log_loss"][1:] == [None, None]


def test_a_slice_without_errors_has_limits_of_its_shares():
    spec, frame = _of_labels(60)
    perfect = frame.with_columns(
        pl.col(f"t_{name}").cast(pl.Float64).alias(f"s_{name}") for name in LABELS
    )
    sliced = _numbers(reportgen.evaluate({**spec, "slices": ["site"]}, perfect), "site = north")
    assert sliced["hamming_loss"][:2] == [0.0, 0.0]
    assert 0.05 < sliced["hamming_loss"][2] < 0.15


def test_heavier_rows_count_by_what_they_are_worth():
    given, weights = np.array([0.0, 1.0, 1.0, 0.0]), np.array([1.0, 1.0, 2.0, 2.0])
    moments = RowMoments.of(given, weights)
    assert moments.rows == pytest.approx(36 / 10)
    assert moments.variance == pytest.approx(3.6 / 2.6 * (0.25 * 10) / 36)


def test_a_mean_of_rows_varies_as_that_of_rows_that_are_groups_of_their_own():
    random = np.random.default_rng(2)
    frame = pl.DataFrame({"coverage": random.poisson(3, 400) + 1.0, "weight": 1.0})
    metric = REGISTRY["multilabel"]["coverage_error"]
    alone = Groups(np.arange(400), 400)
    [grouped] = rows_in_groups(MetricSubject("m"), frame, [metric], alone)
    moments = RowMoments.of(frame["coverage"].to_numpy(), frame["weight"].to_numpy())
    half = np.log(grouped["value"] / grouped["low"])
    assert moments.variance**0.5 * 1.96 / grouped["value"] == pytest.approx(half, rel=0.02)


def test_forecasts_foresee_the_variance_of_what_their_rows_lose():
    chances = np.array([0.7, 0.2, 0.1])
    columns = [pl.Series([chance]) for chance in chances]
    brier = np.array([((chances - outcome) ** 2).sum() for outcome in np.eye(3)])
    for name, lost in {"log_loss": -np.log(chances), "brier_score": brier}.items():
        mean, variance = foreseen_losses(name, columns)
        assert mean[0] == pytest.approx((chances * lost).sum())
        assert variance[0] == pytest.approx((chances * (lost - mean[0]) ** 2).sum())
