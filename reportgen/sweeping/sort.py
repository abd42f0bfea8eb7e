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
    """The same as bare columns, which need less memory."""
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
    if not np.isfinite(found.score[[0, -1][: len(found)]]).all():
        raise ValueError(f"scores must be finite; {score!r} holds NaN or infinity")
    return found


def _counted(rows: pl.DataFrame) -> Ranked:
    """Running counts of rows that count once each."""
    scores, truth = rows["score"].to_numpy(), rows["truth"].to_numpy()
    threshold, positive = np.empty(len(scores) + 1), np.empty(len(scores), np.bool_)
    threshold[0] = np.inf
    keys = threshold[1:].view(np.uint64)
    if len(scores) and scores.min() < 0:
        below = scores < 0
        high = len(scores) - int(below.sum())
        _order(scores[~below], truth[~below], keys[:high], positive[:high])
        _order(scores[below], truth[below], keys[high:], positive[high:], negative=True)
    else:
        _order(scores, truth, keys, positive)
    # Half the memory of wider integers, for as many rows as they can count.
    counter: type[np.uint32 | np.int64] = np.uint32 if len(scores) < 2**32 else np.int64
    tp, fp = np.zeros(len(threshold), counter), np.arange(len(threshold), dtype=counter)
    np.cumsum(positive, out=tp[1:])
    np.subtract(fp, tp, out=fp)
    ends = np.append(threshold[:-1] != threshold[1:], [True])
    ends[0] = True
    if ends.all():
        return Ranked(threshold, tp, fp)
    return Ranked(threshold[ends], tp[ends], fp[ends])


def _order(
    scores: Floats, truth: Flags, keys: Keys, positive: Flags, *, negative: bool = False
) -> None:
    """Write the scores, of one sign, highest first into ``keys``, and whose is ``positive``.

    The bits of floats of one sign order them, and so they are sorted as
    integers, which is many times faster; the label travels in the lowest bit.
    The sign is left out, which makes -0.0 and 0.0 one threshold.
    """
    one = np.uint64(1)
    flip, sign = (np.uint64(0), one << np.uint64(63)) if negative else (~np.uint64(0), np.uint64(0))
    parts = [slice(start, start + BLOCK) for start in range(0, len(scores), BLOCK)]
    for part in parts:
        bits = np.abs(scores[part]).view(np.uint64)
        keys[part] = (bits << one | truth[part]) ^ flip
    keys.sort()
    for part in parts:
        falling = keys[part] ^ flip
        positive[part] = falling & one
        keys[part] = falling >> one | sign


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
    first = {name: np.inf if name == "score" else 0.0 for name in found.columns}
    return Ranked(*(np.append([start], found[name].to_numpy()) for name, start in first.items()))
