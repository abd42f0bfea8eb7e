"""What limits with an undeclared column as group leave of tests that treat rows as independent."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pandera.typing.polars import DataFrame

from reportgen.comparing.recommendation import undecided
from reportgen.comparisons import lower_is_better
from reportgen.comparisons.wording import bounded
from reportgen.records.limit_widths import UndeclaredGroup
from reportgen.records.model import typed
from reportgen.records.rows import DataRecord, rows_of
from reportgen.tables import Comparisons
from reportgen.tables.comparisons import MEDIAN, PSEUDOMEDIAN, ComparisonRow, Unit
from reportgen.tasks import TASKS


def is_undone(row: ComparisonRow, data: DataRecord) -> bool:
    """Whether a test rejects only as long as an undeclared column is left out."""
    return is_undone_by(row, data.get("undeclared_groups", ()), _unit(data))


def is_undone_by(
    row: ComparisonRow, columns: Sequence[UndeclaredGroup], unit: Unit = "rows"
) -> bool:
    """Whether a test would not reject by limits as wide as with the first column as group.

    Only where that may be a sample of units: errors that are alike in each grade of a feature are
    what a model that fits it badly has, and no dependence between rows.
    """
    if not any(column.get("sampled", True) for column in columns[:1]):
        return False
    times = times_with(columns, row.metric, row.models)
    return times is not None and _rejects(row, unit) and _is_met(row, times)


def _unit(data: DataRecord) -> Unit:
    """What tests by an undeclared column take as independent."""
    return "data sets" if TASKS[data["task"]].of_values else "rows"


def with_undone(tests: DataFrame[Comparisons], data: DataRecord) -> DataFrame[Comparisons]:
    """The tests; one that rejects by limits which the column would make too wide decides nothing.

    These are its own limits, about their estimate as much wider as those of the same models in
    the same measure are with the column as group.
    """
    undeclared = data.get("undeclared_groups")
    if not undeclared or not undeclared[0].get("sampled", True):
        return tests
    as_group, units = named_as_group(data), independent_units(data)
    undone = f"the test treats {units} as independent, and with {as_group} it would not reject"
    alike = (
        f"the test treats {units} as independent, but those with one value of "
        f"{bounded(undeclared[0]['column'])} resemble each other"
    )
    rows, changed = rows_of(tests, ComparisonRow), False
    for at, row in enumerate(rows):
        is_alike = row.recommendation == "recommended" and _is_of_all(row)
        why = undone if is_undone(row, data) else alike if is_alike else None
        if why is not None:
            changed, rows[at] = True, undecided(row, why)
    return typed(Comparisons, rows) if changed else tests


def named_as_group(data: DataRecord) -> str:
    """The undeclared column as the group, or as a second one where it crosses the declared ones."""
    return as_group(data["undeclared_groups"][0])


def as_group(first: UndeclaredGroup) -> str:
    """A column as the group, or as a second one where it crosses those that are declared."""
    if first.get("of_order"):
        return "blocks of consecutive rows as groups"
    if first.get("periods"):
        return f"periods of {bounded(first['column'])} as groups"
    if crossed := first.get("crossed"):
        return f"{bounded(first['column'])} and {bounded(crossed)} as groups"
    return f"{bounded(first['column'])} as {'a second ' if first['crosses'] else ''}group"


def independent_units(data: DataRecord) -> str:
    """What limits take as independent: rows, or the groups that are declared."""
    return _unit(data) if data.get("groups") is None else "groups"


def times_as_wide(data: DataRecord, metric: str, models: Collection[str]) -> float | None:
    """How many times as wide limits of models are with the undeclared column as group."""
    return times_with(data.get("undeclared_groups", ()), metric, models)


def times_with(
    columns: Sequence[UndeclaredGroup], metric: str, models: Collection[str]
) -> float | None:
    """How many times as wide limits of models are with the first of the columns as group.

    Of a difference in a measure that is no mean loss those of their mean loss.
    """
    measured = {
        of["measure"]: of["times_as_wide"]
        for column in columns[:1]
        for of in column["limits"]
        if set(of["models"]) == set(models)
    }
    if metric in measured or len(models) < 2:
        return measured.get(metric)
    return next(iter(measured.values()), None)


def widened(value: float, low: float, high: float, times: float) -> tuple[float, float]:
    """Limits about a value that are so many times as far from it.

    >>> widened(1.0, 0.5, 2.0, 2.0)
    (0.0, 3.0)
    """
    return value - times * (value - low), value + times * (high - value)


def _is_of_all(row: ComparisonRow) -> bool:
    """Whether it asks of several models over data sets at once whether any differ."""
    return row.unit == "data sets" and len(row.models) > 2 and bool(row.reject)


def _rejects(row: ComparisonRow, unit: Unit) -> bool:
    of_rows = row.unit == unit and row.slice is None and len(row.models) <= 2
    return of_rows and bool(row.reject) and row.recommendation != "avoid"


def _is_met(row: ComparisonRow, times: float) -> bool:
    """Whether wider limits hold what the test rejects: a claim, no difference, or the margin."""
    estimate, low, high = row.estimate, row.low, row.high
    of_pair, against = len(row.models) == 2, row.against
    if of_pair and row.shows == "difference":
        low, high, against = row.simultaneous_low, row.simultaneous_high, 0.0
    if of_pair and row.effect not in ("difference", MEDIAN, PSEUDOMEDIAN):
        return False
    if estimate is None or low is None or high is None or against is None:
        return False
    low, high = widened(estimate, low, high, times)
    if row.shows == "difference":
        return low <= against <= high
    worse = high >= against if lower_is_better(row.metric) else low <= -against
    return worse or (row.shows == "equivalence" and max(high, -low) >= against)
