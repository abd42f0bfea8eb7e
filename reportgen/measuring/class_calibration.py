"""Calibration of each class against the rest, or of each label: numbers and curves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.curves import calibration
from reportgen.intervals.calibration import ROWS_PER_WEIGHT
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.metric_set import ValueWithLimits
from reportgen.measuring.model_rows import ModelRows
from reportgen.metrics import METRICS
from reportgen.tables import Bins
from reportgen.tables.results import MetricRow

ERROR = "expected_calibration_error"


def of_bins(
    binned: Iterable[DataFrame[Bins]], number: MetricSubject
) -> Iterator[dict[str, ValueWithLimits]]:
    """The error of each table of bins with its limits."""
    # How many rows a weight stands for is not known of single classes, and their noise is not that
    # of groups: no limits then.
    alone = not (number.weighted or number.grouped)
    size = pl.lit(1.0 if alone else None, pl.Float64).alias(ROWS_PER_WEIGHT)
    frames = (bin_table.with_columns(size) for bin_table in binned)
    return number.limits_of([METRICS[ERROR]]).of_frames(frames)


def errors(
    by_class: Sequence[dict[str, ValueWithLimits]],
    classes: Sequence[str],
    number: MetricSubject,
    missing: str,
) -> list[MetricRow]:
    """The expected calibration error of each class's own score (``of_bins``), and their mean.

    The mean is the class-wise calibration error of Kull et al. (2019),
    arXiv:1910.12656. Without scores (no bins) each says ``missing``.
    """
    rows: list[MetricRow] = []
    metric = [METRICS[ERROR]]
    if not by_class:
        for label in classes:
            rows += number.of_class(label).rows(None, metric, missing)
    for label, values in zip(classes, by_class, strict=False):
        rows += number.of_class(label).from_values(metric, values)
    defined = [row["value"] for row in rows if row["value"] is not None]
    mean = float(np.mean(defined)) if defined and len(defined) == len(rows) else None
    reason = "a class or label has no value" if by_class else missing
    return [*rows, number.average("macro").row(ERROR, mean, undefined=reason)]


def lines(model: ModelRows, binned: Sequence[DataFrame[Bins]]) -> Iterator[pl.DataFrame]:
    """The calibration curve of each class whose scores are probabilities."""
    confidence, weighted = model.confidence, model.weight is not None
    for label, bin_table in zip(model.classes, binned, strict=False):
        if bin_table.height:
            line = calibration(bin_table, model.name, confidence=confidence, weighted=weighted)
            yield line.with_columns(pl.lit(label).alias("class"))
