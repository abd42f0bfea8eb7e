"""Properties of every measure of several classes, several labels and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from reportgen import multiclass
from reportgen.measuring.metric_set import BATCH, MetricSet
from reportgen.measuring.multilabel_model import MultilabelModel
from reportgen.metrics import METRICS, REGISTRY, Metric
from reportgen.metrics.class_means import macro, weighted
from reportgen.multiclass import class_counts, least_cost_classes, matrix, score_rows
from reportgen.predictions import ModelColumns
from reportgen.small_queries import selected, values_once
from reportgen.sweeping import bins, sweep, with_squares

SIZE = 4
COSTS = [[abs(i - j) * (1.0 + i) for j in range(SIZE)] for i in range(SIZE)]
NAMES = [f"score:{k}" for k in range(SIZE)]
BY_PLACE = {
    *("linear_kappa", "quadratic_kappa", "accuracy_within_one", "mean_class_error"),
    *("class_bias", "cost_sensitive_error_rate", "total_cost"),
}
BY_PLACE |= {"least_cost_error_rate"}
"""Measures for which it matters which class is which."""

Rows = dict[str, np.ndarray]


def classes(size: int, seed: int = 0) -> Rows:
    random = np.random.default_rng(seed)
    truth = random.integers(0, SIZE, size)
    score = (random.random((size, SIZE)) + 0.6 * np.eye(SIZE)[truth]).round(2)
    return {"truth": truth, "score": score / score.sum(axis=1, keepdims=True)}


def labels(size: int, seed: int = 0) -> Rows:
    random = np.random.default_rng(seed)
    truth = random.random((size, SIZE)) < 0.4
    return {"truth": truth, "score": (0.3 * truth + 0.7 * random.random((size, SIZE))).round(1)}


def numbers(size: int, seed: int = 0) -> Rows:
    random = np.random.default_rng(seed)
    truth = random.gamma(2.0, 3.0, size).round(1) + 0.1
    estimate = (truth * random.uniform(0.5, 1.6, size)).round(1) + 0.1
    return {"truth": truth, "estimate": estimate, "low": estimate - 1, "high": estimate + 2}


def class_frames(rows: Rows, weight: np.ndarray | None = None) -> dict[str, pl.DataFrame]:
    frame = pl.DataFrame(dict(zip(NAMES, rows["score"].T, strict=True))).with_columns(
        truth=pl.Series(rows["truth"], dtype=pl.UInt16)
    )
    name = None
    if weight is not None:
        frame, name = frame.with_columns(weight=pl.Series(weight, dtype=pl.Float64)), "weight"
    scored = score_rows(frame, NAMES, truth="truth", weight=name)
    frames = {
        call: matrix(frame, SIZE, truth="truth", prediction=expression, weight=name)
        for call, expression in {
            "matrix": pl.concat_list(NAMES).list.arg_max(),
            "least": least_cost_classes(NAMES, COSTS),
        }.items()
    }
    top = sweep(scored, truth="correct", score="highest", weight="weight")
    counted = class_counts(frames["matrix"], [str(k) for k in range(SIZE)])
    return {**frames, "rows": scored, "bins": bins(top), "classes": counted}


def test_scores_meet_the_truth_alike_where_rows_are_taken_in_parts(monkeypatch):
    rows, weight = classes(30), np.random.default_rng(1).gamma(2, size=30)
    whole = class_frames(rows, weight)["rows"]

    monkeypatch.setattr(multiclass, "_AT_ONCE", 7 * SIZE)

    assert class_frames(rows, weight)["rows"].equals(whole)


def label_frames(rows: Rows, weight: np.ndarray | None = None) -> dict[str, pl.DataFrame]:
    truth = {f"truth:{k}": rows["truth"][:, k] for k in range(SIZE)}
    frame = pl.DataFrame(truth | dict(zip(NAMES, rows["score"].T, strict=True)))
    name = None
    if weight is not None:
        frame, name = frame.with_columns(weight=pl.Series(weight, dtype=pl.Float64)), "weight"
    columns = ModelColumns("m", scores=tuple(NAMES))
    return {"rows": MultilabelModel(columns, frame, NAMES, weight=name).sets}


def number_frames(rows: Rows, weight: np.ndarray | None = None) -> dict[str, pl.DataFrame]:
    w = np.ones(len(rows["truth"])) if weight is None else weight
    return {"pairs": pl.DataFrame({**rows, "weight": w.astype(float)})}


TASKS: dict[str, tuple[Any, Any]] = {
    "multiclass": (classes, class_frames),
    "multilabel": (labels, label_frames),
    "regression": (numbers, number_frames),
}


def value(metric: Metric, frames: dict[str, pl.DataFrame]) -> float | None:
    return frames[metric.on].select(metric.expression(costs=COSTS)).item()


def taken(rows: Rows, at: np.ndarray | slice) -> Rows:
    return {name: column[at] for name, column in rows.items()}


@pytest.fixture(scope="module")
def frames_by_task() -> dict[tuple[str, str], dict[str, pl.DataFrame]]:
    """Frames of like rows, by task and what was done to them."""
    random = np.random.default_rng(1)
    weight = random.integers(0, 4, 60)
    frames = {}
    for task, (rows_of, frames_of) in TASKS.items():
        rows = rows_of(60)
        frames[task, "plain"] = frames_of(rows)
        frames[task, "shuffled"] = frames_of(taken(rows, random.permutation(60)))
        frames[task, "weighted"] = frames_of(rows, weight)
        frames[task, "repeated"] = frames_of(taken(rows, np.repeat(np.arange(60), weight)))
    turn = random.permutation(SIZE)
    rows = classes(60)
    turned = {"truth": np.argsort(turn)[rows["truth"]], "score": rows["score"][:, turn]}
    frames["multiclass", "relabelled"] = class_frames(turned)
    rows = labels(60)
    frames["multilabel", "relabelled"] = label_frames(taken(rows, np.s_[:, turn]))
    stretched = {**classes(60), "score": np.exp(5 * classes(60)["score"]) - 3}
    frames["multiclass", "stretched"] = class_frames(stretched)
    return frames


@pytest.mark.parametrize("task", TASKS)
def test_the_order_of_the_rows_does_not_change_a_measure(task, frames_by_task):
    for name, metric in REGISTRY[task].items():
        plain, shuffled = (value(metric, frames_by_task[task, k]) for k in ("plain", "shuffled"))
        assert plain is not None, name
        assert shuffled == pytest.approx(plain, rel=1e-12, abs=1e-12), name


NEEDS_EQUAL_WEIGHTS = {"spearman_rho", "kendall_tau"}
"""Rank correlations have no value for weighted rows."""

COUNTS_ROWS = {"concordance_correlation"}
"""Measures that are corrected for the number of rows: of weighted rows, the effective number."""


@pytest.mark.parametrize("task", TASKS)
def test_a_weight_of_two_is_the_row_twice(task, frames_by_task):
    for name, metric in REGISTRY[task].items():
        weighted, repeated = (
            value(metric, frames_by_task[task, k]) for k in ("weighted", "repeated")
        )
        if name in NEEDS_EQUAL_WEIGHTS:
            assert weighted is None, name
            continue
        same = pytest.approx(repeated, rel=1e-9, abs=1e-9)
        assert (weighted == same) != (name in COUNTS_ROWS), name


@pytest.mark.parametrize("task", ["multiclass", "multilabel"])
def test_the_names_of_the_classes_do_not_matter(task, frames_by_task):
    for name, metric in REGISTRY[task].items():
        if name in BY_PLACE:
            continue
        plain, relabelled = (
            value(metric, frames_by_task[task, k]) for k in ("plain", "relabelled")
        )
        assert relabelled == pytest.approx(plain, rel=1e-9, abs=1e-9), name


def test_a_measure_of_calls_depends_on_the_order_of_the_scores_alone(frames_by_task):
    frames = frames_by_task["multiclass", "plain"], frames_by_task["multiclass", "stretched"]
    for name, metric in REGISTRY["multiclass"].items():
        if metric.on == "least":
            continue
        plain, stretched = (value(metric, one) for one in frames)
        if metric.probability or metric.on == "bins":
            assert stretched is None, name
        else:
            assert stretched == pytest.approx(plain, rel=1e-12), name


def degenerate(task: str) -> dict[str, Rows]:
    rows_of = TASKS[task][0]
    none, one, some = rows_of(0), rows_of(1), rows_of(6)
    cases = {"no rows": none, "one row": one}
    if task == "regression":
        same = np.full(6, 2.0)
        cases["constant truth"] = {**some, "truth": same}
        cases["constant estimate"] = {**some, "estimate": same}
        cases["perfect"] = {**some, "estimate": some["truth"]}
        cases["inverted"] = {**some, "estimate": -some["truth"]}
        cases["zeros"] = {name: np.zeros(6) for name in some}
        cases["huge"] = {name: column * 1e150 for name, column in some.items()}
        return cases
    truth = some["truth"]
    true = np.eye(SIZE)[truth] if task == "multiclass" else truth.astype(float)
    cases["all tied"] = {**some, "score": np.full((6, SIZE), 1 / SIZE)}
    cases["perfect"] = {**some, "score": true}
    cases["inverted"] = {**some, "score": (1 - true) / np.maximum((1 - true).sum(1), 1)[:, None]}
    cases["one class"] = {**some, "truth": np.zeros_like(truth)}
    cases["any real score"] = {**some, "score": 9 * some["score"] - 5}
    if task == "multilabel":
        cases["every label"] = {**some, "truth": np.ones_like(truth)}
    return cases


ADDED = {"n", "total_cost", "zero_one_loss"}
"""Sums over the rows, which are 0 where there are none."""


@pytest.mark.parametrize("task", TASKS)
def test_degenerate_rows_give_a_value_in_bounds_or_none(task):
    for kind, rows in degenerate(task).items():
        frames = TASKS[task][1](rows)
        for metric in REGISTRY[task].values():
            result = value(metric, frames)
            low, high = metric.bounds
            fits = result is None or low - 1e-9 <= result <= high + 1e-9
            assert fits, (kind, metric.name, result)
            assert kind != "no rows" or metric.name in ADDED or result is None, metric.name
            assert result is None or np.isfinite(result) or kind == "huge", (kind, metric.name)


@pytest.mark.parametrize("task", TASKS)
def test_rows_at_random_give_values_in_bounds(task):
    for seed in range(8):
        frames = TASKS[task][1](TASKS[task][0](3 + 5 * seed, seed))
        for metric in REGISTRY[task].values():
            result = value(metric, frames)
            assert result is None or metric.bounds[0] - 1e-9 <= result <= metric.bounds[1] + 1e-9


@pytest.mark.parametrize("task", ["multiclass", "multilabel"])
def test_values_that_are_worked_out_once_are_added_up_to_the_same_digits(task):
    make, frames_of = TASKS[task]
    weight = np.random.default_rng(3).gamma(2.0, 1.0, BATCH)
    frame = frames_of(make(BATCH), weight)["rows"]
    metrics = [metric for metric in REGISTRY[task].values() if metric.on == "rows"]
    measures = MetricSet(metrics, 0.95)

    (values,) = measures.values_of_frames([frame])
    with values_once() as once:
        measures.expressions()
    assert once
    assert values == selected(frame, measures.expressions()).row(0, named=True)


def test_the_spreads_of_precision_areas_of_long_sweeps_have_the_digits_of_their_expressions():
    random = np.random.default_rng(5)
    frame = pl.DataFrame({"truth": random.random(BATCH) < 0.1, "score": random.random(BATCH)})
    areas = MetricSet([METRICS[name] for name in ("auc", "average_precision", "pr_auc")], 0.95)
    steps = with_squares(sweep(frame))

    (values,) = areas.values_of_frames([steps])
    assert values == selected(steps, areas.expressions()).row(0, named=True)


def orders(metric: Metric) -> set[tuple[int, ...]]:
    """The order in which a measure has many estimates of one truth, from either end."""
    truth = numbers(20)["truth"]
    random = np.random.default_rng(1)
    values = []
    for _ in range(30):
        estimate = truth * random.lognormal(0, 0.4, len(truth))
        rows = {"truth": truth, "estimate": estimate, "low": estimate - 1, "high": estimate + 2}
        values.append(value(metric, number_frames(rows)))
    order = np.argsort(np.array(values, dtype=float))
    return {tuple(order), tuple(order[::-1])}


def test_a_measure_that_orders_models_as_a_heavy_tailed_mean_does_names_it():
    measures = REGISTRY["regression"]
    means = {m.heavy_tailed_mean for m in measures.values() if m.heavy_tailed_mean}
    assert all(measures[name].heavy_tailed_mean == name and measures[name].mean for name in means)
    order_of = {name: orders(metric) for name, metric in measures.items()}
    for name, metric in measures.items():
        alike = {other for other in means if order_of[name] & order_of[other]}
        assert alike == ({metric.heavy_tailed_mean} if metric.heavy_tailed_mean else set()), name


def test_a_skill_is_what_is_saved_of_the_loss_of_its_constant_and_a_gain_the_difference():
    measures, rows = REGISTRY["regression"], numbers(50)
    checked = set()
    for name, metric in measures.items():
        if metric.skill_of is None or metric.best_constant not in ("mean", "median"):
            continue
        constant = np.full(50, getattr(np, metric.best_constant)(rows["truth"]))
        frames = [number_frames(one) for one in (rows, {**rows, "estimate": constant})]
        lost, least = (value(measures[metric.skill_of], one) for one in frames)
        assert value(metric, frames[0]) == pytest.approx(1 - lost / least), name
        checked.add(name)
        for gain in (m for m in measures.values() if m.gain_of == metric.skill_of):
            assert value(gain, frames[0]) == pytest.approx(least - lost), gain.name
            checked.add(gain.name)

    assert {"r2", "d2_absolute_error", "d2_poisson", "mean_squared_error_gain"} <= checked


@pytest.mark.parametrize("skill", ["brier_skill", "d2_log_loss"])
def test_a_skill_of_probabilities_is_what_is_saved_of_the_loss_of_the_shares_of_the_classes(skill):
    rows = classes(60)
    shares = np.tile(np.bincount(rows["truth"], minlength=SIZE) / 60, (60, 1))
    frames = [class_frames(one) for one in (rows, {**rows, "score": shares})]
    metric = REGISTRY["multiclass"][skill]
    lost, least = (value(REGISTRY["multiclass"][metric.skill_of], one) for one in frames)
    assert value(metric, frames[0]) == pytest.approx(1 - lost / least)

    truth, score = rows["truth"] == 0, rows["score"][:, 0]
    steps = [
        sweep(pl.DataFrame({"truth": truth, "score": one}))
        for one in (score, np.full(60, truth.mean()))
    ]
    lost, least = (
        one.select(METRICS[METRICS[skill].skill_of].expression()).item() for one in steps
    )
    assert steps[0].select(METRICS[skill].expression()).item() == pytest.approx(1 - lost / least)


def test_an_average_that_is_another_measure_by_definition_has_its_value_or_1_minus_it():
    counts = class_frames(classes(80))["classes"]
    together = counts.select(pl.col("tp", "fp", "fn", "tn").sum())
    means = {"macro": macro, "weighted": weighted}
    named = {name: m.same_averages for name, m in METRICS.items() if m.same_averages}
    for name, same in named.items():
        for average, other in same.items():
            expression = METRICS[name].expression()
            frame = together if average == "micro" else counts
            mean = frame.select(means.get(average, lambda one: one)(expression)).item()
            whole = counts.select(REGISTRY["multiclass"][other].expression()).item()
            assert whole in (pytest.approx(mean), pytest.approx(1 - mean)), (name, average)

    assert named["recall"]["macro"] == "balanced_accuracy"
