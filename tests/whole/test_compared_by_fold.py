"""Measures that a spec names, compared by their values on the folds."""

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from tests.quick import FEW, QUICK

MODELS = {name: {"score": name} for name in "ab"}


def folds(signal: float, rows: int = 300, seed: int = 1) -> pl.DataFrame:
    """Two models of unlike strength, or of no signal, in five folds."""
    random = np.random.default_rng(seed)
    truth = random.random(rows) < 0.4
    scores = {
        name: 1 / (1 + np.exp(-(2 * times * signal * (truth - 0.5) + random.normal(size=rows))))
        for name, times in (("a", 1.0), ("b", 0.5))
    }
    return pl.DataFrame({"y": truth, "fold": np.arange(rows) % 5, **scores})


def compared(frame: pl.DataFrame, primary: str, **more: object):
    spec = {"truth": "y", "models": MODELS, "columns": {"fold": "fold"}, **QUICK}
    return evaluate({**spec, "comparisons": {"primary": primary}, **more}, frame)


def test_f1_is_compared_by_its_values_on_the_folds():
    frame = folds(2.0)
    results = compared(frame, "f1", gates=["a.f1 >= 0.5", "a.f1 - b.f1 > -0.2"])

    def f1(part, name):
        positive, truth = part[name] >= 0.5, part["y"]
        return 2 * (positive & truth).sum() / (positive.sum() + truth.sum())

    by_fold = [[f1(part, n) for part in frame.partition_by("fold")] for n in "ab"]
    tested = results.folds.filter(metric="f1", role="test")
    for name, values in zip("ab", by_fold, strict=True):
        assert tested.filter(model=name)["value"].to_list() == pytest.approx(values)
    decision = results.decision
    assert (decision.measure, decision.basis) == ("f1", "mean over folds")
    assert (decision.relation, decision.leader) == ("ahead", "a")
    assert decision.test == "corrected_resampled_t"
    assert set(results.gates["basis"]) == {"mean over folds"}
    assert "informedness" not in results.comparisons["metric"]


def test_decisions_near_guessing_are_not_compared_in_f1_over_folds():
    """With little signal the test of F1 rejected 0.09 to 0.13 of true nulls."""
    results = compared(folds(0.1), "f1")
    [test] = results.comparisons.filter(comparison="corrected_resampled_t", metric="f1").to_dicts()

    assert test["recommendation"] == "valid"
    assert test["why"].startswith("the mean informedness of one model is ")
    assert results.decision.relation == "no conclusion"


