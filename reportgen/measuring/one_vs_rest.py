"""Each class against the rest: one sweep per class, at a size that many classes can have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats, Indices, chunks
from reportgen.measuring.class_areas import of_sweep
from reportgen.multiclass import pairs_won, predicted_classes
from reportgen.placements import ascending
from reportgen.predictions import Predictions
from reportgen.predictions.column_names import output_column
from reportgen.sweeping import Ranking, bins, ranking_of
from reportgen.sweeping.sorting import ranked_in_order
from reportgen.tables import Bins, Sweep

SEARCHED = 2**12
"""So many thresholds are looked up at a time."""

WHOLE = 2000
"""A sweep with no more thresholds is kept whole."""


@dataclass(frozen=True, slots=True)
class OneVsRest:
    """Sweeps of the classes at their corners, and measures of all scores together.

    ``bins`` are those of each class's scores, from all rows; ``pooled`` are measures that ask
    of every score of every row whether its class is the truth: their sweep is as long as the rows.
    ``beaten`` has, of rows that count once, class by class how many pairs it wins of each class.
    """

    sweeps: Sequence[DataFrame[Sweep]]
    bins: Sequence[DataFrame[Bins]]
    pooled: Mapping[str, float | None]
    beaten: Sequence[Floats] = ()


def one_vs_rest_sweeps(
    rows: pl.DataFrame,
    scores: Sequence[str],
    true_class_scores: pl.Series,
    weight: str | None,
) -> OneVsRest:
    """Sort each class's scores once, and keep of each sweep what its curves and areas need.

    ``truth`` of the rows is a class's place among ``scores``, ``true_class_scores`` each
    row's score of its true class. At any time one whole sweep is held.
    """
    weights = [rows[weight].alias("weight")] if weight else []
    always = pl.Series("truth", np.ones(rows.height, np.bool_))
    true_classes = ranking_of(
        pl.DataFrame([true_class_scores.alias("score"), always, *weights]),
        weight="weight" if weight else None,
    )
    counted = ("fp", "fp2") if weight else ("rows",)
    reached = np.zeros((2, len(true_classes), len(counted)))
    ends = np.zeros(len(counted))
    sweeps, binned, beaten = [], [], []
    for k, score in enumerate(scores):
        if weight:
            truth = (rows["truth"] == k).alias("truth")
            of_class = pl.DataFrame([rows[score].alias("score"), truth, *weights])
            ranking = ranking_of(of_class, weight="weight")
        else:
            ranking, wins = _ranked(rows[score], rows["truth"], k, len(scores))
            beaten.append(wins)
        above = _higher(ranking.score, true_classes.score)
        there = np.flatnonzero(
            ranking.score[np.minimum(above, len(ranking) - 1)] == true_classes.score
        )
        for at, name in enumerate(counted):
            counts = _running(ranking, name, above)
            reached[0, :, at] += counts
            counts[there] = _running(ranking, name, above[there] + 1)
            reached[1, :, at] += counts
            ends[at] += _running(ranking, name, np.array([len(ranking)]))[0]
        sweeps.append(corners(ranking))
        binned.append(bins(ranking))
    whole = true_classes.table()
    if not weight:  # all but the rows that reach it with the score of their own class
        correct = whole["tp"].to_numpy()
        reached[0, :, 0] -= correct[:-1]
        reached[1, :, 0] -= correct[1:]
        ends[0] -= correct[-1]
    pooled = _pooled(whole, reached, ends, ("", "2")[: len(counted)])
    return OneVsRest(sweeps, binned, of_sweep(pooled), beaten)


def _running(ranking: Ranking, name: str, at: Indices) -> Floats:
    """A running count of a class, or how many rows have one of the ``at`` highest scores."""
    return ranking.predicted_positives(at) if name == "rows" else ranking.running(name, at)


def _ranked(score: pl.Series, truth: pl.Series, own: int, classes: int) -> tuple[Ranking, Floats]:
    """A class against the rest, and how many pairs it wins of each class: the rows sorted once."""
    values, of = score.cast(pl.Float64).to_numpy(), truth.to_numpy()
    order = ascending(values, of == own)
    return ranked_in_order(values[order.rows], order.positive), pairs_won(order, of, classes)


def _higher(scores: Floats, thresholds: Floats) -> Indices:
    """How many of the scores are higher than each threshold; both are highest first.

    Block by block, each of which needs a short stretch of the scores only.
    """
    rising, sought = (np.ascontiguousarray(v[::-1]) for v in (scores, thresholds))
    others = np.empty(len(sought), np.intp)
    for rows in chunks(len(sought), SEARCHED):
        part = sought[rows]
        low, high = np.searchsorted(rising, part[[0, -1]], side="right")
        np.add(np.searchsorted(rising[low:high], part, side="right"), low, out=others[rows])
    return len(scores) - others[::-1]


def corners(ranking: Ranking) -> DataFrame[Sweep]:
    """The thresholds between which a ROC curve is not flat; all of a small sweep.

    On a flat stretch only negatives are added: areas, their variances and the
    outline of ROC and P-R curves are those of the whole sweep.
    """
    if len(ranking) < WHOLE:
        return ranking.table()
    rows, _, true_positives = ranking.hull_candidates(np.arange(ranking.hull_candidate_count))
    added = rows[1:][np.diff(true_positives) > 0]
    around = np.column_stack([added - 1, added]).ravel()  # ascending, as the added ones are
    indices = np.concatenate([[0], around, [len(ranking)]])
    return ranking.table(indices[np.append([True], np.diff(indices) > 0)])


def _pooled(
    true_classes: DataFrame[Sweep], false_positives: Floats, ends: Floats, powers: Sequence[str]
) -> DataFrame[Sweep]:
    """The sweep just above each true class's score, at it, and at the end."""
    running = {name: true_classes[name].to_numpy() for name in true_classes.columns}
    threshold = running["threshold"][1:]
    columns = {"threshold": _around(np.inf, np.nextafter(threshold, np.inf), threshold, -np.inf)}
    for k, power in enumerate(powers):
        correct, (above, at) = running[f"tp{power}"], false_positives[..., k]
        columns[f"tp{power}"] = _around(0.0, correct[:-1], correct[1:], correct[-1])
        columns[f"fp{power}"] = _around(0.0, above, at, ends[k])
    for cell, predicted in (("fn", "tp"), ("tn", "fp")):
        columns[cell] = columns[predicted][-1] - columns[predicted]
    squares = [f"{cell}2" for cell in ("tp", "fp")] if len(powers) > 1 else []
    names = ["threshold", "tp", "fp", "fn", "tn", *squares]
    return Sweep.validate(pl.DataFrame({name: columns[name] for name in names}))


def _around(first: float, above: Floats, at: Floats, last: float) -> Floats:
    """Values just above each threshold and at it, in turn, between the first and the last."""
    values = np.empty(2 * len(at) + 2)
    values[0], values[-1] = first, last
    values[1:-1:2], values[2:-1:2] = above, at
    return values


def with_highest(predictions: Predictions) -> Predictions:
    """The predictions with a column of the class with the highest score, of models with scores.

    It is worked out once, as most of what is evaluated reads it. Other tasks have none.
    """
    if predictions.task != "multiclass":
        return predictions
    frame, models = predictions.frame, []
    for place, columns in enumerate(predictions.models):
        if not columns.scores:
            models.append(columns)
            continue
        name = output_column("highest", place)
        frame = frame.with_columns(predicted_classes(frame, columns.scores).alias(name))
        models.append(replace(columns, highest=name))
    return replace(predictions, frame=frame, models=tuple(models))
