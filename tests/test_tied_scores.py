"""Rows that share a score: sums of whole numbers are those of weights of 1."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.curves import recalibration
from reportgen.measuring.binary_model import evaluate_model
from reportgen.measuring.kernels import ScoreSums
from reportgen.measuring.kernels.tied_scores import pairs
from reportgen.measuring.thresholds import Threshold
from reportgen.predictions import ModelColumns
from reportgen.sweeping import TiedScores, ranking_of


def rows(kind: type[pl.DataType], digits: int = 2) -> pl.DataFrame:
    random = np.random.default_rng(5)
    truth = random.random(20_000) < 0.3
    score = 1 / (1 + np.exp(1 - truth - random.normal(size=len(truth))))
    frame = pl.DataFrame({"truth": truth, "a": score.round(digits).clip(0.01, 0.99)})
    return frame.with_columns(pl.col("a").cast(kind), w=pl.lit(1.0))


@pytest.mark.parametrize("digits", [2, 4])
def test_counted_rows_have_the_sums_of_rows_with_weights_of_one(digits):
    frame = rows(pl.Float64, digits)
    counted, weighted = (ranking_of(frame, score="a", weight=w) for w in (None, "w"))
    assert isinstance(counted, TiedScores)
    assert counted.of_whole_rows
    assert not weighted.of_whole_rows
    rankings = counted, weighted
    one, other = (ScoreSums(ranked, np.array([0, len(ranked)]), 1) for ranked in rankings)
    cuts = [1, len(counted) // 3, len(counted)]
    assert pairs(counted, cuts) == pairs(weighted, cuts)
    assert one.precisions == other.precisions
    assert one.losses == other.losses
    fits = [recalibration(ranked).row(0) for ranked in rankings]
    assert fits[0] == pytest.approx(fits[1], rel=1e-12)


@pytest.mark.parametrize("kind", [pl.Float32, pl.Float64])
def test_a_threshold_is_rounded_as_the_scores_are(kind):
    frame = rows(kind)
    for threshold in (0.1, 0.3, 0.7, 0.55):
        model = evaluate_model(frame, ModelColumns("a", score="a"), Threshold(threshold, "fixed"))
        decided = frame.filter(pl.col("a") >= threshold)
        counts = model.counts.select("tp", "fp").row(0)
        assert counts == (decided["truth"].sum(), (~decided["truth"]).sum())


def test_groups_are_cut_at_the_threshold_that_is_rounded():
    frame = rows(pl.Float32).with_columns(group=pl.int_range(pl.len()) // 4)
    model = evaluate_model(frame, ModelColumns("a", score="a"), Threshold(0.3, "fixed"))
    assert model.by_group is not None
    assert model.by_group.totals[:2].sum() == frame.filter(pl.col("a") >= 0.3).height
