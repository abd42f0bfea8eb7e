"""A column that nobody declared and that tells the rows of one time point apart."""

from __future__ import annotations

import polars as pl

from reportgen.measuring.context import EvaluationContext
from reportgen.records.row_facts import UndeclaredSeries


def undeclared_series(context: EvaluationContext) -> UndeclaredSeries | None:
    """The first such column: one row of each value at a time, as of stores or of horizons.

    None where groups are declared, or where each time point has one row.
    """
    columns, rows = context.predictions.undeclared, context.rows
    if columns is None or not columns.width:
        return None
    if "time" not in rows.columns or context.groups is not None:
        return None
    frame = context.predictions.frame
    if "role" in frame.columns:
        columns = columns.filter(frame["role"] == "test")
    points = rows["time"].n_unique()
    if columns.height != rows.height or 2 * points > rows.height:
        return None
    for column in columns:
        values = column.n_unique()
        pairs = pl.struct(rows["time"].alias("time"), column.alias("value"), eager=True)
        if 2 * values <= rows.height and pairs.n_unique() == rows.height:
            return {"column": column.name, "values": values}
    return None
