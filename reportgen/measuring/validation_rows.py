"""The validation rows that choose thresholds: which they are, and how many of them are positive."""

from __future__ import annotations

import polars as pl

from reportgen.measuring.context import EvaluationContext
from reportgen.predictions.fit_columns import fit_columns
from reportgen.records.row_facts import SharesOfPositives
from reportgen.records.rows import OTHER_FITS, VALIDATION_ROWS
from reportgen.spec import Choice


def validation_rows(frame: pl.DataFrame) -> tuple[pl.DataFrame, str] | None:
    """The validation rows of predictions, and their role in choosing a threshold.

    One threshold is chosen on those of all fits at once, so that an example that is a validation
    row of one fit and a test row of another has a part in what it is then tested by. Without ids
    the rows of several fits are taken for such examples, as those of cross-validation are.

    Args:
        frame: the predictions of all roles.

    Returns:
        The rows with the role validation, and whether these are rows of their own or are tested
        by other fits. None without such rows.

    >>> rows = {"id": [1, 2, 1, 2], "fold": ["1", "1", "2", "2"]}
    >>> nested = pl.DataFrame({**rows, "role": ["test", "validation", "validation", "test"]})
    >>> validation_rows(nested)[1], validation_rows(nested.filter(fold="1"))[1]
    ('other fits', 'validation')
    """
    if "role" not in frame.columns:
        return None
    chosen_on = frame.filter(role="validation")
    if chosen_on.is_empty():
        return None
    tested = frame.filter(role="test")
    if "id" in frame.columns:
        key = [name for name in ("dataset", "id") if name in frame.columns]
        apart = chosen_on.join(tested, on=key, how="semi").is_empty()
    else:
        apart = not of_several_fits(chosen_on)
    return chosen_on, VALIDATION_ROWS if apart else OTHER_FITS


def of_several_fits(rows: pl.DataFrame) -> bool:
    """Whether rows are of several fits of the same data.

    >>> of_several_fits(pl.DataFrame({"fold": ["1", "2"]}))
    True
    """
    fit = fit_columns(rows.columns)
    return bool(fit) and rows.select(fit).n_unique() > 1


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
