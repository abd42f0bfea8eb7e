"""The cost curve: lower envelope of the cost lines of all thresholds."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.curves.geometry import upper_hull
from reportgen.curves.ranking import named
from reportgen.metrics import false_negative_rate, false_positive_rate, recall
from reportgen.metrics.costs import envelope_vertices
from reportgen.metrics.registry import ratio
from reportgen.tables import CostEnvelope, CostZones, Sweep


def cost_envelope(
    hull: DataFrame[Sweep],
    model: str = "model",
    slice: str | None = None,  # noqa: A002
) -> DataFrame[CostEnvelope]:
    """Least normalised cost against P(+)cost, one row per vertex from (0, 0) to (1, 0).

    ``hull`` is the hull of a sweep: each vertex of the one is a line of the
    other, from (0, FPR) to (1, FNR). No rows when only one class is present.
    Drummond & Holte (2006), doi:10.1007/s10994-006-8199-5.
    """
    lines = hull.select(
        threshold=pl.when(pl.col("threshold").is_finite()).then(pl.col("threshold")),
        false_positive_rate=false_positive_rate(),
        false_negative_rate=false_negative_rate(),
    )
    x, y = envelope_vertices()
    crossings = hull.select(probability_cost=x, normalised_cost=y)
    if crossings.null_count().sum_horizontal().item():
        lines, crossings = lines.clear(), crossings.clear()
    else:
        ends = pl.DataFrame({"probability_cost": [0.0, 1.0], "normalised_cost": [0.0, 0.0]})
        crossings = pl.concat([ends[:1], crossings, ends[1:]])
        lines = pl.concat([lines, lines.clear(1)])
    # Of two vertices in one place the first is left by its line at once.
    return CostEnvelope.validate(
        pl.concat([crossings, lines], how="horizontal")
        .filter(pl.col("probability_cost").ne_missing(pl.col("probability_cost").shift(-1)))
        .select(
            *named(model, slice),
            pl.col("probability_cost", "normalised_cost").clip(0, 1),
            "threshold",
            "false_positive_rate",
            "false_negative_rate",
        )
    )


def cost_zones(
    hulls: Mapping[str, DataFrame[Sweep]],
    *,
    prevalence: float,
    false_negative: float = 1.0,
    false_positive: float = 1.0,
) -> DataFrame[CostZones]:
    """Which threshold of which model costs least where, read out as prevalence and cost ratio.

    The lower envelope of the cost lines of all models is the hull of all their
    ROC points. Of models that cost the same the first stands. ``prevalence`` is
    that of the rows. No rows when only one class is present.
    Drummond & Holte (2006), doi:10.1007/s10994-006-8199-5.
    """
    lines = pl.concat(_lines(name, hull) for name, hull in hulls.items())
    if lines.is_empty() or lines.select(pl.col("fpr", "tpr").null_count()).sum_horizontal().item():
        return CostZones.validate(pl.DataFrame(schema=_types()))
    points = lines.sort("fpr", "tpr", maintain_order=True).unique(
        ["fpr", "tpr"], keep="first", maintain_order=True
    )
    x, y = (points[name].to_numpy() for name in ("fpr", "tpr"))
    best = points.select(pl.all().gather(upper_hull(x, y)))
    rise, run = pl.col("tpr").diff().shift(-1), pl.col("fpr").diff().shift(-1)
    high = (run / (run + rise)).fill_null(1.0)
    zones = best.with_columns(high=high).with_columns(low=pl.col("high").shift(1, fill_value=0.0))
    return CostZones.validate(
        zones.filter(pl.col("high") > pl.col("low")).select(
            "model",
            slice=pl.lit(None, pl.String),
            **{"class": pl.lit(None, pl.String)},
            low="low",
            high="high",
            threshold=pl.when(pl.col("threshold").is_finite()).then("threshold"),
            false_positive_rate="fpr",
            false_negative_rate="fnr",
            **{
                f"prevalence_{end}": prevalence_at(pl.col(end), false_negative, false_positive)
                for end in ("low", "high")
            },
            **{f"cost_ratio_{end}": ratio_at(pl.col(end), prevalence) for end in ("low", "high")},
        )
    )


def prevalence_at(x: pl.Expr, false_negative: float, false_positive: float) -> pl.Expr:
    """Prevalence at which P(+)cost is ``x`` under these costs; null where they leave it open.

    x·c(FP) / (x·c(FP) + (1 − x)·c(FN)).
    """
    return ratio(x * false_positive, x * false_positive + (1 - x) * false_negative)


def ratio_at(x: pl.Expr, prevalence: float) -> pl.Expr:
    """Cost of a false negative over that of a false positive at which P(+)cost is ``x``.

    (x / p) / ((1 − x) / (1 − p)); null where no ratio is large enough, or a class is missing.
    """
    return ratio(x * (1 - prevalence), (1 - x) * prevalence)


def _lines(model: str, hull: DataFrame[Sweep]) -> pl.DataFrame:
    return hull.select(
        pl.lit(model).alias("model"),
        "threshold",
        fpr=false_positive_rate(),
        fnr=false_negative_rate(),
        tpr=recall(),
    )


def _types() -> dict[str, pl.DataType]:
    return {name: column.dtype.type for name, column in CostZones.to_schema().columns.items()}
