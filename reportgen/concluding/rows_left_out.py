"""What page one says of rows that are left out because their truth is no class."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.comparisons.wording import bounded
from reportgen.records.decision import Caveat
from reportgen.records.rows import DataRecord, PartLeftOut
from reportgen.text import numbers

MANY = 0.05
"""From this share of the rows on, or of a difference between models, what is left out matters."""


def rows_left_out(data: DataRecord) -> Iterator[Caveat]:
    """Many rows, or other shares of one model than of another."""
    left = data.get("rows_left_out")
    if left is None:
        return
    if left["rows"] > MANY * left["of"]:
        share = numbers.percent(left["rows"] / left["of"])
        text = f"{share} of the rows are left out, as their truth is no class: "
        yield Caveat("rows_left_out", "moderate", f"{text}results hold for the other rows only.")
    models = sorted(left["models"], key=_share)
    if models and _share(models[-1]) - _share(models[0]) > MANY:
        (least, low), (most, high) = (
            (bounded(one["part"]), numbers.percent(_share(one))) for one in (models[0], models[-1])
        )
        text = f"{high} of the rows of {most} are left out, and {low} of those of {least}."
        yield Caveat("rows_left_out_of_models", "moderate", text)


def _share(part: PartLeftOut) -> float:
    return part["rows"] / part["of"]
