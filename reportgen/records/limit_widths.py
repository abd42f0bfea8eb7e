"""Limits that records of the data have beside those of measures: of differences, and wider ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

OF_MANY_FITS = (
    "under leave-one-out it ranks scores of as many fits as rows, which depend on the truth of "
    "their row: limits would not hold"
)
"""Why measures that rank scores have no limits there."""


class LimitedDifference(TypedDict):
    """A difference with its limits."""

    value: float
    low: float
    high: float


class CloserOnRows(TypedDict):
    """On which share of rows the first of two models is closer to the truth; ties count half."""

    models: Sequence[str]
    share: float
    low: float
    high: float


class WiderLimits(TypedDict):
    """How many times as wide limits are with a column as group, at least 1: of a model or a pair.

    ``measure`` is the AUC, or what the mean loss stands for.
    """

    models: Sequence[str]
    measure: str
    times_as_wide: float


class UndeclaredGroup(TypedDict):
    """A column that is not declared, though errors of rows with the same value are alike.

    With it as group the variance of a mean loss is ``design_effect`` times that of independent
    rows: the most of any model, or difference from the first. ``limits`` say by model and pair
    how much wider they are, of the first such column alone; ``times_as_wide`` is the most. Where it
    ``crosses`` declared groups, these limits allow for both, and ``design_effect`` is that on the
    means of the rows of one value in one group. ``sampled``: by its name, or by many values of few
    rows each, it may be a sample of units, as stores are, or of times, if it is ``dated``; grades
    and kinds are not. Results without it took every column for one. Of dates of one row each the
    values are ``periods``, of consecutive rows, also of the mere order of the rows (``of_order``).
    ``crossed`` is another such column that it crosses,
    where no groups are declared: limits allow for both.
    """

    column: str
    sampled: NotRequired[bool]
    dated: NotRequired[bool]
    periods: NotRequired[bool]
    of_order: NotRequired[bool]
    crossed: NotRequired[str]
    values: int
    design_effect: float
    times_as_wide: float
    crosses: bool
    limits: Sequence[WiderLimits]
