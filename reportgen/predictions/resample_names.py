"""Folds of repeated cross-validation as caret names them: ``Fold01.Rep2`` says both."""

from __future__ import annotations

import polars as pl

from reportgen.predictions.model import Check

_BOTH = r"^(Fold\d+)\.(Rep\d+)$"


def with_repeats(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Check]]:
    """Return the frame with fold and repeat apart, and the note on it.

    Only where no repeat is declared and every fold is named so.

    >>> with_repeats(pl.DataFrame({"fold": ["Fold1.Rep1", "Fold2.Rep1"]}))[0].row(1)
    ('Fold2', 'Rep1')
    """
    if "fold" not in frame.columns or "repeat" in frame.columns or frame["fold"].null_count():
        return frame, []
    if not frame["fold"].str.contains(_BOTH).all():
        return frame, []
    parts = {"fold": 1, "repeat": 2}
    split = frame.with_columns(
        **{name: pl.col("fold").str.extract(_BOTH, group) for name, group in parts.items()}
    )
    detail = "names such as Fold01.Rep2, as caret has them, are read as fold and repeat"
    return split, [Check("folds and repeats", detail)]
