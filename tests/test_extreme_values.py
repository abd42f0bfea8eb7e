"""Numbers at the edge: rounded sums, constant columns, one group, sizes that no float has."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import isqrt

import numpy as np
import polars as pl
import pytest

from reportgen.errors import DataError
from reportgen.measuring.metric_rows import OUT_OF_RANGE
from reportgen.metrics import METRICS, REGISTRY
from reportgen.resampling.limits import acceleration
from reportgen.results import evaluate
from reportgen.results.binned.bounds import CROWDED
from tests.breadth import breadth
from tests.quick import QUICK

CLASSES = ["c0", "c1", "c2"]


def evaluated(frame: pl.DataFrame, truth: object, models: dict, **spec: object) -> pl.DataFrame:
    spec = {"bootstrap": {"replicates": 50}, **spec}
    return evaluate({"data": "d.csv", "truth": truth, "models": models, **spec}, frame).metrics


def value(metrics: pl.DataFrame, name: str, **where: str | None) -> float | None:
    where = {"model": "m", "slice": None, "class": None, "average": None, **where}
    chosen = pl.all_horizontal(pl.col(c).eq_missing(pl.lit(v)) for c, v in where.items())
    return metrics.filter(chosen & (pl.col("metric") == name))["value"].item()


def predicted(truth: list[str], labels: list[str], weights: list[float]) -> pl.DataFrame:
    frame = pl.DataFrame({"y": truth, "p": labels, "w": weights})
    return evaluated(frame, "y", {"m": {"label": "p"}}, classes=CLASSES, columns={"weight": "w"})


def test_real_weights_leave_no_count_below_zero_and_undefined_measures_null():
    metrics = predicted(["c2", "c0"], ["c2", "c2"], [1.4, 2.3])

    assert value(metrics, "tn", **{"class": "c2"}) == 0
    assert value(metrics, "mcc") is None
    assert value(metrics, "lambda_prediction") is None


@breadth("seed", range(8), 3)
def test_a_perfect_model_of_weighted_rows_has_no_error_at_all(seed):
    random = np.random.default_rng(seed)
    labels = random.choice(CLASSES, 9).tolist() + CLASSES
    metrics = predicted(labels, labels, random.uniform(0, 2, 12).round(1).clip(0.1).tolist())

    assert value(metrics, "error_rate") == value(metrics, "zero_one_loss") == 0
    for name in ("accuracy", "mcc", "cohen_kappa", "lambda_truth", "adjusted_rand"):
        assert value(metrics, name) == 1


@breadth("seed", range(8), 2)
def test_a_single_class_leaves_measures_of_weighted_rows_undefined(seed):
    random = np.random.default_rng(seed)
    several, weights = random.choice(CLASSES, 12).tolist(), random.uniform(0.1, 2, 12).tolist()
    of_truth, of_call = (
        predicted(*labels, weights) for labels in ((["c1"] * 12, several), (several, ["c1"] * 12))
    )
    for metrics, names in (
        (of_truth, ("mcc", "lambda_truth", "cramer_v", "relative_classifier_information")),
        (of_call, ("mcc", "lambda_prediction", "cramer_v", "completeness")),
    ):
        assert [value(metrics, name) for name in names] == [None] * len(names)
        assert value(metrics, "mutual_information") == 0


@pytest.mark.parametrize("cells", [(7, 0, 0, 3), (1, 0, 0, 9), (333, 0, 0, 1e9), (0.1, 0, 0, 0.7)])
def test_the_correlation_of_a_perfect_model_is_one(cells):
    counts = pl.DataFrame([cells], schema=["tp", "fp", "fn", "tn"], orient="row")
    reverse = pl.DataFrame([cells], schema=["fp", "tp", "tn", "fn"], orient="row")

    assert counts.select(METRICS["mcc"].build()).item() == 1
    assert reverse.select(METRICS["mcc"].build()).item() == -1


ESTIMATED = ("r2", "explained_variance", "relative_absolute_error", "d2_poisson", "d2_gamma")
ESTIMATED = (*ESTIMATED, "d2_tweedie_1_5", "d2_absolute_error", "d2_pinball_low", "pearson_r")


@pytest.mark.parametrize("estimate", [[0.1] * 7, [0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.4]])
def test_a_truth_that_is_constant_but_not_exact_in_binary_has_no_share_of_its_variance(estimate):
    frame = pl.DataFrame({"y": [0.1] * 7, "f": estimate, "site": ["x"] * 7})
    metrics = evaluated(frame, "y", {"m": {"estimate": "f"}}, slices=["site"])

    for name in ESTIMATED:
        for part in (None, "site = x"):
            assert value(metrics, name, slice=part) is None, name


def test_a_constant_estimate_has_no_correlation_and_saves_no_variance():
    frame = pl.DataFrame({"y": [0.1, 0.7, 0.2, 0.5, 0.4, 0.3, 0.9], "f": [0.1] * 7})
    metrics = evaluated(frame, "y", {"m": {"estimate": "f"}})

    assert value(metrics, "pearson_r") is None
    assert value(metrics, "spearman_rho") is None
    assert value(metrics, "concordance_correlation") == 0
    assert value(metrics, "explained_variance") == 0


def test_limits_leave_out_the_replicates_in_which_the_truth_is_constant():
    """Of three rows one replicate in nine draws the same row only."""
    frame = pl.DataFrame({"y": [0.1, 0.1, 0.1, 0.1, 0.1, 0.3], "f": [0.2, 0.1, 0.3, 0.4, 0.1, 0.3]})
    metrics = evaluated(frame, "y", {"m": {"estimate": "f"}}, bootstrap={"replicates": 500})

    assert metrics.filter(pl.col("metric") == "r2")["low"].fill_null(0).item() > -1e6


ROWS = 40


def of_every_task() -> tuple[pl.DataFrame, dict[str, dict]]:
    random = np.random.default_rng(0)
    first, second = (random.dirichlet([1, 1, 1], ROWS) for _ in "12")
    frame = pl.DataFrame(
        {
            "binary": random.integers(0, 2, ROWS),
            "several": random.choice(["a", "b", "c"], ROWS),
            "number": random.random(ROWS),
            **{f"label {k}": random.integers(0, 2, ROWS) for k in "ab"},
            **{f"{m}{k}": s[:, k] for m, s in (("m", first), ("k", second)) for k in range(3)},
            "one": ["p"] * ROWS,
            "two": ["p"] * (ROWS - 1) + ["q"],
        }
    )
    scores = {m: {c: f"{m}{k}" for k, c in enumerate("abc")} for m in "mk"}
    several = {m: {"scores": of} for m, of in scores.items()}
    labels = {m: {"scores": {c: of[c] for c in "ab"}} for m, of in scores.items()}
    tasks = {
        "binary": {"truth": "binary", "models": {m: {"score": f"{m}0"} for m in "mk"}},
        "multiclass": {"truth": "several", "models": several, "classes": ["a", "b", "c"]},
        "multilabel": {"truth": {k: f"label {k}" for k in "ab"}, "models": labels},
        "regression": {"truth": "number", "models": {m: {"estimate": f"{m}0"} for m in "mk"}},
    }
    return frame, tasks


FURTHER = {
    "binary": ["f1", "auc"],
    "multiclass": ["mcc"],
    "multilabel": ["hamming_loss"],
    "regression": ["mean_absolute_error"],
}


@breadth(
    ("task", "rows"),
    [*product(FURTHER, (1, ROWS))],
    [(task, (1, ROWS)[k % 2]) for k, task in enumerate(FURTHER)],
)
@breadth("group", ["one", "two"], 1)
def test_one_group_is_evaluated_without_limits_of_resampled_groups(task, group, rows):
    frame, tasks = of_every_task()
    spec = {**tasks[task], "columns": {"group": group}, "bootstrap": {"replicates": 5}}
    spec["comparisons"] = {"measures": FURTHER[task]}
    metrics = evaluate({"data": "d.csv", **spec}, frame.tail(rows)).metrics

    assert metrics["value"].drop_nulls().is_finite().all()
    if group == "one":
        resampled = metrics.filter(pl.col("interval").str.contains("bootstrap"))
        assert resampled.is_empty()


@breadth(
    ("task", "weight"),
    [*product(FURTHER, (None, "w"))],
    [("binary", None), ("multiclass", "w")],
)
def test_the_order_of_the_rows_does_not_change_the_last_bit_of_a_value(task, weight):
    frame, tasks = of_every_task()
    frame = pl.concat([frame] * 20).with_columns(w=np.random.default_rng(1).random(20 * ROWS) + 0.1)
    spec = {**tasks[task], **QUICK}
    spec |= {"columns": {"weight": weight}} if weight else {}
    first, other = (
        evaluate({"data": "d.csv", **spec}, frame.sample(fraction=1, shuffle=True, seed=s)).metrics
        for s in range(2)
    )

    changed = first.filter(first["value"].ne_missing(other["value"]))
    # Counts of weighted decisions are plain sums: others take half as long again.
    of_counts = task in ("binary", "multilabel") and weight == "w"
    assert changed["metric"].to_list() == [] or of_counts


def test_a_class_without_rows_leaves_weighted_averages_of_all_measures_defined():
    frame, tasks = of_every_task()
    metrics = evaluated(frame.filter(pl.col("several") != "c"), **tasks["multiclass"])

    for name in ("auc", "average_precision", "recall", "f1"):
        parts = [
            (value(metrics, name, **{"class": c}), (frame["several"] == c).sum()) for c in "ab"
        ]
        expected = sum(v * n for v, n in parts) / sum(n for _, n in parts)
        assert value(metrics, name, average="weighted") == pytest.approx(expected)
    for name in ("auc", "average_precision", "recall"):
        assert value(metrics, name, average="macro") is None


def test_scores_of_half_the_width_lie_in_the_same_bins_and_on_the_same_side_of_a_threshold():
    grid = [k / 10 for k in range(11)] * 2
    frame = pl.DataFrame({"y": [0, 1] * 11, "s": grid})
    models = {"m": {"score": "s"}}
    wide, narrow = (
        evaluated(frame.cast({"s": dtype}), "y", models, threshold=0.7, **QUICK)
        for dtype in (pl.Float64, pl.Float32)
    )

    assert value(narrow, "tp") == value(wide, "tp") == 4
    assert narrow["value"].equals(wide["value"], null_equal=True)


BEYOND = 2**53


@pytest.mark.parametrize("column", ["y", "f", "w"])
@pytest.mark.parametrize(
    "given",
    [
        pl.Series([1, BEYOND + 1]),
        pl.Series([1, 2**64 - 1], dtype=pl.UInt64),
        pl.Series([1, -BEYOND - 1]),
    ],
)
def test_whole_numbers_that_a_float_would_round_are_refused_with_their_rows(column, given):
    frame = pl.DataFrame({"y": [1.0, 2.0], "f": [1.5, 2.5], "w": [1.0, 1.0]})
    frame = frame.with_columns(given.alias(column))
    spec = {"models": {"m": {"estimate": "f"}}, "columns": {"weight": "w"}}
    with pytest.raises(DataError, match=f"column '{column}', row 2: not-exact: 1 whole number is"):
        evaluated(frame, "y", **spec)


def test_whole_numbers_of_a_csv_file_are_told_apart_too(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text(f"y,s\n0,{BEYOND}\n1,{BEYOND + 1}\n1,{BEYOND + 2}\n")
    with pytest.raises(DataError, match="column 's', row 2: not-exact"):
        evaluate({"data": str(path), "truth": "y", "models": {"m": {"score": "s"}}})


def test_numbers_whose_squares_no_float_can_hold_are_refused_with_their_place():
    def problems(number: float, estimate: float = 1.0) -> list:
        frame = pl.DataFrame({"y": [number, number / 2], "f": [estimate, number]})
        with pytest.raises(DataError) as refused:
            evaluated(frame, "y", {"m": {"estimate": "f"}})
        return [str(p).partition(" value")[0] for p in refused.value.problems]

    assert "data frame, column 'y': out-of-range: no true" in problems(1e-200)
    assert "data frame, column 'y', rows 1, 2: out-of-range: 2" in problems(1e200)
    assert "data frame, column 'f', row 1: out-of-range: 1" in problems(0.0, 1e101)


def test_a_slice_whose_errors_are_lost_says_that_they_are_not_that_it_has_no_rows():
    frame = pl.DataFrame(
        {"y": [1.0, 2.0, 1e-200, 3e-200], "f": [1.5, 2.0, 2e-200, 1e-200], "s": list("aabb")}
    )
    metrics = evaluated(frame, "y", {"m": {"estimate": "f"}}, slices=["s"])
    lost = metrics.filter(pl.col("slice") == "s = b", pl.col("metric").is_in(ESTIMATED[:2]))
    square = metrics.filter(pl.col("slice") == "s = b", metric="mean_squared_error")

    assert square["undefined"].to_list() == [OUT_OF_RANGE]
    assert lost["undefined"].to_list() == [OUT_OF_RANGE] * 2


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("apart", [1e-12, 1e-7, 1e-3, 0.05, 0.25, 3.0])
@pytest.mark.parametrize("name", ["poisson_deviance", "gamma_deviance", "tweedie_deviance_1_5"])
def test_a_deviance_keeps_its_digits_where_truth_and_estimate_are_close(name, apart, scale):
    y, f = scale, scale * (1 + apart)
    a, b = Fraction(y), Fraction(f)
    if name == "tweedie_deviance_1_5":
        root_y, root_f = (_root(x) for x in (a, b))
        expected = 4 * (root_y - root_f) ** 2 / root_f
    else:
        log = _logarithm(a / b)
        expected = 2 * (a * log - a + b) if name == "poisson_deviance" else 2 * (-log + a / b - 1)
    pairs = pl.DataFrame({"truth": [y], "estimate": [f], "weight": [1.0]})
    deviance = pairs.select(REGISTRY["regression"][name].build()).item()

    assert deviance == pytest.approx(float(expected), rel=1e-13)


def _root(x: Fraction) -> Fraction:
    """To 1e-60."""
    return Fraction(isqrt(x.numerator * x.denominator << 400), x.denominator << 200)


def _logarithm(x: Fraction) -> Fraction:
    """By 2 artanh((x − 1)/(x + 1)), to 1e-60."""
    v, total, power = (x - 1) / (x + 1), Fraction(0), (x - 1) / (x + 1)
    for k in range(1, 2000, 2):
        total += power / k
        power = Fraction(int(power * v * v * 2**300), 2**300)
        if not power:
            break
    return 2 * total


def _extreme(scale: float, **more: pl.Series) -> pl.DataFrame:
    random = np.random.default_rng(0)
    truth, p, q = random.integers(0, 2, 120), *random.random((2, 120))
    return pl.DataFrame({"y": truth, "p": p * scale, "q": q * scale, **more})


SCORED = {"truth": "y", "models": {"a": {"score": "p"}, "b": {"score": "q"}}}


@pytest.mark.parametrize("engine", ["exact", "streaming"])
@breadth("scale", [1.7e308, 1e-308], 1)
def test_scores_of_any_size_have_the_same_ranks_and_print_no_warning(tmp_path, scale, engine):
    """A warning is an error here; AUC does not depend on the unit of a score, nor is it made up."""
    _extreme(scale).write_parquet(tmp_path / "p.parquet")
    spec = SCORED | {"threshold": scale / 2, "bootstrap": {"replicates": 20}}
    at_scale = evaluate(spec | {"data": str(tmp_path / "p.parquet"), "engine": engine})
    usual = evaluate(spec | {"threshold": 0.5}, _extreme(1.0))

    for name in ("a", "b"):
        exact = usual.metrics.row(by_predicate=_auc_of(name), named=True)["value"]
        row = at_scale.metrics.row(by_predicate=_auc_of(name), named=True)
        if engine == "exact":
            assert row["value"] == pytest.approx(exact)
        else:
            assert row["undefined"] == CROWDED  # no two of these scores have cells of their own


def _auc_of(model: str) -> pl.Expr:
    return (pl.col("metric") == "auc") & (pl.col("model") == model) & pl.col("slice").is_null()


def test_weights_of_sixty_orders_of_magnitude_are_evaluated():
    w = pl.Series(10.0 ** np.random.default_rng(1).uniform(-30, 30, 120))
    spec = SCORED | {"columns": {"weight": "w"}, "bootstrap": {"replicates": 20}}
    metrics = evaluate(spec, _extreme(1.0, w=w)).metrics

    assert metrics.filter(pl.col("metric") == "auc")["value"].is_between(0, 1).all()


@pytest.mark.parametrize("cost", [1e-31, 1e31])
def test_costs_whose_products_leave_the_range_of_floats_are_refused(cost):
    costs = {"false_negative": {"column": "c"}, "false_positive": 1}
    spec = {"truth": "y", "models": {"a": {"score": "p"}}, "costs": costs}
    frame = _extreme(1.0, c=pl.Series([1.0] * 119 + [cost]))

    with pytest.raises(DataError, match="neither 0 nor from 1e-30"):
        evaluate(spec, frame)


@pytest.mark.parametrize("size", [1e60, 1e-59])
def test_estimates_of_the_largest_size_have_finite_numbers_that_scale(size):
    """The squared error goes with the square of the unit, its p-value does not depend on it."""
    random = np.random.default_rng(2)
    frame = pl.DataFrame({n: random.uniform(-1, 1, 90) for n in "ypq"})
    spec = {"truth": "y", "models": {"a": {"estimate": "p"}, "b": {"estimate": "q"}}}
    spec |= {"bootstrap": {"replicates": 40}}
    one, other = (evaluate(spec, frame * unit) for unit in (1.0, size))
    for table in ("metrics", "comparisons", "differences"):
        floats = getattr(other, table).select(pl.col(pl.Float64))
        assert floats.select(pl.all().is_infinite().any()).row(0).count(True) == 0, table
    errors = [
        r.metrics.filter(pl.col("metric") == "mean_squared_error")["value"].to_numpy()
        for r in (one, other)
    ]
    assert errors[1] == pytest.approx(errors[0] * size**2)
    p_values = [r.comparisons["p_value"].to_list() for r in (one, other)]
    assert p_values[0] == pytest.approx(p_values[1], rel=1e-6)


def test_the_acceleration_has_no_unit():
    random = np.random.default_rng(3)
    influence, count = random.exponential(size=50), np.ones(50)
    stratum = np.zeros(50, dtype=np.int64)
    values = [acceleration(influence * unit, count, stratum) for unit in (1.0, 1e200, 1e-200)]

    assert values[1:] == pytest.approx([values[0]] * 2)
