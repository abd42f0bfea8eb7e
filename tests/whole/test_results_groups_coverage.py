"""Coverage of the nominal 95 % of the limits of one model where rows come in groups.

A row's truth and its score each share a part with the other rows of the group,
so that groups differ in prevalence and in how well the model does. The true
values are those of 8,000 such groups. Of R data sets the share whose limits hold
the true value may lie beyond 0.92 and 0.98 by three standard errors of the
simulation itself, √(0.95·0.05/R).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.special import ndtr, ndtri

from reportgen.measuring.binary_model import evaluate_metrics, evaluate_model
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.row_means import rows_in_groups
from reportgen.measuring.thresholds import Threshold
from reportgen.metrics import REGISTRY
from reportgen.predictions import ModelColumns
from reportgen.results.estimate_measures import RegressionModel
from tests.breadth import breadth
from tests.quick import BINARY_SPEC

MODEL = ModelColumns(name="m", score="score", label=None)
NUMBER = ModelColumns(name="m", estimate="estimate")
COSTS = {"false_negative": 5.0, "false_positive": 1.0}
DECIDED = ("accuracy", "recall", "specificity", "precision", "f1", "balanced_accuracy", "mcc")
OF_SCORES = ("auc", "brier_score", "log_loss", "cost_sensitive_error_rate")
OF_NUMBERS = ("mean_squared_error", "mean_absolute_error", "root_mean_squared_error", "r2")
FURTHER = (*OF_NUMBERS, "pearson_r", "explained_variance", "pinball_low", "pinball_high")
QUALITY = 0.8
"""Correlation of the score and what makes a row positive."""

Sizes = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class Setting:
    """How many groups of how many rows, and how alike these are."""

    groups: int
    rows: int
    correlation: float
    prevalence: float = 0.4
    unequal: bool = False
    one_class: bool = False

    def sizes(self, random: np.random.Generator, groups: int) -> Sizes:
        """The rows of each group."""
        if not self.unequal:
            return np.full(groups, self.rows)
        sizes = self.rows * random.lognormal(-0.32, 0.8, groups)
        return np.maximum(1, np.round(sizes)).astype(np.int64)

    def drawn(self, random: np.random.Generator, groups: int | None = None) -> pl.DataFrame:
        """Rows with a truth, the probability that a model gives, a number and its estimate."""
        sizes = self.sizes(random, groups or self.groups)
        code = np.repeat(np.arange(len(sizes)), sizes)

        def shared() -> np.ndarray:
            common, individual = random.normal(size=len(sizes))[code], random.normal(size=len(code))
            return sqrt(self.correlation) * common + sqrt(1 - self.correlation) * individual

        cut, residual = -ndtri(self.prevalence), sqrt(1 - QUALITY**2)
        latent = shared()
        if self.one_class:
            latent = np.where((random.random(len(sizes)) < self.prevalence)[code], 0.9, -0.9)
            cut = 0.0
        score = QUALITY * latent + residual * shared()
        return pl.DataFrame(
            {
                "group": code,
                "truth": latent > cut,
                "score": ndtr((QUALITY * score - cut) / residual),
                "number": latent + shared(),
                "estimate": score,
            }
        )


SETTINGS = {
    "40 groups of 15": Setting(40, 15, 0.3),
    "40 groups of 15, much alike": Setting(40, 15, 0.6),
    "200 groups of 2, few positives": Setting(200, 2, 0.6, prevalence=0.15),
    "20 groups of 30": Setting(20, 30, 0.3),
    "40 groups of unequal size": Setting(40, 15, 0.6, unequal=True),
    "40 groups of one class each": Setting(40, 15, 0.3, one_class=True),
}


FEW = {
    "8 groups of 15": Setting(8, 15, 0.6),
    "8 groups of unequal size": Setting(8, 15, 0.6, unequal=True),
}
"""In so few groups limits shall cover 0.90."""


def binary(frames: Sequence[pl.DataFrame]) -> list[Mapping[str, Any]]:
    """The measures of two classes of each data set."""
    models = [evaluate_model(frame, MODEL, Threshold(0.5, "")) for frame in frames]
    by_frame = evaluate_metrics(models, BINARY_SPEC, COSTS, {*DECIDED, *OF_SCORES})
    return [{row["metric"]: row for row in rows} for rows in by_frame]


def numbers(frames: Sequence[pl.DataFrame]) -> list[Mapping[str, Any]]:
    """The measures of estimates of each data set."""
    metrics = [REGISTRY["regression"][name] for name in FURTHER]
    models = [RegressionModel(NUMBER, f.with_columns(truth="number")) for f in frames]
    by_frame = [rows_in_groups(MetricSubject("m"), m.pairs, metrics, m.groups) for m in models]
    return [{row["metric"]: row for row in rows} for rows in by_frame]


def coverage(setting: Setting, runs: int, measure: Any, names: Sequence[str]) -> dict[str, float]:
    """Share of the data sets whose limits hold the true value, of those that have limits."""
    random = np.random.default_rng([30, setting.groups, round(10 * setting.correlation)])
    [truth] = measure([setting.drawn(random, 8_000)])
    samples = measure([setting.drawn(random) for _ in range(runs)])
    shares = {}
    for name in names:
        rows = [row[name] for row in samples if row[name]["low"] is not None]
        held = [row["low"] <= truth[name]["value"] <= row["high"] for row in rows]
        assert len(rows) >= 0.98 * runs
        shares[name] = float(np.mean(held))
    return shares


RUNS = pytest.mark.parametrize("runs", [40, pytest.param(2000, marks=pytest.mark.slow)])


@RUNS
@breadth("name", SETTINGS, ["20 groups of 30"])
def test_limits_of_two_classes_cover_where_rows_come_in_groups(name, runs):
    shares = coverage(SETTINGS[name], runs, binary, (*DECIDED, *OF_SCORES))
    error = 3 * sqrt(0.95 * 0.05 / runs)

    assert all(0.92 - error <= share <= 0.98 + error for share in shares.values()), shares


@RUNS
@breadth("name", SETTINGS, ["20 groups of 30"])
def test_limits_of_numbers_cover_where_rows_come_in_groups(name, runs):
    shares = coverage(SETTINGS[name], runs, numbers, OF_NUMBERS)
    error = 3 * sqrt(0.95 * 0.05 / runs)

    assert all(0.92 - error <= share <= 0.98 + error for share in shares.values()), shares


@RUNS
@breadth("name", FEW, 1)
def test_limits_of_numbers_cover_in_few_groups(name, runs):
    shares = coverage(FEW[name], runs, numbers, FURTHER)
    error = 3 * sqrt(0.9 * 0.1 / runs)

    assert all(share >= 0.9 - error for share in shares.values()), shares


@pytest.mark.slow
@pytest.mark.parametrize("groups", [8, 10])
def test_limits_of_two_classes_cover_in_few_groups_of_unequal_size(groups):
    """Without the pull of large groups they held F1 in 0.89, MCC in 0.90 of the data sets."""
    setting = Setting(groups, 15, 0.6, unequal=True)
    shares = coverage(setting, 3000, binary, DECIDED)

    assert all(share >= 0.92 - 3 * sqrt(0.92 * 0.08 / 3000) for share in shares.values()), shares


@pytest.mark.slow
def test_upper_limits_of_squared_errors_are_seldom_too_low_in_ten_groups():
    """On the logarithmic scale alone they were in 0.10 of the data sets; a root misses alike."""
    setting, random, runs = Setting(10, 15, 0.6), np.random.default_rng(11), 3000
    [truth] = numbers([setting.drawn(random, 8_000)])
    samples = numbers([setting.drawn(random) for _ in range(runs)])
    missed = {
        name: np.mean([row[name]["high"] < truth[name]["value"] for row in samples])
        for name in ("mean_squared_error", "root_mean_squared_error")
    }

    assert missed["mean_squared_error"] == missed["root_mean_squared_error"]
    assert missed["mean_squared_error"] <= 0.065 + 1.65 * sqrt(0.065 * 0.935 / runs)


def test_limits_of_independent_rows_would_not_cover():
    """What the same rows without their groups give: the reason for all of this."""
    setting = SETTINGS["40 groups of 15, much alike"]
    shares = coverage(
        setting, 100, lambda frames: binary([f.drop("group") for f in frames]), ("auc", "accuracy")
    )

    assert max(shares.values()) < 0.9
