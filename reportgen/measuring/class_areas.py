"""AUC and average precision of each class against the rest, or of each label, and their means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats
from reportgen.clusters import Effect
from reportgen.intervals.area_means import NO_ERROR, AreaSpread, mean_limits
from reportgen.measuring.binary_model import thinned_by
from reportgen.measuring.interval_methods import chosen_of_part
from reportgen.measuring.kernels import KERNELS, ScoreSums
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.metric_set import ValueWithLimits
from reportgen.metrics import METRICS, Metric
from reportgen.metrics.class_means import BY_CLASS, strict_mean
from reportgen.small_queries import selected
from reportgen.spec.option_groups import Intervals
from reportgen.sweeping import ranking_of, with_squares
from reportgen.tables import Sweep
from reportgen.tables.results import MetricRow

METHOD = "square-and-add"
"""How limits of means of AUCs are made of those of the classes."""


def of_sweeps(
    sweeps: Iterable[DataFrame[Sweep]],
    number: MetricSubject,
    methods: Intervals,
    *,
    repeats: float = 1,
    effects: Sequence[Effect] = (),
) -> Iterator[dict[str, ValueWithLimits]]:
    """The measures of each sweep with their limits.

    ``effects`` are those of groups on the AUC of each, where rows come in groups.
    """
    frames = (thinned_by(with_squares(steps), repeats) for steps in sweeps)
    metrics = number.limits_of(_measures(methods))
    return metrics.of_frames(frames, [{"auc": e} for e in effects])


def _measures(methods: Intervals) -> list[Metric]:
    return chosen_of_part((METRICS[name] for name in BY_CLASS), methods)


def areas(  # noqa: PLR0913  # one keyword per thing that classes and labels differ in
    classes: Sequence[str],
    by_class: Iterable[dict[str, ValueWithLimits]],
    of_all: Mapping[str, float | None] | None,
    number: MetricSubject,
    *,
    support: Floats,
    methods: Intervals,
    missing: str,
    noun: str = "class",
    spread: AreaSpread | None = None,
) -> list[MetricRow]:
    """Of each class, then macro, weighted by ``support`` and micro (``of_all`` scores pooled).

    ``by_class`` are the values that ``of_sweeps`` has. A mean has no value where a class has none,
    the weighted one where a class with rows has none, as in ``metrics.multiclass``; without scores
    each says ``missing``. ``spread`` says how the areas of the classes vary together, and gives
    the means their limits.
    """
    metrics = _measures(methods)
    rows: list[MetricRow] = []
    if of_all is None:
        for label in classes:
            rows += number.of_class(label).rows(None, metrics, missing)
    for label, values in zip(classes, by_class, strict=False):
        rows += number.of_class(label).from_values(metrics, values)
    reason = missing if of_all is None else f"a {noun} has no value"
    by_name = {name: [row for row in rows if row["metric"] == name] for name in BY_CLASS}
    means = _means({name: [row["value"] for row in by_name[name]] for name in BY_CLASS}, support)
    for name, of_classes in by_name.items():
        limits = {} if name != "auc" else _limits(number, of_classes, support, spread)
        for kind, value in (
            ("macro", means["macro"][name]),
            ("weighted", means["weighted"][name]),
            ("micro", (of_all or {}).get(name)),
        ):
            low, high = limits.get(kind, (None, None))
            of_kind = number.average(kind)
            rows.append(of_kind.row(name, value, low, high, interval=METHOD, undefined=reason))
    return rows


def _limits(
    number: MetricSubject, rows: Sequence[MetricRow], support: Floats, spread: AreaSpread | None
) -> dict[str, tuple[float, float]]:
    """The limits of the mean AUC, plain and weighted by support, from the rows of the classes."""
    ends = [(row["low"], row["value"], row["high"]) for row in rows]
    if spread is None or not ends or any(None in end for end in ends):
        return {}
    low, value, high = np.array(ends, dtype=np.float64).T
    plain, weighted = np.full(len(ends), 1 / len(ends)), support / support.sum()
    areas, confidence = (low, value, high), number.confidence
    return {
        "macro": mean_limits(*areas, plain, spread, confidence),
        "weighted": mean_limits(*areas, weighted, spread, confidence, of_shares=spread.of_support),
    }


def of_pairs(
    value: float | None, macro: MetricRow, spread: AreaSpread | None, kind: int
) -> tuple[float | None, float | None]:
    """Limits of a mean over pairs of classes: as far from it as those of the macro average are.

    In standard errors of each: the two means rest on the same rows, and are skewed alike.
    ``kind`` is 0 of the plain mean, 1 of that weighted by rows.
    """
    centre, low, high = macro["value"], macro["low"], macro["high"]
    if spread is None or spread.pairs is None or value is None:
        return None, None
    if centre is None or low is None or high is None:
        return None, None
    number = len(spread.covariance)
    error = spread.error(np.full(number, 1 / number))
    scale = spread.pairs[kind] / error if error > NO_ERROR else 1.0
    return max(value - (centre - low) * scale, 0.0), min(value + (high - centre) * scale, 1.0)


def of_sweep(pooled: DataFrame[Sweep]) -> dict[str, float | None]:
    """The measures of all scores together, from their sweep."""
    columns = {name: METRICS[name].expression() for name in BY_CLASS}
    return selected(with_squares(pooled), columns).row(0, named=True)


def of_rows(parts: Iterable[pl.DataFrame], weight: str | None) -> dict[str, float | None]:
    """The same from the columns ``truth score weight`` of each label, whatever their names."""
    named = ("truth", "score", *(("weight",) if weight else ()))
    rows = pl.concat([part.rename(dict(zip(part.columns, named, strict=True))) for part in parts])
    sums = ScoreSums(ranking_of(rows, weight=weight and "weight"), np.empty(0, np.intp))
    return {name: KERNELS[name].value(sums) for name in BY_CLASS}


def _means(
    values: Mapping[str, Sequence[float | None]], support: Floats
) -> dict[str, dict[str, float | None]]:
    """The means over the classes of each column of values, plain and weighted by support."""
    frame = pl.DataFrame(values, schema=dict.fromkeys(values, pl.Float64))
    weights = {"macro": np.ones(len(support)), "weighted": support * 1.0}
    return {
        kind: frame.with_columns(weight=weight)
        .select(
            strict_mean(pl.col(name), pl.col("weight")).clip(0, 1).alias(name) for name in values
        )
        .row(0, named=True)
        for kind, weight in weights.items()
    }
