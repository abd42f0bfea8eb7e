"""What a metric may say of itself, in the decorator above its function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypedDict

import polars as pl

from reportgen.intervals import Interval
from reportgen.tasks import TaskName

MetricSource = Literal[
    "counts",
    "sweep",
    "hull",
    "bins",
    "masses",
    "isotonic",
    "recalibration",
    "classes",
    "matrix",
    "least",
    "rows",
    "pairs",
]
Group = Literal["ranking", "decision", "agreement", "probability", "cost", "error", "count"]
Better = Literal["higher", "lower"]
Disclosure = Literal["sums", "single rows", "class sizes"]
"""What can be read off a measure: "sums" over all rows, or pairs of rows, of a class, which tell no
decision; one of "single rows", as it counts rows or adds up those beyond a limit; "class sizes".
"""
BiasSource = Literal["shares", "association", "cells"]
"""Shares of the classes, which sampling moves one way; association, which it raises where there is
little; cells with few rows.
"""
FromCells = Literal["convex", "ordered", "approximate", "uncertain", "not distinct"]
"""It rises or falls with sums of "convex" functions of the scores, gains when a positive moves up
("ordered"), is "approximate", too "uncertain" to have a value, or rests on distinct forecasts.
"""
BestConstant = Literal["mean", "median", "other"]
ErrorAspect = Literal["size", "relative", "fit", "interval", "quantile", "shape"]


class MetricFacts(TypedDict, total=False):
    """What a metric may say of itself, each fact as ``Metric`` has it; none of them is needed."""

    on: MetricSource
    task: TaskName
    interval: Interval | None
    core: bool  # stands in the main table of the report
    probability: bool  # the scores must be probabilities
    otherwise: str | None  # the reason for null that is left where ``undefined`` does not apply
    unit: str | None  # what values are printed in, where that is no plain share or ratio
    unit_power: int  # the power of the truth's unit that values are in
    aspect: ErrorAspect | None  # the heading under which a regression prints it
    top: int | None  # how many classes of the highest scores count as correct predictions

    # How it follows from others: what is tested of them is tested of it.
    complement_of: str | None  # 1 minus this one
    determined_by: str | None  # by this one in some other way
    skill_of: str | None  # the share of what the best constant loses that a model saves
    gain_of: str | None  # the difference between what the best constant and a model lose
    best_constant: BestConstant | None  # the constant estimate that has 0
    optimised: bool  # for thresholds chosen on these rows, so that noise raises it
    of_highest: bool  # of the rows with the highest scores alone, whatever the others rank like
    same_averages: Mapping[str, str] | None  # by average over classes what it is by definition

    # What it is made of, which says how it varies.
    mean: bool  # the weighted mean of a number of each row
    proportion: bool  # and that number is 0 or 1 but for ties
    mean_of_rates: bool  # of recall and precision, or of recall and specificity
    influence: Callable[[], pl.Expr] | None  # what each row adds to it, as a mean that is 0
    root: bool  # of another measure: its limits are the roots of that one's
    within_classes: bool  # the shares of the two classes do not change it
    by_truth: bool  # each error is divided by its truth, which may be near 0
    by_distance: int  # the power of the distance between classes that errors count with
    heavy_tailed_mean: str | None  # the mean that it rests on, or is: rare errors may decide it
    tails_of: str | None  # another mean that rare errors decide it with
    one_row_decides: bool  # no limits where one row has most of the squared errors
    chance: float | None  # what guessing gives, where folds of guesses vary most

    # Whether it has limits.
    no_limits: str | None  # why never
    averages_without_limits: tuple[str, ...]  # its averages over classes that never have any
    class_limits_independent: bool  # of one class only where rows are independent
    at_kink: bool  # largest where several shares are equal, as in good models
    biased_by: BiasSource | None  # what moves its bootstrap to one side

    # What is known of it where rows are counted, or counts withheld.
    from_cells: FromCells | None
    discloses: Disclosure | None
