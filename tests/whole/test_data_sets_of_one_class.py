"""A data set in which a measure is undefined for every model does not end the comparison."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
import pytest
from scipy.stats import wilcoxon
from sklearn.metrics import roc_auc_score

from reportgen import evaluate
from reportgen.measuring.fold_means import fold_scores
from reportgen.predictions.evaluation_scheme import Evaluation
from reportgen.results import Results
from tests.quick import QUICK

SPEC = {
    "truth": "y",
    "models": {"a": {"score": "a"}, "b": {"score": "b"}},
    "columns": {"dataset": "ds"},
    **QUICK,
}


def rows() -> pl.DataFrame:
    """Ten data sets; the fourth has no positives."""
    random, parts = np.random.default_rng(7), []
    for k in range(10):
        x = random.normal(size=60)
        truth = np.zeros(60, int) if k == 3 else (x + random.normal(size=60) > 0).astype(int)
        noisy = x + random.normal(size=60)
        parts.append(
            pl.DataFrame({"ds": f"d{k}", "y": truth, "a": np.tanh(x) / 2 + 0.5}).with_columns(
                b=pl.Series(np.tanh(noisy) / 2 + 0.5)
            )
        )
    return pl.concat(parts)


@cache
def results(tmp: str | None = None) -> Results:
    if tmp is None:
        return evaluate({**SPEC}, rows())
    rows().write_parquet(f"{tmp}/rows.parquet")
    streamed = {**SPEC, "data": f"{tmp}/rows.parquet", "engine": "streaming"}
    return evaluate(streamed, allowed_roots=None)


def areas(model: str) -> list[float]:
    """The AUC of a model in each data set of two classes, by scikit-learn."""
    return [
        roc_auc_score(part["y"], part[model])
        for (name,), part in rows().group_by("ds", maintain_order=True)
        if name != "d3"
    ]


def test_the_other_data_sets_are_tested():
    decision = results().decision
    expected = wilcoxon(areas("a"), areas("b"), method="exact").pvalue

    assert decision.relation == "ahead"
    assert decision.test == "wilcoxon"
    assert decision.p == pytest.approx(expected)


def test_the_mean_over_data_sets_is_of_those_that_have_a_value():
    means = results().metrics.filter(metric="auc", average="folds")

    for model in "ab":
        assert means.filter(model=model)["value"].item() == pytest.approx(np.mean(areas(model)))


def test_page_one_names_what_is_left_out():
    texts = [caveat.text for caveat in results().decision.caveats]

    assert "Data set d3 has no AUC and is left out of its means and tests over data sets." in texts


def test_counted_rows_say_the_same(tmp_path):
    counted, exact = results(str(tmp_path)).decision, results().decision

    assert (counted.relation, counted.test) == (exact.relation, exact.test)
    assert counted.p == pytest.approx(exact.p, abs=0.01)


def test_a_measure_that_one_model_alone_lacks_is_still_missing():
    """It may be the model's doing that its measure is undefined there."""
    parts = results().folds.filter(metric="auc")
    lacking = parts.with_columns(
        value=pl.when(dataset="d5", model="a").then(None).otherwise(pl.col("value"))
    )
    scores = fold_scores(lacking, lacking, Evaluation("data_sets", 10, 1, 1, 600, 600.0))

    assert scores.filter(model="a")["value"].null_count() == 1
    assert scores.filter(model="b").height == scores.filter(model="a").height == 9
