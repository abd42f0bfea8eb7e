"""Estimates of a number that are counted in parts: the numbers of rows in memory."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen import ReportgenError, evaluate
from reportgen.engines.exact_sums import banded_columns, exact, powers
from reportgen.metric_names import MEAN_ERRORS
from reportgen.results.binned.estimates import TOO_WIDE
from tests.breadth import breadth, sample_size
from tests.engine_data import assert_parts_add_up, numbers, written
from tests.quick import QUICK

MODELS = {
    "a": {"estimate": "a", "low": "low", "high": "high", "level": 0.9},
    "b": {"estimate": "b"},
}
RANKS = {"spearman_rho", "kendall_tau"}
LIMITED = {"mean_squared_error", "root_mean_squared_error", "mean_absolute_error", "mean_error"}
"""What has limits in closed form from rows in memory too."""


def estimated(number: int, seed: int = 0, digits: int | None = None) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    truth = np.exp(random.normal(size=number)) + 0.5
    a, b = (truth + random.normal(size=number) * size for size in (0.2, 0.3))
    if digits is not None:
        truth, a, b = (column.round(digits) for column in (truth, a, b))
    return pl.DataFrame(
        {
            "y": truth,
            "a": a,
            "b": b,
            "low": a - 0.4,
            "high": a + random.random(number),
            "w": random.choice([0, 0.25, 1.5, 2], number),
            "site": random.integers(0, 3, number).astype(str),
            "fold": random.integers(0, 4, number).astype(str),
            "role": random.choice(["train", "test"], number),
        }
    )


def spec(data, engine="streaming", **more):
    return {
        "data": str(data),
        "truth": "y",
        "models": MODELS,
        "engine": engine,
        **QUICK,
        **more,
    }


def same(one: float | None, other: float | None, tolerance: float = 1e-12) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=tolerance, abs_tol=1e-13)


CASES = {
    "many": (estimated(700), {"comparisons": {"margin": 0.05}}),
    "weights and slices": (estimated(700), {"columns": {"weight": "w"}, "slices": ["site"]}),
    "ties": (estimated(300, digits=1), {"slices": [["site", "fold"]]}),
    "folds of both sides": (estimated(300), {"columns": {"role": "role", "fold": "fold"}}),
    "zeros and losses": (estimated(200).with_columns(pl.col("y") - 1.5, b=0.0), {}),
    "a constant": (estimated(150).with_columns(y=0.3, b=0.3), {}),
    "far from zero": (estimated(300).with_columns(pl.col("y", "a", "b") + 2.0**20), {}),
    "few rows": (estimated(60), {}),
    "one row": (estimated(1), {}),
    "two rows": (estimated(2), {}),
}


@breadth("case", CASES, ["weights and slices", "folds of both sides", "few rows", "one row"])
def test_numbers_of_counts_are_those_of_rows(tmp_path, case):
    """Equal but for the rounding of sums, or between the bounds that the cells leave."""
    frame, more = CASES[case]
    data = written(frame, tmp_path / "p.parquet")
    rows, counts = (evaluate(spec(data, engine, **more)) for engine in ("exact", "streaming"))
    expected, result = numbers(rows), numbers(counts)

    assert expected.keys() == result.keys()
    for key, row in result.items():
        value = expected[key]["value"]
        if row["undefined"] and row["undefined"].startswith("ranks need"):
            assert key[0] in RANKS
        elif row["undefined"] == TOO_WIDE:
            assert case == "far from zero"
            assert key[0].startswith(("relative", "d2"))
        elif row["least"] is not None:
            slack = 1e-11 * max(abs(value), 1)
            assert row["least"] - slack <= value <= row["most"] + slack, key
        else:
            assert same(row["value"], value), (key, row["value"], value)
            assert row["undefined"] == expected[key]["undefined"]
        if key[0] in LIMITED:
            assert same(row["low"], expected[key]["low"], 1e-9), key
            assert same(row["high"], expected[key]["high"], 1e-9), key
    assert counts.slices.equals(rows.slices)
    for one, other in zip(rows.folds.to_dicts(), counts.folds.to_dicts(), strict=True):
        assert same(one.pop("value"), other.pop("value"))
        assert one == other
    for one, other in zip(rows.generalisation.rows(), counts.generalisation.rows(), strict=True):
        for a, b in zip(one, other, strict=True):
            assert same(a, b, 1e-9) if isinstance(a, float) else a == b


@breadth("case", ["many", "folds of both sides", "one row", "two rows"], 2)
def test_tests_of_errors_are_those_of_rows(tmp_path, case):
    frame, more = CASES[case]
    data = written(frame, tmp_path / "p.parquet")
    rows, counts = (evaluate(spec(data, engine, **more)) for engine in ("exact", "streaming"))

    of_errors = [
        {
            (r["metric"], r["comparison"]): r
            for r in results.comparisons.to_dicts()
            if r["metric"] in MEAN_ERRORS and r["comparison"] != "wilcoxon"
        }
        for results in (rows, counts)
    ]
    assert of_errors[0].keys() == of_errors[1].keys()
    for name, test in of_errors[0].items():
        for field in ("statistic", "p_value", "estimate", "low", "high", "df"):
            assert same(of_errors[1][name][field], test[field], 1e-8), (name, field)


@pytest.mark.slow
def test_parts_in_any_order_give_the_same_digits(tmp_path):
    """Of files and of counts of shards."""
    frame, more = CASES["weights and slices"]
    parts = [frame[:100], frame[100:450], frame[450:]]
    assert_parts_add_up(tmp_path, frame, parts, lambda data: spec(data, **more))


def test_the_curve_of_errors_is_exact_where_cells_end(tmp_path):
    frame = estimated(5000)
    results = evaluate(spec(written(frame, tmp_path / "p.parquet")))

    errors = (frame["y"] - frame["a"]).abs().to_numpy()
    for row in results.curves["error_characteristic"].filter(model="a").iter_rows(named=True):
        assert row["share"] == (errors <= row["tolerance"]).mean()


@settings(max_examples=sample_size(25, 60), deadline=None)
@given(st.lists(st.floats(-1e200, 1e200), min_size=1, max_size=30))
def test_sums_lose_no_digit(values):
    """Whatever the sizes of the numbers are."""
    column = np.array(values)
    for parts in (1, 3):
        assert_sums_are_exact(column, parts)


@pytest.mark.parametrize("parts", [1, 3, 1000])
def test_sums_of_several_blocks_of_rows_lose_no_digit(parts):
    """Of sizes of hundreds of powers of two, subnormal ones too."""
    random = np.random.default_rng(parts)
    column = random.normal(size=70_000) * 2.0 ** random.integers(-1074, 900, size=70_000)
    column[::2] = random.normal(size=35_000) ** 8

    for values in (column, np.full(70_000, 1 - 2.0**-53)):
        assert_sums_are_exact(values, parts)


def assert_sums_are_exact(column, parts):
    place = np.arange(len(column)) % parts
    table = banded_columns([column], place if parts > 1 else None, parts)
    bands = defaultdict(list)
    for part, band, total in table.select("place", "band", "total").iter_rows():
        bands[part].append((band, total))
    for part in range(parts):
        of_part = map(Fraction, column[part::parts].tolist())
        assert exact(bands[part]) == sum(of_part, Fraction(0))


def test_powers_have_twice_the_digits_of_floats():
    values = np.random.default_rng(0).normal(size=50)
    for k, (high, low) in enumerate(powers(values, 4), 1):
        for value, one, other in zip(values, high, low, strict=True):
            exactly = Fraction(value) ** k
            assert abs((Fraction(one) + Fraction(other)) / exactly - 1) < 1e-30


def test_powers_of_losses_without_bound_are_infinite_and_have_no_rest():
    for high, low in powers(np.array([np.inf, 0.5]), 4):
        assert high[0] == np.inf
        assert low[0] == 0


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"columns": {"time": "site"}}, "order of time"),
        ({"columns": {"repeat": "site"}}, "identified by their ids"),
        ({"models": {"column": "site", "estimate": "a"}}, "long form"),
        ({"models": {f"m{k}": {"estimate": f"m{k}"} for k in range(31)}}, "more than 30 models"),
    ],
    ids=["time", "repeats", "long form", "many models"],
)
def test_what_counts_cannot_stand_for_is_refused(tmp_path, more, reason):
    data = written(estimated(20), tmp_path / "p.parquet")

    with pytest.raises(ReportgenError, match=reason):
        evaluate(spec(data, **more))


def test_truths_whose_squares_are_no_floats_are_refused(tmp_path):
    data = written(
        estimated(20).with_columns(pl.col("y", "a", "b") * 1e-70), tmp_path / "p.parquet"
    )
    for engine in ("exact", "streaming"):
        with pytest.raises(ReportgenError, match="squares of squared errors would be lost"):
            evaluate(spec(data, engine))


def test_a_crossed_interval_names_its_row(tmp_path):
    frame = estimated(20).with_columns(
        high=pl.when(pl.int_range(20) == 6).then(-1e3).otherwise("high")
    )

    with pytest.raises(ReportgenError, match="low above high") as caught:
        evaluate(spec(written(frame, tmp_path / "p.parquet")))

    assert "row 7" in caught.value.problems[0].place


@pytest.mark.parametrize("margin", [1.0, 0.3], ids=["of all rows", "of some"])
def test_a_coverage_that_is_counted_has_the_limits_of_a_share_of_rows(tmp_path, margin):
    """Also where an interval holds every truth, and of an estimate that ties with the truth."""
    frame = estimated(60).with_columns(
        low=pl.col("a") - margin,
        high=pl.col("a") + margin,
        b=pl.when(pl.int_range(60) % 3 == 0).then("y").otherwise("b"),
    )
    models = {"a": MODELS["a"], "b": {"estimate": "b", "quantile": 0.5}}
    data = written(frame, tmp_path / "p.parquet")
    rows, counts = (
        numbers(evaluate(spec(data, engine, models=models))) for engine in ("exact", "streaming")
    )

    for measure, model in (("interval_coverage", "a"), ("quantile_coverage", "b")):
        expected, result = (of[measure, model, None, None, None] for of in (rows, counts))
        assert expected["low"] > 0
        for field in ("low", "high"):
            assert same(result[field], expected[field])
        assert (result["value"] == 1) == (margin == 1 and model == "a")


def test_widths_that_differ_by_rounding_alone_have_no_limits(tmp_path):
    """The width of intervals of one half-width is 2.4 in every row but for its last digits."""
    frame = estimated(300).with_columns(low=pl.col("a") - 1.2, high=pl.col("a") + 1.2)
    assert (frame["high"] - frame["low"]).n_unique() > 1
    row = numbers(evaluate(spec(written(frame, tmp_path / "p.parquet"))))
    width = row["interval_width", "a", None, None, None]

    assert width["value"] == pytest.approx(2.4)
    assert (width["low"], width["high"]) == (None, None)
    assert width["no_interval"]


@pytest.mark.parametrize(
    ("gate", "state"), [("a.r2 >= 0.5", "inconclusive"), ("a.mae <= 1", "pass")]
)
def test_a_number_without_limits_because_rows_are_counted_passes_no_gate(tmp_path, gate, state):
    """Rows in memory have limits of both."""
    data = written(estimated(600), tmp_path / "p.parquet")
    streamed, exactly = (
        evaluate(spec(data, engine, gates=[gate])).gates.row(0, named=True)
        for engine in ("streaming", "exact")
    )

    assert (exactly["state"], exactly["low"] is not None) == ("pass", True)
    assert streamed["state"] == state
    assert (streamed["low"] is None) == ("counts of rows" in str(streamed["why"]))
    assert evaluate(spec(data, gates=["a.r2 >= 0.9999"])).gates["state"].to_list() == ["fail"]
