"""Squared errors that are nearly those of one row: what the numbers and their limits rest on."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from reportgen.comparisons.wording import bounded
from reportgen.records.decision import Caveat
from reportgen.records.model import Results
from reportgen.text import numbers

MOST = 0.5
"""A share of the squared errors that one row seldom has where errors have any variance."""

FEWEST = 10
"""Fewer rows have such a share by chance."""


def outweighing(results: Results) -> Iterator[Caveat]:
    """The models of which one row has more than half of the squared errors.

    From the largest error and the mean of the squares, of rows that count the same.
    """
    rows = results.data["rows_evaluated"]
    if not results.task.of_numbers or results.data.get("weighted") or rows < FEWEST:
        return
    of_all = results.metrics.filter(pl.col("slice").is_null(), pl.col("average").is_null())
    for model in results.data["models"]:
        values = dict(of_all.filter(model=model["name"]).select("metric", "value").iter_rows())
        largest, mean = values.get("maximum_error"), values.get("mean_squared_error")
        if largest is None or not mean:
            continue
        share = largest / mean * largest / rows
        if share > MOST:
            text = (
                f"One row has {numbers.percent(share, 0)} of the squared errors of "
                f"{bounded(model['name'])}: its MSE and R² and their intervals rest on that row."
            )
            yield Caveat("one_error", "moderate", text)
