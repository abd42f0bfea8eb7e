"""AUC and average precision of each class against the rest, or of each label, and their means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats
from reportgen.clusters import Effect
from reportgen.measuring.binary_model import thinned_by
from reportgen.measuring.interval_methods import chosen
from reportgen.measuring.kernels import KERNELS, ScoreSums
from reportgen.measuring.metric_rows import MetricRows, values_of_frames
from reportgen.metrics import METRICS
from reportgen.metrics.class_means import BY_CLASS, strict_mean
from reportgen.records.rows import MetricRow
from reportgen.small_queries import selected
from reportgen.spec.intervals import Intervals
from reportgen.sweeping import ranking_of, with_squares
from reportgen.tables import Sweep


def areas(  # noqa: PLR0913  # one keyword per thing that classes and labels differ in
    classes: Sequence[str],
    sweeps: Iterable[DataFrame[Sweep]],
    of_all: Mapping[str, float | None] | None,
    number: MetricRows,
    confidence: float,
    *,
    support: Floats,
    methods: Intervals,
    missing: str,
    noun: str = "class",
    repeats: float = 1,
    effects: Sequence[Effect] = (),
) -> list[MetricRow]:
    """Of each class, then macro, weighted by ``support`` and micro (``of_all`` scores pooled).

    A mean has no value where a class has none, the weighted one where a class with rows has
    none, as in ``metrics.multiclass``; without scores each says ``missing``.
    ``effects`` are those of groups on the AUC of each class, where rows come in groups.
    """
    metrics = chosen((METRICS[name] for name in BY_CLASS), methods)
    rows: list[MetricRow] = []
    if of_all is None:
        for label in classes:
            rows += number.of_class(label).rows(None, metrics, confidence, missing)
    frames = (thinned_by(with_squares(steps), repeats) for steps in sweeps)
    by_class = values_of_frames(frames, metrics, confidence, [{"auc": e} for e in effects])
    for label, values in zip(classes, by_class, strict=False):
        rows += number.of_class(label).from_values(metrics, values)
    reason = missing if of_all is None else f"a {noun} has no value"
    for name in BY_CLASS:
        of_classes = [row["value"] for row in rows if row["metric"] == name]
        for kind, value in (
            ("macro", _mean(of_classes, np.ones(len(of_classes)))),
            ("weighted", _mean(of_classes, support)),
            ("micro", (of_all or {}).get(name)),
        ):
            rows.append(number.average(kind).row(name, value, undefined=reason))
    return rows


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


def _mean(values: Sequence[float | None], weights: Floats) -> float | None:
    mean = strict_mean(pl.col("value"), pl.col("weight"))
    schema = {"value": pl.Float64, "weight": pl.Float64}
    frame = pl.DataFrame({"value": values, "weight": weights}, schema=schema)
    result: float | None = frame.select(mean.clip(0, 1)).item()
    return result
