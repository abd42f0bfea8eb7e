"""Intervals by resampling, for the numbers of all rows that have no closed form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.metrics import METRICS, REGISTRY, Metric
from reportgen.resampling import bootstrap, bootstrap_matrix, bootstrap_rows
from reportgen.resampling.limits import Method
from reportgen.results.judged import Judged, call
from reportgen.results.methods import chosen
from reportgen.spec import Spec
from reportgen.tables import Matrix

Record = dict[str, Any]

METHODS: tuple[Method, ...] = ("bca", "percentile")
"""BCa where it is defined, else percentile, unless a spec says otherwise."""

RESAMPLED: dict[str, set[str]] = {
    "binary": {"counts", "sweep", "hull", "bins"},
    "multiclass": {"classes", "matrix", "rows"},
    "multilabel": {"rows"},
    "regression": {"pairs"},
}
"""The frames that are resampled, by task."""


def of_scores(
    numbers: Sequence[Record], model: Judged, rows: pl.DataFrame, spec: Spec, weight: str | None
) -> list[Record]:
    """Binary numbers, the core ones of scores resampled; whole groups where rows have them."""
    wanted = wanted_of("binary", spec, "counts", "sweep", "hull", "bins")
    if model.columns.score is None or not _due(numbers, wanted, spec):
        return list(numbers)
    found = bootstrap(
        rows,
        [m.name for m in wanted],
        score=model.columns.score,
        predicted=call(model.columns, model.threshold),
        weight=weight,
        group="group" if "group" in rows.columns else None,
        sweep=model.sweep,
        values={row["metric"]: row["value"] for row in numbers},
        **resampling(spec),
    )
    return filled(numbers, found)


def of_matrix(
    numbers: Sequence[Record],
    matrix: DataFrame[Matrix],
    spec: Spec,
    settings: Mapping[str, Any],
) -> list[Record]:
    """Multiclass numbers, those of the class × class table resampled."""
    wanted = wanted_of("multiclass", spec, "classes", "matrix")
    if not _due(numbers, wanted, spec):
        return list(numbers)
    found = bootstrap_matrix(matrix, wanted, settings=settings, **resampling(spec))
    return filled(numbers, found)


def of_rows(
    numbers: Sequence[Record], frame: pl.DataFrame | None, task: str, source: str, spec: Spec
) -> list[Record]:
    """Numbers that are means or quantiles of rows, the core ones resampled."""
    wanted = wanted_of(task, spec, source)
    if frame is None or frame.height < 2 or not _due(numbers, wanted, spec):
        return list(numbers)
    found = bootstrap_rows(
        frame,
        {m.name: m.build() for m in wanted},
        bounds={m.name: m.bounds for m in wanted},
        **resampling(spec),
    )
    return filled(numbers, found)


def filled(numbers: Sequence[Record], found: pl.DataFrame) -> list[Record]:
    """The numbers, with the limits found where they have a value and none of their own."""
    limits = {row["metric"]: row for row in found.to_dicts() if row["low"] is not None}

    def with_limits(row: Record) -> Record:
        new = limits.get(row["metric"])
        of_part = row["class"] is not None or row["average"] is not None
        if new is None or of_part or row["low"] is not None or row["value"] is None:
            return row
        return {**row, "low": new["low"], "high": new["high"], "interval": new["interval"]}

    return [with_limits(row) for row in numbers]


def without_limits(row: Record) -> Record:
    """The number without an interval, where the rows do not allow one."""
    return {**row, "low": None, "high": None, "interval": None}


def is_resampled(metric: Metric) -> bool:
    """Whether a report resamples the measure: it has no closed form, and is core or of a table.

    Of the class × class table all are, which is cheap.
    """
    if metric.interval is not None or metric.on not in RESAMPLED[metric.task]:
        return False
    return metric.core or (metric.on in {"classes", "matrix"} and metric.group != "count")


def wanted_of(task: str, spec: Spec, *sources: str) -> list[Metric]:
    """The measures on these frames that a report resamples."""
    registry = METRICS if task == "binary" else REGISTRY[task]  # type: ignore[index]
    found = chosen((m for m in registry.values() if m.on in sources), spec.intervals)
    return [m for m in found if is_resampled(m)]


def _due(numbers: Sequence[Record], wanted: Sequence[Metric], spec: Spec) -> bool:
    names = {m.name for m in wanted}
    has_value = any(r["metric"] in names and r["value"] is not None for r in numbers)
    return has_value and spec.bootstrap.replicates > 0


def resampling(spec: Spec) -> dict[str, Any]:
    """What a spec says of resampling, as the bootstraps take it."""
    return {
        "replicates": spec.bootstrap.replicates,
        "seed": spec.bootstrap.seed,
        "confidence": spec.confidence,
        "method": list(dict.fromkeys((spec.intervals.bootstrap, "percentile"))),
    }
