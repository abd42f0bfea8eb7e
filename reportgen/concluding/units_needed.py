"""How many independent units it takes to answer the question that a declared margin asks."""

from __future__ import annotations

from math import ceil

from scipy.special import ndtri

from reportgen.comparing.significance import POWER
from reportgen.concluding.contest import Difference
from reportgen.records.rows import DataRecord, evaluation_of
from reportgen.tables.comparisons import ComparisonRow

ALPHA = 0.05
"""The level of a test that states none."""


def units_needed(
    data: DataRecord, difference: Difference | None, margin: float | None, asked: str
) -> int | None:
    """Independent units for power 0.8 at the margin; null where there are as many already.

    A difference as large as the margin is to be detected, or, where ``asked`` is
    "non_inferiority", models that are alike are to be shown to differ by less: (q(1 − α) + q(0.8))²
    times the variance of a unit over the squared margin. That of a difference in accuracy is the
    share of rows that exactly one of the models predicts correctly, as limits of few such rows are
    wide; of other measures it follows from the smallest detectable difference.
    """
    units = evaluation_of(data).independent_units
    detectable = None if difference is None else difference.row.detectable
    if difference is None or not margin or not detectable or not units:
        return None
    row, size = difference.row, difference.row.family_size or 1
    alpha, power = row.alpha or ALPHA, float(ndtri(POWER))
    two_sided = float(ndtri(1 - alpha / 2 / size)) + power
    quantiles = two_sided
    if asked == "non_inferiority":
        quantiles = float(ndtri(1 - alpha / size)) + power
    discordant = _discordant(row, units)
    if discordant is None:
        needed = units * (detectable / margin * (quantiles / two_sided)) ** 2
    else:
        needed = discordant * (quantiles / margin) ** 2
    return ceil(needed) if needed > units else None


def _discordant(row: ComparisonRow, units: int) -> float | None:
    """The share of rows that exactly one model predicts correctly, of McNemar's tests of all rows.

    >>> _discordant(ComparisonRow(cross_table=(169, 6, 5, 20)), 200)
    0.055
    """
    cells = row.cross_table
    if len(cells) != 4 or sum(cells) != units:
        return None
    return (cells[1] + cells[2]) / units
