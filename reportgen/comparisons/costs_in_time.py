"""What the decisions of two models cost, on rows in order of time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Integers
from reportgen.clusters import Groups
from reportgen.comparisons.declared_costs import of_group_of_errors
from reportgen.comparisons.diebold_mariano import TOO_SHORT, LongRun, in_time, long_run_test
from reportgen.comparisons.grouped import mean_difference_in_groups
from reportgen.comparisons.groups_in_time import (
    Clustered,
    described,
    in_groups_and_time,
)
from reportgen.comparisons.paired import NOISE
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison

NAME = "declared_costs_in_time"


@comparison(
    "pair",
    "rows",
    forms=(Form(NAME, "The test of declared costs over time", "Declared costs (over time)", "t"),),
    tasks=("binary", "multiclass"),
    allows=("groups", "time"),
    measures=("cost_sensitive_error_rate",),
    needs=Needs(least=400),
)
def declared_costs_in_time(
    losses: pl.DataFrame, question: Question, groups: Groups | None = None
) -> Comparison:
    """Test that the decisions of two models cost the same on average, on rows in order of time.

    Costs of rows near in time may depend on each other, and those of a group where rows have one.
    As in ``declared_costs`` a costly error may be so rare that none is among these rows: either
    model is given one more of the costliest, which comes with as many others as the errors in
    these rows do. With 400 time points or more it rejects up to 6 % of true nulls at an
    autocorrelation of 0.5, 10 % at 0.8 and 15 % at 0.9; ``declared_costs`` up to 43 %. A low
    autocorrelation of the rows themselves does not change that: where errors are few, they may
    not show it.

    Args:
        losses: one line per row: its ``point`` in time, what it costs under either model,
            ``first`` and ``second``, and ``costliest``, what the costliest error about it would
            cost. Rows without a decision of both models are left out.
        question: the models, their measure, and the levels of the test and of its interval.
        groups: the group of each row, where rows of one group may depend on each other.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: a row costs the same on average under the decisions of both models
    Formula: t = d̄ / √(V + 2c²D/n²) for the differences d of the costs: V the long-run variance of
        d̄, from the sums by time point of (d − d̄)/n, in groups as in the Diebold–Mariano test for
        clustered rows. Here c is the cost of the costliest error, D = n²V/Σ(d − d̄)², at least 1;
        df as there
    Assumes: differences that are stationary
    Undefined: fewer than three time points, or costs that do not differ or differ by a
        constant
    Reference: Diebold & Mariano (1995), doi:10.1080/07350015.1995.10524599; Lazarus, Lewis, Stock
        & Watson (2018), doi:10.1080/07350015.2018.1506926; Thompson (2011),
        doi:10.1016/j.jfineco.2010.08.016

    >>> losses = pl.DataFrame(
    ...     {
    ...         "point": range(120),
    ...         "first": [0.0, 1.0, 0.0] * 40,
    ...         "second": [0.0, 0.0, 0.0, 1.0] * 30,
    ...         "costliest": [5.0, 1.0] * 60,
    ...     }
    ... )
    >>> test = declared_costs_in_time(losses, Question(("a", "b"), "cost_sensitive_error_rate"))
    >>> round(test.estimate, 4), test.low < 0 < test.high
    (0.0833, True)
    """
    known = (losses["first"].is_not_null() & losses["second"].is_not_null()).to_numpy()
    rows = losses.filter(known)
    if not rows.height:
        return question.record(NAME, undefined="no rows have a decision of both models")
    first, second, possible = (
        rows[name].cast(pl.Float64).to_numpy() for name in ("first", "second", "costliest")
    )
    of_groups = None if groups is None or groups.single else groups.among(known)
    apart, costliest = first - second, float(possible.max())
    mean = float(apart.mean())
    added = (apart - mean) / rows.height
    if rows.height * float(np.abs(added).max()) <= NOISE * costliest:
        same = "are all 0" if abs(mean) <= NOISE * costliest else "do not vary"
        return question.record(
            NAME, undefined=f"the differences of the costs {same}", estimate=mean
        )
    if of_groups is not None and of_groups.number < 2:
        return question.record(NAME, undefined="fewer than two groups", estimate=mean)
    long_run = _long_run((first, second), added, rows["point"].to_numpy(), of_groups)
    if long_run is None:
        return question.record(NAME, undefined=TOO_SHORT, estimate=mean)
    together = costliest * max(long_run.variance / long_run.points / float(added @ added), 1.0)
    if of_groups is not None:
        together = max(together, of_group_of_errors(possible, of_groups))
    more = 2 * costliest * together / rows.height**2
    record = long_run_test(
        NAME,
        question,
        mean,
        replace(long_run, variance=long_run.variance + more * long_run.points),
        (-costliest, costliest),
    )
    return record if of_groups is None else described(record, of_groups)


def _long_run(
    costs: tuple[Floats, Floats], added: Floats, point: Integers, groups: Groups | None
) -> LongRun | None:
    """The long-run variance of the mean difference, allowing for groups where there are any."""
    if groups is None:
        return in_time(added, point)
    mean = mean_difference_in_groups(*costs, groups)
    return in_groups_and_time(added, groups, point, Clustered(mean.error**2, mean.df))
