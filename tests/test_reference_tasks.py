"""Every value of the multiclass and regression cases that belongs to what is built."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

from reportgen.measuring.one_vs_rest import WHOLE, one_vs_rest_sweeps
from reportgen.metrics import METRICS, REGISTRY, regression
from reportgen.multiclass import class_counts, matrix, one_vs_rest_areas, pairwise_areas
from reportgen.multilabel import ranking
from reportgen.results import evaluate
from reportgen.spec import from_dict
from reportgen.sweeping import bins, sweep
from tests.breadth import breadth
from tests.cases import METRIC_NAMES, agrees, all_cases, rows

REGRESSION = {
    "mse": "mean_squared_error",
    "rmse": "root_mean_squared_error",
    "mae": "mean_absolute_error",
    "median_ae": "median_absolute_error",
    "max_error": "maximum_error",
    "mape": "mean_absolute_percentage_error",
    "smape": "symmetric_mean_absolute_percentage_error",
    "mpe": "mean_percentage_error",
    "msle": "mean_squared_log_error",
    "rmsle": "root_mean_squared_log_error",
    "pinball.0.1": "pinball_low",
    "pinball.0.5": "pinball_median",
    "pinball.0.9": "pinball_high",
    "tweedie_deviance.p1": "poisson_deviance",
    "tweedie_deviance.p1.5": "tweedie_deviance_1_5",
    "tweedie_deviance.p2": "gamma_deviance",
    "concordance_ccc": "concordance_correlation",
    "huber_loss.delta1": "huber_loss",
}
MULTICLASS = {
    "f1.macro_harmonic": "f1_of_macro",
    "cohen_kappa.linear": "linear_kappa",
    "cohen_kappa.quadratic": "quadratic_kappa",
    "brier_multiclass": "brier_score",
    "cost_error": "cost_sensitive_error_rate",
}
AREAS = {
    "auc.ovr_macro": ("auc", "macro"),
    "auc.ovr_weighted": ("auc", "weighted"),
    "auc.ovr_micro": ("auc", "micro"),
    "auc.ovo_macro": ("auc", "macro of pairs"),
    "auc.ovo_weighted": ("auc", "weighted of pairs"),
    "average_precision.macro": ("average_precision", "macro"),
    "average_precision.weighted": ("average_precision", "weighted"),
    "average_precision.micro": ("average_precision", "micro"),
}


def name_of(case: dict[str, Any]) -> str:
    return str(case["case"])


def named(kind: str, *ends: str) -> list[dict[str, Any]]:
    """Cases whose names end so: weighted and plain ones; what others hold, measures hold alone."""
    return [case for case in all_cases(kind) if case["case"].endswith(ends)]


def results_of(case: dict[str, Any], tmp_path, models: dict, **more: Any) -> dict[str, Any]:
    spec = case["spec"]
    rows(case).write_parquet(tmp_path / "case.parquet")
    if "sample_weight" in spec:
        more["columns"] = {"weight": spec["sample_weight"]}
    written = {"data": "case.parquet", "truth": spec["y_true"], "models": {"m": models}, **more}
    return json.loads(evaluate(from_dict(written, tmp_path)).to_json())


@breadth("case", all_cases("regression"), named("regression", "ridge_weighted", "q90"), ids=name_of)
def test_results_hold_the_errors_that_outside_programs_give(case, tmp_path):
    results = results_of(case, tmp_path, {"estimate": case["spec"]["y_pred"]})
    values = {row["metric"]: row["value"] for row in results["metrics"]}
    named = {name: REGRESSION.get(name, name) for name in case["expected"]}
    checked = {name: values[ours] for name, ours in named.items() if ours in values}
    assert len(checked) >= 12
    for name, value in checked.items():
        assert agrees(case, name, value), name


@pytest.mark.parametrize("case", all_cases("regression"), ids=name_of)
def test_losses_with_a_level_or_a_power_have_the_values_that_outside_programs_give(case):
    spec = case["spec"]
    weight = pl.col(spec["sample_weight"]) if "sample_weight" in spec else pl.lit(1.0)
    pairs = rows(case).select(truth=spec["y_true"], estimate=spec["y_pred"], weight=weight)
    expressions = {
        "tweedie_deviance.p0": regression.tweedie_deviance(0),
        "tweedie_deviance.p3": regression.tweedie_deviance(3),
        "d2_pinball.0.1": regression.d2_pinball(0.1),
        "d2_pinball.0.9": regression.d2_pinball(0.9),
    }
    losses = {name: e for name, e in expressions.items() if name in case["expected"]}
    assert losses
    for name, expression in losses.items():
        assert agrees(case, name, pairs.select(expression).item()), name


@breadth(
    "case", all_cases("multiclass"), named("multiclass", "weighted", "three_class"), ids=name_of
)
def test_results_hold_the_class_measures_that_outside_programs_give(case, tmp_path):
    spec = case["spec"]
    classes = [str(label) for label in spec["labels"]]
    results = results_of(
        case, tmp_path, {"label": spec["y_pred"]}, task="multiclass", classes=classes
    )
    values = {(r["metric"], r["class"], r["average"]): r["value"] for r in results["metrics"]}
    checked = 0
    for name in case["expected"]:
        key = _key(name)
        if key in values:
            assert agrees(case, name, values[key]), name
            checked += 1
    assert checked >= 25
    (table,) = results["curves"]["confusion"]
    cells = np.reshape(table["count"], (len(classes), len(classes)))
    assert agrees(case, "confusion", [list(row) for row in cells.tolist()])


def _key(name: str) -> tuple[str, str | None, str | None]:
    label = average = None
    if name in MULTICLASS:
        return MULTICLASS[name], None, None
    if name.endswith("]"):
        name, _, label = name.removesuffix("]").partition("[")
    for kind in ("macro", "weighted", "micro"):
        if name.endswith(f".{kind}"):
            name, average = name.removesuffix(f".{kind}"), kind
    return METRIC_NAMES.get(name, name), label, average


@breadth("case", all_cases("multiclass_prob"), named("multiclass_prob", "knn_prob"), ids=name_of)
def test_results_hold_the_score_measures_that_outside_programs_give(case, tmp_path):
    spec = case["spec"]
    scores = {str(k): c for k, c in zip(spec["labels"], spec["y_prob"], strict=True)}
    results = results_of(case, tmp_path, {"scores": scores})
    values = {(r["metric"], r["average"]): r["value"] for r in results["metrics"] if not r["class"]}
    checked = 0
    for name in case["expected"]:
        key = AREAS.get(name, (MULTICLASS.get(name, name), None))
        if key in values:
            assert agrees(case, name, values[key]), name
            checked += 1
    assert checked >= 8


@pytest.mark.parametrize("case", all_cases("multiclass_prob"), ids=name_of)
def test_calibration_of_the_highest_score_is_that_of_outside_programs(case):
    if "ece_top_label.width15" not in case["expected"]:
        return
    spec, frame = case["spec"], rows(case)
    best = pl.concat_list(spec["y_prob"])
    top = frame.select(score=best.list.max(), truth=best.list.arg_max() == pl.col(spec["y_true"]))
    bin_table = bins(sweep(top), 15)
    registry = REGISTRY["multiclass"]
    ece, mce = (
        bin_table.select(registry[name].build()).item()
        for name in ("expected_calibration_error", "maximum_calibration_error")
    )
    assert agrees(case, "ece_top_label.width15", ece)
    assert agrees(case, "mce_top_label.width15", mce)


@pytest.mark.parametrize("case", all_cases("multiclass_cost"), ids=name_of)
def test_results_hold_the_cost_that_outside_programs_give(case, tmp_path):
    spec = case["spec"]
    labels = [str(label) for label in spec["labels"]]
    table = dict(zip(labels, spec["cost_matrix_rows_true"], strict=True))
    costs = {t: dict(zip(labels, line, strict=True)) for t, line in table.items()}
    results = results_of(
        case,
        tmp_path,
        {"label": spec["y_pred"]},
        task="multiclass",
        classes=labels,
        costs=costs,
    )
    values = {row["metric"]: row["value"] for row in results["metrics"]}
    assert agrees(case, "cost_error", values["cost_sensitive_error_rate"])
    assert agrees(case, "total_cost", values["total_cost"])


def multilabel_frame(seed: int = 0, size: int = 300) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    truth = random.random((size, 4)) < [0.5, 0.2, 0.7, 0.05]
    score = np.clip(0.3 * truth + random.random((size, 4)).round(1) * 0.7, 0, 1)
    return truth, score


def test_rankings_of_labels_agree_with_scikit_learn():
    from sklearn.metrics import (
        coverage_error,
        label_ranking_average_precision_score,
        label_ranking_loss,
    )

    truth, score = multilabel_frame()
    means = ranking(truth, score)[:, :3].mean(axis=0)
    assert means[0] == pytest.approx(coverage_error(truth, score))
    assert means[1] == pytest.approx(label_ranking_average_precision_score(truth, score))
    assert means[2] == pytest.approx(label_ranking_loss(truth, score))


def test_measures_of_sets_of_labels_agree_with_scikit_learn(tmp_path):
    from sklearn import metrics as peer

    truth, score = multilabel_frame()
    labels = ["a", "b", "c", "d"]
    frame = pl.DataFrame(
        {f"is_{c}": truth[:, k] for k, c in enumerate(labels)}
        | {f"p_{c}": score[:, k] for k, c in enumerate(labels)}
    )
    frame.write_parquet(tmp_path / "case.parquet")
    spec = {
        "data": "case.parquet",
        "truth": {c: f"is_{c}" for c in labels},
        "models": {"m": {"scores": {c: f"p_{c}" for c in labels}}},
    }
    measures = evaluate(from_dict(spec, tmp_path)).metrics
    predicted = score >= 0.5
    some = (truth | predicted).any(axis=1)
    expected = {
        "subset_accuracy": peer.accuracy_score(truth, predicted),
        "hamming_loss": peer.hamming_loss(truth, predicted),
        "sample_jaccard": peer.jaccard_score(truth[some], predicted[some], average="samples"),
        "coverage_error": peer.coverage_error(truth, score),
    }
    for name, value in expected.items():
        assert measures.filter(metric=name)["value"][0] == pytest.approx(value), name
    for average in ("macro", "micro", "weighted"):
        value = peer.f1_score(truth, predicted, average=average)
        assert measures.filter(metric="f1", average=average)["value"][0] == pytest.approx(value)
    value = peer.roc_auc_score(truth, score, average="macro")
    assert measures.filter(metric="auc", average="macro")["value"][0] == pytest.approx(value)


def test_a_matrix_holds_classes_that_never_occur():
    frame = pl.DataFrame({"truth": [0, 0, 2], "call": [0, 1, 2]})
    cells = matrix(frame, 4, truth="truth", prediction=pl.col("call"))
    assert cells.height == 16
    counted = class_counts(cells, ["a", "b", "c", "d"])
    assert counted.select("tp", "fp", "fn", "tn").row(3) == (0, 0, 0, 3)


@pytest.mark.parametrize("task", ["multiclass", "regression", "multilabel"])
def test_a_metric_of_every_task_says_what_a_reviewer_asks_of_it(task):
    for metric in REGISTRY[task].values():
        assert metric.summary.endswith("."), metric.name
        assert metric.formula, metric.name
        assert metric.reference, metric.name
        assert metric.undefined, metric.name


def class_rows(size: int = 5000) -> pl.DataFrame:
    random = np.random.default_rng(7)
    truth = random.integers(0, 3, size)
    score = (random.random((size, 3)) + 0.4 * np.eye(3)[truth]).round(3)
    columns = {f"p{k}": score[:, k] for k in range(3)}
    return pl.DataFrame({"truth": truth, **columns, "weight": random.integers(0, 4, size) * 1.0})


@pytest.mark.parametrize("weight", [None, "weight"])
def test_sweeps_at_their_corners_have_the_areas_of_whole_ones(weight):
    from sklearn.metrics import average_precision_score, roc_auc_score

    frame, scores = class_rows(), ["p0", "p1", "p2"]
    true_class_scores = pl.Series([frame[f"p{t}"][i] for i, t in enumerate(frame["truth"])])
    one_vs_rest = one_vs_rest_sweeps(frame, scores, true_class_scores, weight)
    w = frame[weight].to_numpy() if weight else np.ones(frame.height)
    truth, score = np.eye(3)[frame["truth"].to_numpy()], frame.select(scores).to_numpy()
    pooled = one_vs_rest.pooled
    flat = (truth.ravel(), score.ravel())
    assert pooled["auc"] == pytest.approx(roc_auc_score(*flat, sample_weight=w.repeat(3)))
    expected = average_precision_score(*flat, sample_weight=w.repeat(3))
    assert pooled["average_precision"] == pytest.approx(expected)
    for k, steps in enumerate(one_vs_rest.sweeps):
        whole = sweep(frame.with_columns(y=pl.col("truth") == k), truth="y", score=scores[k])
        if weight is None:
            assert steps.height < whole.height or whole.height <= WHOLE
        value = steps.select(METRICS["auc"].build()).item()
        assert value == pytest.approx(roc_auc_score(truth[:, k], score[:, k], sample_weight=w))
    if weight is None:
        beaten = one_vs_rest.beaten
        areas = pairwise_areas(frame, scores, truth="truth", beaten=beaten).area.tolist()
        assert areas == pairwise_areas(frame, scores, truth="truth").area.tolist()
        one, other = (score[frame["truth"].to_numpy() == k, 0] for k in (0, 1))
        wins = (one[:, None] > other).sum() + (one[:, None] == other).sum() / 2
        assert beaten[0][1] == wins


def test_pairs_of_classes_are_compared_with_the_weights_of_their_rows():
    frame, scores = class_rows(300), ["p0", "p1", "p2"]
    repeated = frame.select(pl.exclude("weight").repeat_by("weight").explode(empty_as_null=True))
    areas = pairwise_areas(frame, scores, truth="truth", weight="weight")
    expected = pairwise_areas(repeated.drop_nulls(), scores, truth="truth")
    assert areas.area == pytest.approx(expected.area)


def test_areas_against_the_rest_are_those_of_scikit_learn():
    from sklearn.metrics import roc_auc_score

    frame, scores = class_rows(), ["p0", "p1", "p2"]
    truth, score = np.eye(3)[frame["truth"].to_numpy()], frame.select(scores).to_numpy()
    for dtype in (pl.Float64, pl.Float32):
        typed = frame.with_columns(pl.col(scores).cast(dtype))
        areas = one_vs_rest_areas(typed, scores, truth="truth")
        assert areas == pytest.approx(roc_auc_score(truth, score, average=None))
    only = frame.filter(truth=1)
    assert one_vs_rest_areas(only, scores, truth="truth") == [None, None, None]


@pytest.mark.parametrize("bad", [None, float("nan")])
def test_areas_of_scores_that_are_not_there_are_refused(bad):
    frame = pl.DataFrame({"truth": [0, 1], "a": [0.1, bad], "b": [0.9, 0.2]})
    with pytest.raises(ValueError, match="'a' holds NaN or a missing one"):
        one_vs_rest_areas(frame, ["a", "b"], truth="truth")
