"""The differences of a report: of paired rows, or of the recommended test where it has limits."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparing.differences import record
from reportgen.comparisons import TESTS
from reportgen.comparisons.simultaneous import possible_ends
from reportgen.measuring.overlapping_folds import CORRECTED
from reportgen.metric_names import parted
from reportgen.metrics import mirrors
from reportgen.records import basis
from reportgen.records.model import typed
from reportgen.records.rows import DataRecord, evaluation_of, rows_of
from reportgen.tables import Differences
from reportgen.tables.comparisons import ComparisonRow, DifferenceRow


def resolved_differences(
    pooled: Sequence[DifferenceRow],
    comparisons: pl.DataFrame,
    measured: Collection[str],
    data: DataRecord,
) -> DataFrame[Differences]:
    """The differences as a table; where a test has an interval, the recommended one's stands.

    Limits that allow for the overlap of training parts give way to it alone. Under
    leave-one-out a test to be avoided, which ranks scores of as many models as rows, has
    none to give: those of AUC covered 0.79 to 0.90. In order of time only tests give
    limits that allow for it, beside those of blocks of time.
    ``pooled`` are those of all rows. ``measured`` are the measures of the
    report: a difference that a test alone knows is added for these. ``data`` is
    the data section, which the basis of each follows from.
    """
    tested = comparisons.filter(
        pl.col("slice").is_null(),
        pl.col("effect") == "difference",
        pl.col("low").is_not_null(),
        pl.col("high").is_not_null(),
    ).sort(pl.col("recommendation") != "recommended", maintain_order=True)
    of_rows = basis.of_rows(data)
    by_key = {(row["metric"], *row["models"]): row | {"basis": of_rows} for row in pooled}
    corrected = {key for key, row in by_key.items() if row["interval"] == CORRECTED}
    by_test: dict[tuple[str, ...], DifferenceRow] = {}
    if evaluation_of(data).scheme == "leave_one_out":
        tested = tested.filter(pl.col("recommendation") != "avoid")
    if data.get("timed") and basis.of_rows(data) != "groups":
        in_time = [name for name, test in TESTS.items() if "time" in test.allows]
        tested = tested.filter(pl.col("comparison").is_in(in_time) | (pl.col("unit") != "rows"))
    for row in rows_of(tested.filter(pl.col("models").list.len() == 2), ComparisonRow):
        for difference in _of_test(row, basis.of_unit(row.unit, data)):
            key = (difference["metric"], *difference["models"])
            if row.recommendation == "recommended" or key not in corrected:
                by_test.setdefault(key, difference)
    more = {k: row for k, row in by_test.items() if k in by_key or parted(k[0])[0] in measured}
    return typed(Differences, [_possible(row) for row in (by_key | more).values()])


def _possible(row: DifferenceRow) -> DifferenceRow:
    value, low, high = row.get("value"), row.get("low"), row.get("high")
    low, high = possible_ends(row["metric"], value, low, high)
    return row | {"low": low, "high": high}


def _of_test(test: ComparisonRow, of_test: basis.Basis) -> Iterator[DifferenceRow]:
    """What a test says of its measure, and of those that it fixes."""
    estimate, ends = test.estimate, (test.low, test.high)
    if estimate is None or ends[0] is None or ends[1] is None:
        return
    mirrored = mirrors(test.metric)
    signs = [1, *(-1 for _ in mirrored)]
    for name, sign in zip([test.metric, *mirrored], signs, strict=True):
        low, high = sorted((sign * ends[0], sign * ends[1]))
        yield {
            **record(name, test.models),
            "value": sign * estimate,
            "low": low,
            "high": high,
            "interval": test.interval,
            "basis": of_test,
        }
