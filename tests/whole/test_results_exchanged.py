"""Pairs of models in the measures that a spec names, by permutation and bootstrap."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.charts import figures
from reportgen.render import summary
from reportgen.results import Results
from reportgen.sections import sections
from tests.breadth import breadth
from tests.quick import BY_DELTA

CLASSES = ("x", "y", "z")


@cache
def frame() -> pl.DataFrame:
    """Two models of everything; b is the worse one, n knows nothing."""
    random = np.random.default_rng(3)
    n = 240
    classes, number = random.integers(0, 3, n), random.normal(size=n)
    labels = random.random((n, 3)) < 0.4
    columns: dict[str, Any] = {
        "id": np.arange(n),
        "patient": np.arange(n) // 4,
        "w": random.integers(1, 4, n).astype(float),
        "class": np.array(CLASSES)[classes],
        "number": number,
        "sick": (classes == 0).astype(int),
        **{f"is_{c}": labels[:, k].astype(int) for k, c in enumerate(CLASSES)},
    }
    for name, noise in (("a", 1.0), ("b", 2.0), ("c", 2.0)):
        scores = random.normal(size=(n, 3)) * noise
        scores[np.arange(n), classes] += 2.0
        shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        given = 1 / (1 + np.exp(-(3 * labels - 1.5 + noise * random.normal(size=(n, 3)))))
        for k, c in enumerate(CLASSES):
            columns[f"{name}_{c}"] = shares[:, k]
            columns[f"{name}_is_{c}"] = given[:, k]
        columns[f"{name}_number"] = number + noise * random.normal(size=n)
    return pl.DataFrame(columns)


def spec(task: str, models: str = "ab", **more: Any) -> dict[str, Any]:
    outputs: dict[str, Any] = {
        "binary": {m: {"score": f"{m}_x"} for m in models},
        "multiclass": {m: {"scores": {c: f"{m}_{c}" for c in CLASSES}} for m in models},
        "multilabel": {m: {"scores": {c: f"{m}_is_{c}" for c in CLASSES}} for m in models},
        "regression": {m: {"estimate": f"{m}_number"} for m in models},
    }
    truths = {
        "binary": "sick",
        "multiclass": "class",
        "multilabel": {c: f"is_{c}" for c in CLASSES},
        "regression": "number",
    }
    return {
        "data": "frame",
        "truth": truths[task],
        "models": outputs[task],
        "bootstrap": {"replicates": 199},
        **BY_DELTA,
        **more,
    }


def records(results: Results, metric: str) -> dict[str, dict[str, Any]]:
    rows = results.comparisons.filter(pl.col("metric") == metric)
    return {row["comparison"]: row for row in rows.to_dicts()}


def results_of(task: str, *measures: str, data: pl.DataFrame | None = None, **more: Any) -> Results:
    given = spec(task, comparisons={"measures": list(measures)}, **more)
    return reportgen.evaluate(given, frame() if data is None else data)


@breadth(
    ("task", "measure", "metric", "average"),
    [
        ("binary", "f1", "f1", None),
        ("binary", "average_precision", "average_precision", None),
        ("multiclass", "f1", "macro_f1", "macro"),
        ("binary", "brier_score", "brier_score", None),
        ("multiclass", "quadratic_kappa", "quadratic_kappa", None),
        ("multiclass", "log_loss", "log_loss", None),
        ("multilabel", "f1", "macro_f1", "macro"),
        ("multilabel", "hamming_loss", "hamming_loss", None),
        ("regression", "r2", "r2", None),
        ("regression", "spearman_rho", "spearman_rho", None),
    ],
    3,
)
def test_every_task_compares_pairs_in_its_own_measures(task, measure, metric, average):
    results = results_of(task, measure)
    by_test = records(results, metric)
    exchanged, resampled = by_test["paired_permutation"], by_test["paired_bootstrap"]
    values = dict(
        results.metrics.filter(
            pl.col("metric") == measure, pl.col("average").eq_missing(pl.lit(average))
        )
        .filter(pl.col("class").is_null())
        .select("model", "value")
        .iter_rows()
    )
    assert exchanged["recommendation"] == "recommended"
    assert exchanged["estimate"] == pytest.approx(values["a"] - values["b"], abs=1e-3)
    assert resampled["low"] < resampled["estimate"] < resampled["high"]
    assert exchanged["interval"] == "permutation"
    assert exchanged["low"] < exchanged["estimate"] < exchanged["high"] < 0 or (
        0 < exchanged["low"] < exchanged["estimate"] < exchanged["high"]
    )
    assert exchanged["better"] == resampled["better"] == "a"
    assert exchanged["p_value"] == exchanged["reachable"] <= 1 / 200


NUMBERS = ("p_value", "estimate", "low", "high")
METRIC = {"binary": "f1", "multiclass": "macro_f1", "multilabel": "macro_f1", "regression": "r2"}


@breadth(
    ("task", "measure"), [(task, name.removeprefix("macro_")) for task, name in METRIC.items()], 1
)
def test_the_order_of_the_rows_leaves_no_trace(task, measure):
    shuffled = frame().sample(fraction=1.0, shuffle=True, seed=4)
    for one, other in zip(
        *(
            records(results_of(task, measure, data=d), METRIC[task]).values()
            for d in (frame(), shuffled)
        ),
        strict=True,
    ):
        assert {k: one[k] for k in NUMBERS} == {k: pytest.approx(other[k]) for k in NUMBERS}


@pytest.mark.slow
def test_a_mean_exchanged_row_by_row_is_the_sign_flip_of_its_differences():
    """All signs of 12 differences are counted out; a permutation draws from them."""
    data = frame().head(12)
    by_test = records(
        results_of("regression", "mean_squared_error", data=data, bootstrap={"replicates": 9999}),
        "mean_squared_error",
    )
    error = {m: (data["number"] - data[f"{m}_number"]) ** 2 for m in "ab"}
    pairs = pl.DataFrame({"first": error["b"], "second": error["a"]})
    exact = reportgen.comparisons.sign_flip(
        pairs, reportgen.comparisons.Question(("b", "a"), "mean_squared_error")
    )
    assert by_test["paired_permutation"]["p_value"] == pytest.approx(exact.p_value, abs=0.015)


def test_whole_curves_are_compared_where_roc_is_named():
    record = records(results_of("binary", "roc"), "ROC curve")["venkatraman"]
    assert record["reject"]
    assert record["better"] is None  # it does not say which
    assert record["verdict"].startswith("a and b differ in ROC curve (Venkatraman's test")


def test_models_that_say_the_same_are_not_told_apart():
    same = frame().with_columns(b_x=pl.col("a_x"))
    record = records(results_of("binary", "f1", data=same), "f1")["paired_permutation"]
    assert record["undefined"] == "both models give identical predictions"
    numbers = frame().with_columns(b_number=pl.col("a_number"))
    record = records(results_of("regression", "r2", data=numbers), "r2")["paired_permutation"]
    assert record["undefined"] == "both models give identical predictions"


@breadth(
    ("task", "measure"),
    [
        ("binary", "f1"),
        ("binary", "average_precision"),
        ("multiclass", "mcc"),
        ("multilabel", "macro_f1"),
        ("regression", "r2"),
    ],
    1,
)
def test_whole_groups_are_exchanged_and_drawn(task, measure):
    """Copies of a row that are a group say no more than the row: p is that of the rows alone."""
    data = frame().with_columns(patient=pl.int_range(pl.len()))
    copies = pl.concat([data] * 6)
    alone, grouped, apart = (
        records(results_of(task, measure, data=rows, columns=columns), measure)
        for rows, columns in ((data, {}), (copies, {"group": "patient"}), (copies, {}))
    )

    for test in ("paired_permutation", "paired_bootstrap"):
        assert [*grouped[test]["caveats"]] == []
        assert grouped[test]["estimate"] == pytest.approx(alone[test]["estimate"], abs=1e-9)
    widths = [
        design["paired_bootstrap"]["high"] - design["paired_bootstrap"]["low"]
        for design in (alone, grouped, apart)
    ]
    assert widths[1] == pytest.approx(widths[0], rel=0.3)  # few replicates
    assert widths[2] < 0.6 * widths[0]
    assert "groups of" in grouped["paired_permutation"]["assumptions"][0]
    # Six copies apart would tell the models apart far more easily.
    assert grouped["paired_permutation"]["p_value"] >= apart["paired_permutation"]["p_value"]


@breadth("task", ["binary", "multiclass", "regression"], 1)
def test_weighted_rows_are_not_exchanged(task):
    measure = "r2" if task == "regression" else "mcc"
    by_test = records(results_of(task, measure, columns={"weight": "w"}), measure)
    assert by_test["paired_permutation"]["undefined"].startswith("rows are weighted")


def test_a_measure_of_scores_needs_scores_of_both_models():
    given = spec("binary", comparisons={"measures": ["brier_score"]})
    given["models"] = {"a": {"score": "a_x"}, "said": {"label": "is_x"}}
    by_test = records(reportgen.evaluate(given, frame()), "brier_score")
    assert by_test["paired_bootstrap"]["undefined"] == "a model gives labels, not scores"


def test_each_measure_of_three_models_is_corrected_over_its_pairs():
    given = spec("multiclass", "abc", comparisons={"measures": ["mcc"]})
    results = reportgen.evaluate(given, frame())
    tests = results.comparisons.filter(
        pl.col("comparison") == "paired_permutation", pl.col("metric") == "mcc"
    )
    assert tests["models"].to_list() == [["a", "c"], ["a", "b"], ["c", "b"]]
    assert (tests["correction"] == "holm").all()


@pytest.mark.parametrize("more", [{}, {"columns": {"group": "g"}}], ids=["rows", "groups"])
def test_permutations_leave_no_limit_nearer_than_the_closed_form(more):
    random = np.random.default_rng(0)
    truth = np.arange(300) < 24
    better, worse = (random.random(300) < right for right in (0.97, 0.88))
    table = {"truth": truth, "g": np.arange(300) // 2, "a": truth == better, "b": truth == worse}
    models = {m: {"label": m} for m in "ab"}
    for measures in ([], ["balanced_accuracy", "mcc"]):
        chosen = {"models": models, "truth": "truth", "comparisons": {"measures": measures}}
        gates = [f"a.{m} - b.{m} > 0" for m in ("balanced_accuracy", "mcc")]
        results = reportgen.evaluate({**chosen, "gates": gates, **more}, pl.DataFrame(table))
        limits = {g["gate"]: (g["low"], g["high"]) for g in results.gates.to_dicts()}
        if not measures:
            closed = limits
    (test,) = results.comparisons.filter(comparison="paired_permutation", metric="mcc").to_dicts()

    assert test["interval"] == "permutation, delta"
    assert 0 < test["low"] <= closed["a.mcc - b.mcc > 0"][0]
    for gate, (low, high) in closed.items():
        assert limits[gate][0] <= low < high <= limits[gate][1]


def test_without_replicates_there_are_only_tests_in_closed_form():
    results = results_of("binary", "f1", bootstrap={"replicates": 0})
    assert records(results, "f1").keys() == {"delta_method"}


def test_a_report_shows_claims_and_further_measures_beside_the_usual_tests():
    requested = {"measures": ["f1", "roc"], "claims": ["a.error_rate <= 0.1", "a.auc >= 0.9"]}
    results = reportgen.evaluate(spec("binary", "abc", comparisons=requested), frame())
    section = next(s for s in sections(results, figures(results)) if s.id == "comparisons")
    groups = {row.group for row in section.ledger.rows}
    assert {"F1: Paired permutation", "ROC curve: Venkatraman"} <= groups
    claims = [row.cells["claim"] for row in section.claims.rows]
    assert claims == ["a: the AUC is at least 0.9", "a: the error rate is at most 0.1"]
    assert "Critical rate" in summary(results)
