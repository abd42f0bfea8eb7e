"""Gates: pass, fail and inconclusive by observed value and interval."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.comparing.resolved_differences import resolved_differences
from reportgen.concluding.gates import NumbersOfGates, evaluate_gates
from reportgen.delivery.junit import with_interval
from reportgen.errors import UndefinedError
from reportgen.measuring.no_interval import COUNTED, OF_CHOICE, OFF, UNSTABLE
from reportgen.results import Results, typed
from reportgen.sections import gates
from reportgen.tables import (
    Comparisons,
    FoldMetrics,
    Metrics,
)
from reportgen.text import numbers
from tests.quick import QUICK

AREAS = {"forest": (0.98, 0.96, 0.99), "logistic": (0.97, 0.94, 0.985)}
RECALLS = {"forest": (0.92, None, None), "logistic": (0.90, None, None)}
ACCURACIES = {"forest": (0.95, 0.93, 0.965), "logistic": (0.94, 0.92, 0.955)}


def number(metric: str, model: str, value, low, high, **more) -> dict:
    empty = dict.fromkeys(("slice", "class", "average", "threshold", "interval", "undefined"))
    return {
        "metric": metric,
        "model": model,
        **empty,
        "value": value,
        "low": low,
        "high": high,
        "no_interval": OF_CHOICE if low is None and value is not None else None,
        **more,
    }


def comparison(metric: str, models: list[str], estimate, low, high, recommendation) -> dict:
    fields = {
        "comparison": "test",
        "label": "The test",
        "short": "Test",
        "symbol": "t",
        "shows": "difference",
        "unit": "rows",
        "metric": metric,
        "models": models,
        "estimate": estimate,
        "low": low,
        "high": high,
        "recommendation": recommendation,
        "null_hypothesis": "none",
        "alpha": 0.05,
        "verdict": "none",
        "effect": "difference",
        "probabilities": [],
        "cross_table": [],
        "group_variation": [],
        "assumptions": [],
        "caveats": [],
        "few_units": [],
    }
    return dict.fromkeys(Comparisons.to_schema().columns) | fields


def judge(gates: list[str], results: Results) -> pl.DataFrame:
    """The gates of these results."""
    return evaluate_gates(gates, NumbersOfGates(results.metrics, results.differences))


@pytest.fixture
def results() -> Results:
    numbers = [
        number(metric, model, *values)
        for metric, table in (("auc", AREAS), ("recall", RECALLS), ("accuracy", ACCURACIES))
        for model, values in table.items()
    ]
    numbers += [
        number("error_rate", "forest", 0.05, 0.035, 0.07),
        number("error_rate", "logistic", 0.06, 0.045, 0.08),
        number("auc", "forest", 0.5, 0.4, 0.6, slice="site=A"),
        number("precision", "rules", None, None, None, undefined="no predicted positives"),
    ]
    tests = [
        comparison("accuracy", ["logistic", "forest"], -0.01, -0.5, 0.5, "avoid"),
        comparison("accuracy", ["logistic", "forest"], -0.01, -0.03, 0.005, "recommended"),
        comparison("auc", ["logistic", "forest"], -0.01, -0.018, -0.002, "recommended"),
    ]
    return Results(
        title="",
        metrics=typed(Metrics, numbers),
        comparisons=typed(Comparisons, tests),
        differences=resolved_differences(
            [], typed(Comparisons, tests), {"accuracy", "error_rate", "auc"}, {}
        ),
        folds=typed(FoldMetrics, []),
        data={},
        spec={},
        versions={},
        build={},
    )


@pytest.mark.parametrize(
    ("gate", "state"),
    [
        ("forest.auc >= 0.95", "pass"),
        ("forest.auc >= 0.97", "inconclusive"),
        ("forest.auc >= 0.99", "fail"),
        ("forest.auc < 0.995", "pass"),
        ("forest.auc < 0.985", "inconclusive"),
        ("forest.auc < 0.97", "fail"),
        ("forest.auc.low >= 0.95", "pass"),
        ("forest.auc.low >= 0.96", "pass"),
        ("forest.auc.low > 0.96", "fail"),
        ("forest.auc.high <= 0.98", "fail"),
        ("forest.recall >= 0.92", "pass"),
        ("forest.recall > 0.92", "fail"),
        ("forest.recall - logistic.recall > -0.01", "inconclusive"),
        ("forest.recall - logistic.recall >= 0.02", "inconclusive"),
        ("forest.recall - logistic.recall > 0.02", "fail"),
        ("forest.auc - logistic.auc > 0", "pass"),
        ("forest.auc - logistic.auc >= 0.005", "inconclusive"),
        ("logistic.auc - forest.auc < 0", "pass"),
        ("forest.accuracy - logistic.accuracy >= 0", "inconclusive"),
        ("forest.accuracy - logistic.accuracy > -0.01", "pass"),
        ("forest.error_rate - logistic.error_rate <= 0", "inconclusive"),
        ("forest.error_rate - logistic.error_rate < 0.01", "pass"),
        ("forest.auc.low - logistic.auc.high > -0.03", "pass"),
    ],
)
def test_a_gate_is_judged_by_value_and_interval(results, gate, state):
    assert judge([gate], results)["state"].to_list() == [state]


def test_of_two_models_none_is_ahead_by_a_point_estimate(results):
    """A measure that never has limits decides a gate on its value, not one on a difference."""
    gates = ["forest.recall >= 0.9", "forest.recall - logistic.recall > 0.01"]
    rows = judge(gates, results).to_dicts()

    assert [row["state"] for row in rows] == ["pass", "inconclusive"]
    assert rows[1]["why"].startswith("the number has no interval: ")


def test_a_gate_on_a_metric_shows_its_interval(results):
    row = judge(["forest.auc >= 0.95"], results).row(0, named=True)

    assert {name: value for name, value in row.items() if value is not None} == {
        "gate": "forest.auc >= 0.95",
        "observed": 0.98,
        "low": 0.96,
        "high": 0.99,
        "limit": 0.95,
        "margin": pytest.approx(0.03),
        "basis": "pooled rows",
        "state": "pass",
    }


@pytest.mark.parametrize(
    ("gate", "low", "high"),
    [
        ("forest.accuracy - logistic.accuracy > 0", -0.005, 0.03),
        ("logistic.accuracy - forest.accuracy < 0", -0.03, 0.005),
        ("forest.error_rate - logistic.error_rate < 0", -0.03, 0.005),
        ("logistic.error_rate - forest.error_rate > 0", -0.005, 0.03),
        ("forest.auc - logistic.auc > 0", 0.002, 0.018),
    ],
)
def test_the_interval_of_a_difference_has_the_sign_of_the_gate(results, gate, low, high):
    assert judge([gate], results).select("low", "high").row(0) == (low, high)


def test_a_difference_without_an_interval_has_the_limits_that_its_sides_leave_it(results):
    """Never those of one side: an AUC of 0.96 to 0.99 says nothing of a difference."""
    unknown = replace(results, differences=results.differences.clear())
    row = judge(["forest.auc - logistic.auc > 0"], unknown).row(0, named=True)

    assert (row["low"], row["high"]) == (pytest.approx(0.96 - 0.985), pytest.approx(0.99 - 0.94))
    assert row["state"] == "inconclusive"


def test_an_end_of_an_interval_has_no_interval_of_its_own(results):
    row = judge(["forest.auc.low >= 0.95"], results).row(0, named=True)

    assert (row["observed"], row["low"], row["high"]) == (0.96, None, None)


@pytest.mark.parametrize(
    ("gate", "state"),
    [
        ("forest.auc >= 0.9", "inconclusive"),
        ("forest.auc.low >= 0.9", "inconclusive"),
        ("forest.auc.low - logistic.auc.high > -0.5", "inconclusive"),
        ("forest.auc < 0.9", "fail"),
    ],
)
def test_an_interval_without_width_is_not_certainty(results, gate, state):
    perfect = pl.when(pl.col("model") == "forest", pl.col("metric") == "auc").then(1.0)
    flat = [perfect.otherwise(pl.col(c)).alias(c) for c in ("value", "low", "high")]
    results = replace(results, metrics=results.metrics.with_columns(flat))

    assert judge([gate], results)["state"].to_list() == [state]


@pytest.mark.parametrize(
    ("gate", "state"),
    [
        ("forest.recall >= 0.91", "pass"),
        ("forest.recall >= 0.915", "inconclusive"),
        ("forest.recall >= 0.925", "inconclusive"),
        ("forest.recall >= 0.94", "fail"),
        ("forest.auc >= 0.945", "pass"),
        ("forest.auc >= 0.955", "inconclusive"),
        ("forest.auc.low >= 0.945", "pass"),
        ("forest.auc.low >= 0.955", "inconclusive"),
        ("forest.recall - logistic.recall >= 0.009", "inconclusive"),
        ("forest.recall - logistic.recall >= 0.015", "inconclusive"),
    ],
)
def test_a_gate_counts_all_that_a_number_known_between_bounds_may_be(results, gate, state):
    forest = pl.col("model") == "forest"
    bounds = [
        pl.when(forest).then(pl.col("value") + move).alias(name)
        for name, move in (("least", -0.01), ("most", 0.01))
    ]
    limits = [
        pl.when(forest).then(pl.col(name) + move).otherwise(name).alias(name)
        for name, move in (("low", -0.01), ("high", 0.01))
    ]
    results = replace(results, metrics=results.metrics.with_columns(*bounds, *limits))

    assert judge([gate], results)["state"].to_list() == [state]


def test_a_number_without_a_value_ends_the_build_and_every_such_gate_is_told(results):
    gates = ["rules.precision >= 0.5", "forest.recall.low >= 0.5", "forest.nothing > 0"]

    with pytest.raises(UndefinedError) as caught:
        judge([*gates, "forest.auc > 0.5"], results)

    messages = [problem.message for problem in caught.value.problems]
    assert caught.value.exit_code == 4
    assert messages == [
        "rules.precision >= 0.5: precision of rules is undefined (no predicted positives)",
        "forest.recall.low >= 0.5: recall of forest has no interval "
        "(no limits are computed for decisions of least expected cost)",
        "forest.nothing > 0: nothing of forest is not in the results",
    ]


def test_no_gates_give_an_empty_table(results):
    assert judge([], results).is_empty()
    assert judge([], results).schema["observed"] == pl.Float64


def test_a_difference_in_time_order_passes_by_limits_that_allow_for_it_only(results):
    long_run = [
        comparison("accuracy", ["logistic", "forest"], -0.01, -0.03, 0.005, "recommended")
        | {"interval": "long-run t"}
    ]
    in_time = resolved_differences([], typed(Comparisons, long_run), {"accuracy"}, {})

    def state(gate: str, differences: pl.DataFrame) -> str:
        gates = evaluate_gates([gate], NumbersOfGates(results.metrics, differences, timed=True))
        return str(gates["state"].item())

    gate = "forest.accuracy - logistic.accuracy > -0.02"
    assert judge([gate], results)["state"].item() == "pass"
    assert state(gate, results.differences) == "inconclusive"
    assert state(gate, in_time) == "pass"
    assert state("forest.recall - logistic.recall > -0.01", in_time) == "inconclusive"
    assert state("forest.recall - logistic.recall > 0.5", in_time) == "fail"
    assert state("forest.auc >= 0.95", in_time) == "pass"
    of_sets = results.differences.with_columns(basis=pl.lit("data sets"))
    assert state(gate, of_sets) == "pass"  # which do not follow each other


@pytest.mark.parametrize(
    ("observed", "low", "high", "limit", "texts"),
    [
        (-0.0197, -0.043, 0.0042, -0.02, ("−0.0197", "−0.0430 to 0.0042", "+0.0003")),
        (0.1058, -0.0002, 0.2118, 0.0, ("0.1058", "−0.0002 to 0.2118", "+0.1058")),
        (0.751, 0.669, 0.833, 0.8, ("0.751", "0.669–0.833", "−0.049")),
        (0.8, 0.7, 0.9, 0.8, ("0.800", "0.700–0.900", "0.000")),
    ],
)
def test_a_number_beside_its_limit_is_not_printed_as_the_limit(observed, low, high, limit, texts):
    margin = observed - limit
    row = {"observed": observed, "low": low, "high": high, "limit": limit, "margin": margin}

    assert (*gates.printed(row), numbers.signed(margin, gates.digits_of([row]))) == texts
    assert with_interval(row).startswith(f"observed {texts[0]}, interval ")


def test_gates_on_errors_of_slices_read_limits_as_those_on_all_rows_do():
    random = np.random.default_rng(5)
    truth = random.normal(size=120)
    frame = pl.DataFrame(
        {"y": truth, "a": truth + random.normal(size=120), "site": ["north", "south"] * 60}
    )
    spec = {
        "truth": "y",
        "models": {"a": {"estimate": "a"}},
        "slices": ["site"],
        **QUICK,
        "gates": ["a.mean_absolute_error by site <= 0.95"],
    }
    results = reportgen.evaluate(spec, frame)
    alone = reportgen.evaluate({**spec, "gates": [], "slices": []}, frame[::2])
    gates = results.gates.select("observed", "low", "high", "state").to_dicts()

    assert [gate["state"] for gate in gates] == ["inconclusive", "inconclusive"]
    assert all(gate["observed"] < 0.95 < gate["high"] for gate in gates)
    north = alone.metrics.filter(metric="mean_absolute_error").row(0, named=True)
    assert (gates[0]["low"], gates[0]["high"]) == pytest.approx((north["low"], north["high"]))


@pytest.mark.parametrize("reason", [OFF, COUNTED, UNSTABLE])
def test_a_number_whose_limits_data_or_settings_take_away_passes_no_gate(results, reason):
    """Else a switch would: a gate would pass that the limits of resampled rows leave open."""
    why = pl.when(pl.col("metric") == "recall", pl.col("low").is_null()).then(pl.lit(reason))
    metrics = results.metrics.with_columns(no_interval=why.otherwise("no_interval"))
    gates = ["forest.recall >= 0.92", "forest.recall - logistic.recall > -0.01", "forest.auc > 0.9"]
    judged = judge([*gates, "forest.recall >= 0.99"], replace(results, metrics=metrics))

    assert judged["state"].to_list() == ["inconclusive"] * 2 + ["pass", "fail"]
    assert judged["why"][0] == f"the number has no interval: {reason}"
