"""Sure and wrong predictions that no fold has: a test over folds is no surer than the rows are."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from reportgen.results import Results, evaluate
from tests.page_text import without_chinese


def report(seed: int, measure: str = "brier_score", **spec: Any) -> Results:
    """The first model is right and mild, the second nearly sure and wrong in 1 % of the rows."""
    random = np.random.default_rng(seed)
    truth, wrong = random.random(100) < 0.4, random.random(100) < 0.01
    sure = random.uniform(0.998, 0.9999, 100)
    mild = np.where(truth, 0.9, 0.1) + random.uniform(-1e-3, 1e-3, 100)
    scores = {"a": mild, "b": np.where(truth ^ wrong, sure, 1 - sure)}
    frame = pl.DataFrame({"y": truth, **scores, "fold": np.arange(100) % 10, "id": np.arange(100)})
    repeats = [random.permutation(100) % 10 for _ in range(2)]
    returned = [frame.with_columns(fold=pl.Series(f), r=pl.lit(k)) for k, f in enumerate(repeats)]
    frame = pl.concat(returned) if "repeat" in spec.get("columns", {}) else frame
    models = {name: {"score": name} for name in scores}
    chosen = {"columns": {"fold": "fold", "id": "id"}, "bootstrap": {"replicates": 20}, **spec}
    gates = [f"a.{measure} - b.{measure} > 0"]
    return evaluate({"truth": "y", "models": models, "gates": gates, **chosen}, frame)


@pytest.mark.parametrize("measure", ["brier_score", "log_loss"])
def test_models_of_one_expected_loss_have_no_winner_where_no_row_shows_the_sure_errors(measure):
    """Where none is seen the corrected t-test rejects: in 0.43 of 120 such samples."""
    results = report(6, measure, comparisons={"primary": measure})
    (test,) = results.comparisons.filter(
        comparison="corrected_resampled_t", metric=measure
    ).to_dicts()
    said = [one.text for one in results.decision.caveats if "sure and wrong" in one.text]

    assert set(results.metrics.filter(metric="accuracy")["value"]) == {1.0}
    assert (test["recommendation"], test["reject"]) == ("recommended", False)
    assert test["low"] < 0 < test["high"]
    assert results.decision.relation == "level"
    assert results.gates["state"].to_list() == ["inconclusive"]
    assert said
    assert not without_chinese(results, said)


def test_a_gate_on_a_measure_that_has_no_test_allows_for_such_errors_too():
    results = report(6)

    assert set(results.metrics.filter(metric="accuracy")["value"]) == {1.0}
    assert results.gates["state"].to_list() == ["inconclusive"]
    low, high = results.gates.select("low", "high").row(0)
    assert low < 0 < high


def test_examples_that_return_in_every_repeat_are_one_row_each():
    columns = {"fold": "fold", "id": "id", "repeat": "r"}
    results = report(6, columns=columns, comparisons={"primary": "brier_score"})
    tests = {row["comparison"]: row for row in results.comparisons.to_dicts() if row["metric"]}
    of_folds = {n: r for n, r in tests.items() if r["metric"] == "brier_score"}

    assert results.decision.test == "corrected_t_repeats"
    assert results.decision.relation == "level"
    assert of_folds["probability_losses"]["recommendation"] == "valid"
    assert of_folds["wilcoxon_folds"]["p_value"] < 0.05
    assert results.gates["state"].to_list() == ["inconclusive"]
