"""An undeclared column of units whose rows lie in several folds: fits know the units they meet."""

from __future__ import annotations

import polars as pl

from reportgen.measuring.context import EvaluationContext
from reportgen.measuring.undeclared_groups import names_units
from reportgen.predictions.undeclared import identifies, may_be_units, returns
from reportgen.records.row_facts import UndeclaredInFolds

MOST = 0.5
"""From this share of the units with several rows on that are in several folds it is said."""


def undeclared_in_folds(context: EvaluationContext) -> UndeclaredInFolds | None:
    """The first such column that is named as units; None where groups are declared.

    Nor where there are no folds, or rows return in repeats, each of which splits them anew.
    """
    columns, rows = context.predictions.undeclared, context.rows
    if columns is None or not columns.width or "fold" not in rows.columns:
        return None
    if context.groups is not None or context.repeats > 1 or columns.height != rows.height:
        return None
    for column in columns:
        if not (_is_of_units(column) and returns(column)):
            continue
        of_value = pl.DataFrame({"value": column, "fold": rows["fold"]}).drop_nulls()
        counts = of_value.group_by("value").agg(pl.len(), folds=pl.col("fold").n_unique())
        several = counts.filter(pl.col("len") > 1)
        across = several.filter(pl.col("folds") > 1).height
        if several.height and across >= MOST * several.height:
            return {"column": column.name, "values": counts.height, "across": across}
    return None


def _is_of_units(column: pl.Series) -> bool:
    return (names_units(column.name) or identifies(column.name)) and may_be_units(column)
