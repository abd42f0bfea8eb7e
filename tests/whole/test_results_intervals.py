"""The interval methods that a spec can choose: each is used, named, and has its own limits."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import intervals
from reportgen.metric_names import OF_UNIT_COSTS
from reportgen.results import evaluate
from reportgen.results.definitions.registered import interval_info
from tests.breadth import breadth
from tests.results_data import evaluated, metric, predictions

DEFAULT = {
    "auc": "delong score",
    "average_precision": "logit",
    **dict.fromkeys(("f1", "cohen_kappa", "positive_likelihood_ratio"), "square-and-add"),
}

FEW = {"bootstrap": {"replicates": 200}}


@pytest.fixture(scope="module")
def usual_results(tmp_path_factory):
    return evaluated(predictions(), tmp_path_factory.mktemp("usual"), **FEW)


@breadth(
    "name",
    sorted(intervals.PROPORTIONS.keys() - {"jeffreys_modified"}),
    ["clopper_pearson", "wilson"],
)
def test_the_interval_of_a_share_is_the_one_that_the_spec_names(tmp_path, name):
    quick = {"bootstrap": {"replicates": 0}, "intervals": {"proportions": name, "ratios": "delta"}}
    built = evaluated(predictions(), tmp_path, **quick)
    cells = {c: metric(built, c)["value"] for c in ("tp", "fp", "fn", "tn")}
    for share, whole in (("recall", ("tp", "fn")), ("accuracy", tuple(cells))):
        row, n = metric(built, share), sum(cells[c] for c in whole)
        expected = intervals.PROPORTIONS[name](row["value"] * n, n, 0.95)
        assert (row["low"], row["high"]) == pytest.approx(expected, abs=1e-12)
        assert row["interval"] == name
    assert interval_info(name)


@breadth(
    ("measure", "choice", "method"),
    [
        ("auc", {"auc": "delong_logit"}, "delong logit"),
        ("auc", {"auc": "hanley_mcneil"}, "hanley-mcneil"),
        ("auc", {"auc": "delong"}, "delong"),
        ("auc", {"auc": "newcombe"}, "newcombe area"),
        ("auc", {"auc": "bootstrap"}, "bootstrap BCa"),
        ("average_precision", {"average_precision": "bootstrap"}, "bootstrap BCa"),
        (
            "average_precision",
            {"average_precision": "bootstrap", "bootstrap": "percentile"},
            "bootstrap percentile",
        ),
        (
            "average_precision",
            {"average_precision": "bootstrap", "bootstrap": "basic"},
            "bootstrap basic",
        ),
        ("f1", {"ratios": "bootstrap"}, "bootstrap BCa"),
        ("f1", {"ratios": "delta"}, "delta"),
        ("cohen_kappa", {"ratios": "delta"}, "fleiss-cohen-everitt"),
        ("positive_likelihood_ratio", {"ratios": "delta"}, "log"),
    ],
    2,
)
def test_the_interval_of_an_area_or_ratio_is_the_one_that_the_spec_names(
    tmp_path, usual_results, measure, choice, method
):
    usual = metric(usual_results, measure)
    row = metric(evaluated(predictions(), tmp_path, intervals=choice, **FEW), measure)
    assert usual["interval"] == DEFAULT[measure]
    assert row["interval"] == method
    assert row["value"] == usual["value"]
    assert row["low"] != usual["low"]
    assert row["low"] < row["value"] < row["high"]
    assert interval_info(method)


@breadth("engine", ["exact", "streaming"], 1)
@pytest.mark.parametrize("model", [{"score": "a"}, {"label": "says"}], ids=["scores", "labels"])
def test_an_interval_by_resampling_is_under_the_costs_of_the_spec(tmp_path, engine, model):
    """Beside the delta method, which knows the costs: a wrong price would move it far away."""
    given = {
        "models": {"a": model},
        "costs": {"false_negative": 9, "false_positive": 1},
        "bootstrap": {"replicates": 400},
    }
    of_rows = {"ratios": "bootstrap", "bootstrap": "percentile"}
    name = "cost_sensitive_error_rate"
    delta = metric(evaluated(predictions(), tmp_path, engine=engine, **given), name)
    built = evaluated(predictions(), tmp_path, engine=engine, intervals=of_rows, **given)
    row = metric(built, name)
    assert row["interval"] == "bootstrap percentile"
    assert row["value"] == delta["value"]
    for end in ("low", "high"):
        width = delta["high"] - delta["low"]
        assert row[end] == pytest.approx(delta[end], abs=width / 4)


@pytest.mark.parametrize("columns", [{"id": "id"}, {"id": "id", "group": "group"}], ids=len)
def test_measures_under_costs_of_each_row_are_not_resampled_from_counts(tmp_path, columns):
    frame = predictions().with_columns(
        amount=pl.int_range(1, 201).cast(pl.Float64), group=pl.int_range(0, 200) // 2
    )
    built = evaluated(
        frame,
        tmp_path,
        columns=columns,
        costs={"false_negative": {"column": "amount"}, "false_positive": 3},
        intervals={"ratios": "bootstrap"},
        bootstrap={"replicates": 50},
        measures=["total_cost", "savings", "normalised_cost"],
    )
    costs = ("cost_sensitive_error_rate", "normalised_cost", "total_cost", "savings")
    assert not [metric(built, c) for c in costs if "bootstrap" in str(metric(built, c)["interval"])]
    assert metric(built, "f1")["interval"].startswith("bootstrap")


@breadth("name", sorted(intervals.PAIRED), ["newcombe_paired", "tango"])
def test_the_interval_of_a_difference_is_the_one_that_the_spec_names(tmp_path, name):
    quick = {"bootstrap": {"replicates": 0}, "intervals": {"differences": name, "ratios": "delta"}}
    built = evaluated(predictions(), tmp_path, **quick)
    row = built.comparisons.filter(comparison="mcnemar_midp").row(0, named=True)
    assert row["interval"] == name
    assert row["low"] < row["estimate"] < row["high"]
    assert interval_info(name)


def test_a_share_of_several_classes_has_the_chosen_interval_too(tmp_path):
    frame = predictions().select("id", truth="y", said="says")
    frame.write_parquet(tmp_path / "frame.parquet")
    quick = {"bootstrap": {"replicates": 0}, "intervals": {"proportions": "jeffreys"}}
    models = {"models": {"a": {"label": "said"}}, "truth": "truth", "task": "multiclass"}
    built = evaluated(frame, tmp_path, positive=None, **models, **quick)
    recalls = built.metrics.filter(metric="recall").drop_nulls("class")
    assert recalls["interval"].unique().to_list() == ["jeffreys"]
    assert metric(built, "accuracy")["interval"] == "jeffreys"


def test_costs_of_one_each_have_the_interval_of_the_error_rate():
    """They are the error rate, also as a difference; declared costs have their own."""
    truth = np.arange(60) % 3 == 0
    noise = np.random.default_rng(8).uniform(size=60)
    frame = pl.DataFrame({"y": truth, "a": 0.5 * noise + 0.4 * truth, "b": noise})
    spec = {"truth": "y", "models": {"a": {"score": "a"}, "b": {"score": "b"}}}

    results = evaluate(spec, frame)
    for table in (results.metrics, results.differences):
        rows = table.filter(pl.col("metric").is_in(["error_rate", *OF_UNIT_COSTS])).select(
            pl.col("value").round(12), "low", "high", "interval"
        )
        assert rows.drop_nulls().height == rows.height
        assert rows.unique().height == rows.height / 3

    declared = evaluate({**spec, "costs": {"false_negative": 1, "false_positive": 1}}, frame)
    assert (
        declared.metrics.filter(metric="cost_sensitive_error_rate")["interval"].to_list()
        == ["square-and-add"] * 2
    )


@pytest.mark.parametrize("columns", [{}, {"weight": "w"}, {"group": "g"}])
def test_the_auc_of_equal_scores_is_one_half_in_every_sample_and_has_no_interval(columns):
    random = np.random.default_rng(3)
    scores = {"constant": np.full(60, 0.4), "other": random.random(60)}
    rows = {"y": np.arange(60) % 3 == 0, "w": random.random(60), "g": np.arange(60) // 3}
    spec = {"truth": "y", "models": {m: {"score": m} for m in scores}, "columns": columns}
    results = evaluate(
        {**spec, "data": "frame", "bootstrap": {"replicates": 0}}, pl.DataFrame(rows | scores)
    )
    areas = {r["model"]: r for r in results.metrics.filter(metric="auc").to_dicts()}

    assert (areas["constant"]["value"], areas["constant"]["low"]) == (0.5, None)
    assert areas["other"]["low"] is not None
