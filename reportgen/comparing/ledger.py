"""The ledger: every test of a report that decides something, corrected together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparisons import holm
from reportgen.records.slice_tests import PairsBySlice, SliceLevel, SliceLevels
from reportgen.tables import Comparisons, Gaps

DECIDES = (
    (pl.col("recommendation") == "recommended")
    & pl.col("p_value").is_not_null()
    & (pl.col("shows") == "difference")
)
"""A test of models, or of a claim about one, that the report rests on."""


def with_ledger(
    comparisons: DataFrame[Comparisons],
    gaps: DataFrame[Gaps],
    levels: SliceLevels | None = None,
    pairs: Sequence[PairsBySlice] = (),
) -> tuple[DataFrame[Comparisons], DataFrame[Gaps], SliceLevels | None, Sequence[PairsBySlice]]:
    """All of them with ``p_report``: p adjusted after Holm over all tests that decide.

    Those are the recommended tests of models and of claims, the tested gaps
    between slices, slices against what a model predicts of them, and whether differences between
    models vary by slice. Null of every other test.
    Holm (1979), Scandinavian Journal of Statistics 6, 65-70.
    """
    of_models = comparisons.with_row_index("place").filter(DECIDES)
    of_gaps = gaps.with_row_index("place").filter(pl.col("p_value").is_not_null())
    of_slices = levels["slices"] if levels else ()
    p_values = [
        *of_models["p_value"],
        *of_gaps["p_value"],
        *(one["p_value"] for one in of_slices),
        *(one["p_value"] for record in pairs for one in record["varies"]),
    ]
    adjusted = iter(holm(p_values) if p_values else [])

    def placed(table: pl.DataFrame, tested: pl.DataFrame) -> pl.DataFrame:
        return _placed(table, tested["place"], list(islice(adjusted, tested.height)))

    first, second = placed(comparisons, of_models), placed(gaps, of_gaps)
    by_slice: list[SliceLevel] = [{**one, "p_report": next(adjusted)} for one in of_slices]
    return (
        Comparisons.validate(first),
        Gaps.validate(second),
        {**levels, "slices": by_slice} if levels else levels,
        [
            {**one, "varies": [{**test, "p_report": next(adjusted)} for test in one["varies"]]}
            for one in pairs
        ],
    )


def _placed(table: pl.DataFrame, places: pl.Series, values: list[float]) -> pl.DataFrame:
    """The table with the values in its column ``p_report``, in these rows."""
    column = pl.Series("p_report", [None] * table.height, dtype=pl.Float64)
    if values:
        column = column.scatter(places, values)
    return table.with_columns(column)
