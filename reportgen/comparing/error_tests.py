"""The tests of the errors of two regression models on the same rows."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from reportgen.array_types import Floats
from reportgen.clusters import Groups
from reportgen.comparisons import (
    Comparison,
    Question,
    equivalence_of_errors,
    paired_errors,
    weighted_errors,
    weighted_mean,
)
from reportgen.comparisons.grouped import (
    errors_in_groups,
    mean_difference_in_groups,
    tails_of,
)
from reportgen.comparisons.paired import Mean, mean_difference
from reportgen.comparisons.paired_losses import ABSOLUTE, SQUARED, undefined_ranks
from reportgen.measuring.context import TestSettings
from reportgen.text.reasons import WEIGHTED


def tests_of_errors(
    rows: pl.DataFrame, columns: tuple[str, str], question: Question, settings: TestSettings
) -> list[Comparison]:
    """The tests of the errors of two models; with a margin those of one mean against it.

    The margin is in the unit of the primary measure, or else of the squared error.
    """
    errors = [(pl.col("truth") - pl.col(column)).abs() for column in columns]
    absolute = rows.select(first=errors[0], second=errors[1])
    groups = settings.groups
    both = absolute["first"].to_numpy(), absolute["second"].to_numpy()
    weights = None
    if settings.weight is not None:
        weights = rows[settings.weight].cast(pl.Float64).to_numpy()
        tests = weighted_errors(both, weights, question, groups)
        tests += undefined_ranks(question, WEIGHTED, grouped=groups is not None)
    elif groups is None:
        tests = paired_errors(rows, question, estimates=columns)
    else:
        tests = errors_in_groups(absolute, groups, question)
    metric = ABSOLUTE if settings.primary == ABSOLUTE else SQUARED
    margin = settings.margin_in(metric)
    if margin is None:
        return tests
    losses = both if metric == ABSOLUTE else (both[0] ** 2, both[1] ** 2)
    mean = _mean_difference(losses, weights, groups)
    tails = None if mean.reason else tails_of(losses, groups)
    asked = replace(question, metric=metric)
    return [*tests, *equivalence_of_errors(mean, tails, asked, margin)]


def _mean_difference(
    losses: tuple[Floats, Floats], weights: Floats | None, groups: Groups | None
) -> Mean:
    if weights is not None:
        return weighted_mean(*losses, weights, groups)
    if groups is None:
        return mean_difference(pl.DataFrame({"first": losses[0], "second": losses[1]}))
    return mean_difference_in_groups(*losses, groups)
