"""Certified bounds of measures of binned scores: whatever the order within the cells is."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame
from scipy.special import digamma, ndtr, stdtr

from reportgen.clusters import t_quantile
from reportgen.comparisons import Comparison
from reportgen.comparisons.records import LimitsAt, floored
from reportgen.intervals import normal_quantile
from reportgen.measuring.binary_model import BinaryModel
from reportgen.metrics import METRICS
from reportgen.metrics.class_means import BY_CLASS
from reportgen.results.binned.forecasts import MeasureModel, miscalibration, within
from reportgen.results.binned.sweeps import Sweeps
from reportgen.sweeping import as_ranking
from reportgen.tables import Comparisons, Sweep
from reportgen.tables.comparisons import Unit
from reportgen.tables.results import MetricRow

ORDERED = {m.name for m in METRICS.values() if m.from_cells == "ordered" or m.of_ranking}
"""Measures that gain when a positive moves up or a negative down."""

_CELLS = "scores were counted in cells"

_WHY_UNDETERMINED: Mapping[str | None, str] = {
    "not distinct": f"{_CELLS}, so that distinct forecasts are not known",
    "uncertain": f"{_CELLS}, which leave it too uncertain",
}

MOST_OPEN = 0.02
"""Of an AUC cells may leave so much open, or as much as its interval does on either side."""

CROWDED = (
    f"{_CELLS} that hold too many of them to say how they rank the rows; engine: exact sorts them"
)
"""Why an AUC of which cells leave more open has no value."""

UNDETERMINED = {
    m.name: _WHY_UNDETERMINED[m.from_cells]
    for m in METRICS.values()
    if m.from_cells in _WHY_UNDETERMINED
}
"""Measures that mixed cells say too little of, and why.

