"""The bootstrap of statistics of rows and of decisions between several classes."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.measuring.without_groups import OF_RANKS
from reportgen.metrics.aggregates import of_parts
from reportgen.metrics.registry import REGISTRY
from reportgen.metrics.regression_intervals import OF_INTERVALS
from reportgen.multiclass import matrix, one_vs_rest_counts
from reportgen.resampling import BootstrapSettings, bootstrap_matrix, bootstrap_rows
from reportgen.resampling.cell_tables import CellTables
from reportgen.resampling.replicate_measures import by_replicate
from reportgen.resampling.replicate_sums import added_parts
from reportgen.resampling.row_bootstrap import ROWS
from reportgen.resampling.table_measures import MEASURES, table_measures
from tests.breadth import breadth
from tests.cases import agrees, all_cases, rows

ERROR = {"mae": (pl.col("truth") - pl.col("estimate")).abs().mean()}


def numbers(number: int, seed: int = 0) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    truth = random.normal(size=number)
    return pl.DataFrame({"truth": truth, "estimate": truth + random.exponential(size=number)})


@pytest.mark.parametrize("case", all_cases("bootstrap_mae"), ids=lambda c: c["case"])
@breadth("method", ["percentile", "basic", "bca"], ["bca"])
def test_the_bootstrap_of_an_error_has_the_limits_that_outside_programs_give(case, method):
    spec = case["spec"]
    frame = rows(case).select(truth=pl.col(spec["y_true"]), estimate=pl.col(spec["y_pred"]))
    row = bootstrap_rows(
        frame, ERROR, options=BootstrapSettings(10000, confidence=spec["conf"], methods=(method,))
    ).row(0, named=True)
    assert agrees(case, "bootstrap.se", row["standard_error"])
    assert agrees(case, f"bootstrap.{method}_lower", row["low"])
    assert agrees(case, f"bootstrap.{method}_upper", row["high"])


def test_more_rows_than_a_replicate_draws_spread_as_all_of_them_do():
    frame = numbers(3 * ROWS)
    row = bootstrap_rows(frame, ERROR, options=BootstrapSettings(400, methods=("bca",))).row(
        0, named=True
    )
    losses = (frame["truth"] - frame["estimate"]).abs()
    assert row["value"] == pytest.approx(losses.mean())
    assert row["standard_error"] == pytest.approx(losses.std() / frame.height**0.5, rel=0.1)
    assert row["low"] < row["value"] < row["high"]


@pytest.mark.parametrize("rows_of_each", [20, ROWS // 4, 3 * ROWS])
def test_large_groups_spread_as_small_ones_that_have_the_same_values_do(rows_of_each):
    of_group = np.random.default_rng(0).exponential(size=20)
    frame = pl.DataFrame({"error": of_group.repeat(rows_of_each)}).with_columns(
        group=np.arange(20).repeat(rows_of_each)
    )
    row = bootstrap_rows(
        frame, {"mean": pl.col("error").mean()}, group="group", options=BootstrapSettings(2000)
    ).row(0, named=True)
    assert row["standard_error"] == pytest.approx(of_group.std() / 20**0.5, rel=0.06)


def test_what_one_large_group_gives_is_computed_once():
    frame = pl.DataFrame({"error": np.ones(4 * ROWS), "group": np.arange(4).repeat(ROWS)})
    seen: list[int] = []

    def counted(errors: pl.Series) -> float:
        seen.append(len(errors))
        return float(errors.mean())

    mean = pl.col("error").map_batches(counted, return_dtype=pl.Float64, returns_scalar=True)
    options = BootstrapSettings(1000, methods=("percentile",))
    bootstrap_rows(frame, {"mean": mean}, group="group", options=options)
    assert seen.count(ROWS) <= 8


def test_the_difference_of_two_models_is_taken_on_the_same_rows():
    frame = numbers(500)
    other = frame.with_columns(estimate=pl.col("estimate") + 0.1)
    row = bootstrap_rows(frame, ERROR, other=other, options=BootstrapSettings(500)).row(
        0, named=True
    )
    gap = (frame["truth"] - frame["estimate"]).abs() - (frame["truth"] - other["estimate"]).abs()
    assert row["value"] == pytest.approx(gap.mean())
    if gap.std() > 1e-9:
        assert row["standard_error"] == pytest.approx(gap.std() / 500**0.5, rel=0.15)
    else:
        assert row["low"] is None
    apart = other.with_columns(estimate=pl.col("estimate") * 0.9)
    row = bootstrap_rows(frame, ERROR, other=apart, options=BootstrapSettings(500)).row(
        0, named=True
    )
    gap = (frame["truth"] - frame["estimate"]).abs() - (frame["truth"] - apart["estimate"]).abs()
    assert row["standard_error"] == pytest.approx(gap.std() / 500**0.5, rel=0.15)
    assert 0 < row["p_value"] <= 1


def test_groups_are_drawn_whole():
    copies = pl.concat([numbers(100).with_row_index("id")] * 4)
    grouped = bootstrap_rows(copies, ERROR, group="id", options=BootstrapSettings(500))[
        "standard_error"
    ][0]
    once = bootstrap_rows(numbers(100), ERROR, options=BootstrapSettings(500))["standard_error"][0]
    assert grouped == pytest.approx(once, rel=0.15)
    sizes = bootstrap_rows(copies, {"n": pl.len() * 1.0}, group="id", options=BootstrapSettings(20))
    assert sizes["low"][0] is None
    assert sizes["value"][0] == 400


def test_the_order_of_the_rows_leaves_no_trace():
    frame = numbers(300)
    shuffled = frame.sample(fraction=1, shuffle=True, seed=2)
    one, other = (
        bootstrap_rows(f, ERROR, options=BootstrapSettings(50, methods=("bca",)))
        for f in (frame, shuffled)
    )
    assert one.equals(other)
    assert not one.equals(
        bootstrap_rows(frame, ERROR, options=BootstrapSettings(50, seed=1, methods=("bca",)))
    )


def test_every_measure_of_regression_can_be_resampled():
    frame = (
        numbers(150)
        .with_columns(weight=pl.lit(1.0))
        .with_columns(low=pl.col("estimate") - 2, high=pl.col("estimate") + 1)
    )
    measures = {m.name: m.expression() for m in REGISTRY["regression"].values()}
    table = bootstrap_rows(frame, measures, options=BootstrapSettings(60))
    assert table["metric"].to_list() == list(measures)
    for row in table.drop_nulls("low").iter_rows(named=True):
        assert row["low"] <= row["value"] <= row["high"], row["metric"]
    assert table["low"].count() > 0.7 * len(table)


def test_measures_of_ranks_leave_those_of_sums_as_they_are():
    """Beside a measure that needs the rows those of aggregates have the same limits as without."""
    frame, recorded = numbers(60).with_columns(weight=pl.lit(1.0)), {}
    measures = REGISTRY["regression"]
    with of_parts(recorded):
        of_sums = {name: measures[name].expression_of_groups() for name in ("r2", "mean_error")}
    of_ranks = {"spearman_rho": measures["spearman_rho"].expression_of_groups()}
    together, sums, ranks = (
        bootstrap_rows(
            frame,
            statistics,
            aggregates=aggregates,
            options=BootstrapSettings(40, methods=("bca",)),
        )
        for statistics, aggregates in (
            ({"r2": of_sums["r2"]} | of_ranks | {"mean_error": of_sums["mean_error"]}, recorded),
            (of_sums, recorded),
            (of_ranks, {}),
        )
    )

    assert together["low"].count() == 3
    assert together.gather([0, 2]).equals(sums)
    assert together.gather([1]).equals(ranks)


@pytest.mark.parametrize("kind", [numbers(0), numbers(1), pl.concat([numbers(1)] * 9)], ids=len)
def test_rows_that_are_all_alike_have_no_limits(kind):
    for method in ("percentile", "bca"):
        assert (
            bootstrap_rows(kind, ERROR, options=BootstrapSettings(20, methods=(method,)))["low"][0]
            is None
        )


def decisions(number: int, seed: int = 0) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    truth = random.choice(4, number, p=[0.4, 0.3, 0.2, 0.1])
    predicted = np.where(random.random(number) < 0.7, truth, random.integers(0, 4, number))
    return pl.DataFrame({"truth": truth, "said": predicted})


def of_matrix(frame: pl.DataFrame, names: list[str], weight: str | None = None, **options):
    table = matrix(frame, 4, truth="truth", prediction=pl.col("said"), weight=weight)
    chosen = [REGISTRY["multiclass"][n] for n in names]
    return bootstrap_matrix(table, chosen, options=BootstrapSettings(**options))


def test_the_accuracy_of_several_classes_spreads_as_a_share():
    frame = decisions(900)
    row = of_matrix(frame, ["accuracy"], stratified=False).row(0, named=True)
    share = (frame["truth"] == frame["said"]).mean()
    assert row["value"] == pytest.approx(share)
    assert row["standard_error"] == pytest.approx((share * (1 - share) / 900) ** 0.5, rel=0.06)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_every_measure_of_a_matrix_can_be_resampled(method):
    names = [m.name for m in REGISTRY["multiclass"].values() if m.on in ("classes", "matrix")]
    table = of_matrix(decisions(400), names, replicates=200, methods=(method,))
    assert table["metric"].to_list() == names
    for row in table.drop_nulls("low").iter_rows(named=True):
        assert row["low"] <= row["value"] <= row["high"], row["metric"]
    assert table["low"].count() > 0.7 * len(table)


def test_association_may_be_none_where_a_test_of_independence_does_not_reject():
    random = np.random.default_rng(1)
    frame = pl.DataFrame({"truth": random.integers(0, 4, 90), "said": random.integers(0, 4, 90)})
    names = ["cramer_v", "pearson_c", "chi_squared", "phi_squared"]
    unrelated, related = (of_matrix(f, names, replicates=99) for f in (frame, decisions(90)))
    assert unrelated["low"].to_list() == [0.0] * 4
    assert related["low"].min() > 0


def test_limits_of_measures_that_rise_with_phi_squared_are_those_of_its_limits():
    table = of_matrix(decisions(90), ["cramer_v", "pearson_c", "phi_squared"], replicates=99)
    v, c, phi = (row["high"] for row in table.iter_rows(named=True))
    assert (v, c) == pytest.approx(((phi / 3) ** 0.5, (phi / (1 + phi)) ** 0.5))


def test_a_matrix_of_weights_of_two_spreads_as_its_rows():
    frame = decisions(500).with_columns(w=pl.lit(2.0))
    names = ["accuracy", "cohen_kappa", "cramer_v", "joint_entropy"]
    plain, doubled = of_matrix(frame, names), of_matrix(frame, names, weight="w")
    for column in ("value", "low", "high"):
        assert doubled[column].to_list() == pytest.approx(plain[column].to_list())


@pytest.mark.parametrize("size", [2, 3, 7])
@pytest.mark.parametrize("kind", ["counts", "weights", "few", "one truth", "one prediction"])
def test_measures_of_many_tables_are_those_of_their_expressions(size, kind):
    random = np.random.default_rng(size)
    tables = random.poisson(0.4 if kind == "few" else 6, (40, size, size)).astype(float)
    if kind == "weights":
        tables *= random.exponential(size=tables.shape)
    if kind.startswith("one"):
        tables[(slice(None), slice(1, None)) if kind == "one truth" else (..., slice(1, None))] = 0
    tables[tables.sum(axis=(1, 2)) == 0, 0, 0] = 1
    cells = tables.reshape(40, -1)
    occupied = np.flatnonzero(cells.any(axis=0))
    together = CellTables.of(cells[:, occupied], occupied, size)
    names, costs = list(MEASURES), random.integers(0, 5, (size, size)).tolist()
    expressions = [REGISTRY["multiclass"][name].expression(costs=costs) for name in names]
    np.testing.assert_allclose(
        table_measures(names, together, {"costs": costs}),
        by_replicate(together.matrix(), expressions, 40),
        rtol=1e-9,
        atol=1e-12 * cells.sum(axis=1).max(),
    )


def test_counts_of_each_class_are_those_of_whole_tables():
    tables = np.random.default_rng(0).poisson(1.5, (30, 5, 5)).astype(float)
    cells = tables.reshape(30, -1)
    together = CellTables.of(cells, np.arange(25), 5).classes()
    for name, counts in one_vs_rest_counts(tables).items():
        np.testing.assert_array_equal(together[name].to_numpy().reshape(30, 5), counts)


def test_a_matrix_without_rows_has_no_values():
    assert of_matrix(decisions(0), ["accuracy"], replicates=10).is_empty()


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("sizes", [[300, 300], [1, 250, 349]])
def test_sums_that_measures_share_give_them_to_the_last_digit(weighted, sizes):
    """Of replicates of one size and of several, with weights and without, with equal rows."""
    weight = np.random.default_rng(1).gamma(2, size=600) if weighted else np.ones(600)
    frame = numbers(600).with_columns(pl.col("truth", "estimate").exp(), weight=weight)
    frame = pl.concat([frame.head(1)] * 250 + [frame.tail(350)])
    of_sums = REGISTRY["regression"].keys() - {*OF_INTERVALS, *OF_RANKS}
    measures = [REGISTRY["regression"][name] for name in sorted(of_sums)]
    recorded = {}
    with of_parts(recorded, constants=True):
        of_parts_of_rows = [m.expression_of_groups() for m in measures]
    of_rows = [m.expression_of_groups() for m in measures]

    roots = {root for one in of_parts_of_rows for root in one.meta.root_names()}
    assert roots <= recorded.keys(), "no measure needs the rows themselves"
    table = added_parts(frame, recorded, np.array(sizes))
    rows_of_each = frame.with_columns(replicate=np.repeat(np.arange(len(sizes)), sizes))

    np.testing.assert_array_equal(
        by_replicate(table, of_parts_of_rows, len(sizes)),
        by_replicate(rows_of_each, of_rows, len(sizes)),
    )
