"""One table of counts at every threshold; every curve, area and cost reads it."""

from __future__ import annotations

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.tables import Bins, Sweep


def sweep(
    frame: pl.DataFrame, *, truth: str = "truth", score: str = "score", weight: str | None = None
) -> DataFrame[Sweep]:
    """Count hits and misses at each distinct score, strictest first.

    ``truth`` is a Boolean column (true: positive), ``score`` any finite number
    that grows with the belief in the positive class, ``weight`` a non-negative
    number. Rows without a score are left out. A score equal to the threshold
    is called positive. Returns ``threshold tp fp fn tn``, and with weights
    ``tp2 fp2``, the running sums of squared weights. TypeError when truth is
    not Boolean, ValueError when a score is NaN or infinite.

    The rows are sorted once. Unweighted scores in the unit interval are
    sorted as one integer column, the label in its lowest bit.
    """
    data = frame.lazy().select(
        truth=pl.col(truth),
        score=pl.col(score).cast(pl.Float64),
        **({"weight": pl.col(weight).cast(pl.Float64)} if weight else {}),
    )
    rows = data.drop_nulls("score").collect()
    if rows.schema["truth"] != pl.Boolean:
        raise TypeError(f"truth must be Boolean, true for positives; {truth!r} is not")
    in_unit, finite = rows.select(
        unit=pl.col("score").is_between(0, 1).all(), finite=pl.col("score").is_finite().all()
    ).row(0)
    if not finite:
        raise ValueError(f"scores must be finite; {score!r} holds NaN or infinity")
    steps = _weighted(rows) if weight else _packed(rows) if in_unit else _sorted(rows)
    return Sweep.validate(_with_negatives(steps))


def _packed(rows: pl.DataFrame) -> pl.DataFrame:
    """Running counts by sorting score and label as one unsigned integer."""
    # abs() makes -0.0 and 0.0 one threshold; the bits of a non-negative float keep its order.
    bits = pl.col("score").abs().reinterpret(dtype=pl.UInt64)
    packed = rows.select(key=bits * 2 + pl.col("truth").cast(pl.UInt64))["key"]
    key = pl.col("key")
    # The fill differs from every key in more than the label, so the last threshold is kept.
    following = key.shift(-1, fill_value=2**64 - 1)
    return (
        pl.LazyFrame({"key": packed.sort(descending=True, multithreaded=False)})
        .with_columns(
            tp=(key & 1).cast(pl.Int64).cum_sum(),
            called=pl.int_range(1, pl.len() + 1, dtype=pl.Int64),
        )
        .filter((key ^ following) > 1)
        .select(
            threshold=(key // 2).reinterpret(dtype=pl.Float64),
            tp=pl.col("tp").cast(pl.Float64),
            fp=(pl.col("called") - pl.col("tp")).cast(pl.Float64),
        )
        .collect()
    )


def _sorted(rows: pl.DataFrame) -> pl.DataFrame:
    """Running counts for scores of any range."""
    return (
        _in_order(rows)
        .with_columns(
            tp=pl.col("truth").cast(pl.Int64).cum_sum(),
            called=pl.int_range(1, pl.len() + 1, dtype=pl.Int64),
        )
        .filter(_ENDS_THRESHOLD)
        .select(
            threshold="score",
            tp=pl.col("tp").cast(pl.Float64),
            fp=(pl.col("called") - pl.col("tp")).cast(pl.Float64),
        )
        .collect()
    )


def _weighted(rows: pl.DataFrame) -> pl.DataFrame:
    """Running sums of weights; the weights are a sort key, so that row order cannot show."""
    w, hit = pl.col("weight"), pl.col("truth").cast(pl.Float64)
    return (
        _in_order(rows, "truth", "weight")
        .with_columns(
            tp=(w * hit).cum_sum(),
            fp=(w * (1 - hit)).cum_sum(),
            tp2=(w**2 * hit).cum_sum(),
            fp2=(w**2 * (1 - hit)).cum_sum(),
        )
        .filter(_ENDS_THRESHOLD)
        .select("tp", "fp", "tp2", "fp2", threshold="score")
        .collect()
    )


_ENDS_THRESHOLD = (pl.col("score") != pl.col("score").shift(-1)).fill_null(value=True)


def _in_order(rows: pl.DataFrame, *ties: str) -> pl.LazyFrame:
    # Adding a positive zero turns -0.0 into 0.0 in IEEE arithmetic, but the optimiser drops it.
    zero = pl.when(pl.col("score") == 0).then(0.0).otherwise(pl.col("score"))
    return rows.with_columns(score=zero).sort("score", *ties, descending=True).lazy()


def _with_negatives(steps: pl.DataFrame) -> pl.DataFrame:
    """Put the threshold +∞ first and add fn and tn, which complete each class."""
    start = pl.DataFrame({name: [0.0] for name in steps.columns}).with_columns(
        threshold=pl.lit(float("inf"))
    )
    whole = pl.concat([start, steps.select(start.columns)], rechunk=True)
    return whole.with_columns(
        fn=pl.col("tp").last() - pl.col("tp"), tn=pl.col("fp").last() - pl.col("fp")
    ).select("threshold", "tp", "fp", "fn", "tn", *(c for c in ("tp2", "fp2") if c in whole))


def with_squares(frame: pl.DataFrame) -> pl.DataFrame:
    """Add the sums of squared weights where there are none: for unit weights, the counts."""
    if "tp2" in frame.columns:
        return frame
    cells = ("tp", "fp", "fn", "tn")
    return frame.with_columns(pl.col(c).cast(pl.Float64).alias(f"{c}2") for c in cells)


def bins(sweep: DataFrame[Sweep], number: int = 10) -> DataFrame[Bins]:
    """Group the forecasts of a sweep into ``number`` bins of equal width.

    A bin holds [k/number, (k+1)/number), the last one its upper end too; edges
    are compared, not multiplied out, so 0.29 is in bin 29 of 100. Empty bins are left out; no
    bins at all when a score lies outside the unit interval.
    """
    edges = np.arange(number + 1) / number
    scores = sweep["threshold"].to_numpy()
    index = np.clip(np.searchsorted(edges, scores, side="right") - 1, 0, number - 1)
    low, high = (pl.Series(edges[step : number + step]) for step in (0, 1))
    score = pl.col("threshold")
    return Bins.validate(
        sweep.lazy()
        .with_columns(positives=pl.col("tp").diff(), negatives=pl.col("fp").diff())
        .with_columns(bin=pl.Series(index))
        .filter(score.is_finite(), score.filter(score.is_finite()).is_between(0, 1).all())
        .with_columns(rows=pl.col("positives") + pl.col("negatives"))
        .group_by("bin", maintain_order=True)
        .agg(
            count=pl.col("rows").sum(),
            positives=pl.col("positives").sum(),
            # Running, so that the sum is not pieced together from what each thread saw.
            mean_score=(pl.col("rows") * score).cum_sum().last(),
        )
        .filter(pl.col("count") > 0)
        .sort("bin")
        .select(
            low=pl.lit(low).gather("bin"),
            high=pl.lit(high).gather("bin"),
            count="count",
            positives="positives",
            mean_score=(pl.col("mean_score") / pl.col("count")).clip(0, 1),
            observed=(pl.col("positives") / pl.col("count")).clip(0, 1),
        )
        .collect(engine="in-memory")
    )