@pytest.mark.parametrize("primary", ["balanced_accuracy", "macro_f1"])
def test_of_several_classes_guessing_is_not_that_of_two(primary):
    """One in four rows of four classes is right by guessing, 0.56 and 0.46 here."""
    random = np.random.default_rng(2)
    truth, rows = np.arange(600) % 4, np.arange(600)
    labels = {
        name: np.where(random.random(600) < share, truth, random.integers(0, 4, 600))
        for name, share in (("a", 0.5), ("b", 0.25))
    }
    frame = pl.DataFrame({"y": truth, "fold": rows // 4 % 5, **labels}).cast({"y": pl.String})
    frame = frame.cast({"a": pl.String, "b": pl.String})
    spec = {"truth": "y", "models": {n: {"label": n} for n in "ab"}, "columns": {"fold": "fold"}}
    decision = evaluate({**spec, "comparisons": {"primary": primary}, **QUICK}, frame).decision

    assert (decision.relation, decision.leader) == ("ahead", "a")


def test_a_measure_that_a_fold_lacks_says_so():
    frame = folds(2.0).with_columns(b=pl.when(pl.col("fold") == 2).then(0.1).otherwise("b"))
    decision = compared(frame, "mcc").decision

    assert decision.relation == "no conclusion"
    assert decision.headline.endswith("in a fold a model has no value of the measure")


def test_the_auc_of_weighted_rows_is_compared_over_folds():
    frame = folds(2.0).with_columns(w=1.0 + pl.int_range(pl.len()) % 3)
    results = compared(frame, "auc", columns={"fold": "fold", "weight": "w"})

    assert (results.decision.test, results.decision.leader) == ("corrected_resampled_t", "a")


def several(rows: int = 120, seed: int = 3) -> pl.DataFrame:
    """Of each row a class, two labels and a number, with the outputs of two models."""
    random = np.random.default_rng(seed)
    frame = {"c": random.integers(0, 3, rows).astype(str), "n": random.normal(size=rows)}
    frame |= {f"t{k}": random.random(rows) < 0.4 for k in range(2)}
    for name in "ab":
        shares = random.dirichlet(np.ones(3), rows)
        frame |= {f"{name}c{k}": shares[:, k] for k in range(3)}
        frame |= {f"{name}t{k}": random.random(rows) for k in range(2)}
        frame[f"{name}n"] = frame["n"] + random.normal(size=rows)
    return pl.DataFrame(frame)


TASKS = {
    "multiclass": (
        "c",
        {n: {"scores": {str(k): f"{n}c{k}" for k in range(3)}} for n in "ab"},
        ["log_loss", "macro_f1", "weighted_recall", "quadratic_kappa"],
    ),
    "multilabel": (
        {f"l{k}": f"t{k}" for k in range(2)},
        {n: {"scores": {f"l{k}": f"{n}t{k}" for k in range(2)}} for n in "ab"},
        ["hamming_loss", "macro_f1", "label_ranking_loss"],
    ),
    "regression": ("n", {n: {"estimate": f"{n}n"} for n in "ab"}, ["huber_loss", "spearman_rho"]),
}


@pytest.mark.parametrize("task", TASKS)
def test_a_fold_has_the_values_of_its_rows_alone(task):
    truth, models, measures = TASKS[task]
    frame = several().with_columns(fold=pl.int_range(120) % 3)
    spec = {"task": task, "truth": truth, "models": models, **QUICK}
    comparing = {"columns": {"fold": "fold"}, "comparisons": {"measures": measures}}
    results = evaluate(spec | comparing, frame)

    for (fold,), part in frame.group_by("fold"):
        metrics = evaluate(spec, part).metrics
        rows = metrics.filter(pl.col("slice").is_null(), pl.col("class").is_null())
        values = {
            (f"{mean}_{metric}" if mean else metric, model): value
            for metric, mean, model, value in rows["metric", "average", "model", "value"].rows()
        }
        of_fold = results.folds.filter(pl.col("metric").is_in(measures), fold=str(fold))
        assert of_fold.height == 2 * len(measures)
        for metric, model, value in of_fold["metric", "model", "value"].rows():
            assert value == pytest.approx(values[metric, model], rel=1e-12), (metric, fold)


@pytest.mark.parametrize("primary", ["log_loss", "macro_f1"])
def test_rows_that_return_in_repeats_are_exchanged_where_the_spec_asks_for_it_alone(primary):
    """Their tests would count each prediction as a row of its own."""
    parts = [several().with_columns(id=pl.int_range(120), r=k) for k in range(2)]
    frame = pl.concat(parts).with_columns(fold=(pl.col("id") + pl.col("r")) % 3)
    truth, models, _ = TASKS["multiclass"]
    columns = {"id": "id", "repeat": "r", "fold": "fold"}
    spec = {"truth": truth, "models": models, "columns": columns, **FEW}

    def tests(**comparing):
        results = evaluate(spec | {"comparisons": {"primary": primary, **comparing}}, frame)
        return results.comparisons.filter(metric=primary)

    exchanged = tests().filter(comparison="paired_permutation").row(0, named=True)
    assert exchanged["p_value"] is None
    assert exchanged["undefined"].startswith("rows are evaluated more than once; the tests over ")
    recommended = tests().filter(recommendation="recommended")
    assert recommended["comparison"].to_list() == ["corrected_t_repeats"]
    chosen = tests(test="paired_permutation").filter(comparison="paired_permutation")
    assert chosen["p_value"].null_count() == 0
