"""Means of AUCs over classes and labels, compared: what DeLong's test is of one, and reports."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import average_precision_score

from reportgen import evaluate
from reportgen.clusters import Groups
from reportgen.comparisons import Question, delong, delong_classes
from reportgen.comparisons.delong_classes import FEW_OF_CLASS, MeanArea
from reportgen.comparisons.row_contributions import NO_VARIANCE
from reportgen.sample_design import SampleDesign

QUESTION = Question(("a", "b"), "macro_auc")
KINDS = ("macro", "weighted")
PAIRS = ("macro of pairs", "weighted of pairs")


def scored(rows=180, classes=3, seed=1):
    """The place of each row's class, and the scores of two models: row × class."""
    random = np.random.default_rng(seed)
    truth = random.choice(
        classes, rows, p=np.arange(1, classes + 1) / (classes * (classes + 1) / 2)
    )
    own = np.eye(classes)[truth]
    common = random.normal(size=own.shape)
    return truth, *(s * own + common + random.normal(size=own.shape) for s in (1.5, 1.0))


def mean_of(truth, scores, kind, weights=None, groups=None):
    columns = list(scores.T)
    if kind in PAIRS:
        return MeanArea.of_pairs(columns, truth, SampleDesign(weights, groups), kind)
    design = SampleDesign(weights, groups)
    return MeanArea.of(columns, [truth == k for k in range(len(columns))], design, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_of_two_classes_it_is_delongs_test(kind):
    random = np.random.default_rng(2)
    positive = random.random(200) < 0.4
    frame = pl.DataFrame(
        {"truth": positive, **{m: positive + random.normal(size=200) for m in "ab"}}
    )
    means = [
        MeanArea.of(
            [-frame[m].to_numpy(), frame[m].to_numpy()], [~positive, positive], average=kind
        )
        for m in "ab"
    ]

    test, of_two = delong_classes(*means, QUESTION), delong(frame, Question(("a", "b"), "auc"))

    assert test.estimate == pytest.approx(of_two.estimate, abs=1e-14)
    assert test.statistic == pytest.approx(of_two.statistic, rel=1e-10)


@pytest.mark.parametrize("kind", [*KINDS, *PAIRS])
def test_its_error_is_that_of_leaving_out_one_row_at_a_time(kind):
    truth, *models = scored()
    test = delong_classes(*(mean_of(truth, m, kind) for m in models), QUESTION)
    left = np.arange(len(truth))
    without = [
        np.subtract(*(mean_of(truth[left != k], m[left != k], kind).value for m in models))
        for k in left
    ]

    jackknife = np.sqrt((len(left) - 1) * np.var(without))

    assert test.estimate / test.statistic == pytest.approx(jackknife, rel=0.02)


@pytest.mark.parametrize("kind", [*KINDS, *PAIRS])
def test_rows_of_a_weight_of_two_have_the_areas_of_rows_that_stand_twice(kind):
    truth, first, _ = scored()
    weights = np.where(np.arange(len(truth)) % 2, 2.0, 1.0)
    twice = np.repeat(np.arange(len(truth)), weights.astype(int))

    weighted = mean_of(truth, first, kind, weights)

    assert weighted.value == pytest.approx(mean_of(truth[twice], first[twice], kind).value)
    assert weighted.contributions.sum() == pytest.approx(0, abs=1e-12)


def test_with_one_row_per_group_it_is_that_of_rows():
    truth, *models = scored()
    means = [mean_of(truth, m, "macro") for m in models]
    alone = Groups(np.arange(len(truth)), len(truth))

    of_rows, of_groups = delong_classes(*means, QUESTION), delong_classes(*means, QUESTION, alone)

    assert of_groups.p_value == pytest.approx(of_rows.p_value, rel=0.02)


def test_rows_that_stand_twice_in_a_group_are_no_more_than_one():
    truth, *models = scored()
    twice = np.repeat(np.arange(len(truth)), 2)
    groups = Groups(twice, len(truth))
    once = delong_classes(*(mean_of(truth, m, "macro") for m in models), QUESTION)
    both = [mean_of(truth[twice], m[twice], "macro") for m in models]

    test = delong_classes(*both, QUESTION, groups)

    assert test.statistic == pytest.approx(once.statistic, rel=0.02)


def test_without_a_value_it_says_why():
    truth, first, _ = scored(classes=4, rows=60)
    assert np.bincount(truth).min() < 8
    rare = mean_of(truth, first, "macro")
    truth, first, _ = scored(classes=3)
    same = mean_of(truth, first, "macro")

    assert delong_classes(rare, rare, QUESTION).undefined == FEW_OF_CLASS.format(8, "rows")
    groups = Groups(np.where(truth == 0, 0, 1 + np.arange(len(truth)) % 30), 31)
    for kind in ("macro", "macro of pairs"):
        together = mean_of(truth, first, kind, groups=groups)  # the first class is in one group
        assert delong_classes(
            together, together, QUESTION, groups
        ).undefined == FEW_OF_CLASS.format(8, "groups")
    assert delong_classes(same, same, QUESTION).undefined == NO_VARIANCE


def report(columns, primary, rows=240):
    truth, *models = scored(rows)
    table = {"y": np.array(list("xyz"))[truth], "g": np.arange(rows) // 3, "t": np.arange(rows)}
    table["w"] = 1.0 + truth
    for name, scores in zip("ab", models, strict=True):
        shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        table |= {f"{name}{k}": shares[:, k] for k in range(3)}
    spec = {
        "task": "multiclass",
        "truth": "y",
        "models": {m: {"scores": {c: f"{m}{k}" for k, c in enumerate("xyz")}} for m in "ab"},
        "columns": columns,
        "comparisons": {"primary": primary},
        "gates": [f"a.{primary} - b.{primary} >= 0"],
        "bootstrap": {"replicates": 20},
    }
    return evaluate(spec, pl.DataFrame(table))


@pytest.mark.parametrize("columns", [{}, {"group": "g"}, {"weight": "w"}], ids=str)
@pytest.mark.parametrize(
    "primary", ["macro_auc", "weighted_auc", "macro_of_pairs_auc", "weighted_of_pairs_auc"]
)
def test_a_report_that_asks_for_it_concludes_by_it_and_its_gate_agrees(columns, primary):
    results = report(columns, primary)

    assert (results.decision.relation, results.decision.measure) == ("ahead", primary)
    test = results.comparisons.filter(metric=primary, recommendation="recommended").to_dicts()[0]
    assert test["comparison"] == "delong_classes"
    values = dict(
        results.metrics.filter(metric="auc", average=primary.removesuffix("_auc").replace("_", " "))
        .select("model", "value")
        .iter_rows()
    )
    assert test["estimate"] == pytest.approx(values["a"] - values["b"], abs=1e-12)
    gate = results.gates.to_dicts()[0]
    assert gate["low"] == pytest.approx(test["low"])


def test_rows_in_order_of_time_are_not_independent():
    results = report({"time": "t"}, "macro_auc")

    assert results.decision.relation == "no conclusion"
    assert "recommended" not in results.comparisons.filter(metric="macro_auc")["recommendation"]


def test_labels_are_compared_by_their_mean_area():
    random = np.random.default_rng(4)
    truths = random.random((200, 3)) < 0.4
    table = {f"y{k}": truths[:, k] for k in range(3)}
    for name, signal in (("a", 2.0), ("b", 0.8)):
        odds = signal * (truths - 0.5) + random.normal(size=truths.shape)
        table |= {f"{name}{k}": 1 / (1 + np.exp(-odds[:, k])) for k in range(3)}
    spec = {
        "task": "multilabel",
        "truth": {f"l{k}": f"y{k}" for k in range(3)},
        "models": {m: {"scores": {f"l{k}": f"{m}{k}" for k in range(3)}} for m in "ab"},
        "comparisons": {"primary": "macro_auc"},
        "bootstrap": {"replicates": 20},
    }

    results = evaluate(spec, pl.DataFrame(table))

    assert (results.decision.relation, results.decision.leader) == ("ahead", "a")


@pytest.mark.parametrize("kind", ["weighted", *PAIRS])
def test_a_class_without_rows_has_no_part_in_means_that_leave_it_out(kind):
    truth, *models = scored()
    without = [np.column_stack([m, np.zeros(len(m))]) for m in models]
    test = delong_classes(*(mean_of(truth, m, kind) for m in models), QUESTION)

    other = delong_classes(*(mean_of(truth, m, kind) for m in without), QUESTION)

    assert other.estimate == pytest.approx(test.estimate)
    assert other.statistic == pytest.approx(test.statistic)
    macro = mean_of(truth, without[0], "macro")
    assert delong_classes(macro, macro, QUESTION).undefined == FEW_OF_CLASS.format(8, "rows")


@pytest.mark.parametrize("kind", [*KINDS, *PAIRS])
def test_a_sparse_class_counts_as_if_its_areas_were_as_bad_as_they_can_be(kind):
    """Seven rows of one of twelve classes: their part is unknown, the others decide."""
    random = np.random.default_rng(6)
    truth = np.concatenate([np.arange(770) % 11, np.full(7, 11)])
    own = np.eye(12)[truth]
    first, second = (signal * own + random.normal(size=own.shape) for signal in (3.0, 0.8))
    both = [mean_of(truth, m, kind) for m in (first, second)]
    test = delong_classes(*both, QUESTION)
    eight = np.append(truth, 11), *(np.vstack([m, m[-1:]]) for m in (first, second))
    enough = [mean_of(eight[0], m, kind) for m in eight[1:]]
    plain = delong_classes(*enough, QUESTION)

    assert {area.sparse > 0 for area in both} == {True}
    assert {area.sparse for area in enough} == {0}
    assert test.estimate == pytest.approx(both[0].value - both[1].value)
    assert test.p_value < 0.05
    assert test.statistic < plain.statistic
    width = test.high - test.low
    assert width == pytest.approx(plain.high - plain.low + 2 * both[0].sparse, rel=0.1)
    low, high = test.limits_at(0.99)
    assert low < test.low < test.high < high


def test_the_part_of_sparse_classes_is_what_they_can_move_the_mean_by():
    truth, first, _ = scored(classes=4, rows=60)
    many = np.tile(truth, 4)
    few = many.copy()
    few[np.flatnonzero(many == 0)[5:]] = 3
    scores = np.tile(first, (4, 1))

    assert mean_of(few, scores, "weighted").sparse == pytest.approx(5 / 240)
    assert np.isnan(mean_of(few, scores, "macro").value)  # a quarter of it is unknown
    assert np.isnan(mean_of(few, scores, "weighted of pairs").value)  # a third of it


def precision_of(truth, scores):
    truths = [truth == k for k in range(scores.shape[1])]
    return MeanArea.of(list(scores.T), truths, precision=True)


def test_the_error_of_mean_average_precisions_is_that_of_leaving_each_row_out():
    truth, *models = scored(rows=240)
    test = delong_classes(*(precision_of(truth, m) for m in models), QUESTION)
    left = np.arange(len(truth))
    without = [
        np.subtract(*(precision_of(truth[left != k], m[left != k]).value for m in models))
        for k in left
    ]
    jackknife = np.sqrt((len(left) - 1) * np.var(without))

    assert test.estimate == pytest.approx(
        np.mean([average_precision_score(truth == k, models[0][:, k]) for k in range(3)])
        - np.mean([average_precision_score(truth == k, models[1][:, k]) for k in range(3)])
    )
    assert test.estimate / test.statistic == pytest.approx(jackknife, rel=0.05)


def test_mean_average_precisions_decide_unless_scores_are_labels():
    results = report({}, "macro_average_precision")

    test = results.comparisons.filter(recommendation="recommended").to_dicts()
    assert [t["comparison"] for t in test if "precision" in t["metric"]] == ["average_precisions"]
    assert results.decision.relation == "ahead"
