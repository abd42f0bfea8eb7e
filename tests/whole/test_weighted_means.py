"""Measures that are means over weighted rows have the t-test of weighted rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.comparisons import Question
from reportgen.comparisons.weighted import weighted_losses
from reportgen.sample_design import SampleDesign


def estimates(rows=600):
    random = np.random.default_rng(6)
    mean = np.exp(random.uniform(-0.5, 0.5, rows))
    noise = {"a": 0.2, "b": 0.6}
    table = {m: mean * np.exp(s * random.uniform(-1, 1, rows)) for m, s in noise.items()}
    weights = random.uniform(0.2, 2, rows)
    return pl.DataFrame({"y": random.gamma(9.0, mean / 9), **table, "w": weights})


def report(frame, columns, primary, task="regression", models=None):
    spec = {
        "task": task,
        "truth": "y" if task == "regression" else {f"l{k}": f"y{k}" for k in range(3)},
        "models": models or {m: {"estimate": m} for m in "ab"},
        "columns": columns,
        "comparisons": {"primary": primary},
        "bootstrap": {"replicates": 20},
    }
    return evaluate(spec, frame)


@pytest.mark.parametrize("measure", ["poisson_deviance", "tweedie_deviance_1_5", "gamma_deviance"])
def test_a_deviance_of_weighted_rows_is_compared_and_its_estimate_is_the_difference(measure):
    results = report(estimates(), {"weight": "w"}, measure)

    test = results.comparisons.filter(metric=measure).to_dicts()
    assert [row["comparison"] for row in test] == ["paired_t_weighted"]
    values = dict(results.metrics.filter(metric=measure).select("model", "value").iter_rows())
    assert test[0]["estimate"] == pytest.approx(values["a"] - values["b"], rel=1e-9)
    assert (results.decision.relation, results.decision.leader) == ("ahead", "a")


def test_errors_of_which_a_few_decide_are_not_compared():
    frame = estimates()
    far = frame.with_columns(y=pl.when(pl.int_range(pl.len()) == 5).then(500.0).otherwise("y"))

    results = report(far, {"weight": "w"}, "poisson_deviance")

    (test,) = results.comparisons.filter(metric="poisson_deviance").to_dicts()
    assert test["recommendation"] == "valid"
    assert test["why"].startswith("a few errors outweigh all others")


def test_labels_of_weighted_rows_are_compared_by_their_hamming_loss():
    random = np.random.default_rng(3)
    truth = random.random((200, 3)) < 0.4
    table = {f"y{k}": truth[:, k] for k in range(3)}
    for model, wrong in (("a", 0.1), ("b", 0.3)):
        given = truth ^ (random.random(truth.shape) < wrong)
        table |= {f"{model}{k}": given[:, k] for k in range(3)}
    frame = pl.DataFrame(table).with_columns(w=pl.Series(random.uniform(0.5, 2, 200)))
    models = {m: {"labels": {f"l{k}": f"{m}{k}" for k in range(3)}} for m in "ab"}

    results = report(frame, {"weight": "w"}, "hamming_loss", "multilabel", models)

    assert (results.decision.relation, results.decision.leader) == ("ahead", "a")
    assert results.decision.test == "paired_t_weighted"


def test_rows_of_equal_weight_have_the_paired_t_test():
    random = np.random.default_rng(8)
    losses = random.gamma(2.0, size=80), random.gamma(2.5, size=80)
    apart = losses[0] - losses[1]

    test = weighted_losses(
        losses, SampleDesign(np.full(80, 3.0)), Question(("a", "b"), "poisson_deviance")
    )

    assert test.statistic == pytest.approx(apart.mean() / (apart.std(ddof=1) / 80**0.5))
    assert test.kurtosis == pytest.approx(pl.Series(apart).kurtosis(fisher=False))
