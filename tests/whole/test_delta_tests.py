"""Measures of counts of two models that predict classes unlike often: by the delta method."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.clusters import Groups
from reportgen.comparing import delta_tests
from reportgen.comparing.delta_tests import DecidedModels, DecidedRows
from reportgen.comparing.permutation_tests import metric_of
from reportgen.comparisons import Question, delta_method
from reportgen.metrics import METRICS
from tests.breadth import sample_size
from tests.quick import FEW
from tests.simulations.unlike_decisions import one_p

FOLDER = Path(__file__).parents[1] / "reference"
OUTSIDE = json.loads((FOLDER / "unlike_decisions.json").read_text(encoding="utf-8"))
PAIR = ("a", "b")


def of_counts(metric, truth, first, second, classes=2, weights=None):
    """The test of two models without the rows that it needs, and without rows more."""
    both = (DecidedRows(truth, one, classes, weights) for one in (first, second))
    a, b = (replace(one.contributions(metric, {}), unseen=0.0) for one in both)
    return delta_method(a, b, Question(PAIR, metric.name))


def delta_of(metric, models, groups=None):
    decided = DecidedModels(dict(zip(PAIR, models, strict=True)).__getitem__, groups)
    return decided.test(metric, Question(PAIR, metric.name))


def unlike(rows=900, seed=1, flips=0.3):
    """The truth, and two models of which the second predicts positives twice as often."""
    random = np.random.default_rng(seed)
    truth = (random.random(rows) < 0.3).astype(int)
    first = np.where(random.random(rows) < flips, 1 - truth, truth)
    second = np.where(random.random(rows) < 0.4, 1, first)
    return truth, first, second


@pytest.mark.parametrize("name", ["precision", "weighted precision"])
def test_the_difference_of_precisions_is_that_of_estimating_equations(name):
    rows = pl.read_parquet(FOLDER / "data" / "breast_cancer_cv.parquet")
    truth, *both = (rows[c].to_numpy() for c in ("y_true", "gnb_pred", "lr_pred"))
    weights = rows["weight"].to_numpy().astype(float) if name.startswith("weighted") else None

    test = of_counts(METRICS["precision"], truth, *both, weights=weights)

    assert test.estimate == pytest.approx(OUTSIDE[name]["estimate"], rel=1e-12)
    assert test.statistic == pytest.approx(OUTSIDE[name]["statistic"], rel=1e-9)


def test_the_difference_of_macro_f1_has_the_variance_of_exact_gradients():
    rows = pl.read_parquet(FOLDER / "data" / "digits_cv.parquet")
    columns = (rows[c].cast(pl.Int64).to_numpy() for c in ("y_true", "lr_pred", "rf_pred"))

    test = of_counts(metric_of("multiclass", "macro_f1"), *columns, classes=10)

    assert test.estimate == pytest.approx(OUTSIDE["macro_f1"]["estimate"], rel=1e-12)
    assert test.statistic == pytest.approx(OUTSIDE["macro_f1"]["statistic"], rel=1e-9)


def test_what_rows_contribute_adds_up_to_nothing_and_does_not_depend_on_the_unit_of_weights():
    truth, first, _ = unlike()
    weights = np.random.default_rng(2).exponential(size=len(truth))
    for name in ("f1", "precision", "mcc", "lift"):
        one, thousand = (
            DecidedRows(truth, first, 2, weights * unit).contributions(METRICS[name], {})
            for unit in (1, 1000)
        )
        assert one.of_rows.sum() == pytest.approx(0, abs=1e-12)
        assert thousand.of_rows == pytest.approx(one.of_rows, rel=1e-9, abs=1e-15)


def test_two_classes_as_a_table_of_classes_are_the_same():
    truth, first, second = unlike()
    table = of_counts(metric_of("multiclass", "mcc"), truth, first, second)
    plain = of_counts(METRICS["mcc"], truth, first, second)

    assert (table.estimate, table.low) == pytest.approx((plain.estimate, plain.low), rel=1e-9)


def test_groups_of_one_row_change_nothing_and_groups_of_several_count_as_one():
    truth, first, second = unlike()
    models = [DecidedRows(truth, one, 2) for one in (first, second)]
    rows = len(truth)
    plain, single = (
        delta_of(METRICS["f1"], models, g) for g in (None, Groups(np.arange(rows), rows))
    )
    doubled = [DecidedRows(np.tile(truth, 2), np.tile(one, 2), 2) for one in (first, second)]
    pairs = delta_of(METRICS["f1"], doubled, Groups(np.tile(np.arange(rows), 2), rows))

    assert single.p_value == plain.p_value
    assert pairs.low == pytest.approx(plain.low, rel=0.01)


def test_too_few_unlike_rows_of_a_class_have_no_test():
    truth, first, _ = unlike()
    few = first.copy()
    few[np.flatnonzero((truth == 1) & (first == 1))[:19]] = 0
    few[np.flatnonzero((truth == 0) & (first == 0))[:60]] = 1
    enough = few.copy()
    enough[np.flatnonzero((truth == 1) & (enough == 1))[0]] = 0
    f1 = METRICS["f1"]

    assert delta_of(f1, [DecidedRows(truth, p, 2) for p in (first, few)]).undefined == (
        "the models differ in fewer than 20 rows of a class"
    )
    assert delta_of(f1, [DecidedRows(truth, p, 2) for p in (first, enough)]).undefined is None
    weights = np.where((truth == 1) & (first != enough), np.arange(len(truth)) % 2 * 9 + 1.0, 1.0)
    uneven = [DecidedRows(truth, p, 2, weights) for p in (first, enough)]
    assert delta_of(f1, uneven).undefined is not None


def test_sparse_classes_take_the_test_of_a_mean_over_classes_but_not_of_all_rows():
    random = np.random.default_rng(4)
    truth = random.choice(6, 800, p=[0.35, 0.3, 0.2, 0.14, 0.005, 0.005])
    first, second = (
        np.where(random.random(800) < share, random.integers(0, 4, 800), truth)
        for share in (0.1, 0.4)
    )
    models = [DecidedRows(truth, p, 6) for p in (first, second)]
    of_rows, weighted, macro = (
        delta_of(metric_of("multiclass", name), models)
        for name in ("mcc", "weighted_f1", "macro_f1")
    )

    assert (of_rows.undefined, weighted.undefined) == (None, None)
    assert macro.undefined == delta_tests.SPARSE.format(8, "rows or predictions")
    five = [DecidedRows(truth % 5, p % 5, 5) for p in (first, second)]
    assert delta_of(metric_of("multiclass", "macro_f1"), five).undefined is None


def test_in_groups_the_groups_of_a_class_count():
    """Fifty rows of each class, those of two of them in fourteen groups."""
    truth = np.repeat(np.arange(6), 60)
    first, second = (
        np.where(np.random.default_rng(k).random(360) < share, (truth + 1) % 6, truth)
        for k, share in ((1, 0.1), (2, 0.4))
    )
    code = np.where(truth < 2, np.arange(360) % 14, 14 + np.arange(360) % 40)
    models = [DecidedRows(truth, p, 6) for p in (first, second)]
    macro = metric_of("multiclass", "macro_f1")

    assert delta_of(macro, models).undefined is None
    spread = Groups(np.arange(360) % 54, 54)
    assert delta_of(macro, models, spread).undefined is None
    assert delta_of(macro, models, Groups(code, 54)).undefined.endswith(
        "have fewer than 15 groups with rows or predictions"
    )


def test_a_measure_that_is_not_smooth_or_has_no_value_has_no_test():
    truth, first, second = unlike()
    models = [DecidedRows(truth, one, 2) for one in (first, second)]
    never = [DecidedRows(truth, one, 3) for one in (first, second)]  # the third class has no rows

    assert delta_of(METRICS["accuracy_gain"], models).undefined == delta_tests.NOT_SMOOTH
    assert delta_of(METRICS["mutual_information"], models).undefined == delta_tests.NOT_SMOOTH
    weighted = metric_of("multiclass", "weighted_precision")
    assert delta_of(weighted, never).undefined is None
    none = [DecidedRows(np.ones_like(truth), one, 3) for one in (first, second)]
    assert delta_of(metric_of("multiclass", "mcc"), none).undefined == delta_tests.NO_SLOPE


def test_predictions_that_are_all_right_are_not_taken_for_certain():
    """Nine of nine, and the other model as precise in the population: 0.46 were rejected."""
    random, rejected, known = np.random.default_rng(8), 0, 0
    for _ in range(sample_size(60, 400)):
        truth = random.random(10_000) < 0.3
        first = random.random(10_000) < np.where(truth, 0.003, 0.0001)
        second = random.random(10_000) < np.where(truth, 0.5, 0.5 * 0.0001 / 0.003)
        models = [DecidedRows(truth.astype(int), m.astype(int), 2) for m in (first, second)]
        p_value = delta_of(METRICS["precision"], models).p_value
        known, rejected = known + (p_value is not None), rejected + ((p_value or 1.0) < 0.05)
    assert known > 30
    assert rejected / known <= 0.12


def test_ratios_and_roots_need_rows_of_every_outcome():
    truth, first, second = unlike()
    few = np.where(truth == 0, np.arange(len(truth)) % 100 == 0, first)
    at_most_nine = [DecidedRows(truth, m.astype(int), 2) for m in (few, second)]
    enough = [DecidedRows(truth, m, 2) for m in (first, second)]
    for name in ("diagnostic_odds_ratio", "positive_likelihood_ratio", "prevalence_threshold"):
        assert delta_of(METRICS[name], at_most_nine).undefined == delta_tests.FEW_OF_A_KIND
        assert delta_of(METRICS[name], enough).undefined is None
    for name in ("precision", "f1", "mcc", "lift"):
        assert delta_of(METRICS[name], at_most_nine).undefined is None


def frame_of(seed=1, classes=2):
    """Two models whose predictions of the last class are unlike often, one of them better."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, classes, 900)
    first, second = (
        np.where(random.random(900) < share, last, truth)
        for share, last in ((0.1, 0), (0.5, classes - 1))
    )
    weight, group = random.uniform(0.5, 1.5, 900), random.integers(0, 80, 900)
    return pl.DataFrame({"y": truth, "a": first, "b": second, "w": weight, "g": group})


