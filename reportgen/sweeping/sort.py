"""The rows of one model in the order of its scores: sorted once, as integers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.sweeping.ranked import BLOCK, Floats, Ranked
from reportgen.tables import Sweep

Keys = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]


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
    """
    return ranked(frame, truth=truth, score=score, weight=weight).table()


def ranked(
    frame: pl.DataFrame, *, truth: str = "truth", score: str = "score", weight: str | None = None
) -> Ranked:
    """The same as columns, without the row in which nothing is called positive."""
    data = frame.select(
        truth=pl.col(truth),
        score=pl.col(score).cast(pl.Float64),
        **({"weight": pl.col(weight).cast(pl.Float64)} if weight else {}),
    )
    rows = data.drop_nulls("score") if data["score"].null_count() else data
    if rows.schema["truth"] != pl.Boolean:
        raise TypeError(f"truth must be Boolean, true for positives; {truth!r} is not")
    found = _weighted(rows) if weight else _counted(rows)
    # What is not finite sorts to an end.
    if len(found) and not np.isfinite(found.score[[0, -1]]).all():
        raise ValueError(f"scores must be finite; {score!r} holds NaN or infinity")
    return found


def _counted(rows: pl.DataFrame) -> Ranked:
    """Running counts of rows that count once each."""
    scores, truth = rows["score"].to_numpy(), rows["truth"].to_numpy()
    below = scores < 0 if len(scores) and scores.min() < 0 else None
    if below is None:
        score, positive = _falling(scores, truth)
    else:
        high, low = _falling(scores[~below], truth[~below]), _falling(scores[below], ~truth[below])
        score = np.concatenate([high[0], -low[0][::-1]])
        positive = np.concatenate([high[1], ~low[1][::-1]])
    # Half the memory of wider integers, for as many rows as they can count.
    counter: type[np.uint32 | np.int64] = np.uint32 if len(score) < 2**32 else np.int64
    tp = np.cumsum(positive, dtype=counter)
    fp = np.subtract(np.arange(1, len(tp) + 1, dtype=counter), tp)
    ends = np.append(score[1:] != score[:-1], [True][: len(score)])
    if ends.all():
        return Ranked(score, tp, fp)
    return Ranked(score[ends], tp[ends], fp[ends])


def _falling(scores: Floats, positive: Flags) -> tuple[Floats, Flags]:
    """Scores of one sign from the farthest from 0 on, each with its flag.

    The bits of such floats order them, and so they are sorted as integers, which
    is many times faster; the flag travels in the lowest bit. The sign is lost,
    which makes -0.0 and 0.0 one threshold.
    """
    keys = np.empty(len(scores), np.uint64)
    parts = [slice(start, start + BLOCK) for start in range(0, len(scores), BLOCK)]
    for part in parts:
        keys[part] = np.invert(_bits(scores[part]) << np.uint64(1) | positive[part])
    keys.sort()
    flags = np.empty(len(keys), np.bool_)
    for part in parts:
        falling = np.invert(keys[part])
        flags[part] = falling & np.uint64(1)
        np.right_shift(falling, np.uint64(1), out=keys[part])
    return keys.view(np.float64), flags


def _bits(scores: Floats) -> Keys:
    return np.abs(scores).view(np.uint64)


def _weighted(rows: pl.DataFrame) -> Ranked:
    """Running sums of weights; the weights are a sort key, so that row order cannot show."""
    w, hit = pl.col("weight"), pl.col("truth").cast(pl.Float64)
    # Adding a positive zero turns -0.0 into 0.0 in IEEE arithmetic, but the optimiser drops it.
    zero = pl.when(pl.col("score") == 0).then(0.0).otherwise(pl.col("score"))
    found = (
        rows.with_columns(score=zero)
        .sort("score", "truth", "weight", descending=True)
        .lazy()
        .with_columns(
            tp=(w * hit).cum_sum(),
            fp=(w * (1 - hit)).cum_sum(),
            tp2=(w**2 * hit).cum_sum(),
            fp2=(w**2 * (1 - hit)).cum_sum(),
        )
        .filter((pl.col("score") != pl.col("score").shift(-1)).fill_null(value=True))
        .select("score", "tp", "fp", "tp2", "fp2")
        .collect()
    )
    return Ranked(*(found[name].to_numpy() for name in found.columns))
