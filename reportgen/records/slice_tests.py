"""The records of tests of slices: against predictions, and of models against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict


class SliceLevel(TypedDict):
    """Truth against prediction of a model in a slice: a ratio of events, or a mean error.

    ``low`` and ``high`` hold together with those of all slices and models, null where a side has
    no limit, as with very few groups; ``p_adjusted`` is Holm's over them, ``p_report`` over all
    tests of the report that decide. ``observed`` and ``expected`` are events, ``spread`` is the
    standard deviation of errors.
    """

    model: str
    slice: str
    rows: int
    observed: float | None
    expected: float | None
    value: float
    low: float | None
    high: float | None
    spread: float | None
    p_value: float
    p_adjusted: float
    p_report: float | None


class SliceLevels(TypedDict):
    """The tests of every slice against what each model predicts, or why there are none.

    ``comparison`` is the name of the test, ``metric`` what it is made of; ``without_test`` counts
    the slices of models for which it is undefined.
    """

    comparison: str
    metric: str
    untested: str | None
    without_test: int
    slices: Sequence[SliceLevel]


class DifferenceInSlice(TypedDict):
    """The difference of two models, the first minus the second, in a slice.

    ``low`` and ``high`` hold together with those of all slices and pairs of the measure; null
    where a side has no limit, of both for the reason of ``no_limits``.
    """

    models: Sequence[str]
    slicing: Sequence[str]
    slice: str
    rows: int
    value: float
    low: float | None
    high: float | None
    no_limits: str | None


class PairVaries(TypedDict):
    """The test that the difference of two models is the same in all slices of a slicing.

    ``p_adjusted`` is Holm's over pairs and slicings of the measure, ``p_report`` over all tests
    of the report that decide.
    """

    models: Sequence[str]
    slicing: Sequence[str]
    p_value: float
    p_adjusted: float
    p_report: float | None


class PairsBySlice(TypedDict):
    """How models differ by slice in a measure, or why that is not tested.

    ``confidence`` is that of all limits together.
    """

    metric: str
    untested: str | None
    confidence: float
    varies: Sequence[PairVaries]
    slices: Sequence[DifferenceInSlice]


def pairs_of_measure(records: Sequence[PairsBySlice], measure: str | None) -> PairsBySlice | None:
    """Of the differences by slice those in a measure; null where it has none."""
    return next((one for one in records if one["metric"] == measure), None)
