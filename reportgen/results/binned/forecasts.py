"""Measures of forecasts from cells: exact, between certified bounds, or approximate.

Calibration bins hold whole cells, so that sums over a bin are exact. A sum of
a convex function of the scores lies between those of the sweeps ``near`` and
``far`` (Jensen, and Edmundson & Madansky), whatever the scores within the cells
are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.measuring.binary_model import BinaryModel
from reportgen.metrics import METRICS, find
from reportgen.results.binned.sweeps import BETTER, Sweeps
from reportgen.sweeping import as_ranking
from reportgen.tables import Sweep
from reportgen.tables.results import MetricRow

MeasureModel = Callable[[BinaryModel, Collection[str]], dict[str, MetricRow]]
"""The numbers of a model by the names of the measures."""

OF_SCORES = {
    m.name for m in METRICS.values() if m.group == "probability" and m.on not in ("counts", "bins")
}
"""Measures that read scores as forecasts, one by one."""

CONVEX = {m.name for m in METRICS.values() if m.from_cells == "convex"}
"""Measures that rise, or fall, with sums of convex functions of the scores.

The logistic function of the shifted log odds of p is convex in p for a shift
below 0 and concave above, and the shift that gives the number of positives
falls with its sum.
"""

UNSURE = "scores were counted in cells, which do not determine whether it is defined, or its value"

APPROXIMATE = tuple(m.name for m in METRICS.values() if m.from_cells == "approximate")
"""Measures without a bound: they are those of rows at the mean scores of their cells."""


def forecasts(
    model: BinaryModel, cell_sweeps: Sweeps, measure: MeasureModel, only: Collection[str]
) -> dict[str, MetricRow]:
    """The numbers of the measures ``OF_SCORES`` in ``only``, with ``least`` and ``most``.

    Scores of 0 and 1, and classes that do not overlap, are known from the ends
    of the cells; what they leave undefined is undefined.
    """
    names = OF_SCORES.intersection(only)
    together = {n for n in names if METRICS[n].on in ("masses", "isotonic")}

    def of(sweep: DataFrame[Sweep], requested: Collection[str]) -> dict[str, MetricRow]:
        return measure(replace(model, ranking=as_ranking(sweep)), requested)

    rows = of(cell_sweeps.near(), names - together) | of(cell_sweeps.middle, together)
    fits = {n for n in rows if METRICS[n].on == "recalibration"}
    ends = of(cell_sweeps.far(-BETTER), CONVEX.intersection(rows) | fits)
    rows |= {n: r for n, r in ends.items() if r["value"] is None or rows[n]["value"] is None}
    losses = {n for n in CONVEX.intersection(rows) - fits if rows[n]["value"] is not None}
    best = of(cell_sweeps.near(BETTER), losses)
    rows |= {n: within(rows[n], best[n]["value"], ends[n]["value"]) for n in losses}
    name = "calibration_in_the_large"
    if name in rows and rows[name]["value"] is not None:
        sweeps = [
            of_mean(shift) for of_mean in (cell_sweeps.near, cell_sweeps.far) for shift in (-1, 1)
        ]
        rows[name] = within(rows[name], *(of(s, {name})[name]["value"] for s in sweeps))
    if "spiegelhalter_z" in rows and rows["spiegelhalter_z"]["value"] is not None:
        rows["spiegelhalter_z"] = within(rows["spiegelhalter_z"], *_z(cell_sweeps))
    return rows


def within(row: MetricRow, *ends: float | None) -> MetricRow:
    """The number with bounds that hold its value and the ends; undefined where only some are.

    Its limits are as much farther away as the exact value may be.
    """
    defined = [end for end in (row["value"], *ends) if end is not None]
    if not defined:
        return row
    if len(defined) <= len(ends):
        return {**row, "value": None, "low": None, "high": None, "undefined": UNSURE}
    least, most = min(defined), max(defined)
    # A bound that every order gives is the number itself, but for rounding.
    if most - least <= 4 * math.ulp(max(abs(least), abs(most))):
        return row
    low, high, value = row["low"], row["high"], row["value"]
    if low is not None and high is not None and value is not None:
        metric = find(str(row["metric"]))
        lowest, highest = (-math.inf, math.inf) if metric is None else metric.bounds
        low, high = max(low - (value - least), lowest), min(high + (most - value), highest)
    return {**row, "low": low, "high": high, "least": least, "most": most}


def miscalibration(numbers: Mapping[str, MetricRow]) -> MetricRow:
    """CORP's miscalibration: it is Brier score less uncertainty and discrimination."""
    row = numbers["corp_miscalibration"]
    components = [numbers[n] for n in ("brier_score", "brier_uncertainty", "corp_discrimination")]
    if any(part["value"] is None for part in (row, *components)):
        return row
    brier, uncertainty, discrimination = map(_ends, components)
    return within(
        row, *(b - u + d for b, u, d in zip(brier, uncertainty, discrimination, strict=True))
    )


def _ends(row: MetricRow) -> tuple[float, float]:
    """The bounds of a number that has a value, or twice that."""
    value = row["value"] or 0.0
    least, most = row.get("least"), row.get("most")
    return value if least is None else least, value if most is None else most


def _z(cell_sweeps: Sweeps) -> tuple[float | None, ...]:
    """Spiegelhalter's z at the ends of what its numerator and its variance may be.

    The numerator is convex in p for either class. Of the variance's terms
    v(p) = (1 − 2p)² p(1 − p) both v + 5p² and p² − v are convex. Squares of weights have
    another mean score in a cell; there |v'| ≤ 1 bounds v by the width of the cell.
    """
    (low, least, square), (high, _, most) = (
        _moments(s) for s in (cell_sweeps.near(), cell_sweeps.far())
    )
    slack = most - square
    variances = least - 5 * slack, least + slack
    if "squares" in cell_sweeps.cells.columns:
        width = (pl.col("squares") * (pl.col("high") - pl.col("low"))).sum()
        away = float(cell_sweeps.cells.select(width).item())
        variances = least - away, least + away
    if variances[0] <= 0:
        return (None,)
    return tuple(excess / math.sqrt(v) for excess in (low, high) for v in variances)


def _moments(sweep: DataFrame[Sweep]) -> tuple[float, float, float]:
    """Σ w(y − p)(1 − 2p), Σ w²(1 − 2p)² p(1 − p) and Σ w²p², w the weights."""
    p = sweep["threshold"].to_numpy()[1:]
    names = [c for c in ("tp", "fp", "tp2", "fp2") if c in sweep.columns]
    added = [np.diff(sweep[c].to_numpy()) for c in names]
    (positives, negatives), squares, twist = added[:2], added[-2] + added[-1], 1 - 2 * p
    excess = twist * (positives * (1 - p) - negatives * p)
    return (
        float(excess.sum()),
        float((squares * twist**2 * p * (1 - p)).sum()),
        float((squares * p**2).sum()),
    )
