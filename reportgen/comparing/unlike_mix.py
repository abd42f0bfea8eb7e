"""Models on different rows, whose slices have other shares: what one mix of slices leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparisons.wording import bounded, measure
from reportgen.records.model import typed
from reportgen.records.rows import DataRecord, rows_of
from reportgen.tables import Comparisons
from reportgen.tables.comparisons import ComparisonRow
from reportgen.text import numbers
from reportgen.text.words import listed

MEANS = frozenset({"accuracy", "subset_accuracy", "mean_squared_error"})
"""Measures that are a mean over rows: with another mix an AUC is no mean of those of slices."""


@dataclass(frozen=True, slots=True)
class Standardised:
    """The difference of two models as if both had the mix of slices of all rows, and its limits."""

    slicing: str
    value: float
    low: float
    high: float


def with_one_mix(
    tests: DataFrame[Comparisons], metrics: pl.DataFrame, slices: pl.DataFrame, data: DataRecord
) -> DataFrame[Comparisons]:
    """The tests; one that the mix of slices explains, of models on other rows, decides nothing.

    It does where the difference within slices, weighted by the rows of both models (direct
    standardisation), has limits that include 0, or the other sign.
    """
    if not data.get("unpaired") or slices.is_empty():
        return tests
    rows, changed = list(rows_of(tests, ComparisonRow)), False
    for row in rows:
        why = explained_by_mix(row, metrics, slices) if _rejects(row) else None
        if why is not None:
            changed, row["recommendation"], row["why"] = True, "valid", why
    return typed(Comparisons, rows) if changed else tests


def _rejects(row: ComparisonRow) -> bool:
    of_pair = row["unit"] == "samples" and row["slice"] is None and len(row["models"]) == 2
    return of_pair and bool(row["reject"]) and row["recommendation"] == "recommended"


def explained_by_mix(row: ComparisonRow, metrics: pl.DataFrame, slices: pl.DataFrame) -> str | None:
    """What the first slicing whose mix leaves nothing of a difference makes of it, as a reason."""
    estimate = row["estimate"] if row["metric"] in MEANS else None
    for one in standardised(row, metrics, slices) if estimate else ():
        same_sign = (one.value > 0) == ((estimate or 0.0) > 0)
        if not same_sign or one.low <= 0 <= one.high:
            return _in_words(row, one)
    return None


def standardised(
    row: ComparisonRow, metrics: pl.DataFrame, slices: pl.DataFrame
) -> Iterator[Standardised]:
    """The difference of the pair for each slicing in whose slices both have rows."""
    first, second = row["models"]
    by_slice = metrics.filter(
        pl.col("slice").is_not_null(), pl.all_horizontal(pl.col("class", "average").is_null())
    )
    needed = by_slice.filter(
        pl.col("metric").is_in([row["metric"], "n"]), pl.col("model").is_in([first, second])
    )
    values = {
        (metric, model, label): Limited(*number)
        for metric, model, label, *number in needed.select(
            "metric", "model", "slice", "value", "low", "high"
        ).iter_rows()
        if number[0] is not None
    }
    labels: dict[tuple[str, ...], list[str]] = {}
    for slicing, label in slices.select("slicing", "slice").iter_rows():
        labels.setdefault(tuple(slicing), []).append(label)
    for slicing, of_slicing in labels.items():
        keys = [(model, label) for label in of_slicing for model in (first, second)]
        sizes = [values.get(("n", *key)) for key in keys]
        of_pair = [values.get((row["metric"], *key)) for key in keys]
        if any(one is None or one.low is None for one in of_pair) or None in sizes:
            continue
        yield _of_mix(listed(slicing), [one for one in of_pair if one], [n for n in sizes if n])


class Limited(NamedTuple):
    """A number of a model in a slice, with its limits."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def half(self) -> float:
        """Half the width of its interval."""
        return ((self.high or 0.0) - (self.low or 0.0)) / 2


def _of_mix(slicing: str, of_pair: Sequence[Limited], sizes: Sequence[Limited]) -> Standardised:
    """From values and rows of both models, one slice after the other; half widths are of one level.

    The differences in slices are independent, so that squares of half widths add up.
    """
    rows = [a.value + b.value for a, b in zip(sizes[::2], sizes[1::2], strict=True)]
    shares = [n / sum(rows) for n in rows]
    pairs = list(zip(shares, of_pair[::2], of_pair[1::2], strict=True))
    value = sum(share * (a.value - b.value) for share, a, b in pairs)
    half = sqrt(sum(share**2 * (a.half**2 + b.half**2) for share, a, b in pairs))
    return Standardised(slicing, value, value - half, value + half)


def _in_words(row: ComparisonRow, one: Standardised) -> str:
    first, second = row["models"]
    value, low, high = one.value, one.low, one.high
    if value < 0:
        first, second, value, low, high = second, first, -value, -high, -low
    limits = numbers.difference_limits(value, low, high)
    return (
        f"the models have rows of their own, with other shares of {one.slicing}: with the same "
        f"mix {bounded(first)} − {bounded(second)} is {numbers.difference(value, low, high)} "
        f"({limits}) in {measure(row['metric'])}"
    )
