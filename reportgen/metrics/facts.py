"""What a metric may say of itself, in the decorator above its function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricFacts:
    """What a metric says of itself; ``undefined`` is the reason given where the value is null.

    ``on`` names the frame that the expression reads. Binary: ``counts`` (one
    row per decision rule, or a sweep: the value is then one per row), or a
    whole ``sweep``, its convex ``hull``, its calibration ``bins``, its bins of
    equal mass (``masses``), its ``isotonic`` estimates or its logistic
    ``recalibration`` (one value). Multiclass: ``classes`` (the counts of each class against the
    rest), the complete ``matrix`` (truth, predicted, count), or the ``rows``
    of scores. Regression: the ``pairs`` of truth and estimate.
    """

    label: str = field(kw_only=False)
    group: Group
    undefined: str
    bounds: tuple[float, float] = (0, 1)
    better: Better | None = "higher"
    on: MetricSource = "counts"
    task: TaskName = "binary"
    interval: Interval | None = None
    core: bool = False  # stands in the main table of the report
    probability: bool = False  # the scores must be probabilities
    otherwise: str | None = None  # the reason for null where ``undefined`` does not apply
    unit: str | None = None  # what values are printed in, where that is no plain share or ratio
    unit_power: int = 0  # the power of the truth's unit that values are in
    aspect: ErrorAspect | None = None  # the heading under which a regression prints it
    top: int | None = None  # how many classes of the highest scores count as correct predictions

    # How it follows from others: what is tested of them is tested of it.
    complement_of: str | None = None  # 1 minus this one
    determined_by: str | None = None  # by this one in some other way
    skill_of: str | None = None  # the share of what the best constant loses that a model saves
    gain_of: str | None = None  # the difference between what the best constant and a model lose
    best_constant: BestConstant | None = None  # the constant estimate that has 0
    optimised: bool = False  # for thresholds chosen on these rows, so that noise raises it
    of_highest: bool = False  # of the rows with the highest scores alone
    same_averages: Mapping[str, str] | None = None  # by average over classes what it is

    # What it is made of, which says how it varies.
    mean: bool = False  # the weighted mean of a number of each row
    proportion: bool = False  # and that number is 0 or 1 but for ties
    mean_of_rates: bool = False  # of recall and precision, or of recall and specificity
    ratio_of_rates: bool = False  # of these, or follows from one
    influence: Callable[[], pl.Expr] | None = None  # what each row adds to it, as a mean that is 0
    root: bool = False  # of another measure: its limits are the roots of that one's
    within_classes: bool = False  # the shares of the two classes do not change it
    by_truth: bool = False  # each error is divided by its truth, which may be near 0
    by_distance: int = 0  # the power of the distance between classes that errors count with
    heavy_tailed_mean: str | None = (
        None  # the mean that it rests on, or is, which rare errors decide
    )
    tails_of: str | None = None  # another mean that rare errors decide it with
    one_row_decides: bool = False  # no limits where one row has most of the squared errors
    chance: float | None = None  # what guessing gives, where folds of guesses vary most
    chance_is_prevalence: bool = False  # guessing gives it the share of positives

    # Whether it has limits.
    no_limits: str | None = None  # why never
    averages_without_limits: tuple[str, ...] = ()  # its averages over classes that never have any
    class_limits_independent: bool = False  # of one class only where rows are independent
    at_kink: bool = False  # largest where several shares are equal, as in good models
    biased_by: BiasSource | None = None  # what moves its bootstrap to one side

    # What is known of it where rows are counted, or counts withheld.
    from_cells: FromCells | None = None
    discloses: Disclosure | None = None
