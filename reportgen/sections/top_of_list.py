"""Tables for rare positives: the top of the list, and predictive values at a stated prevalence."""

from __future__ import annotations

from typing import TypedDict

import polars as pl

from reportgen.records.model import Results
from reportgen.records.rows import rows_of
from reportgen.sections import lookup
from reportgen.sections.tables import Column, Row, Table, valued
from reportgen.text import decimals, numbers


class TopRow(TypedDict):
    """The rows of a model that score highest: a row of ``TopOfList``."""

    model: str
    share: float
    rows: float
    threshold: float
    tied: float
    precision: float
    recall: float | None
    lift: float | None


def top_of_list(results: Results) -> tuple[Table, ...]:
    """Precision, recall and lift among the highest scores; nothing unless positives are rare."""
    curve = results.curves.get("top_of_list")
    if curve is None or not results.reading.positives_are_rare:
        return ()
    whole = curve.filter(pl.col("slice").is_null())
    printed = lookup.printed(results)
    columns = (
        Column("share", "Top of the list"),
        Column("rows", "Rows"),
        Column("threshold", "Lowest score"),
        Column("tied", "Tied there"),
        Column("precision", "Precision"),
        Column("recall", "Recall"),
        Column("lift", "Lift"),
    )
    digits = decimals.of_scores(whole["threshold"], significant=2)
    rows = tuple(_row(row, printed[row["model"]], digits) for row in rows_of(whole, TopRow))
    prevalence = numbers.prevalence(results.data.get("prevalence"))
    notes = (
        f"Precision of a random list: {prevalence}; its lift is 1.",
        "Tied there: rows with the lowest score of the list where not all of them fit in. They "
        "are taken in proportion, as a random order would take them on average.",
    )
    caption = "Precision, recall and lift of the rows that score highest"
    return (Table("top_of_list", caption, columns, rows, notes),) if rows else ()


def _row(row: TopRow, model: str, digits: int) -> Row:
    return Row(
        {
            "share": numbers.percent(row["share"]),
            "rows": numbers.count(row["rows"]),
            "threshold": numbers.aligned(row["threshold"], digits),
            "tied": numbers.count(row["tied"]) if row["tied"] else "–",
            "precision": numbers.aligned(row["precision"], 3),
            "recall": numbers.aligned(row["recall"], 3),
            "lift": numbers.aligned(row["lift"], 1),
        },
        model,
    )


def predictive_values(results: Results) -> tuple[Table, ...]:
    """Predictive values at the prevalence that the spec states; nothing where it states none."""
    curve = results.curves.get("predictive_values")
    if curve is None or curve.is_empty():
        return ()
    printed = lookup.printed(results)
    columns = (
        Column("model", "Model"),
        Column("positive", "Positive predictive value"),
        Column("negative", "Negative predictive value"),
    )
    rows = tuple(
        Row(
            {"model": printed[row["model"]]}
            | {
                name: valued(row[name], row[f"{name}_low"], row[f"{name}_high"])
                for name in ("positive", "negative")
            }
        )
        for row in curve.iter_rows(named=True)
    )
    level = numbers.level(results.confidence)
    share = _share(curve["prevalence"][0])
    notes = (
        f"With {level} intervals, which follow from those of recall and specificity. Recall and "
        "specificity are assumed to be the same as on these rows.",
    )
    caption = f"Predictive values where {share} of the rows are positive"
    return (Table("predictive_values", caption, columns, rows, notes),)


def _share(value: float) -> str:
    """A stated share with all the digits that it was stated with."""
    return f"{round(100 * value, 10):g}{numbers.PERCENT}"
