"""The confusion table as it is drawn: truth × prediction with shares of the truth."""

from __future__ import annotations

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.curves.ranking import line
from reportgen.tables import Confusion, Counts


def confusion(
    counts: DataFrame[Counts],
    model: str = "model",
    *,
    classes: tuple[str, str] = ("positive", "negative"),
) -> DataFrame[Confusion]:
    """Four rows: truth, prediction, count, and share of the rows with that truth.

    ``counts`` holds one row. ``share`` is null for a class without rows.

    Args:
        counts: one row of counts, as ``reportgen.counts`` gives them.
        model: name of the model, for the column of that name.
        classes: names of the positive and of the negative class.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``truth``, ``predicted``, ``count`` and
        ``share``. ``count`` is in rows, or in weight.

    Zhou (2016), *Machine Learning*, table 2.1.

    >>> from reportgen.counting import counts
    >>> rows = pl.DataFrame({"truth": [True, True, False], "predicted": [True, False, False]})
    >>> confusion(counts(rows)).select("truth", "predicted", "count").rows()[:2]
    [('positive', 'positive', 1.0), ('positive', 'negative', 1.0)]
    """
    positive, negative = classes
    tp, fn, fp, tn = (counts[name].item() for name in ("tp", "fn", "fp", "tn"))
    cells = [(tp, tp + fn), (fn, tp + fn), (fp, fp + tn), (tn, fp + tn)]
    columns = {
        "truth": [positive, positive, negative, negative],
        "predicted": [positive, negative, positive, negative],
        "count": [cell for cell, _ in cells],
        "share": pl.Series(
            [c / total if total > 0 else None for c, total in cells], dtype=pl.Float64
        ),
    }
    return Confusion.validate(line(model, pl.DataFrame(columns)))
