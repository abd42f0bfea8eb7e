"""The tests of the errors of two regression models on the same rows."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from reportgen.array_types import Floats
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
from reportgen.sample_design import SampleDesign
from reportgen.text.reasons import WEIGHTED


def tests_of_errors(
    rows: pl.DataFrame, columns: tuple[str, str], question: Question, settings: TestSettings
) -> list[Comparison]:
    """The tests of the errors of two models; with a margin those of one mean against it.

    The margin is in the unit of the primary measure, or else of the squared error.
    """
    errors = [(pl.col("truth") - pl.col(column)).abs() for column in columns]
    absolute = rows.select(first=errors[0], second=errors[1])
    design = settings.design(rows)
    both = absolute["first"].to_numpy(), absolute["second"].to_numpy()
    if design.weights is not None:
        tests = weighted_errors(both, design, question)
        tests += undefined_ranks(question, WEIGHTED, grouped=design.groups is not None)
    elif design.groups is None:
        tests = paired_errors(rows, question, estimates=columns)
    else:
        tests = errors_in_groups(absolute, design.groups, question)
    metric = ABSOLUTE if settings.primary == ABSOLUTE else SQUARED
    margin = settings.margin_in(metric)
    if margin is None:
        return tests
    losses = both if metric == ABSOLUTE else (both[0] ** 2, both[1] ** 2)
    mean = _mean_difference(losses, design)
    tails = None if mean.reason else tails_of(losses, design.groups)
    asked = replace(question, metric=metric)
    return [*tests, *equivalence_of_errors(mean, tails, asked, margin)]


def _mean_difference(losses: tuple[Floats, Floats], design: SampleDesign) -> Mean:
    if design.weights is not None:
        return weighted_mean(*losses, design)
    if design.groups is None:
        return mean_difference(pl.DataFrame({"first": losses[0], "second": losses[1]}))
    return mean_difference_in_groups(*losses, design.groups)
