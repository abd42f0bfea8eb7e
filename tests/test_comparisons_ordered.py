"""Diebold and Mariano's test of rows in order of time."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from reportgen.clusters import Groups
from reportgen.comparisons import (
    Comparison,
    Question,
    declared_costs_in_time,
    delong,
    delong_groups_long_run,
    delong_long_run,
    diebold_mariano,
    diebold_mariano_groups,
    diebold_mariano_several,
)
from reportgen.resources import EXAMPLES
from reportgen.results import evaluate
from reportgen.sections.ledger import ledger
from reportgen.sections.lookup import compared
from tests.quick import QUICK

FOLDER = Path(__file__).parent / "reference"
KNOWN = json.loads((FOLDER / "diebold_mariano.json").read_text(encoding="utf-8"))["tests"]
DEPENDENCE = json.loads((FOLDER / "dependence.json").read_text(encoding="utf-8"))
QUESTION = Question(("first", "second"), "mean_squared_error")


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    return pl.read_csv(EXAMPLES / "diabetes" / "predictions.csv")


def losses(rows: pl.DataFrame) -> pl.DataFrame:
    truth = pl.col("progression")
    return rows.select(first=(truth - pl.col("ridge")) ** 2, second=(truth - pl.col("forest")) ** 2)


def over_lags(rows: pl.DataFrame, horizon: int | None) -> Comparison:
    """The form over a fixed number of lags, which other programs have."""
    return diebold_mariano(rows, QUESTION, horizon=horizon)[1]


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: str(case["horizon"]))
def test_statistic_and_p_are_those_of_other_programs(rows, case):
    record = over_lags(losses(rows), case["horizon"])

    assert record.statistic == pytest.approx(case["statistic"], rel=1e-9)
    assert record.p_value == pytest.approx(case["p_value"], rel=1e-9)


def test_one_step_ahead_is_the_paired_t_test(rows):
    record = over_lags(losses(rows), 1)
    gaps = losses(rows).select(pl.col("first") - pl.col("second")).to_series()

    assert record.estimate == pytest.approx(gaps.mean())
    assert record.statistic == pytest.approx(gaps.mean() / (gaps.std() / len(gaps) ** 0.5))


@pytest.mark.parametrize(
    ("first", "second", "horizon", "reason"),
    [
        ([1.0, 2.0], [0.0, 1.0], None, "fewer than three"),
        ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], None, "are all 0"),
        ([1.0, 2.0, 3.0], [0.0, 1.0, 2.0], None, "do not vary"),
        ([1.0, 2.0, 0.0, 5.0], [0.0, 0.0, 0.0, 0.0], 4, "horizon"),
        ([1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], 2, "0 or less"),
    ],
)
def test_what_has_no_value_says_why(first, second, horizon, reason):
    frame = pl.DataFrame({"first": first, "second": second})
    record = over_lags(frame, horizon)

    assert record.p_value is None
    assert reason in record.undefined


@pytest.mark.parametrize("case", DEPENDENCE["in_time"], ids=lambda case: case["order"])
def test_areas_in_time_have_the_statistic_of_scikit_learn_and_statsmodels(case):
    """Placements of the one; autocorrelations, spectrum and cosine transforms of the other."""
    rows = pl.read_parquet(FOLDER / DEPENDENCE["data"]).sort("row")
    rows = rows.select(truth=pl.col("y_true") == 1, first="gnb_score", second="rf_score")
    if case["order"] != "row":
        gap = np.round((rows["first"] - rows["second"]).to_numpy(), 1)
        rows = rows[np.argsort(gap, kind="stable")]
    record = delong_long_run(rows.with_row_index("point"), Question(("gnb", "rf"), "auc"))

    assert record.estimate == pytest.approx(case["estimate"], rel=1e-10)
    assert record.statistic == pytest.approx(case["statistic"], rel=1e-8)
    assert record.df == case["df"]


@pytest.mark.parametrize(
    "case", DEPENDENCE["in_groups_and_time"], ids=lambda case: f"{case['order']}, {case['measure']}"
)
def test_groups_in_time_have_the_statistic_of_pyfixest_and_statsmodels(case):
    """Variances by group and by group and point of the one, cosine transforms of the other."""
    rows = pl.read_parquet(FOLDER / DEPENDENCE["data"]).sort("row").with_row_index("place")
    groups = Groups.of(rows["place"] % 13)
    models = Question(("gnb", "rf"), case["measure"])
    if case["order"] != "row":
        gap = (pl.col("gnb_score") - pl.col("rf_score")).round(1)
        rows = rows.with_columns(place=gap.rank("ordinal").cast(pl.Int64) - 1)
    point, truth = pl.col("place") // 2, pl.col("y_true") == 1
    if case["measure"] == "auc":
        of_scores = rows.select(point=point, truth=truth, first="gnb_score", second="rf_score")
        record = delong_groups_long_run(of_scores, groups, models)
    else:
        first, second = (pl.col(f"{m}_pred") == pl.col("y_true") for m in ("gnb", "rf"))
        losses = rows.select(point=point, first=first, second=second)
        record = diebold_mariano_groups(losses, groups, models)

    assert record.estimate == pytest.approx(case["estimate"], rel=1e-10)
    assert record.statistic == pytest.approx(case["statistic"], rel=1e-8)
    assert record.df is not None
    assert record.df <= min(case["transforms"], 12)


def in_order(case: dict[str, float | str]) -> pl.DataFrame:
    rows = pl.read_parquet(FOLDER / DEPENDENCE["data"]).sort("row")
    if case["order"] != "row":
        gap = np.round((rows["gnb_score"] - rows["rf_score"]).to_numpy(), 1)
        rows = rows[np.argsort(gap, kind="stable")]
    return rows.with_row_index("point")


@pytest.mark.parametrize("case", DEPENDENCE["models_in_time"], ids=lambda case: case["order"])
def test_several_models_in_time_have_the_statistic_of_scikit_learn_and_statsmodels(case):
    """Principal components of the one, transforms of the other; of models in any order."""
    truth, models = (pl.col("y_true") == 1).cast(pl.Float64), ("lr", "gnb", "rf")
    errors = {m: (truth - pl.col(f"{m}_score")).abs() for m in models}
    record = diebold_mariano_several(
        in_order(case).select(**errors), Question(models, "mean_absolute_error")
    )

    assert record.estimate == pytest.approx(case["squared"], rel=1e-8)
    assert record.statistic == pytest.approx(case["statistic"], rel=1e-8)
    assert record.p_value == pytest.approx(case["p_value"], rel=1e-8)
    assert (record.df, record.df_denominator) == (2, case["transforms"] - 1)


@pytest.mark.parametrize(
    "case", DEPENDENCE["costs_in_time"], ids=lambda case: f"{case['order']}, {case['grouped']}"
)
def test_costs_in_time_have_the_statistic_of_pyfixest_and_statsmodels(case):
    """Variances by group of the one, where rows have one; cosine transforms of the other."""
    cost = pl.when(pl.col("y_true") == 1).then(5.0).otherwise(1.0)
    first, second = (cost * (pl.col(f"{m}_pred") != pl.col("y_true")) for m in ("gnb", "rf"))
    losses = in_order(case).select("point", first=first, second=second, costliest=cost)
    groups = Groups.of(losses["point"] % 13) if case["grouped"] else None
    question = Question(("gnb", "rf"), "cost_sensitive_error_rate")
    record = declared_costs_in_time(losses, question, groups)

    assert record.estimate == pytest.approx(case["estimate"], rel=1e-10)
    assert record.statistic == pytest.approx(case["statistic"], rel=1e-8)
    assert record.df is not None
    if groups is None:
        assert record.df == case["transforms"]
    assert record.df <= case["transforms"]


def test_several_models_that_differ_by_constants_have_no_test():
    points = pl.DataFrame({"a": [0.1, 0.4, 0.3] * 40}).with_columns(
        b=pl.col("a") + 0.1, c=pl.col("a") + 0.2
    )
    record = diebold_mariano_several(points, Question(("a", "b", "c"), "mean_absolute_error"))

    assert record.undefined == "the differences of the losses do not vary"


def test_of_groups_in_time_the_tests_for_both_are_recommended_alone():
    random = np.random.default_rng(4)
    rows = scores(500, 2).with_columns(pl.col("first", "second") / 9 + 0.5)
    rows = rows.with_columns(clinic=pl.Series(random.integers(0, 40, rows.height)))
    models = {"a": {"score": "first"}, "b": {"score": "second"}}
    declared = {"data": "x", "truth": "truth", "models": models, **QUICK}
    columns = {"time": "point", "group": "clinic"}
    results = evaluate({**declared, "columns": columns}, rows)
    by_test = dict(results.comparisons.select("comparison", "recommendation").iter_rows())

    assert by_test["delong_groups_long_run"] == by_test["diebold_mariano_groups"] == "recommended"
    assert by_test["obuchowski"] == "avoid"
    assert not {"delong_long_run", "diebold_mariano"} & set(by_test)
    assert "mcnemar_groups" not in by_test  # time adds nothing, so that it has the same p


def test_in_order_of_time_several_models_have_a_recommended_test_and_costs_a_reason():
    random = np.random.default_rng(5)
    rows = scores(500, 2).with_columns(pl.col("first", "second") / 9 + 0.5)
    rows = rows.with_columns(third=pl.Series(random.random(rows.height)))
    models = {name: {"score": name} for name in ("first", "second", "third")}
    declared = {"data": "x", "truth": "truth", "models": models, **QUICK}
    costs = {"false_negative": 5, "false_positive": 1}
    results = evaluate({**declared, "costs": costs, "columns": {"time": "point"}}, rows)
    advised = results.comparisons.filter(recommendation="recommended")

    of_costs = results.comparisons.filter(comparison="declared_costs_in_time")
    assert of_costs["recommendation"].to_list() == ["valid"] * 3
    assert all("come in runs" in why for why in of_costs["why"])
    assert advised.filter(metric="cost_sensitive_error_rate").is_empty()
    of_all = advised.filter(pl.col("models").list.len() == 3)
    assert of_all["comparison"].to_list() == ["diebold_mariano_several"]
    table = ledger(results, compared(results))
    assert table is not None
    texts = [line.cells["difference"].text for line in table.rows if "several" in line.group]
    assert texts == ["–"]  # Hotelling's T² is no difference


def test_of_many_models_the_test_of_all_at_once_in_time_is_not_recommended():
    random = np.random.default_rng(6)
    names = [f"m{number}" for number in range(6)]
    rows = pl.DataFrame({"truth": random.random(300), "day": range(300)}).with_columns(
        **{name: pl.Series(random.random(300)) for name in names}
    )
    declared = {"data": "x", "truth": "truth", "models": {m: {"estimate": m} for m in names}}
    results = evaluate({**declared, "columns": {"time": "day"}, **QUICK}, rows)
    tests = results.comparisons.filter(comparison="diebold_mariano_several")

    assert tests.height == 2
    assert set(tests["recommendation"]) == {"valid"}
    assert all("more than 5 models" in why for why in tests["why"])


@pytest.mark.parametrize(
    ("groups", "points", "reason"),
    [(1, 60, "fewer than two groups"), (20, 2, "fewer than three time points"), (20, 60, "all 0")],
)
def test_groups_in_time_without_a_value_say_why(groups, points, reason):
    places = np.arange(120)
    second = places % 3 if "all 0" not in reason else places % 2
    losses = pl.DataFrame({"point": places % points, "first": places % 2, "second": second})
    record = diebold_mariano_groups(losses, Groups.of(pl.Series(places % groups)), QUESTION)

    assert record.p_value is None
    assert reason in record.undefined


def test_what_groups_and_points_of_time_share_is_counted_once():
    """Of groups that are time points, and of rows that are each a group: as in time alone."""
    rows, question = scores(400, 3).sort("point"), Question(("a", "b"), "auc")
    in_time = delong_long_run(rows, question)
    for code in (rows["point"], pl.Series(range(rows.height))):
        record = delong_groups_long_run(rows, Groups.of(code), question)
        assert record.estimate == pytest.approx(in_time.estimate)
        assert abs(record.statistic) <= abs(in_time.statistic) * (1 + 1e-9)
        assert record.statistic == pytest.approx(in_time.statistic, rel=0.1)


def spec(**more: object) -> dict[str, object]:
    return {
        "data": "unused.csv",
        "truth": "progression",
        "models": {"ridge": {"estimate": "ridge"}, "forest": {"estimate": "forest"}},
        **more,
    }


def test_a_column_of_time_makes_it_the_recommended_test(rows):
    timed = rows.with_columns(day=pl.int_range(pl.len())).sample(fraction=1, shuffle=True, seed=3)
    results = evaluate(spec(columns={"time": "day"}, comparisons={"horizon": 3}), timed)
    squared = results.comparisons.filter(metric="mean_squared_error")
    by_test = {row["comparison"]: row for row in squared.to_dicts()}
    case = next(k for k in KNOWN if k["horizon"] == 3)

    assert by_test["diebold_mariano"]["recommendation"] == "recommended"
    assert by_test["diebold_mariano_lags"]["p_value"] == pytest.approx(case["p_value"], rel=1e-9)
    assert by_test["diebold_mariano_lags"]["recommendation"] == "valid"
    assert by_test["paired_t"]["recommendation"] == "avoid"
    assert "in time order" in by_test["paired_t"]["why"]


def test_the_sizes_of_errors_are_compared_in_order_of_time_too(rows):
    timed = rows.with_columns(day=pl.int_range(pl.len()))
    results = evaluate(spec(columns={"time": "day"}), timed)
    absolute = results.comparisons.filter(metric="mean_absolute_error")
    (test,) = absolute.filter(comparison="diebold_mariano").to_dicts()
    mean = dict(
        results.metrics.filter(metric="mean_absolute_error").select("model", "value").iter_rows()
    )

    assert test["recommendation"] == "recommended"
    assert test["estimate"] == pytest.approx(mean[test["models"][0]] - mean[test["models"][1]])


def scores(points: int, each: int = 1) -> pl.DataFrame:
    """Rows in random order, ``each`` of them at every time point."""
    random = np.random.default_rng(1)
    truth = random.random(points * each) < 0.4
    frame = pl.DataFrame({"point": np.repeat(np.arange(points), each), "truth": truth})
    return frame.with_columns(
        first=pl.Series(truth + random.standard_normal(len(truth))),
        second=pl.Series(0.5 * truth + random.standard_normal(len(truth))),
    ).sample(fraction=1, shuffle=True, seed=2)


def test_areas_in_order_of_time_have_what_each_row_adds_as_their_series():
    """The variance at lag 0 is DeLong's, but for a row less in each class."""
    rows, question = scores(400), Question(("a", "b"), "auc")
    test, plain = (
        delong_long_run(rows, question),
        delong(rows, question, scores=("first", "second")),
    )
    assert test.estimate == pytest.approx(plain.estimate)
    error = {record: record.estimate / record.statistic for record in (test, plain)}
    assert error[test] == pytest.approx(error[plain], rel=0.25)
    assert test.low < test.estimate < test.high


