"""Tables of a decision between several classes, from rows with class positions.

Truth and predictions are positions in the list of classes; scores are one column
per class, in that order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats, Indices, chunks
from reportgen.frames import FrameLike, polars_frame
from reportgen.integer_sort import sort_values
from reportgen.metrics.class_scores import sum_tolerance
from reportgen.placements import Order, ascending, ordered_placements
from reportgen.small_queries import total
from reportgen.tables import ClassCounts, Matrix

_AT_ONCE = 2**20
"""Of so many scores at a time it is worked out how they met the truth: each step copies them."""

_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


def predicted_classes(frame: pl.DataFrame, scores: Sequence[str]) -> pl.Series:
    """Position of the highest score of each row; of classes that tie, the first.

    Null where a row has no score.

    >>> frame = pl.DataFrame({"a": [0.2, 0.5, None], "b": [0.8, 0.5, None]})
    >>> predicted_classes(frame, ["a", "b"]).to_list()
    [1, 0, None]
    """
    position = np.zeros(frame.height, np.uint16)
    first, *others = [_values(frame[name]) for name in scores]
    for rows in chunks(frame.height):
        highest, predicted = first[rows].astype(np.float64), position[rows]
        for k, values in enumerate(others, 1):
            np.copyto(predicted, k, where=values[rows] > highest)
            np.maximum(highest, values[rows], out=highest)
    if not all(frame[name].null_count() for name in scores):
        return pl.Series(position)
    scored = pl.any_horizontal(pl.col(name).is_not_null() for name in scores)
    return frame.select(pl.when(scored).then(pl.Series(position))).to_series()


def _values(score: pl.Series) -> Floats:
    """The scores of a class; one that is missing is below all others."""
    values: Floats = (score.fill_null(-np.inf) if score.null_count() else score).to_numpy()
    return values


def least_cost_classes(scores: Sequence[str], costs: Sequence[Sequence[float]]) -> pl.Expr:
    """Position of the class whose expected cost is least; of classes that tie, the first.

    ``costs[i][j]`` is the cost of calling a row of class i class j. Elkan
    (2001), IJCAI, 973-978.
    """
    expected = [
        pl.sum_horizontal(*(pl.col(s) * costs[i][j] for i, s in enumerate(scores)))
        for j in range(len(scores))
    ]
    least = pl.min_horizontal(*expected)
    first = [pl.when(e == least).then(pl.lit(j, pl.UInt16)) for j, e in enumerate(expected)]
    return pl.min_horizontal(*first)


def matrix(
    frame: pl.DataFrame, number: int, *, truth: str, prediction: pl.Expr, weight: str | None = None
) -> DataFrame[Matrix]:
    """Truth × prediction counts of ``number`` classes, zeros included, in the order of the classes.

    ``count2`` is the sum of squared weights, the count itself where rows are
    not weighted.
    """
    w, added = (pl.col(weight).cast(pl.Float64), total) if weight else (pl.lit(1.0), pl.Expr.sum)
    counts = (
        frame.lazy()
        .select(truth=pl.col(truth).cast(pl.UInt16), predicted=prediction.cast(pl.UInt16), w=w)
        .drop_nulls()
        .group_by("truth", "predicted")
        .agg(count=added(pl.col("w")), count2=added(pl.col("w") ** 2))
        # Sums of weights must not depend on how the rows are cut; whole numbers cannot.
        .collect(engine="in-memory" if weight else "auto")
    )
    place = counts["truth"].to_numpy() * np.int64(number) + counts["predicted"].to_numpy()
    cells = np.zeros((2, number**2))
    cells[:, place] = counts.select("count", "count2").to_numpy().T
    places = np.arange(number, dtype=np.uint16)
    columns = {"truth": np.repeat(places, number), "predicted": np.tile(places, number)}
    columns |= {"count": cells[0], "count2": cells[1]}
    # Of rows that are known to be in order Polars adds up groups in another way.
    return Matrix.validate(pl.DataFrame(columns).set_sorted("truth"))


def class_counts(cells: DataFrame[Matrix], classes: Sequence[str]) -> DataFrame[ClassCounts]:
    """Counts of each class against the rest, one row per class.

    ``right`` and ``wrong`` are those of all rows, the same in every row; names
    that end in 2 are the sums of squared weights.
    """
    size = len(classes)
    columns: dict[str, object] = {"class": list(classes)}
    for suffix in ("", "2"):
        tables = cells[f"count{suffix}"].to_numpy().reshape(1, size, size)
        cell_counts = one_vs_rest_counts(tables)
        columns |= {f"{name}{suffix}": counts[0] for name, counts in cell_counts.items()}
    return ClassCounts.validate(pl.DataFrame(columns).select(*ClassCounts.to_schema().columns))


def one_vs_rest_counts(tables: Floats) -> dict[str, Floats]:
    """The counts of each class (second axis) against the rest, for each table (first axis).

    Tables have the truth in rows and the predictions in columns. Every count is a
    sum of cells, never a difference of sums: sums of real weights are rounded, and
    what is left of them would be a little more or less than nothing.
    """
    errors, others = tables.copy(), _without_each(tables)
    for cells in (errors, others):
        np.einsum("rii->ri", cells)[...] = 0
    correct = np.einsum("rii->ri", tables)
    shape = correct.shape
    return {
        "tp": correct.copy(),
        "fp": errors.sum(axis=1),
        "fn": errors.sum(axis=2),
        "tn": others.sum(axis=1),
        "correct_rows": np.broadcast_to(correct.sum(axis=1, keepdims=True), shape),
        "error_rows": np.broadcast_to(errors.sum(axis=(1, 2))[:, None], shape),
    }


def _without_each(tables: Floats) -> Floats:
    """For each cell, the sum of the other cells of its row."""
    others = np.zeros_like(tables)
    others[:, :, 1:] = tables[:, :, :-1].cumsum(axis=2)
    others[:, :, :-1] += tables[:, :, :0:-1].cumsum(axis=2)[:, :, ::-1]
    return others


def score_rows(
    frame: pl.DataFrame,
    scores: Sequence[str],
    *,
    truth: str,
    weight: str | None = None,
    highest: pl.Expr | None = None,
) -> pl.DataFrame:
    """How each row's scores met its truth: the frame that ``metrics.class_scores`` reads.

    ``highest`` is the position of the highest score where it is known.
    """
    first = pl.lit(predicted_classes(frame, scores)) if highest is None else highest
    w = pl.col(weight).cast(pl.Float64) if weight else pl.lit(1.0)
    share = total(w).over(truth) / total(w) if weight else pl.len().over(truth) / pl.len()
    rows = frame.lazy().with_columns(base=share)
    beside = rows.select(
        correct=first == pl.col(truth),
        tolerance=pl.lit(sum_tolerance(frame, scores)),
        base="base",
        bases=total(w * pl.col("base")) / (total(w) if weight else pl.len()),
        weight=w,
    ).collect(engine="in-memory")
    some = chunks(max(frame.height, 1), max(_AT_ONCE // len(scores), 1))
    return pl.concat([_own_scores(frame[part], scores, truth) for part in some]).hstack(beside)


def _own_scores(frame: pl.DataFrame, scores: Sequence[str], truth: str) -> pl.DataFrame:
    """What follows from the scores of each row alone."""
    columns = [pl.col(name) for name in scores]
    of_truth = pl.coalesce(
        *(pl.when(pl.col(truth) == k).then(column) for k, column in enumerate(columns))
    )
    above = pl.sum_horizontal(*((c > pl.col("of_truth")).cast(pl.UInt16) for c in columns))
    rows = frame.lazy().with_columns(of_truth=of_truth)
    return rows.select(
        "of_truth",
        above=above,
        highest=pl.max_horizontal(*columns),
        lowest=pl.min_horizontal(*columns),
        squares=pl.sum_horizontal(*(c**2 for c in columns)),
        total=pl.sum_horizontal(*columns),
    ).collect(engine="in-memory")


def one_vs_rest_areas(frame: FrameLike, scores: Sequence[str], *, truth: str) -> list[float | None]:
    """AUC of each class against the rest, where nothing else is asked of the scores.

    Each column is sorted once, and the rows of its class are looked up in it.
    What of a class is below its own rows, ties half, adds up to half its square
    whatever the scores, and so need not be looked at. Null for a class that no row
    or every row has. Raises ValueError when a score is missing or NaN.

    Args:
        frame: rows: a Polars, pandas or PyArrow table, or a mapping of columns.
        scores: the column of each class, in their order.
        truth: the column of the true class, as its place in ``scores``.

    Returns:
        One area per class, from 0 to 1.

    Mann & Whitney (1947), doi:10.1214/aoms/1177730491.

    >>> frame = pl.DataFrame({"truth": [0, 0, 1], "a": [0.9, 0.4, 0.4], "b": [0.1, 0.6, 0.6]})
    >>> one_vs_rest_areas(frame, ["a", "b"], truth="truth")
    [0.75, 0.75]
    """
    rows = polars_frame(frame)
    of = rows[truth].to_numpy()
    return [_one_vs_rest_area(rows[score], of == k) for k, score in enumerate(scores)]


def _one_vs_rest_area(score: pl.Series, positive: npt.NDArray[np.bool_]) -> float | None:
    values = score.cast(pl.Float64).to_numpy()
    if np.isnan(values).any():
        raise ValueError(f"scores must be numbers; {score.name!r} holds NaN or a missing one")
    mine, everything = sort_values(values[positive]), sort_values(values)
    positives, others = len(mine), len(everything) - len(mine)
    if not positives or not others:
        return None
    twice = sum(int(np.searchsorted(everything, mine, side).sum()) for side in _SIDES)
    return (twice - positives**2) / (2 * positives * others)


class PairAreas(NamedTuple):
    """The AUC of each pair of classes, and the places of both: of 1,000 classes half a million."""

    first: Indices
    second: Indices
    area: Floats


def pairwise_areas(
    frame: pl.DataFrame,
    scores: Sequence[str],
    *,
    truth: str,
    weight: str | None = None,
    beaten: Sequence[Floats] = (),
) -> PairAreas:
    """AUC of every pair of classes that occur, averaged over the two scores.

    For the pair (i, j): mean of the chance that a row of i outscores a row of
    j on the score of i, and the reverse, ties half; rows are drawn by their
    weight. Classes whose rows weigh nothing do not occur. ``beaten`` are the ``pairs_won`` of each
    class where they are known.
    Hand & Till (2001), doi:10.1023/A:1010920819831.
    """
    size = len(scores)
    of = frame[truth].to_numpy()
    w = frame[weight].cast(pl.Float64).to_numpy() if weight else None
    rows = np.bincount(of, minlength=size)
    if w is not None:
        rows = np.array([math.fsum(w[of == k]) for k in range(size)])
    present = np.flatnonzero(rows > 0)
    beats = beaten or {i: _beaten(frame[scores[i]], of, w, i, size) for i in present.tolist()}
    pairs = np.triu_indices(len(present), 1)
    first, second = (present[places] for places in pairs)
    if not len(first):
        return PairAreas(first, second, np.empty(0))
    of_pair = np.outer(rows[present], rows[present])
    chance = np.array([beats[i][present] for i in present.tolist()]) / of_pair
    return PairAreas(first, second, ((chance + chance.T) / 2)[pairs])


def pairs_won(order: Order, of: npt.NDArray[Any], classes: int) -> Floats:
    """Pairs in which a row of one class outscores one of each class, ties half.

    ``order`` has the rows of the class as the positive ones, ``of`` is the class of each row.
    """
    # Twice each count: of a row of the class itself those of the others, which is not asked.
    twice = 2 * int(order.positive.sum()) - ordered_placements(order).astype(np.float64)
    return np.bincount(of[order.rows], twice, classes) / 2


def _beaten(
    score: pl.Series, of: npt.NDArray[np.uint16], w: Floats | None, i: int, size: int
) -> Floats:
    """Weight of the pairs in which a row of class ``i`` outscores one of each class, ties half."""
    values: Floats = score.cast(pl.Float64).to_numpy()
    mine = of == i
    if w is None:
        return pairs_won(ascending(values, mine), of, size)
    # In an order that the rows themselves give, as sums of weights are rounded.
    order = np.lexsort((of, w, values))
    values, of, w, mine = values[order], of[order], w[order], mine[order]
    rank = np.argsort(values[mine], kind="stable")
    ordered, running = values[mine][rank], np.concatenate([[0.0], np.cumsum(w[mine][rank])])
    below, reached = (np.searchsorted(ordered, values, side) for side in _SIDES)
    above: Floats = running[-1] - (running[below] + running[reached]) / 2
    sums: Floats = np.bincount(of, above * w, size).astype(np.float64)
    return sums
