"""Tests whose recommendation reads the data, counted only in reports that recommend them.

The share of runs with a p is that of such reports; the level over that share is the level
among them. A recommendation that reads the AUCs or the errors could select the data in which
the models happen to differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl

from reportgen.clusters import Groups
from reportgen.comparing.recommendation import Situation, with_recommendation
from reportgen.comparisons import Comparison, corrected_resampled_t
from reportgen.comparisons.grouped import errors_in_groups
from reportgen.predictions.evaluation import Evaluation, Scheme
from tests.simulations.fold_measures import auc, measured_by_fold
from tests.simulations.folds import SCHEMES, centroids, tested
from tests.simulations.situations import Generator, asked, situation

EVALUATED: dict[str, Scheme] = {
    "10 folds": "k_fold",
    "5 × 2 folds": "five_by_two",
    "10 × 10 folds": "repeated_k_fold",
    "15 splits": "repeated_hold_out",
}


def _where_recommended(record: Comparison, evaluation: Evaluation) -> Comparison:
    """The record, without its p where a report does not recommend it."""
    [advised] = with_recommendation([record], Situation(evaluation))
    return advised if advised.recommendation == "recommended" else replace(advised, p_value=None)


def _heavy(groups: int, rows: int, of: str) -> None:
    """Squared errors of two models with one mean; those of the second may have heavy tails.

    They are of a t distribution with three degrees of freedom, by row or by whole group.
    """
    size = groups * rows
    evaluation = Evaluation(
        "hold_out", 1, 1, 1, size, float(size), groups=groups, test_rows=size, test_examples=size
    )

    @situation(f"{groups} groups of {rows}, {of} of one model with heavy tails, where recommended")
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        code = np.repeat(np.arange(groups), rows)
        a, b = (
            np.sqrt(0.6) * random.standard_normal(groups)[code]
            + np.sqrt(0.4) * random.standard_normal(size)
            for _ in range(2)
        )
        if of != "no group":
            scale = np.sqrt(random.chisquare(3, groups if of == "groups" else size))
            b /= scale[code] if of == "groups" else scale
        absolute = pl.DataFrame({"first": np.abs(a), "second": np.abs(b)})
        record = errors_in_groups(absolute, Groups(code, groups), asked("mean_squared_error"))[0]
        yield _where_recommended(record, evaluation)


for _groups, _size in ((10, 15), (20, 15), (40, 15), (80, 8), (200, 3)):
    for _tails in ("no group", "rows", "groups"):
        _heavy(_groups, _size, _tails)


def _advised(scheme: str, rows: int, signal: float, share: float) -> None:
    evaluation = Evaluation(EVALUATED[scheme], 10, 1, 10, rows, rows / 10)

    @situation(
        f"{scheme}, {rows} rows, signal {signal:g}, where AUC is recommended",
        power=0.5 if signal >= 0.5 else None,
        share=share,
    )
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        splits = SCHEMES[scheme](random, rows)
        learned = tested(random, rows, splits, signal, effect, centroids)
        record = corrected_resampled_t(measured_by_fold(learned, auc), asked("auc"))
        yield _where_recommended(replace(record, unit="folds"), evaluation)


for _scheme in EVALUATED:
    for _rows in (60, 100, 400):
        for _signal in (0.0, 0.15, 0.3, 0.5):
            _advised(_scheme, _rows, _signal, 0.25 if "10 × 10" in _scheme else 1.0)
