"""One model in several folds: page one has its mean over these, as that of several models has."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen.results import Results, evaluate
from tests.quick import QUICK


def in_folds(columns: dict[str, str], **more: object) -> Results:
    random = np.random.default_rng(3)
    truth = random.random(300) < 0.5
    frame = pl.DataFrame(
        {"y": truth, "m": truth + random.normal(0, 1.5, 300), "f": np.arange(300) % 10}
    )
    spec = {"truth": "y", "models": {"m": {"score": "m"}}, "columns": columns, **QUICK, **more}
    return evaluate(spec, frame)


def of_folds(results: Results) -> dict[str, float]:
    rows = results.metrics.filter(pl.col("slice").is_null(), metric="auc", average="folds")
    return rows.row(0, named=True)


def test_the_headline_is_the_mean_over_folds_with_its_limits():
    results = in_folds({"fold": "f"})
    mean, decision = of_folds(results), results.decision

    assert decision.basis == "mean over folds"
    assert (decision.estimate, decision.low, decision.high) == (
        mean["value"],
        mean["low"],
        mean["high"],
    )
    assert decision.headline.startswith(f"m: AUC {mean['value']:.3f} (95\xa0% CI ")
    assert "Values are means over 10 folds." in decision.sentence
    assert [model.value for model in decision.models] == [mean["value"]]


def test_gates_read_what_the_headline_says():
    results = in_folds({"fold": "f"}, gates=["m.auc >= 0.5"])
    assert results.gates["observed"].to_list() == [of_folds(results)["value"]]


def test_rows_of_one_fit_have_no_mean_over_folds():
    assert in_folds({}).decision.basis == "pooled rows"
