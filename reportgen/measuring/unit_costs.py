"""Where no costs are declared, the expected cost is the error rate, and has its interval."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import isclose
from typing import TypeVar

from pandera.typing.polars import DataFrame

from reportgen.records.model import typed
from reportgen.records.rows import rows_of
from reportgen.spec import Spec
from reportgen.tables import Differences
from reportgen.tables.comparisons import DifferenceRow
from reportgen.tables.results import MetricRow
from reportgen.tasks import TASKS

ERROR_RATE = "error_rate"
OF_UNIT_COSTS = ("cost_sensitive_error_rate", "normalised_cost")

CostedRow = TypeVar("CostedRow", MetricRow, DifferenceRow)


def with_error_rate(rows: Sequence[MetricRow], spec: Spec, task: str) -> list[MetricRow]:
    """The measures of every model, costs of 1 each with the interval of the error rate."""

    def whose(row: MetricRow) -> Hashable:
        return row["model"], row["slice"], row["class"], row["average"]

    return _same_interval(rows, whose) if _unit_costs(spec, task) else list(rows)


def with_error_differences(
    differences: DataFrame[Differences], spec: Spec, task: str
) -> DataFrame[Differences]:
    """The differences of every pair, those of costs of 1 with the interval of the error rates."""

    def whose(row: DifferenceRow) -> Hashable:
        return tuple(row["models"])

    if not _unit_costs(spec, task):
        return differences
    return typed(Differences, _same_interval(rows_of(differences, DifferenceRow), whose))


def _unit_costs(spec: Spec, task: str) -> bool:
    return spec.costs is None and TASKS[task].two_classes


def _same_interval(
    rows: Sequence[CostedRow], whose: Callable[[CostedRow], Hashable]
) -> list[CostedRow]:
    errors = {whose(row): row for row in rows if row["metric"] == ERROR_RATE}
    return [
        _with_interval(row, errors.get(whose(row))) if row["metric"] in OF_UNIT_COSTS else row
        for row in rows
    ]


def _with_interval(row: CostedRow, error: CostedRow | None) -> CostedRow:
    value = row["value"]
    if error is None or error["low"] is None or error["value"] is None or value is None:
        return row
    if not isclose(value, error["value"], rel_tol=1e-9, abs_tol=1e-12):
        return row
    row = row.copy()
    row["low"], row["high"], row["interval"] = error["low"], error["high"], error["interval"]
    return row
