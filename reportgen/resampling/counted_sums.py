"""What measures of rows are made of in each resample, from how often each row is in it.

``replicate_sums`` reads the rows of each replicate. Here every row is read once, and counts as
often as it occurs: values differ from those in the last digits, as another order of sums does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_types import Floats, chunks
from reportgen.metrics.aggregates import WEIGHT, About, Aggregate, Recorded, is_constant
from reportgen.resampling.ordered_rows import OrderedRows
from reportgen.resampling.replicate_sums import REPLICATE, constants_of, of_each_row
from reportgen.resampling.unit_counts import Resamples

MOST_ROWS = 2**18
"""Of more rows, as only a few slices can have, the rows of each replicate are read."""

_AT_ONCE = 2**19
"""So many numbers of rows are held at a time."""

_WEIGHT, _MASS, _BELOW, _AWAY, _SLOPE = "weight", "mass", "below ", "away ", "slope "


def can_be_counted(aggregates: Recorded) -> bool:
    """Whether it is known of each how it changes with the constants that it reads."""
    return all(
        not a.reads_constants or a.about is not None or _is_of_constants(a)
        for a in aggregates.values()
    )


def _is_of_constants(aggregate: Aggregate) -> bool:
    return aggregate.kind == "every" and all(is_constant(root) for root in aggregate.roots)


class CountedSums:
    """Rows whose aggregates are worked out for many resamples.

    ``whole`` has the aggregates of all rows, each once.
    """

    def __init__(self, rows: pl.DataFrame, aggregates: Recorded, whole: pl.DataFrame) -> None:
        missing = {n: v for n, v in of_each_row(aggregates).items() if n not in rows.columns}
        self._starts = _starts(rows, aggregates, whole)
        starts = {name: pl.lit(start, pl.Float64) for name, start in self._starts.items()}
        self._rows = rows.with_columns(**missing, **starts)
        self._aggregates = aggregates
        self._whole = whole
        self._weight, self._mass, self._orders = _in_order(self._rows, aggregates)
        self._factors = _factors(self._rows, aggregates)

    def table(self, counts: Resamples) -> pl.DataFrame:
        """Every aggregate by its name, a line for each resample."""
        quantiles = {n: a.level for n, a in self._aggregates.items() if a.kind == "quantile"}
        windows = {n: self._orders[n].window(q, counts.size) for n, q in quantiles.items()}
        below = {_BELOW + n: self._orders[n].before(windows[n]) for n in quantiles}
        sums = self._sums(counts, {_MASS: self._mass, **below})
        columns: dict[str, Floats] = {
            n: self._orders[n].quantiles(q, counts, windows[n], sums[_BELOW + n], sums[_MASS])
            for n, q in quantiles.items()
        }
        columns |= {n: self._plain(n, a, counts, sums) for n, a in self._first.items()}
        table = pl.DataFrame({REPLICATE: np.arange(counts.number), **columns}, nan_to_null=True)
        constants = constants_of(table, self._aggregates)
        second = {n: a for n, a in self._aggregates.items() if a.reads_constants}
        conditions = {n: a.values[0].fill_null(True) for n, a in second.items() if a.about is None}
        changed = constants.select(**conditions).to_dict() if conditions else {}
        moved = self._moved(second, constants)
        for name, a in second.items():
            if a.about is not None:
                added = (
                    -sums[_WEIGHT] * moved[name]
                    if name in moved
                    else self._turned(name, a.about, counts, sums, constants)
                )
                new = np.maximum(sums[name] + added, 0)
                changed[name] = pl.Series(new, nan_to_null=True)
        return table.hstack([changed[n].alias(n) for n in second])

    @property
    def _first(self) -> Recorded:
        """Those that read rows alone, but quantiles."""
        apart = ("quantile", "constant", "row")
        return {
            n: a
            for n, a in self._aggregates.items()
            if a.kind not in apart and not a.reads_constants
        }

    def _sums(self, counts: Resamples, further: Mapping[str, Floats]) -> dict[str, Floats]:
        """The sums of what rows give, and of further numbers of them, by name."""
        expressions = dict(self._given())
        names = list(expressions)
        sums: dict[str, Floats] = {}
        numbers = np.column_stack(list(further.values()))
        for some in chunks(len(names), max(1, _AT_ONCE // self._rows.height)):
            here = {n: expressions[n].cast(pl.Float64).fill_null(0) for n in names[some]}
            values, last = self._rows.select(**here).to_numpy(), some.stop == len(names)
            # The further numbers with the last of them: each call reads all counts.
            together = np.column_stack([values, numbers]) if last else values
            summed = counts.sums(together).T
            sums |= dict(zip((*here, *(further if last else ())), summed, strict=True))
        return sums

    def _given(self) -> Iterator[tuple[str, pl.Expr]]:
        """What each row adds to sums, by name."""
        yield _WEIGHT, WEIGHT
        for name, a in self._aggregates.items():
            if a.kind == "total":
                yield name, WEIGHT * a.values[0]
                if a.about is not None and a.about.slopes is not None:
                    yield _SLOPE + name, WEIGHT * _slope(a.about, a.about.slopes)
            elif a.kind == "products":
                away = [v - self._factors[name][k].middle for k, v in enumerate(a.values)]
                yield name, WEIGHT * away[0] * away[1]
                for factor, distance in zip(self._factors[name], away, strict=True):
                    yield factor.name, WEIGHT * distance
            elif a.kind == "every" and name in self._first and not self._whole[name][0]:
                yield name, ~a.values[0]

    def _plain(
        self, name: str, aggregate: Aggregate, counts: Resamples, sums: Mapping[str, Floats]
    ) -> Floats:
        """One that reads no constant, in each resample."""
        match aggregate.kind:
            case "total":
                return sums[name]
            case "products":
                one, other = self._factors[name]
                return _products(sums[name], sums[one.name], sums[other.name], sums[_WEIGHT])
            case "every":
                return sums[name] == 0 if name in sums else np.full(counts.number, fill_value=True)
            case _:
                greatest = aggregate.kind == "greatest"
                return self._orders[name].extremes(counts, greatest=greatest)

    def _moved(self, second: Recorded, constants: pl.DataFrame) -> dict[str, Floats]:
        """The deviance of the mean of each resample from that of all rows, by aggregate."""
        alike: dict[tuple[str, str], list[str]] = {}
        for name, a in second.items():
            if a.about is not None and a.about.slopes is None:
                read = a.about.column, a.about.constant.meta.output_name()
                alike.setdefault(read, []).append(name)
        result: dict[str, Floats] = {}
        for (column, constant), names in alike.items():
            ends = constants[constant].to_numpy()
            start = np.full(len(ends), self._starts[constant])
            values = pl.DataFrame({column: ends, constant: start}).select(
                **{name: second[name].values[0] for name in names}
            )
            result |= {name: values[name].to_numpy() for name in names}
        return result

    def _turned(
        self,
        name: str,
        about: About,
        counts: Resamples,
        sums: Mapping[str, Floats],
        constants: pl.DataFrame,
    ) -> Floats:
        """By how much a sum of distances changes with the constants of the resamples."""
        constant, slopes = about.constant.meta.output_name(), about.slopes or (0.0, 0.0)
        ends, start = constants[constant].to_numpy(), self._starts[constant]
        far = self._orders[name].distances(counts, ends, start, self._weight)
        return (slopes[0] - slopes[1]) * far - (ends - start) * sums[_SLOPE + name]


def _in_order(
    rows: pl.DataFrame, aggregates: Recorded
) -> tuple[Floats, Floats, dict[str, OrderedRows]]:
    """The weight of each row, 1 of each where they are the same, and rows in order by aggregate.

    The order is that of the value whose quantile, extreme or distance from a constant it is.
    """
    values = {
        n: v for n, v in ((n, _ordered_by(a)) for n, a in aggregates.items()) if v is not None
    }
    texts = {n: str(v) for n, v in values.items()}
    columns = {_WEIGHT: WEIGHT} | {texts[n]: v.cast(pl.Float64) for n, v in values.items()}
    arrays = {n: c.to_numpy() for n, c in rows.select(**columns).to_dict().items()}
    weight = arrays.pop(_WEIGHT)
    mass = np.ones(rows.height) if weight.min() == weight.max() else weight
    orders = {text: OrderedRows.of(array, mass) for text, array in arrays.items()}
    return weight, mass, {n: orders[text] for n, text in texts.items()}


def _ordered_by(aggregate: Aggregate) -> pl.Expr | None:
    if aggregate.kind in ("quantile", "least", "greatest"):
        return aggregate.values[0]
    if aggregate.about is not None and aggregate.about.slopes is not None:
        return pl.col(aggregate.about.column).cast(pl.Float64)
    return None


@dataclass(frozen=True, slots=True)
class _Factor:
    """What products are made of: the name of the sum of its distances from its middle."""

    name: str
    middle: float | None


def _factors(rows: pl.DataFrame, aggregates: Recorded) -> dict[str, list[_Factor]]:
    """Those of each aggregate of products."""
    texts = {n: list(map(str, a.values)) for n, a in aggregates.items() if a.kind == "products"}
    values = {str(v): v for n in texts for v in aggregates[n].values}
    middles = rows.select(**{text: v.median() for text, v in values.items()}).to_dicts()
    return {
        n: [_Factor(_AWAY + text, middles[0][text]) for text in both] for n, both in texts.items()
    }


def _starts(rows: pl.DataFrame, aggregates: Recorded, whole: pl.DataFrame) -> dict[str, float]:
    """The constants from which those of resamples are near: those of all rows; NaN where undefined.

    That of deviances, which may be any number above 0, is the median of the values that are: the
    mean may be that of a few rows, which some resamples lack.
    """
    constants = constants_of(whole, aggregates)
    starts = {n: math.nan if c[0] is None else float(c[0]) for n, c in constants.to_dict().items()}
    deviances = {
        about.constant.meta.output_name(): rows[about.column]
        for about in (a.about for a in aggregates.values())
        if about is not None and about.slopes is None
    }
    for name, column in deviances.items():
        values = column.cast(pl.Float64).to_numpy()
        if (values >= 0).all() and (values > 0).any():
            starts[name] = float(np.median(values[values > 0]))
    return starts


def _slope(about: About, slopes: tuple[float, float]) -> pl.Expr:
    above = pl.col(about.column).cast(pl.Float64) >= about.constant
    return pl.when(above).then(slopes[0]).otherwise(slopes[1])


def _products(together: Floats, one: Floats, other: Floats, weight: Floats) -> Floats:
    """Those of distances from the means of a resample, from those from the middles of all rows."""
    products: Floats = together - one * other / weight
    return np.maximum(products, 0) if one is other else products
