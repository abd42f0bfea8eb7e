"""Two values of a measure on the same rows, tested by what each row contributes to them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from reportgen.array_types import Floats
from reportgen.clusters import (
    Groups,
    correction,
    degrees_of_freedom,
    effect_of_sums,
    sum_of_squares,
)
from reportgen.comparisons.grouped import GroupFields, group_fields
from reportgen.comparisons.paired import Mean, MeanTest
from reportgen.comparisons.records import Comparison, Question

NO_VARIANCE = "the difference has no variance"

_ROUNDING = 1e-13


@dataclass(frozen=True, slots=True)
class Contributions:
    """A value of a model and what each row contributes to it: contributions add up to 0.

    ``unseen`` is the variance that kinds of rows add to it which are missing by chance.
    """

    value: float
    of_rows: Floats
    unseen: float = 0.0


@dataclass(frozen=True, slots=True)
class UnknownPart:
    """A part of a difference that too few rows show: what they give, and how large it may be."""

    observed: float
    most: float


def of_contributions(
    name: str,
    first: Contributions,
    second: Contributions,
    question: Question,
    groups: Groups | None = None,
    unknown: UnknownPart | None = None,
) -> Comparison:
    """The t-test ``name`` of the difference; undefined where it has no variance.

    There are as many degrees of freedom as the fourth powers say of the difference or of either
    value, whichever are fewest: few rows may make up most of one of them. With an ``unknown`` part
    of the difference it is tested whether the rest is beyond that.
    """
    apart, value = first.of_rows - second.of_rows, first.value - second.value
    sides = [apart, first.of_rows, second.of_rows]
    grouped = groups is not None and not groups.single
    sums = [groups.sums(side) for side in sides] if groups is not None and grouped else sides
    noise = _ROUNDING / len(apart)
    if len(sums[0]) < 2 or not np.abs(sums[0]).max() > noise:
        return question.record(name, undefined=NO_VARIANCE, estimate=value)
    freedom = min(degrees_of_freedom(side) for side in sums if np.abs(side).max() > noise)
    variance, fields = sum_of_squares(apart), GroupFields()
    if groups is not None and grouped:
        effect = effect_of_sums(sums[0], variance, len(apart), groups.sizes)
        variance = effect.design * variance * correction(len(apart))
        freedom, fields = min(freedom, effect.degrees_of_freedom), group_fields(groups)
    variance += (first.unseen + second.unseen) * max(variance / sum_of_squares(apart), 1.0)
    mean = Mean(value, math.sqrt(variance), freedom)
    if unknown is None:
        return question.record(name, **mean.test(question.confidence), **fields)

    def limits(confidence: float) -> tuple[float, float]:
        low, high = mean.limits(confidence)
        return low - unknown.most, high + unknown.most

    less = math.copysign(max(abs(value) - unknown.most, 0.0), value)
    low, high = limits(question.confidence)
    values: MeanTest = {
        "statistic": less / mean.error,
        "df": freedom,
        "p_value": 2 * float(stdtr(freedom, -abs(less) / mean.error)),
        "estimate": value + unknown.observed,
        "low": low,
        "high": high,
        "interval": mean.interval,
    }
    return question.record(name, **values, limits_at=limits, **fields)