Where orders within the cells move the share of positives above some row by ε, no bound of the
mean distance of isotonic estimates is below √(ε/2): 0.011 of a million uniform scores, whose index
is 0.003.
"""


def bounded(
    numbers: Sequence[MetricRow],
    model: BinaryModel,
    cell_sweeps: Sweeps,
    measure: MeasureModel,
) -> list[MetricRow]:
    """The numbers of mixed cells with ``least`` and ``most``: the value of all rows lies between.

    ROC curves of the best and the worst order enclose that of any other, and
    with it its area, hull, least cost and top share, and the Brier score of the
    isotonic estimates, which is that of the hull. Average precision is not among what the
    curve alone tells: see ``least_precision``. What counted decisions give is
    exact and has no bounds, and so are sums over the bins of calibration.

    Where cells leave open how the scores rank the rows, nothing that follows from that has a value.
    """
    rows = {str(row["metric"]): row for row in numbers}
    best, worst = (
        {
            name: row["value"]
            for name, row in measure(
                replace(model, ranking=as_ranking(sweep)), ORDERED & rows.keys()
            ).items()
        }
        for sweep in (cell_sweeps.best, cell_sweeps.worst)
    )
    if worst.get("average_precision") is not None:
        weighted = "tp2" in cell_sweeps.worst.columns
        worst["average_precision"] = least_precision(
            cell_sweeps.worst, cell_sweeps.tied, weighted=weighted
        )
    rows |= {name: within(rows[name], best[name], worst[name]) for name in best}
    if "corp_miscalibration" in rows:
        rows["corp_miscalibration"] = miscalibration(rows)
    without = dict(UNDETERMINED)
    if _is_crowded(rows.get("auc")):
        without |= dict.fromkeys(ORDERED, CROWDED)
    rows |= {n: _without_value(row, without[n]) for n, row in rows.items() if n in without}
    return [rows[str(row["metric"])] for row in numbers]


def with_half_widths(
    tests: Sequence[Comparison],
    numbers: Sequence[MetricRow],
    mixed: Collection[str],
) -> list[Comparison]:
    """The tests, those of bounded measures at the difference within the bounds that shows least.

    ``mixed`` are the models of which the cells that a pair is counted in hold several scores:
    areas have the standard error of those cells.
    """
    half_widths = {
        (row["model"], row["metric"]): max(most - value, value - least)
        for row in numbers
        if (least := row.get("least")) is not None
        and (most := row.get("most")) is not None
        and (value := row["value"]) is not None
    }

    crowded = {row["model"] for row in numbers if row["undefined"] == CROWDED}

    def adjust(test: Comparison) -> Comparison:
        if crowded.intersection(test.models) and test.metric in ORDERED and not test.undefined:
            return test.with_fields(
                undefined=CROWDED, estimate=None, low=None, high=None, p_value=None
            )
        off = sum(half_widths.get((name, test.metric), 0.0) for name in test.models)
        if test.estimate is not None and not off and _of_areas(test) & set(mixed):
            return replace(
                test,
                caveats=(*test.caveats, f"{_CELLS}, and the standard error is computed from them"),
            )
        if test.estimate is None or not off:
            return test
        caveat = (
            f"{_CELLS}: the difference is known within {upwards(off)}, "
            "and p is the greatest that this leaves"
        )
        least = _least_sure(test, off)
        return replace(least, caveats=(*least.caveats, caveat))

    return [adjust(test) for test in tests]


def _of_areas(test: Comparison) -> set[str]:
    return set(test.models) if test.metric in ("auc", "expected_total_cost") else set()


def _least_sure(test: Comparison, off: float) -> Comparison:
    """The test with the statistic and p of a difference that is off by as much, and shows less.

    Its limits are as much farther away, and so agree with p.
    """
    if not test.statistic or test.estimate is None or test.low is None or test.high is None:
        return test
    confidence = test.confidence
    if test.against is None:
        size = max(abs(test.statistic) * (1 - off / abs(test.estimate)), 0.0)
        statistic, p = math.copysign(size, test.statistic), 2 * _beyond(size, test.df)
    else:  # the distance to a margin
        quantile = (
            normal_quantile(confidence) if test.df is None else t_quantile(confidence, test.df)
        )
        statistic = test.statistic - off * 2 * quantile / (test.high - test.low)
        p = _beyond(statistic, test.df)
    limits_at = None if test.limits_at is None else partial(_outward, test.limits_at, off)
    low, high = test.low - off, test.high + off
    sure = replace(test, statistic=statistic, p_value=p, p_note=None, limits_at=limits_at)
    return floored(replace(sure, low=low, high=high))


def _outward(limits_at: LimitsAt, off: float, confidence: float) -> tuple[float, float] | None:
    """The limits at a level, each as much farther away."""
    limits = limits_at(confidence)
    return None if limits is None else (limits[0] - off, limits[1] + off)


def _beyond(statistic: float, df: float | None) -> float:
    """The probability beyond a statistic: of Student's t where it has degrees of freedom.

    >>> round(_beyond(1.96, None), 3), round(_beyond(1.96, 6), 3)
    (0.025, 0.049)
    """
    return float(ndtr(-statistic) if df is None else stdtr(df, -statistic))


def of_parts(
    tests: DataFrame[Comparisons], half_widths: Mapping[str, float]
) -> DataFrame[Comparisons]:
    """The tests, those over the AUCs of parts with how far off one of a model may be."""
    caveats = [
        [*caveats, *_of_part(metric, unit, max(half_widths.get(m, 0.0) for m in models))]
        for metric, models, unit, caveats in tests.select(
            "metric", "models", "unit", "caveats"
        ).iter_rows()
    ]
    return Comparisons.validate(
        tests.with_columns(caveats=pl.Series(caveats, dtype=tests.schema["caveats"]))
    )


def _of_part(metric: str, unit: Unit, off: float) -> list[str]:
    """The caveat of a test over the AUCs of parts; one over all rows has its own."""
    if metric != "auc" or not off or unit in ("rows", "samples"):
        return []
    return [f"{_CELLS}: the AUC of each part is known within {upwards(off)}"]


def upwards(size: float) -> str:
    """A positive number with one digit, rounded up."""
    unit = 10.0 ** math.floor(math.log10(size))
    return f"{math.ceil(size / unit) * unit:.1g}"


def without_crowded(rows: Sequence[MetricRow]) -> list[MetricRow]:
    """The numbers of classes: without areas where cells leave open how scores rank the rows."""
    areas = (row for row in rows if row["metric"] == "auc")
    crowded = {(row["class"], row["average"]) for row in areas if _is_crowded(row)}
    return [
        _without_value(row, CROWDED)
        if row["metric"] in BY_CLASS and (row["class"], row["average"]) in crowded
        else row
        for row in rows
    ]


def _is_crowded(area: MetricRow | None) -> bool:
    """Whether more of an AUC is open than chance leaves open."""
    if area is None or (least := area.get("least")) is None or (most := area.get("most")) is None:
        return False
    by_chance = ((area["high"] or 0.0) - (area["low"] or 0.0)) / 2
    return most - least > max(MOST_OPEN, by_chance)


def _without_value(row: MetricRow, reason: str) -> MetricRow:
    reason = row["undefined"] or reason
    unknown: MetricRow = {**row, "value": None, "low": None, "high": None, "undefined": reason}
    if "least" in unknown:
        unknown |= {"least": None, "most": None}
    return unknown


def least_precision(worst: DataFrame[Sweep], tied: pl.Series, *, weighted: bool = False) -> float:
    """Average precision of the worst order, scores distinct where they are not known to be tied.

    At the k-th positive of a cell at most the F negatives up to its end stand
    above, so Σ (T + k) / (T + k + F) = p − F·(ψ(T + p + F + 1) − ψ(T + F + 1)).
    Of weights the sum is at least the integral, p − F·(ln(T + p + F) − ln(T + F)).
    """
    tp, fp = worst["tp"].to_numpy(), worst["fp"].to_numpy()
    before, after, above = tp[:-1], tp[1:], fp[1:]
    if weighted:
        ends = [np.log(np.maximum(x + above, np.finfo(float).tiny)) for x in (after, before)]
        apart = after - before - np.where(above > 0, above * (ends[0] - ends[1]), 0)
    else:
        apart = after - before - above * (digamma(after + above + 1) - digamma(before + above + 1))
    together = (after - before) * after / (after + above)
    return float(np.where(tied.to_numpy(), together, apart).sum() / tp[-1])
