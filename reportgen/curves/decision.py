"""The confusion table as it is drawn: truth × prediction with shares of the truth."""

from __future__ import annotations

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.curves.ranking import named
from reportgen.tables import Confusion, Counts


def confusion(
    counts: DataFrame[Counts],
    model: str = "model",
    slice: str | None = None,  # noqa: A002
    *,
    classes: tuple[str, str] = ("positive", "negative"),
) -> DataFrame[Confusion]:
    """Four rows: truth, prediction, count, and share of the rows with that truth.

    ``counts`` holds one row. ``share`` is null for a class without rows.
    Zhou (2016), *Machine Learning*, table 2.1.
    """
    positive, negative = classes
    cell = counts.select("tp", "fn", "fp", "tn").row(0)
    return Confusion.validate(
        pl.DataFrame(
            {
                "truth": [positive, positive, negative, negative],
                "predicted": [positive, negative, positive, negative],
                "count": list(cell),
            }
        )
        .with_columns(*named(model, slice), total=pl.col("count").sum().over("truth"))
        .select(
            "model",
            "slice",
            "class",
            "truth",
            "predicted",
            "count",
            share=pl.when(pl.col("total") > 0).then(pl.col("count") / pl.col("total")),
        )
    )
