"""Measures of the rows without those of each group, as leaving out one group at a time needs them.

What rows are added up to, each group adds to once: the rows are read once, not once for each group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_types import Flags, Floats, Integers
from reportgen.clusters import Groups
from reportgen.measuring.metric_set import values_by_batch
from reportgen.metrics import Metric
from reportgen.metrics.aggregates import Aggregate, Recorded, mean, recorded_in_parts
from reportgen.metrics.settings import MetricSettings
from reportgen.rank_influences import kendall_without_each, spearman_without_each
from reportgen.resampling.replicate_sums import added_parts

MOST = 100
"""Of more groups measures are not computed without each of them."""

READ = 2**24
"""Rows times groups that may be read for measures that are not made of sums."""

OF_RANKS: Mapping[str, Callable[[Floats, Floats, Integers, int], Floats]] = {
    "kendall_tau": kendall_without_each,
    "spearman_rho": spearman_without_each,
}
"""Measures of the order of rows that weigh the same, which have no value of others."""

_MASS = Aggregate("total", (pl.lit(1.0),))


@dataclass(frozen=True, slots=True)
class MeasuresInParts:
    """Measures as expressions over ``aggregates`` of rows, and as ones over rows where one is not.

    The latter read no aggregate.
    """

    of_aggregates: Mapping[str, pl.Expr]
    of_rows: Mapping[str, pl.Expr]
    aggregates: Recorded

    @classmethod
    def of(
        cls, metrics: Iterable[Metric], settings: MetricSettings, *, classes: bool = False
    ) -> MeasuresInParts:
        """Each measure by its name; with ``classes`` of rows that have the columns of these."""
        of_aggregates, of_rows, aggregates = {}, {}, Recorded()
        for metric in metrics:
            expression, recorded = recorded_in_parts(metric, settings, classes=classes)
            if recorded.keys() >= set(expression.meta.root_names()):
                of_aggregates[metric.name] = expression
                aggregates |= recorded
            else:
                of_rows[metric.name] = metric.expression_of_groups(**settings)
        return cls(of_aggregates, of_rows, aggregates)

    @property
    def of_sums(self) -> MeasuresInParts:
        """Those of sums over rows and their extremes alone, which groups add up to."""
        added = {
            name: aggregate
            for name, aggregate in self.aggregates.items()
            if aggregate.kind not in ("quantile", "constant") and not aggregate.reads_constants
        }
        of_added = {
            name: expression
            for name, expression in self.of_aggregates.items()
            if added.keys() >= set(expression.meta.root_names())
        }
        return MeasuresInParts(of_added, {}, added)


def values_without_each(
    frame: pl.DataFrame,
    metrics: Sequence[Metric],
    groups: Groups,
    settings: MetricSettings,
    rows: int,
) -> dict[str, Floats]:
    """The value of each measure of the rows without those of each group; NaN where it has none.

    ``rows`` are those that the frame stands for. A measure is left out where there are too many
    groups, or it is not made of sums and rows times groups are more than ``READ``.
    """
    if not metrics or not 2 <= groups.number <= MOST:
        return {}
    parts = MeasuresInParts.of(metrics, settings).of_sums
    values = _of_sums(frame, parts, groups) if parts.of_aggregates else {}
    if groups.number * rows > READ:
        return values
    values |= {m.name: _of_ranks(frame, m, groups) for m in metrics if m.name in OF_RANKS}
    rest = [m for m in metrics if m.name not in values]
    if rest:
        columns = {m.name: m.expression(**settings) for m in rest}
        table = pl.DataFrame(
            list(values_by_batch(_without_each(frame, groups), columns)),
            schema=dict.fromkeys(columns, pl.Float64),
        )
        values |= {name: column.to_numpy() for name, column in table.to_dict().items()}
    return values


def _of_ranks(frame: pl.DataFrame, metric: Metric, groups: Groups) -> Floats:
    truth, estimate = (frame[name].cast(pl.Float64).to_numpy() for name in ("truth", "estimate"))
    return OF_RANKS[metric.name](truth, estimate, groups.code, groups.number)


def _without_each(frame: pl.DataFrame, groups: Groups) -> Iterator[pl.DataFrame]:
    return (frame.filter(groups.code != g) for g in range(groups.number))


def _of_sums(frame: pl.DataFrame, parts: MeasuresInParts, groups: Groups) -> dict[str, Floats]:
    sizes = np.bincount(groups.code, minlength=groups.number)
    there = np.flatnonzero(sizes)
    apart = _from_means(frame, parts.aggregates)
    aggregates = parts.aggregates | {a.name: a for a in (_MASS, *apart.values())}
    rows = frame[np.argsort(groups.code, kind="stable")]
    table = added_parts(rows, aggregates, sizes[there])
    others = there[None, :] != np.arange(groups.number)[:, None]
    sums = _Others(table, others, apart)
    columns = {n: sums.of(a) for n, a in parts.aggregates.items() if a.kind != "row"}
    return _values(pl.DataFrame(columns), parts.of_aggregates)


def _from_means(frame: pl.DataFrame, aggregates: Recorded) -> dict[str, Aggregate]:
    """By each factor of a product the sum of its distances from its mean over all rows.

    The means of groups far from 0 would have lost the digits in which they differ.
    """
    factors = {str(v): v for a in aggregates.values() if a.kind == "products" for v in a.values}
    means = [frame.select(mean(value)).item() for value in factors.values()]
    return {
        text: Aggregate("total", (value - pl.lit(middle),))
        for (text, value), middle in zip(factors.items(), means, strict=True)
    }


def _values(columns: pl.DataFrame, expressions: Mapping[str, pl.Expr]) -> dict[str, Floats]:
    """The value of each expression in each line: it takes the first one of an aggregate."""
    lines = columns.with_columns(line=pl.int_range(pl.len())).group_by("line", maintain_order=True)
    named = {name: expression.cast(pl.Float64) for name, expression in expressions.items()}
    return {name: lines.agg(**named)[name].to_numpy() for name in named}


@dataclass(frozen=True, slots=True)
class _Others:
    """Aggregates of all groups that a line of ``others`` has, from those of each group.

    ``apart`` has the sums of what makes products.
    """

    table: pl.DataFrame
    others: Flags
    apart: Mapping[str, Aggregate]

    def of(self, aggregate: Aggregate) -> pl.Series:
        """The aggregate of each line."""
        match aggregate.kind:
            case "total":
                return pl.Series(self._sum(self._column(aggregate)))
            case "products":
                return pl.Series(self._products(aggregate))
            case "every":
                condition = self.table[aggregate.name].fill_null(True).to_numpy()
                return pl.Series((condition | ~self.others).all(axis=1))
            case "least":
                return pl.Series(self._with(np.inf, aggregate).min(axis=1))
            case _:
                return pl.Series(self._with(-np.inf, aggregate).max(axis=1))

    def _column(self, aggregate: Aggregate) -> Floats:
        values: Floats = self.table[aggregate.name].cast(pl.Float64).to_numpy()
        return values

    def _with(self, absent: float, aggregate: Aggregate) -> Floats:
        return np.where(self.others, self._column(aggregate), absent)

    def _sum(self, column: Floats) -> Floats:
        """Without taking anything off again, which would leave rounding where nothing is left."""
        total: Floats = np.where(self.others, column, 0.0).sum(axis=1)
        return total

    def _products(self, aggregate: Aggregate) -> Floats:
        """Those about the means of the groups, and of the means of the groups about theirs.

        Chan, Golub & LeVeque (1983), doi:10.1080/00031305.1983.10483115.
        """
        mass = self._column(_MASS)
        apart = np.ones(self.others.shape)
        for value in aggregate.values:
            total = self._column(self.apart[str(value)])
            with np.errstate(divide="ignore", invalid="ignore"):
                of_each, of_others = total / mass, self._sum(total) / self._sum(mass)
            apart = apart * (of_each[None, :] - of_others[:, None])
        between = np.where(self.others & (mass > 0), mass * apart, 0.0).sum(axis=1)
        together: Floats = self._sum(self._column(aggregate)) + between
        return together
