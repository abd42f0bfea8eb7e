"""The validation rows that choose thresholds, and whether other fits test the same examples."""

from __future__ import annotations

import polars as pl

from reportgen.predictions.fit_columns import fit_columns
from reportgen.records.rows import OTHER_FITS, VALIDATION_ROWS


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
