"""Macro, weighted and micro averages of the measures of classes or labels, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Flags, Floats, chunks
from reportgen.clusters import Effect, Groups, correction, covariance_of_sum, degrees_of_freedom
from reportgen.intervals import normal_quantile
from reportgen.intervals.delta import relative_slopes
from reportgen.leverage import common_correlation, jackknife_sums
from reportgen.measuring.average_limits import ClassLimits, Variance, average_limits
from reportgen.measuring.cell_effects import CellTable, effects_of_cells
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.metric_names import CELLS
from reportgen.metrics import METRICS
from reportgen.metrics.class_means import AVERAGED, macro, weighted
from reportgen.spec.measures import OF_COUNTS
from reportgen.tables import Matrix
from reportgen.tables.results import MetricRow

METHODS = {"macro": "square-and-add", "weighted": "square-and-add", "micro": "wilson_modified"}
"""How the limits of each average are made of those of the classes."""

_TABLES = 2**20
"""So many cells of tables of all classes, or of groups, at once."""

_SERIAL = 2**18
"""Up to so many products OpenBLAS multiplies matrices on one thread, which costs the least."""


def averages(
    counts: pl.DataFrame,
    number: MetricSubject,
    variance: Variance,
    of_classes: Sequence[MetricRow] = (),
    tables: Sequence[CellTable] = (),
    values: Floats | None = None,
) -> list[MetricRow]:
    """Each average of each measure, from one row of counts per class.

    Limits are made of those of the classes (``of_classes``) by square-and-add; where
    these are not given, the average ± z standard errors by the delta method, over all
    classes at once as their counts depend on each other. ``tables`` are the cells of
    each class by group, where rows come in groups, ``values`` the averages where they
    are known. Undefined where a class has no
    value; no limits where a class has none, by the delta method also where a shift of a
    count leaves no value, or where the average has no slope, as for a perfect classifier.
    Takahashi et al. (2022), doi:10.1007/s10489-021-02635-5.
    """
    if values is None:
        (values,) = values_of_averages([counts])
    if of_classes:
        effects = effects_of_cells(tables, [METRICS[name] for name in AVERAGED], {})
        classes = ClassLimits.of(number, counts, of_classes, effects)
        low, high = average_limits(counts, values, variance, classes)
    else:
        half_widths = normal_quantile(number.confidence) * np.sqrt(
            _variances(_cells(counts), variance)
        )
        away = half_widths.reshape(values.shape)
        low, high = (np.clip(values + side * away, 0, 1) for side in (-1, 1))
    rows = []
    for k, name in enumerate(AVERAGED):
        for j, kind in enumerate(OF_COUNTS):
            undefined = (
                METRICS[name].undefined if kind == "micro" else "a class or label has no value"
            )
            estimate = None if np.isnan(values[k, j]) else values[k, j]
            interval = METHODS[kind] if of_classes else "delta"
            rows.append(
                number.average(kind).row(
                    name, estimate, low[k, j], high[k, j], interval=interval, undefined=undefined
                )
            )
    return rows


def values_of_averages(counts: Sequence[pl.DataFrame]) -> list[Floats]:
    """Every average (measure × kind) of tables of as many classes each."""
    values = _values(np.array([_cells(of_table).ravel() for of_table in counts]))
    return list(values.reshape(-1, len(AVERAGED), len(OF_COUNTS)))


def _cells(counts: pl.DataFrame) -> Floats:
    return counts.select(CELLS).cast(pl.Float64).to_numpy()


def of_matrix(
    number: MetricSubject, matrix: DataFrame[Matrix], groups: pl.DataFrame | None = None
) -> Variance:
    """The variance where each row has one class and is given one.

    ``groups`` (``group truth predicted count``) distinguishes the rows of groups
    that are independent of each other while their rows are not.
    """
    of = None if groups is None else Groups.of(groups["group"])
    size = round(matrix.height**0.5)
    count, squares = (matrix[c].to_numpy().reshape(size, size) for c in ("count", "count2"))
    rows = float(count.sum()) ** 2 / float(squares.sum())  # of equal weight, whatever its unit

    def variance(gradient: Floats) -> Floats:
        cells = max(size**2, 0 if groups is None else groups.height)
        some = chunks(len(gradient), max(1, _TABLES // cells))  # all would be much memory
        return np.concatenate([of_some(gradient[part]) for part in some])

    def of_some(gradient: Floats) -> Floats:
        true_positive, false_positive, false_negative, true_negative = np.moveaxis(gradient, 2, 0)
        influence = (false_negative - true_negative)[:, :, None] + (false_positive - true_negative)[
            :, None, :
        ]
        diagonal = np.arange(size)
        influence[:, diagonal, diagonal] = true_positive - true_negative
        influence += true_negative.sum(axis=1)[:, None, None]
        influence -= (count * influence).sum(axis=(1, 2), keepdims=True) / count.sum()
        of_rows: Floats = (squares * influence**2).sum(axis=(1, 2))
        if groups is not None and of is not None:
            of_cell = influence[:, groups["truth"].to_numpy(), groups["predicted"].to_numpy()]
            weight = groups["count"].to_numpy()
            sums = of.sums(of_cell.T * weight[:, None])
            return _of_sums(number, sums, of.sums(weight), rows, of_rows)
        return of_rows

    return variance


class LabelledRows(NamedTuple):
    """Which labels rows have (row × label) and are given, and what they weigh."""

    truth: Flags
    given: Flags
    weight: Floats

    @property
    def by_pattern(self) -> LabelledRows:
        """Of few labels one row for all that have and are given the same.

        It weighs the root of their squares, as each row adds the square of what it weighs.
        """
        number = self.truth.shape[1]
        if 2 ** (2 * number + 2) > len(self.weight):
            return self
        bits = np.arange(2 * number)
        pattern = np.zeros(len(self.weight), np.int32)
        for bit, column in zip(bits, (*self.truth.T, *self.given.T), strict=True):
            pattern |= column.astype(np.int32) << np.int32(bit)
        squares = np.bincount(pattern, np.square(self.weight), 4**number)
        there = np.flatnonzero(squares)
        flags = (there[:, None] >> bits & 1).astype(np.bool_)
        return LabelledRows(flags[:, :number], flags[:, number:], np.sqrt(squares[there]))


def of_labels(
    number: MetricSubject,
    truth: Flags,
    given: Flags,
    weight: Floats,
    groups: Groups | None = None,
) -> Variance:
    """The variance where each row (first axis) has any labels and is given any (second axis).

    That of rows in ``groups`` is as in ``of_matrix``.
    """
    both, of_rows, of_calls = (
        np.array([weight[column].sum() for column in part.T])
        for part in (truth & given, truth, given)
    )
    whole = LabelledRows(truth, given, weight)
    alike = whole.by_pattern if groups is None else whole

    def variance(gradient: Floats) -> Floats:
        true_positive, false_positive, false_negative, true_negative = np.moveaxis(gradient, 2, 0)
        of_both, of_truth, of_given = (
            part.T
            for part in (
                true_positive + true_negative - false_negative - false_positive,
                false_negative - true_negative,
                false_positive - true_negative,
            )
        )
        mean = (both @ of_both + of_rows @ of_truth + of_calls @ of_given) / weight.sum()

        def influence(of: LabelledRows, rows: slice) -> Floats:
            t, g = (part[rows].astype(np.float64) for part in (of.truth, of.given))
            away: Floats = (t * g) @ of_both + t @ of_truth + g @ of_given - mean
            away *= of.weight[rows, None]
            return away

        if groups is not None:
            sums = groups.sums(influence(whole, slice(None)))
            return _of_sums(number, sums, groups.sums(weight), len(weight))
        variances = np.zeros(len(gradient))
        for rows in chunks(len(alike.weight), max(1, _SERIAL // of_both.size)):
            away = influence(alike, rows)
            variances += np.einsum("ra,ra->a", away, away)
        return variances

    return variance


def _of_sums(
    number: MetricSubject,
    by_group: Floats,
    sizes: Floats,
    rows: float,
    squares: Floats | None = None,
) -> Floats:
    """Variance from the sums over groups, inflated for limits by t; NaN with fewer than two.

    ``sizes`` are the weights of the groups, ``squares`` the sums of the squares over the rows,
    where they are known: limits then are at least those of one intraclass correlation of all
    groups. The variance of independent rows has no correction n/(n − 1), so that this has it taken
    off: they are the same where each row is a group.
    Bell & McCaffrey (2002), *Survey Methodology* 28, 169-181.
    """
    share, variances = sizes / sizes.sum(), []
    pulled = jackknife_sums(by_group, np.broadcast_to(share[:, None], by_group.shape))
    pulled *= 1 - 1 / len(sizes)
    for k, sums in enumerate(pulled.T):
        effect = Effect(covariance_of_sum(sums[:, None]).item(), degrees_of_freedom(sums))
        if squares is not None:
            total = float(squares[k]) * correction(rows)
            effect = effect.or_wider(*common_correlation(by_group[:, k], share, rows, total))
        variances.append(effect.inflation(number.confidence))
    return np.array(variances) * (rows - 1) / rows


def of_label_sums(number: MetricSubject, cells: Floats, sizes: Floats) -> Variance:
    """The same as ``of_labels`` of rows in groups, from label × cell × group and the groups' rows.

    Cells are tp, fp, fn and tn.
    """
    rows = float(sizes.sum())

    def variance(gradient: Floats) -> Floats:
        by_group = np.einsum("akc,kcg->ga", gradient, cells)
        away = by_group - by_group.sum(axis=0) / rows * sizes[:, None]
        return _of_sums(number, away, sizes, rows)

    return variance


def _variances(table: Floats, variance: Variance) -> Floats:
    """Variance of each average, NaN where it cannot be determined."""
    slopes = relative_slopes(_values, table.reshape(1, -1))[0].reshape(-1, *table.shape)
    with np.errstate(invalid="ignore", divide="ignore"):
        estimates = variance(np.where(table > 0, slopes / table, 0.0))
    defined = (slopes != 0).any(axis=(1, 2)) & (estimates > 0)
    return np.where(defined, estimates, np.nan)


def _values(tables: Floats) -> Floats:
    """Every average of tables of counts, one table per row, NaN where it has no value."""
    size = tables.shape[1] // len(CELLS)
    cells = tables.reshape(-1, size, len(CELLS))
    of_kind = _expressions()
    long = pl.DataFrame(cells.reshape(-1, len(CELLS)), schema=CELLS, orient="row").with_columns(
        table=pl.Series(np.repeat(np.arange(len(cells)), size)).set_sorted()
    )
    parts = {
        "macro": _by_table(long, of_kind["macro"]),
        "weighted": _by_table(long, of_kind["weighted"]),
        "micro": pl.DataFrame(cells.sum(axis=1), schema=CELLS, orient="row").select(
            **of_kind["micro"]
        ),
    }
    columns = [parts[kind][name] for name in AVERAGED for kind in OF_COUNTS]
    return np.column_stack([c.cast(pl.Float64).to_numpy() for c in columns])


@cache
def _expressions() -> dict[str, dict[str, pl.Expr]]:
    """The averages of each kind by measure."""
    measures = {name: METRICS[name].expression() for name in AVERAGED}
    return {
        "macro": {name: macro(m) for name, m in measures.items()},
        "weighted": {name: weighted(m) for name, m in measures.items()},
        "micro": measures,
    }


def _by_table(long: pl.DataFrame, averages: dict[str, pl.Expr]) -> pl.DataFrame:
    grouped = long.lazy().group_by("table", maintain_order=True).agg(**averages)
    return grouped.collect(engine="in-memory")


def one_interval(rows: Sequence[MetricRow]) -> list[MetricRow]:
    """Return the rows, each average that is another measure with the interval of that measure.

    A row of an average that is none, or without a row of that measure, is as it was.
    """
    of_all = {row["metric"]: row for row in rows if row["average"] is row["class"] is None}
    return [with_interval_of(of_all.get(_same_number(row), row), row) for row in rows]


def _same_number(row: MetricRow) -> str:
    """The measure that an average is by definition; empty where it is none."""
    metric = METRICS.get(row["metric"])
    same = None if metric is None else metric.same_averages
    return (same or {}).get(row["average"] or "", "")


def with_interval_of(same: MetricRow, row: MetricRow) -> MetricRow:
    """Return a row with the interval of the same number, where both have one.

    A false-negative rate is 1 minus the balanced accuracy: its limits change places.
    """
    low, high = same["low"], same["high"]
    if low is None or high is None or row["value"] is None:
        return row
    if same["metric"] == "balanced_accuracy" and row["metric"] == "false_negative_rate":
        low, high = 1 - high, 1 - low
    return {**row, "low": low, "high": high, "interval": same["interval"]}
