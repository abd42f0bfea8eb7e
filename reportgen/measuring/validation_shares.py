"""The share of positives in rows that choose thresholds, beside that of the test rows."""

from __future__ import annotations

import polars as pl

from reportgen.measuring.context import EvaluationContext
from reportgen.measuring.validation_rows import validation_rows
from reportgen.records.row_facts import SharesOfPositives
from reportgen.spec import Choice

BEYOND_CHANCE = 3.29
"""Standard errors of a difference; of like rows 1 in 1,000 data sets has more."""


def validation_shares(context: EvaluationContext) -> SharesOfPositives | None:
    """Both shares where they differ beyond chance and thresholds are chosen on the former.

    Null of weighted rows, of rows in groups, and where small counts are withheld.
    """
    spec, rows = context.spec, context.rows
    if not isinstance(spec.threshold, Choice) or spec.privacy.small_cells:
        return None
    if context.weight is not None or context.groups is not None or context.repeats > 1:
        return None
    chosen_on = validation_rows(context.predictions.frame)
    two_classes = rows.schema.get("truth") == pl.Boolean
    if chosen_on is None or rows.is_empty() or not two_classes:
        return None
    before, now = ((int(part.sum()), len(part)) for part in (chosen_on[0]["truth"], rows["truth"]))
    return unlike_shares(before, now)


def unlike_shares(before: tuple[int, int], now: tuple[int, int]) -> SharesOfPositives | None:
    """The shares of positives of validation and of test rows; null where they are like by chance.

    Of each how many rows are positive, and how many there are.

    >>> unlike_shares((250, 500), (50, 500)), unlike_shares((60, 500), (50, 500))
    ({'validation': 0.5, 'test': 0.1}, None)
    """
    parts = before, now
    pooled = sum(positives for positives, _ in parts) / sum(rows for _, rows in parts)
    variance = pooled * (1 - pooled) * sum(1 / rows for _, rows in parts)
    shares = [positives / rows for positives, rows in parts]
    if abs(shares[0] - shares[1]) <= BEYOND_CHANCE * variance**0.5:
        return None
    return {"validation": shares[0], "test": shares[1]}