@pytest.mark.parametrize("columns", [{}, {"weight": "w"}, {"group": "g"}])
@pytest.mark.parametrize(
    ("classes", "name"), [(2, "f1"), (2, "precision"), (4, "macro_f1"), (4, "macro_precision")]
)
def test_reports_decide_by_it_where_models_predict_unlike_often(classes, name, columns):
    spec = {
        "truth": "y",
        "models": {m: {"label": m} for m in PAIR},
        "columns": columns,
        "comparisons": {"primary": name},
        "bootstrap": {"replicates": 200},
        **({"positive": 1} if classes == 2 else {"task": "multiclass"}),
    }
    results = evaluate(spec, frame_of(classes=classes))
    (test,) = results.comparisons.filter(metric=name, recommendation="recommended").to_dicts()

    assert (test["comparison"], test["better"]) == ("delta_method", "a")
    assert results.decision.relation == "ahead"


def test_it_rejects_about_as_often_as_it_says_where_nothing_differs():
    """The rates of many data sets are those of the simulation."""
    size, design = (300, 1), (1.5, 0.8, 0.5, 0.3)
    draws = [
        one_p(np.random.default_rng([k, 5]), "f1", "thresholds", size, 0, design)
        for k in range(120)
    ]
    known = [p for p in draws if p is not None]

    assert len(known) > 60
    assert np.mean([p < 0.05 for p in known]) <= 0.13


def test_decisions_are_not_copied_where_no_measure_is_compared(monkeypatch):
    """Of 50 labels and 1,000,000 rows they took more memory than the rest of the report."""
    random = np.random.default_rng(0)
    truth = {f"t{k}": random.random(200) < 0.4 for k in range(3)}
    score = {f"s{k}": 0.5 * truth[f"t{k}"] + 0.5 * random.random(200) for k in range(3)}
    models = {"a": {"scores": {f"l{k}": f"s{k}" for k in range(3)}}}
    spec = {"truth": {f"l{k}": f"t{k}" for k in range(3)}, "models": models, **FEW}
    monkeypatch.setattr(delta_tests, "DecidedRows", None)

    assert evaluate(spec, pl.DataFrame(truth | score)).data["models"]
