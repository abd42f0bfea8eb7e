"""Models on different rows, whose slices or classes have other shares: what one mix leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparing.recommendation import undecided
from reportgen.comparisons.wording import bounded, measure
from reportgen.metric_names import CORRECT_ROWS
from reportgen.records.model import typed
from reportgen.records.row_facts import UnlikeTruths
from reportgen.records.rows import DataRecord, rows_of
from reportgen.tables import Comparisons
from reportgen.tables.comparisons import ComparisonRow
from reportgen.text import numbers
from reportgen.text.words import listed

MEANS = frozenset({*CORRECT_ROWS, "mean_squared_error"})
"""Measures that are a mean over rows: with another mix an AUC is no mean of those of slices."""


_OF_CLASS = (("recall", "tp", "fn"), ("specificity", "tn", "fp"))
"""The share of a class that is predicted correctly, and its rows that are and that are not."""

OF_OWN = "the rows of the models differ in the shares of"
"""Why a difference between them may be one of the rows."""


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

    It does where the difference within slices or classes, weighted by the rows of both models
    (direct standardisation), has limits that include 0, or the other sign. Where a test shows that
    classes have other shares, or numbers are unlike, no mean over the rows decides.
    """
    if not data.get("unpaired"):
        return tests
    rows, changed = rows_of(tests, ComparisonRow), False
    for at, row in enumerate(rows):
        why = of_rows_alone(row, metrics, slices, data) if _is_recommended(row) else None
        if why is not None:
            changed, rows[at] = True, undecided(row, why)
    return typed(Comparisons, rows) if changed else tests


def of_rows_alone(
    row: ComparisonRow, metrics: pl.DataFrame, slices: pl.DataFrame, data: DataRecord
) -> str | None:
    """Why a difference between models on rows of their own may be one of the rows; null if not."""
    pairs = data.get("unlike_truths", ())
    unlike = next((one for one in pairs if set(one["models"]) == set(row.models)), None)
    why = _of_truths(row, metrics, unlike)
    return explained_by_mix(row, metrics, slices) if why is None and row.reject else why


def _is_recommended(row: ComparisonRow) -> bool:
    of_pair = row.unit == "samples" and row.slice is None and len(row.models) == 2
    return of_pair and row.recommendation == "recommended"


def _of_truths(
    row: ComparisonRow, metrics: pl.DataFrame, unlike: UnlikeTruths | None
) -> str | None:
    """What the classes of the rows leave of a difference, or that their numbers are unlike."""
    if unlike is None or row.metric not in MEANS:
        return None
    if unlike["rows"] is None:
        first, second = map(bounded, row.models)
        return f"{first} and {second} have rows whose true values are distributed differently"
    one = _of_classes(row, metrics)
    if one is None:
        return f"{OF_OWN} the classes"
    return _in_words(row, one)


def _of_classes(row: ComparisonRow, metrics: pl.DataFrame) -> Standardised | None:
    """The difference in accuracy as if both models had all rows' mix of classes.

    Of two classes recall and specificity are the shares that are predicted correctly, of several
    the recall of each. None of other measures, or where a model has no rows of a class.
    """
    if row.metric != "accuracy":
        return None
    whole = metrics.filter(
        pl.all_horizontal(pl.col("slice", "average").is_null()),
        pl.col("metric").is_in([name for one in _OF_CLASS for name in one]),
        pl.col("value").is_not_null(),
    )
    values = {
        (metric, model, name): Limited(*number)
        for metric, model, name, *number in whole.select(
            "metric", "model", "class", "value", "low", "high"
        ).iter_rows()
    }
    classes = sorted({name for *_, name in values if name is not None}) or [None]
    keys = [
        (names, model, of_class)
        for of_class in classes
        for names in (_OF_CLASS if of_class is None else _OF_CLASS[:1])
        for model in row.models
    ]
    parts = [[values.get((name, *of)) for name in names] for names, *of in keys]
    known = [[one for one in three if one is not None] for three in parts]
    if any(len(three) < len(_OF_CLASS[0]) for three in known):
        return None
    sizes = [Limited(correct.value + wrong.value) for _, correct, wrong in known]
    return _of_mix("the classes", [share for share, *_ in known], sizes)


def _leaves_nothing(row: ComparisonRow, one: Standardised) -> bool:
    same_sign = (one.value > 0) == ((row.estimate or 0.0) > 0)
    return not same_sign or one.low <= 0 <= one.high


def explained_by_mix(row: ComparisonRow, metrics: pl.DataFrame, slices: pl.DataFrame) -> str | None:
    """What the first mix that leaves nothing of a difference makes of it, as a reason.

    That of the classes, also where their shares do not differ significantly, or of a slicing.
    """
    if not row.estimate or row.metric not in MEANS:
        return None
    of_classes = _of_classes(row, metrics)
    mixes = [*([of_classes] if of_classes else []), *standardised(row, metrics, slices)]
    return next((_in_words(row, one) for one in mixes if _leaves_nothing(row, one)), None)


def standardised(
    row: ComparisonRow, metrics: pl.DataFrame, slices: pl.DataFrame
) -> Iterator[Standardised]:
    """The difference of the pair for each slicing in whose slices both have rows."""
    first, second = row.models
    by_slice = metrics.filter(
        pl.col("slice").is_not_null(), pl.all_horizontal(pl.col("class", "average").is_null())
    )
    needed = by_slice.filter(
        pl.col("metric").is_in([row.metric, "n"]), pl.col("model").is_in([first, second])
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
        of_pair = [values.get((row.metric, *key)) for key in keys]
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
    first, second = row.models
    value, low, high = one.value, one.low, one.high
    if value < 0:
        first, second, value, low, high = second, first, -value, -high, -low
    limits = numbers.difference_limits(value, low, high)
    return (
        f"{OF_OWN} {one.slicing}: with equal shares {bounded(first)} − "
        f"{bounded(second)} is {numbers.difference(value, low, high)} ({limits}) in "
        f"{measure(row.metric)}"
    )
