"""Squared errors that are nearly those of a few rows: what the numbers and their limits rest on."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from reportgen.comparisons.wording import bounded
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.text import numbers
from reportgen.text.words import listed

MOST = 0.5
"""A share of the squared errors that one row seldom has where errors have any variance."""

FEWEST = 10
"""Fewer rows have such a share by chance."""


FEW = 0.02
"""Up to this share of the rows are few."""


def outweighing(results: Results) -> Iterator[Caveat]:
    """The models of which one row, or a few, have more than half of the squared errors.

    From the largest errors and the mean of the squares, of rows that count the same. Of several
    rows only those that the report lists are known.
    """
    rows = results.data["rows_evaluated"]
    if not results.task.of_numbers or results.data.get("weighted") or rows < FEWEST:
        return
    of_all = results.metrics.filter(pl.col("slice").is_null(), pl.col("average").is_null())
    by_count: dict[int, dict[str, float]] = {}
    for model in results.data["models"]:
        name = model["name"]
        values = dict(of_all.filter(model=name).select("metric", "value").iter_rows())
        largest, mean = values.get("maximum_error"), values.get("mean_squared_error")
        if largest is None or not mean:
            continue
        share = largest / mean * largest / rows
        if share > MOST:
            text = (
                f"One row has {numbers.percent(share, 0)} of the squared errors of "
                f"{bounded(name)}: its MSE and R² and their intervals rest on that row."
            )
            yield Caveat("one_error", "moderate", text)
        elif few := _few(results, name, mean * rows):
            by_count.setdefault(few[0], {})[name] = few[1]
    for count, shares in by_count.items():
        text = (
            f"{count} rows have {numbers.percent(min(shares.values()), 0)} "
            f"{'or more ' if len(shares) > 1 else ''}of the squared errors of "
            f"{listed([bounded(name) for name in shares])}: MSE, R² and their intervals rest on "
            "those rows."
        )
        yield Caveat("few_errors", "moderate", text)


def _few(results: Results, model: str, total: float) -> tuple[int, float] | None:
    """How few rows have more than half of the squared errors of a model, and their share."""
    errors = results.notable_rows.filter(
        pl.col("models").list.contains(model), kind="residual", measure="squared error"
    )
    squares = errors.sort("rank")["value"].drop_nulls().to_list()
    for count in range(2, 1 + min(len(squares), int(FEW * results.data["rows_evaluated"]))):
        share = sum(squares[:count]) / total
        if share > MOST:
            return count, share
    return None
