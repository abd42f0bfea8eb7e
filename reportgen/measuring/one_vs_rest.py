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

SEARCHED = 2**14
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
    weight: str | None = None,
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
    powers = ("", "2") if weight else ("",)
    false_positives = np.zeros((2, len(true_classes), len(powers)))
    ends = np.zeros(len(powers))
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
        for at, power in enumerate(powers):
            counts = ranking.running(f"fp{power}", above)
            false_positives[0, :, at] += counts
            counts[there] = ranking.running(f"fp{power}", above[there] + 1)
            false_positives[1, :, at] += counts
            ends[at] += ranking.running(f"fp{power}", np.array([len(ranking)]))[0]
        sweeps.append(corners(ranking))
        binned.append(bins(ranking))
    pooled = _pooled(true_classes.table(), false_positives, ends, powers)
    return OneVsRest(sweeps, binned, of_sweep(pooled), beaten)


def _ranked(score: pl.Series, truth: pl.Series, own: int, classes: int) -> tuple[Ranking, Floats]:
    """A class against the rest, and how many pairs it wins of each class: the rows sorted once."""
    values, of = score.cast(pl.Float64).to_numpy(), truth.to_numpy()
    order = ascending(values, of == own)
    return ranked_in_order(values[order.rows], order.positive), pairs_won(order, of, classes)


def _higher(scores: Floats, thresholds: Floats) -> Indices:
    """How many of the scores are higher than each threshold; both are highest first.

    Block by block, each of which needs a short stretch of the scores only.
    """
    rising, number = np.ascontiguousarray(scores[::-1]), np.empty(len(thresholds), np.intp)
    for rows in chunks(len(thresholds), SEARCHED):
        part = thresholds[rows]
        low, high = np.searchsorted(rising, part[[-1, 0]], side="right")
        below = np.searchsorted(rising[low:high], part, side="right")
        np.subtract(len(scores) - low, below, out=number[rows])
    return number


def corners(ranking: Ranking) -> DataFrame[Sweep]:
    """The thresholds between which a ROC curve is not flat; all of a small sweep.

    On a flat stretch only negatives are added: areas, their variances and the
    outline of ROC and P-R curves are those of the whole sweep.
    """
    if len(ranking) < WHOLE:
        return ranking.table()
    rows, _, true_positives = ranking.hull_candidates(np.arange(ranking.hull_candidate_count))
    added = rows[1:][np.diff(true_positives) > 0]
    indices = np.sort(np.concatenate([[0], added - 1, added, [len(ranking)]]))
    return ranking.table(indices[np.append([True], np.diff(indices) > 0)])


def _pooled(
    true_classes: DataFrame[Sweep], false_positives: Floats, ends: Floats, powers: Sequence[str]
) -> DataFrame[Sweep]:
    """The sweep just above each true class's score, at it, and at the end."""
    number = true_classes.height - 1
    order = np.arange(2 * number) // 2 + np.tile([0, number], number)  # above, at, above, at, ...
    thresholds = true_classes["threshold"].to_numpy()
    columns = {
        "threshold": np.concatenate([np.nextafter(thresholds[1:], np.inf), thresholds[1:]])[order]
    }
    for k, power in enumerate(powers):
        running = true_classes[f"tp{power}"].to_numpy()
        columns[f"tp{power}"] = np.concatenate([running[:-1], running[1:]])[order]
        columns[f"fp{power}"] = false_positives[..., k].ravel()[order]
    last = {"threshold": -np.inf, "tp": true_classes["tp"][-1], "fp": ends[0]}
    squares = ["tp2", "fp2"][: 2 * len(powers) - 2]
    if squares:
        last |= {"tp2": true_classes["tp2"][-1], "fp2": ends[1]}
    names = ["threshold", "tp", "fp", *squares]
    start = pl.DataFrame({n: [np.inf if n == "threshold" else 0.0] for n in names})
    whole = pl.concat(
        [start, pl.DataFrame(columns).select(names), pl.DataFrame([last]).select(names)]
    )
    return Sweep.validate(
        whole.with_columns(
            fn=pl.col("tp").last() - pl.col("tp"), tn=pl.col("fp").last() - pl.col("fp")
        ).select("threshold", "tp", "fp", "fn", "tn", *squares)
    )


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
