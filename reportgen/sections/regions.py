"""Which model costs least where on the cost curve, and where each beats the trivial ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import floor, isfinite, log10
from typing import TypedDict

from reportgen.text import numbers


class CostLine(TypedDict):
    """The error rates that a line of the cost curve joins."""

    false_positive_rate: float
    false_negative_rate: float


class CostZoneRow(CostLine):
    """A stretch in which one threshold of a model is cheapest: a row of ``CostZones``."""

    model: str
    low: float
    high: float
    threshold: float | None
    prevalence_low: float | None
    prevalence_high: float | None
    cost_ratio_low: float | None
    cost_ratio_high: float | None


class EnvelopeVertex(CostLine):
    """Where a line of a lower envelope begins: a row of ``CostCurve``."""

    probability_cost: float
    threshold: float | None


@dataclass(frozen=True)
class Zone:
    """A stretch of P(+)cost and the model that is cheapest there; no model: a trivial classifier.

    ``strict`` and ``loose`` are the thresholds at its ends, ``prevalence`` and
    ``cost_ratio`` what the ends mean.
    """

    low: float
    high: float
    model: str | None
    strict: float | None
    loose: float | None
    prevalence: tuple[float | None, float | None]
    cost_ratio: tuple[float | None, float | None]


def zones(rows: Sequence[CostZoneRow]) -> list[Zone]:
    """Join neighbouring zones of one model; ``rows`` are those of ``CostZones``."""
    result: list[Zone] = []
    for row in sorted(rows, key=lambda row: row["low"]):
        model = None if _is_trivial(row) else row["model"]
        if result and model is not None and result[-1].model == model:
            last = result[-1]
            result[-1] = replace(
                last,
                high=row["high"],
                loose=row["threshold"],
                prevalence=(last.prevalence[0], row["prevalence_high"]),
                cost_ratio=(last.cost_ratio[0], row["cost_ratio_high"]),
            )
            continue
        at = row["threshold"]
        prevalence = (row["prevalence_low"], row["prevalence_high"])
        cost_ratio = (row["cost_ratio_low"], row["cost_ratio_high"])
        result.append(Zone(row["low"], row["high"], model, at, at, prevalence, cost_ratio))
    return result


def threshold_ranges(cost_zones: Sequence[Zone]) -> list[str]:
    """Write the thresholds of each zone, all of them with one number of decimals.

    Empty for a trivial classifier that predicts all rows positive or negative.
    """
    ends = [(zone.strict, zone.loose) for zone in cost_zones]
    written = alike([end for pair in ends for end in pair if end is not None])
    return [
        " to ".join(dict.fromkeys(written[end] for end in pair if end is not None)) for pair in ends
    ]


def alike(thresholds: Sequence[float]) -> dict[float, str]:
    """Texts of thresholds with one number of decimals: up to four, or as the least one needs.

    The least one keeps two significant digits; those that are written with powers of ten stay.

    >>> alike([0.2, 0.245]), alike([0.0018581, 0.27331])
    ({0.2: '0.200', 0.245: '0.245'}, {0.0018581: '0.0019', 0.27331: '0.2733'})
    >>> alike([1e-9, 3.0])
    {1e-09: '1.00 × 10⁻⁹', 3.0: '3'}
    """
    texts = {value: numbers.threshold(value) for value in thresholds}
    plain = {value: text for value, text in texts.items() if "×" not in text and isfinite(value)}
    least = min((abs(value) for value in plain if value), default=1.0)
    longest = max((len(text.partition(".")[2]) for text in plain.values()), default=0)
    digits = min(longest, max(4, 1 - floor(log10(least))))
    return texts | {value: numbers.fixed(value, digits) for value in plain}


@dataclass(frozen=True)
class OperatingRange:
    """Where a model costs less than one prediction for all rows, and its least cost here."""

    low: float
    high: float
    threshold: float | None
    cost: float


def operating_range_of(
    vertices: Sequence[EnvelopeVertex], here: float | None
) -> OperatingRange | None:
    """Read one model's envelope: its operating range, and its least-cost threshold ``here``.

    None when its lines lie nowhere below both trivial classifiers.
    """
    inner = [
        (start["probability_cost"], stop["probability_cost"], start)
        for start, stop in pairwise(vertices)
        if not _is_trivial(start)
    ]
    if not inner or here is None:
        return None
    line = next(
        (start for start, stop in pairwise(vertices) if here <= stop["probability_cost"]),
        vertices[-2],
    )
    cost = line["false_negative_rate"] * here + line["false_positive_rate"] * (1 - here)
    return OperatingRange(inner[0][0], inner[-1][1], line["threshold"], cost)


def _is_trivial(line: CostLine) -> bool:
    ends = (line["false_positive_rate"], line["false_negative_rate"])
    return ends in {(0.0, 1.0), (1.0, 0.0)}