def test_rows_of_one_point_of_time_count_as_one():
    """Each row three times, at its own point: the same as once, whatever the order of rows."""
    question = Question(("a", "b"), "auc")
    once, thrice = scores(200), pl.concat([scores(200)] * 3)
    p = [delong_long_run(rows, question).p_value for rows in (once, thrice)]
    assert p[1] == pytest.approx(p[0], rel=1e-9)


def test_areas_are_compared_in_order_of_time_and_independent_rows_are_not():
    rows = scores(500).with_columns(pl.col("first", "second") / 9 + 0.5)
    models = {"a": {"score": "first"}, "b": {"score": "second"}}
    spec = {"data": "x", "truth": "truth", "models": models, "columns": {"time": "point"}}
    gates = ["a.auc - b.auc > 0"]
    results = evaluate({**spec, **QUICK, "gates": gates}, rows)
    by_test = {r["comparison"]: r for r in results.comparisons.filter(metric="auc").to_dicts()}
    test = by_test["delong_long_run"]
    assert (test["recommendation"], by_test["delong"]["recommendation"]) == ("recommended", "avoid")
    gate = results.gates.row(0, named=True)
    assert (gate["low"], gate["state"] == "pass") == (test["low"], test["low"] > 0)


def test_dates_are_in_order_whatever_the_order_of_the_rows(rows):
    days = pl.date_range(
        pl.date(2024, 1, 1), pl.date(2024, 1, 1) + pl.duration(days=441), eager=True
    )
    timed = rows.with_columns(day=days)
    declared = spec(columns={"time": "day"})
    forms = pl.col("comparison").str.starts_with("diebold_mariano")
    there = evaluate(declared, timed).comparisons.filter(forms)
    back = evaluate(declared, timed.reverse()).comparisons.filter(forms)
    case = next(k for k in KNOWN if k["horizon"] is None)

    assert there["p_value"][1] == pytest.approx(case["p_value"], rel=1e-9)
    assert back["p_value"].to_list() == pytest.approx(there["p_value"].to_list(), rel=1e-9)


def test_decisions_of_two_classes_are_compared_over_time_in_accuracy():
    random = np.random.default_rng(2)
    truth = random.random(300) < 0.5
    frame = pl.DataFrame(
        {
            "truth": truth,
            "p": np.clip(truth * 0.4 + random.random(300) * 0.6, 0, 1),
            "q": random.random(300),
            "week": np.arange(300) // 5,
        }
    )
    models = {"good": {"score": "p"}, "chance": {"score": "q"}}
    declared = {"data": "unused", "truth": "truth", "models": models, "columns": {"time": "week"}}
    comparisons = evaluate({**declared, "baseline": "chance"}, frame).comparisons
    row = comparisons.filter(comparison="diebold_mariano").row(0, named=True)

    assert 4 <= row["df"] <= 60 ** (2 / 3)
    assert row["better"] == "good"
    assert row["estimate"] > 0
    assert comparisons.filter(comparison="mcnemar")["recommendation"].item() == "avoid"
