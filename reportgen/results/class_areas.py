"""AUC and average precision of each class against the rest, or of each label, and their means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.clusters import Effect
from reportgen.metrics import METRICS
from reportgen.metrics.multiclass import BY_CLASS, strict_mean
from reportgen.results.binary_model import thinned_by
from reportgen.results.interval_methods import chosen
from reportgen.results.metric_rows import MetricRows, values_of
from reportgen.results.records import MetricRow
from reportgen.spec.intervals import Intervals
from reportgen.sweeping import with_squares
from reportgen.tables import Sweep

Floats = npt.NDArray[np.float64]


def areas(  # noqa: PLR0913  # one keyword per thing that classes and labels differ in
    classes: Sequence[str],
    sweeps: Sequence[DataFrame[Sweep]],
    pooled: DataFrame[Sweep] | None,
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
    """Of each class, then macro, weighted by ``support`` and micro (of all scores pooled).

    A mean has no value where a class has none, the weighted one where a class with rows has
    none, as in ``metrics.multiclass``; without sweeps each says ``missing``.
    ``effects`` are those of groups on the AUC of each class, where rows come in groups.
    """
    metrics = chosen((METRICS[name] for name in BY_CLASS), methods)
    rows: list[MetricRow] = []
    for k, label in enumerate(classes):
        of_class = number.of_class(label)
        if not sweeps:
            rows += of_class.rows(None, metrics, confidence, missing)
            continue
        frame = thinned_by(with_squares(sweeps[k]), repeats)
        effect = {"auc": effects[k]} if effects else None
        rows += of_class.from_values(metrics, values_of(frame, metrics, confidence, effect))
    of_all = {} if pooled is None else values_of(with_squares(pooled), metrics, confidence)
    reason = f"a {noun} has no value" if sweeps else missing
    for name in BY_CLASS:
        values = [row["value"] for row in rows if row["metric"] == name]
        for kind, value in (
            ("macro", _mean(values, np.ones(len(values)))),
            ("weighted", _mean(values, support)),
            ("micro", of_all.get(name, (None,))[0]),
        ):
            rows.append(number.average(kind).row(name, value, undefined=reason))
    return rows


def pooled(parts: Iterable[pl.DataFrame], weight: str | None) -> pl.DataFrame:
    """The scores of all labels as rows of their own, with columns ``truth score weight``."""
    named = ("truth", "score", *(("weight",) if weight else ()))
    return pl.concat([part.rename(dict(zip(part.columns, named, strict=True))) for part in parts])


def _mean(values: Sequence[float | None], weights: Floats) -> float | None:
    mean = strict_mean(pl.col("value"), pl.col("weight"))
    schema = {"value": pl.Float64, "weight": pl.Float64}
    frame = pl.DataFrame({"value": values, "weight": weights}, schema=schema)
    result: float | None = frame.select(mean).item()
    return result
