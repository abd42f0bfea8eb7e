"""On which share of the rows one model is closer, where few errors outweigh all others."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest

from reportgen import evaluate
from reportgen.results import Results
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK


def errors(rows: int = 600) -> pl.DataFrame:
    """Near is closer on most rows, and both models miss some by far."""
    random = np.random.default_rng(6)
    truth = 1000 * random.lognormal(0, 0.8, rows)
    shared = random.standard_t(1.2, rows)
    near = truth + 0.5 * random.normal(size=rows) + 0.2 * shared
    far = truth + 0.6 * random.normal(size=rows) + 0.22 * shared
    return pl.DataFrame({"y": truth, "near": near, "far": far, "g": np.arange(rows) // 10})


def evaluated(frame: pl.DataFrame, **spec: object) -> Results:
    models = {name: {"estimate": name} for name in ("far", "near")}
    return evaluate({"truth": "y", "task": "regression", "models": models, **QUICK, **spec}, frame)


def test_page_one_says_on_how_many_rows_a_model_is_closer_where_few_errors_decide_the_mean():
    frame = errors()
    results = evaluated(frame, comparisons={"primary": "mean_squared_error"})
    wins = int((frame["near"] - frame["y"]).abs().lt((frame["far"] - frame["y"]).abs()).sum())
    (one,) = results.data["closer_on_rows"]
    wilson = binomtest(wins, 600).proportion_ci(method="wilson")

    assert results.decision.relation == "no conclusion"
    assert f"near is closer to the truth than far on {wins / 6:.1f}" in results.decision.sentence
    assert one["models"] == ["far", "near"]
    assert one["share"] == pytest.approx(1 - wins / 600)
    assert (one["low"], one["high"]) == pytest.approx((1 - wilson.high, 1 - wilson.low), abs=1e-6)
    into = translator("zh", names_of(results.to_dict()))
    into.text(results.decision.sentence, "p")
    assert not into.missing


def test_rows_of_groups_have_wider_limits_where_one_model_is_closer_for_all_of_a_group():
    frame = errors()
    better = pl.col("g") % 2 == 0
    frame = frame.with_columns(
        near=pl.when(better).then(pl.col("y") + 0.1).otherwise(pl.col("y") + 2.0),
        far=pl.col("y") + 1.0,
    )
    (alone,), (grouped,) = (
        evaluated(frame, columns=columns).data["closer_on_rows"] for columns in ({}, {"group": "g"})
    )

    assert alone["share"] == grouped["share"] == pytest.approx(0.5)
    assert grouped["high"] - grouped["low"] > 2.5 * (alone["high"] - alone["low"])


@pytest.mark.parametrize(
    "spec",
    [{"columns": {"time": "t"}}, {"columns": {"weight": "w"}}, {"privacy": {"small_cells": 5}}],
)
def test_rows_in_time_weighted_ones_and_withheld_counts_have_no_such_share(spec):
    frame = errors().with_columns(t=pl.int_range(600), w=pl.int_range(600) % 3 + 1)

    assert not evaluated(frame, **spec).data["closer_on_rows"]


def test_ties_count_half_and_light_tails_have_no_such_sentence():
    random = np.random.default_rng(2)
    truth = random.normal(size=400)
    frame = pl.DataFrame({"y": truth, "near": truth + 1.0, "far": truth - 1.0})
    frame = frame.with_columns(near=pl.when(pl.int_range(400) < 100).then("y").otherwise("near"))
    results = evaluated(frame)

    (one,) = results.data["closer_on_rows"]
    assert 0.3 < one["share"] <= 0.5
    assert "closer to the truth" not in results.decision.sentence
