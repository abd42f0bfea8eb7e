"""Differences of measures between two models on the same rows, with intervals in closed form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.intervals import PAIRED
from reportgen.intervals.delta import delta_variances
from reportgen.intervals.shapes import normal_quantile
from reportgen.metrics import METRICS, Metric

Record = dict[str, Any]
Floats = npt.NDArray[np.float64]

_CELLS = tuple(product((True, False), repeat=3))
"""Truth, call of the first model, call of the second."""

_OUTCOMES = {"tp": (True, True), "fp": (False, True), "fn": (True, False), "tn": (False, False)}

_SHARES: dict[str, tuple[bool | None, bool]] = {
    "accuracy": (None, True),
    "error_rate": (None, False),
    "recall": (True, True),
    "false_negative_rate": (True, False),
    "specificity": (False, True),
    "false_positive_rate": (False, False),
}
"""Shares of rows that both models have in common: the class, if only one; right or wrong calls."""


def joint_counts(
    frame: pl.DataFrame,
    first: pl.Expr | str,
    second: pl.Expr | str,
    *,
    truth: str = "truth",
    weight: str | None = None,
) -> pl.DataFrame:
    """Count the rows by truth and by the calls of two models.

    All three are Boolean. Returns ``truth first second rows squares``, at most
    eight lines; ``rows`` are sums of weights where there are some, ``squares``
    those of squared weights. Rows with a null are not counted.

    >>> frame = pl.DataFrame({"truth": [True, True], "a": [True, True], "b": [False, True]})
    >>> joint_counts(frame, "a", "b").height
    2
    """
    calls = [pl.col(call) if isinstance(call, str) else call for call in (first, second)]
    mass = pl.lit(1.0) if weight is None else pl.col(weight).cast(pl.Float64)
    return (
        frame.lazy()
        .select(truth=pl.col(truth), first=calls[0], second=calls[1], mass=mass)
        .drop_nulls()
        .group_by("truth", "first", "second")
        .agg(rows=pl.col("mass").sum(), squares=(pl.col("mass") ** 2).sum())
        .sort("truth", "first", "second", descending=True)
        .collect(engine="in-memory")
    )


def differences(
    joint: pl.DataFrame,
    metrics: Iterable[str | Metric] | None = None,
    *,
    confidence: float = 0.95,
    shares: str = "midp_paired",
    settings: Mapping[str, Any] | None = None,
) -> pl.DataFrame:
    """Difference of measures of counts between two models, first minus second.

    ``joint`` is what ``joint_counts`` gives; ``metrics`` are binary measures of
    counts (default: all), ``settings`` go to those that take them. Both models
    are judged on the same rows: accuracy, recall, specificity and their
    complements have the interval of paired ``shares`` (of unweighted rows), all
    others that are smooth in the counts one by the delta method over the eight
    joint cells, which knows how the two models' errors coincide. Assumes
    independent rows. Returns ``metric value low high interval undefined``; no
    value where a model has none, no limits where the models never differ, the
    measure has no interval of its own, or a shift of a count leaves it undefined.
    Agresti (2013), *Categorical Data Analysis*, 16.1; shares: Newcombe (1998),
    doi:10.1002/(SICI)1097-0258(19981130)17:22<2635::AID-SIM954>3.0.CO;2-C.
    """
    found = differences_of(
        [joint], metrics, confidence=confidence, shares=shares, settings=settings
    )
    return found[0]


def differences_of(
    joints: Sequence[pl.DataFrame],
    metrics: Iterable[str | Metric] | None = None,
    *,
    confidence: float = 0.95,
    shares: str = "midp_paired",
    settings: Mapping[str, Any] | None = None,
) -> list[pl.DataFrame]:
    """The same of several pairs of models, at the cost of one."""
    known = [METRICS[m] if isinstance(m, str) else m for m in metrics or METRICS.values()]
    wanted = [metric for metric in known if metric.on == "counts"]
    if not (wanted and joints):
        return [pl.DataFrame(schema=_SCHEMA) for _ in joints]
    counts, squares = (np.array([_in_order(j, c) for j in joints]) for c in ("rows", "squares"))
    gaps, variances = _by_delta(wanted, counts, squares, settings or {})
    reach = normal_quantile(confidence) * variances**0.5
    return [
        pl.DataFrame(
            [_row(*one, own, confidence, shares) for one in zip(wanted, gap, near, strict=True)],
            schema=_SCHEMA,
        )
        for own, gap, near in zip(zip(counts, squares, strict=True), gaps, reach, strict=True)
    ]


_SCHEMA = {
    "metric": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "interval": pl.String,
    "undefined": pl.String,
}


def _in_order(joint: pl.DataFrame, column: str) -> Floats:
    """A column as an array in the order of ``_CELLS``; 0 where a cell has no line."""
    found = {row[:3]: row[3] for row in joint.select("truth", "first", "second", column).rows()}
    return np.array([found.get(cell, 0.0) for cell in _CELLS], dtype=float)


def _by_delta(
    metrics: Sequence[Metric], counts: Floats, squares: Floats, settings: Mapping[str, Any]
) -> tuple[Floats, Floats]:
    """Difference of each metric and its variance: pair × metric, NaN where there is none."""
    values = [
        metric.expression(**settings).cast(pl.Float64).alias(str(k))
        for k, metric in enumerate(metrics)
    ]

    def evaluate(cells: Floats) -> Floats:
        both = pl.concat([_margin(cells, model) for model in (0, 1)])
        found = both.select(values).to_numpy().reshape(2, len(cells), -1)
        gap: Floats = found[0] - found[1]
        return gap

    return evaluate(counts), delta_variances(evaluate, counts, squares)


def _row(
    metric: Metric,
    gap: float,
    reach: float,
    cells: tuple[Floats, Floats],
    confidence: float,
    shares: str,
) -> Record:
    """The difference of one metric between two models, with its limits where it has some."""
    counts, squares = cells
    row = dict.fromkeys(_SCHEMA) | {"metric": metric.name}
    if not np.isfinite(gap):
        return row | {"undefined": metric.undefined}
    row |= {"value": gap}
    if metric.interval is None or _never_differ(counts) or not np.isfinite(reach):
        return row
    if metric.name in _SHARES and (counts == squares).all():
        return row | _of_shares(metric.name, counts, confidence, shares)
    width = np.ptp(metric.bounds)
    limits = {"low": max(gap - reach, -width), "high": min(gap + reach, width)}
    return row | limits | {"interval": "paired delta"}


def _margin(cells: Floats, model: int) -> pl.DataFrame:
    """The confusion counts of one of the two models."""
    return pl.DataFrame(
        {
            name: sum(
                cells[:, k]
                for k, cell in enumerate(_CELLS)
                if (cell[0], cell[1 + model]) == outcome
            )
            for name, outcome in _OUTCOMES.items()
        }
    )


def _never_differ(counts: Floats) -> bool:
    return not any(counts[k] for k, cell in enumerate(_CELLS) if cell[1] != cell[2])


def _of_shares(name: str, counts: Floats, confidence: float, method: str) -> Record:
    """The interval of two shares of the same rows."""
    side, right = _SHARES[name]
    cells = dict.fromkeys(product((True, False), repeat=2), 0.0)
    for (truth, first, second), rows in zip(_CELLS, counts.tolist(), strict=True):
        if side is None or truth == side:
            cells[(first == truth) == right, (second == truth) == right] += rows
    both, only_first, only_second, neither = cells.values()
    low, high = PAIRED[method](both, only_first, only_second, neither, confidence)
    return {"low": low, "high": high, "interval": method}
