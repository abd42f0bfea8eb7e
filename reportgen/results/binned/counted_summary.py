"""The data at a glance where rows are counted: no distribution, and base rates of two classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.predictions.files import DataFile, scan
from reportgen.predictions.required_columns import required_columns
from reportgen.records.data_summary import DataSummary, MissingValues, SliceBase
from reportgen.records.rows import SkippedRecord
from reportgen.spec import Spec
from reportgen.tables import Slices


def counted_summary(
    spec: Spec, files: Sequence[DataFile], slices: DataFrame[Slices]
) -> DataSummary:
    """Missing values of the files, of counts of parts none; base rates from the counted slices."""
    return DataSummary(tuple(_missing(spec, files)), tuple(_base_rates(slices)), ())


def without_distributions(spec: Spec) -> list[SkippedRecord]:
    """Why scores are not shown over folds."""
    if spec.columns.fold is None:
        return []
    reason = "they need the rows: engine: exact"
    return [{"what": "scores over folds", "model": None, "reason": reason}]


def _missing(spec: Spec, files: Sequence[DataFile]) -> Iterator[MissingValues]:
    if any(file.format == "counts" for file in files):
        return
    roles = {field.column: field.role for field in required_columns(spec)}
    total: Counter[str] = Counter()
    for file in files:
        counts = scan(file).select(pl.col(column).null_count() for column in roles)
        total.update(counts.collect(engine="streaming").row(0, named=True))
    for column, role in roles.items():
        yield MissingValues(column, role, total[column])


def _base_rates(slices: DataFrame[Slices]) -> Iterator[SliceBase]:
    for row in slices.to_dicts():
        positives, rows = row["positives"], int(row["rows"])
        rates = () if positives is None or not rows else (positives / rows,)
        yield SliceBase(" × ".join(row["slicing"]), row["slice"], rows, rates)
