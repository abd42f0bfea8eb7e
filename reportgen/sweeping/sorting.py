"""The rows of one model in the order of its scores: sorted once, as integers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import cast

import numpy as np
import numpy.typing as npt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Flags, Floats, Indices, chunks
from reportgen.frames import FrameLike, polars_frame
from reportgen.integer_sort import sort_integers
from reportgen.sweeping.distinct_scores import DistinctScores, Places
from reportgen.sweeping.ranking import Ranking, Swept
from reportgen.sweeping.tied_scores import TiedScores
from reportgen.tables import Sweep

SortKeys = npt.NDArray[np.uint64]

_ONE = np.uint64(1)
_SIGN = _ONE << np.uint64(63)
_LARGE = 2**16
"""So many rows of a column at a time, where getting at them costs more than reading them."""


def sweep(
    frame: FrameLike, *, truth: str = "truth", score: str = "score", weight: str | None = None
) -> DataFrame[Sweep]:
    """Count true and false positives at each distinct score, strictest first.

    ``truth`` is a Boolean column (true: positive), ``score`` any finite number
    that grows with the belief in the positive class, ``weight`` a non-negative
    number. Rows without a score are left out. A score equal to the threshold
    is predicted positive. Returns ``threshold tp fp fn tn``, and with weights
    ``tp2 fp2``, the running sums of squared weights. TypeError when truth is
    not Boolean, ValueError when a score is NaN or infinite.

    Args:
        frame: rows: a Polars, pandas or PyArrow table, or a mapping of columns.
        truth: the Boolean column of the truth.
        score: the column of scores.
        weight: the column of weights; None where every row counts once.

    Returns:
        One row per distinct score, after one above all of them: ``threshold``, ``tp``, ``fp``,
        ``fn`` and ``tn``. Counts are in rows, or in weight. Defined for every frame.

    >>> frame = pl.DataFrame(
    ...     {"truth": [True, True, False, True, False], "score": [0.9, 0.7, 0.6, 0.4, 0.2]}
    ... )
    >>> sweep(frame).select("threshold", "tp", "fp").rows()[:3]
    [(inf, 0.0, 0.0), (0.9, 1.0, 0.0), (0.7, 2.0, 0.0)]
    """
    data = polars_frame(frame)
    return ranking_of(data, truth=truth, score=score, weight=weight).table()


def ranking_of(
    frame: pl.DataFrame, *, truth: str = "truth", score: str = "score", weight: str | None = None
) -> Ranking:
    """The same in less memory."""
    columns = {"truth": frame[truth], "score": frame[score].cast(pl.Float64)}
    if weight:
        columns["weight"] = frame[weight].cast(pl.Float64)
    data = pl.DataFrame(columns)
    rows = data.drop_nulls("score") if data["score"].null_count() else data
    if rows.schema["truth"] != pl.Boolean:
        raise TypeError(f"truth must be Boolean, true for positives; {truth!r} is not")
    ranking = _weighted(rows) if weight else _counted(rows["score"], rows["truth"])
    # What is not finite sorts to an end.
    if not np.isfinite(ranking.score[[0, -1][: len(ranking)]]).all():
        raise ValueError(f"scores must be finite; {score!r} holds NaN or infinity")
    return ranking


def ranked_in_order(scores: Floats, positive: Flags) -> Ranking:
    """The ranking of rows that count once each, from their scores in ascending order."""
    falling = scores[::-1] + 0.0  # -0.0 and 0.0 are one threshold
    at = np.flatnonzero(positive[::-1])
    places = at.astype(np.uint32) if len(scores) < 2**32 else at.astype(np.int64)
    distinct = int(np.count_nonzero(falling[1:] != falling[:-1])) + min(len(falling), 1)
    if distinct == len(falling):
        return DistinctScores(falling, places)
    return _grouped(falling, places, distinct)


def as_ranking(sweep: Swept) -> Ranking:
    """The ranking that a sweep is the table of."""
    if isinstance(sweep, Ranking):
        return sweep
    running = [sweep[name].to_numpy() for name in ("tp", "fp", "tp2", "fp2") if name in sweep]
    score = sweep["threshold"].to_numpy()[1:]
    positives, negatives = (np.diff(count) for count in running[:2])
    single = ((positives == 1) & (negatives == 0)) | ((positives == 0) & (negatives == 1))
    if len(running) == 2 and single.all():
        return DistinctScores(score, np.flatnonzero(positives))
    return TiedScores(score, *running)


def _counted(scores: pl.Series, truth: pl.Series) -> Ranking:
    """The ranking of rows that count once each."""
    keys, split = np.empty(len(scores), np.uint64), len(scores)
    # Half the memory of wider integers, for as many rows as they can count.
    kind: type[np.uint32 | np.int64] = np.uint32 if len(keys) < 2**32 else np.int64
    places, filled, distinct = cast("Places", np.empty(int(truth.sum()), kind)), 0, 0
    below = scores < 0
    if below.any():
        split -= int(below.sum())
        _sort(scores.filter(below), truth.filter(below), keys[split:], falling=False)
        scores, truth = scores.filter(~below), truth.filter(~below)
    _sort(scores, truth, keys[:split], falling=True)
    blocks = chain(
        _parted(keys, slice(0, split), falling=True),
        _parted(keys, slice(split, len(keys)), falling=False),
    )
    for at, number in blocks:
        places[filled : filled + len(at)] = at
        filled, distinct = filled + len(at), distinct + number
    score = keys.view(np.float64)
    return (
        DistinctScores(score, places)
        if distinct == len(score)
        else _grouped(score, places, distinct)
    )


def _sort(scores: pl.Series, truth: pl.Series, keys: SortKeys, *, falling: bool) -> None:
    """Write scores of one sign, highest first, into ``keys``, the label in the lowest bit of each.

    The bits of floats of one sign order them, and so they are sorted as
    integers, which is many times faster. The sign is shifted out, which makes
    -0.0 and 0.0 one threshold.
    """
    flip = ~np.uint64(0) if falling else np.uint64(0)
    for start in range(0, len(scores), _LARGE):
        part = keys[start : start + _LARGE]
        np.left_shift(scores.slice(start, _LARGE).to_numpy().view(np.uint64), _ONE, out=part)
        part |= truth.slice(start, _LARGE).to_numpy()
        part ^= flip
    sort_integers(keys)


def _parted(keys: SortKeys, rows: slice, *, falling: bool) -> Iterator[tuple[Indices, int]]:
    """Turn the sorted keys of ``rows`` into scores, in place.

    Block by block the places of the positives, and how many scores differ from the one before.
    """
    flip, sign = (~np.uint64(0), np.uint64(0)) if falling else (np.uint64(0), _SIGN)
    for start in range(rows.start, rows.stop, _LARGE):
        part = keys[start : min(start + _LARGE, rows.stop)]
        part ^= flip
        # Of single bytes the places are found in a third of the time.
        positive = (part.astype(np.uint8) & np.uint8(1)).view(np.bool_).nonzero()[0]
        part >>= _ONE
        part |= sign
        new = start == rows.start or part[0] != keys[start - 1]
        yield positive + start, int(new) + int(np.count_nonzero(part[1:] != part[:-1]))


def _grouped(score: Floats, places: Places, distinct: int) -> TiedScores:
    """The counts at each distinct score where some are tied; ``score`` is overwritten."""
    tp, fp = np.zeros((2, distinct + 1), places.dtype)
    count = 0
    for rows, last in _last_of_each(score):
        end = last.nonzero()[0]
        first, stop = np.searchsorted(places, np.array([rows.start, rows.stop], places.dtype))
        positive = np.zeros(len(last), np.uint8)
        positive[places[first:stop] - rows.start] = 1
        positives = positive.cumsum(dtype=places.dtype)[end] + first
        at = slice(count + 1, count + 1 + len(end))
        tp[at], fp[at] = positives, end + (rows.start + 1) - positives
        score[count : count + len(end)] = score[rows][end]
        count += len(end)
    distinct_scores = score[:distinct]
    return TiedScores(
        distinct_scores if 2 * distinct > len(score) else distinct_scores.copy(), tp, fp
    )


def _last_of_each(score: Floats) -> Iterator[tuple[slice, Flags]]:
    """Block by block, which scores are the last of those equal to them."""
    for rows in chunks(len(score), _LARGE):
        last = np.ones(rows.stop - rows.start, np.bool_)
        after = score[rows.start + 1 : rows.stop + 1]
        np.not_equal(score[rows][: len(after)], after, out=last[: len(after)])
        yield rows, last


def _weighted(rows: pl.DataFrame) -> TiedScores:
    """Running sums of weights; the weights are a sort key, so that row order cannot show."""
    # Adding a positive zero turns -0.0 into 0.0 in IEEE arithmetic, but the optimiser drops it.
    zero = pl.when(pl.col("score") == 0).then(0.0).otherwise(pl.col("score"))
    ordered = rows.with_columns(score=zero).sort("score", "truth", "weight", descending=True)
    score, weight = ordered["score"].to_numpy(), ordered["weight"].to_numpy()
    positive = ordered["truth"].to_numpy()
    last = np.ones(len(score), np.bool_)
    last[:-1] = score[1:] != score[:-1]
    distinct = int(np.count_nonzero(last))

    def running(side: Flags, power: int) -> Floats:
        sums, column = np.cumsum(weight**power * side), np.zeros(distinct + 1)
        column[1:] = sums if distinct == len(sums) else sums[last]
        return column

    tp, fp, tp2, fp2 = (running(side, power) for power in (1, 2) for side in (positive, ~positive))
    return TiedScores(score if distinct == len(score) else score[last], tp, fp, tp2, fp2)
