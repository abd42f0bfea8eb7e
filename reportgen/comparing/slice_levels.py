"""Every slice against what each model predicts of it, corrected together after Holm."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Indices
from reportgen.comparisons import TESTS, holm
from reportgen.comparisons.expected_truth import (
    ERRORS,
    EVENTS,
    AgainstPrediction,
    errors_against_zero,
    events_against_expected,
)
from reportgen.comparisons.records import LEAST_P
from reportgen.measuring import slices
from reportgen.measuring.context import EvaluationContext
from reportgen.predictions import ModelColumns
from reportgen.predictions.column_names import MOST_SLICE_VALUES
from reportgen.records.rows import ModelRecord
from reportgen.records.slice_tests import SliceLevel, SliceLevels
from reportgen.sample_design import SampleDesign
from reportgen.text.reasons import EVALUATED_AGAIN

IN_TIME = "rows are in time order"


@dataclass(frozen=True, slots=True)
class _Tested:
    model: str
    slice: str
    rows: int
    test: AgainstPrediction


def slice_levels(context: EvaluationContext, models: Sequence[ModelRecord]) -> SliceLevels | None:
    """The tests of all slices of ``slices.FEW_ROWS`` rows or more, and models; null without slices.

    Of two classes those of observed against expected positives of the models
    that give probabilities, of numbers those of the mean error. Holm over all of them; the limits
    hold together (Bonferroni).
    """
    test = EVENTS if context.task.two_classes else ERRORS
    if not context.slicings or not (context.task.two_classes or context.task.of_numbers):
        return None
    if reason := _untested(context):
        return _levels(test, reason)
    probable = {model["name"] for model in models if model.get("probability")}
    large = [
        one
        for columns in context.predictions.models
        if (context.task.of_numbers and columns.quantile is None) or columns.name in probable
        for one in _of_model(context, columns)
    ]
    tested = [one for one in large if one is not None]
    alpha = context.spec.comparisons.alpha
    adjusted = holm([max(one.test.p_value, LEAST_P) for one in tested]) if tested else []
    confidence = 1 - alpha / max(len(tested), 1)
    limits = [one.test.limits(confidence) for one in tested]
    records = list(map(_record, tested, adjusted, limits))
    return _levels(test, None, records, len(large) - len(tested))


def _levels(
    test: str, untested: str | None, records: Sequence[SliceLevel] = (), without_test: int = 0
) -> SliceLevels:
    (metric,) = TESTS[test].measures
    return {
        "comparison": test,
        "metric": metric,
        "untested": untested,
        "without_test": without_test,
        "slices": list(records),
    }


def _untested(context: EvaluationContext) -> str | None:
    if "time" in context.rows.columns and context.groups is None:
        return IN_TIME
    return EVALUATED_AGAIN if context.repeats > 1 and context.test_settings.groups is None else None


def _of_model(context: EvaluationContext, columns: ModelColumns) -> Iterator[_Tested | None]:
    """The test of each slice that has enough rows; null where it is undefined."""
    rows = context.rows
    output = columns.score if context.task.two_classes else columns.estimate
    if output is None:
        return
    truth, predicted = (rows[name].cast(pl.Float64).to_numpy() for name in ("truth", output))
    design = SampleDesign(context.weights_of(rows), context.test_settings.groups)
    present = rows[output].is_not_null().to_numpy()
    for label, places in _slices(context):
        at = places[present[places]]
        if len(at) < slices.FEW_ROWS:
            continue
        test = _test(context, truth[at], predicted[at], design.among(at))
        yield None if test is None else _Tested(columns.name, label, len(at), test)


def _test(
    context: EvaluationContext, truth: Floats, predicted: Floats, design: SampleDesign
) -> AgainstPrediction | None:
    if context.task.two_classes:
        return events_against_expected(truth, predicted, design)
    return errors_against_zero(truth - predicted, design)


def _slices(context: EvaluationContext) -> Iterator[tuple[str, Indices]]:
    """The name of each slice, and the places of its rows."""
    for names in context.slicings:
        parts = slices.parts(context.rows, names)
        if parts.height > MOST_SLICE_VALUES:
            continue
        labelled = [(slices.label(names, row[:-1]), row[-1]) for row in parts.iter_rows()]
        yield from ((label, np.asarray(places, np.int64)) for label, places in sorted(labelled))


def _record(tested: _Tested, p_adjusted: float, limits: tuple[float, float]) -> SliceLevel:
    test, (low, high) = tested.test, limits
    return {
        "model": tested.model,
        "slice": tested.slice,
        "rows": tested.rows,
        "observed": test.observed,
        "expected": test.expected,
        "value": test.value,
        "low": low if math.isfinite(low) else None,
        "high": high if math.isfinite(high) else None,
        "spread": test.spread,
        "p_value": max(test.p_value, LEAST_P),
        "p_adjusted": p_adjusted,
        "p_report": None,
    }
