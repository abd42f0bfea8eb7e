"""Certified bounds of measures of binned scores: whatever the order within the cells is."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame
from scipy.special import digamma

from reportgen.metrics import METRICS
from reportgen.results.binned.sweeps import Sweeps
from reportgen.results.judged import Judged, measured
from reportgen.sweeping import as_ranked
from reportgen.tables import Sweep

Record = dict[str, Any]

_SMOOTH = {"brier_score", "brier_skill", "log_loss", "spherical_score"}

BOUNDED = _SMOOTH | {
    m.name for m in METRICS.values() if m.on in ("sweep", "hull") and m.group in ("ranking", "cost")
}
"""Measures that gain when a positive moves up or a negative down."""

OF_DISTINCT = ("brier_reliability_distinct", "brier_resolution_distinct")
"""Measures that need every distinct forecast by itself."""

_NOT_DISTINCT = "scores were counted in cells, so that distinct forecasts are not known"


def bounded(
    numbers: Sequence[Record],
    model: Judged,
    found: Sweeps,
    confidence: float,
    settings: Mapping[str, float],
) -> list[Record]:
    """The numbers with ``least`` and ``most``, between which the value of all rows lies.

    ROC curves of the best and the worst order enclose that of any other, and
    with it its area, hull, least cost and top share; so do the losses of
    forecasts. Average precision is not among what the curve alone tells: see
    ``_least_precision``. What counted decisions give is exact and has no bounds.
    """
    names = BOUNDED & {str(row["metric"]) for row in numbers if row["value"] is not None}
    best, worst = (
        _values(replace(model, ranked=as_ranked(s)), names, confidence, settings)
        for s in (found.best, found.worst)
    )
    if "average_precision" in names:
        weighted = "tp2" in found.worst.columns
        worst["average_precision"] = _least_precision(found.worst, found.tied, weighted=weighted)
    merged = not found.at.equals(found.middle)  # some cell holds several scores
    return [
        _without_value(row)
        if merged and row["metric"] in OF_DISTINCT
        else _with_bounds(row, best, worst)
        for row in numbers
    ]


def _values(
    model: Judged, names: Collection[str], confidence: float, settings: Mapping[str, float]
) -> dict[str, float | None]:
    rows = measured([model], confidence, settings, names)[0]
    return {str(row["metric"]): row["value"] for row in rows}


def _without_value(row: Record) -> Record:
    return {**row, "value": None, "low": None, "high": None, "undefined": _NOT_DISTINCT}


def _with_bounds(
    row: Record, best: Mapping[str, float | None], worst: Mapping[str, float | None]
) -> Record:
    name, value = str(row["metric"]), row["value"]
    ends = (best.get(name), worst.get(name))
    if value is None or None in ends:
        return row
    least, most = (pick(value, *ends) for pick in (min, max))
    # A bound that every order gives is the number itself, but for rounding.
    if most - least <= 4 * math.ulp(max(abs(least), abs(most))):
        return row
    return {**row, "least": least, "most": most}


def _least_precision(worst: DataFrame[Sweep], tied: pl.Series, *, weighted: bool = False) -> float:
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
