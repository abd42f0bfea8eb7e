"""Curves of a ranking: ROC, precision-recall, the hull, any metric against the threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Indices
from reportgen.metric_names import CELLS
from reportgen.metrics import METRICS
from reportgen.metrics.rates import false_positive_rate, precision, recall
from reportgen.metrics.settings import MetricSettings
from reportgen.polylines import upper_hull
from reportgen.small_queries import collected, selected
from reportgen.sweeping import Ranking, Swept, TiedScores, as_ranking
from reportgen.sweeping.ranking import ascending
from reportgen.tables import (
    PrecisionRecall,
    Roc,
    RocHull,
    Sweep,
    ThresholdCounts,
    ThresholdCurve,
)

FINITE = pl.when(pl.col("threshold").is_finite()).then(pl.col("threshold"))
"""The threshold; null where nothing is predicted positive."""

_ROC = {
    "threshold": FINITE,
    "false_positive_rate": false_positive_rate(),
    "recall": recall(),
}
_PRECISION_RECALL = {
    "threshold": pl.col("threshold"),
    "recall": recall(),
    "precision": precision(),
}


def line(model: str, points: pl.DataFrame) -> pl.DataFrame:
    """The points of one curve, after the columns that say whose it is."""
    whose = {"model": model, "slice": None, "class": None}
    columns = [
        pl.Series(name, [value], dtype=pl.String).new_from_index(0, points.height)
        for name, value in whose.items()
    ]
    return pl.DataFrame(columns).hstack(points)


def roc(sweep: DataFrame[Sweep], model: str = "model") -> DataFrame[Roc]:
    """Recall against false-positive rate, one row per threshold.

    Starts at (0, 0) and ends at (1, 1). Null in one coordinate when there is a
    single class.

    Args:
        sweep: counts at each distinct score, as ``reportgen.sweep`` gives them.
        model: name of the model, for the column of that name.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``threshold``, ``false_positive_rate`` and
        ``recall``. ``threshold`` has the unit of the score and is null where nothing is predicted
        positive.

    Fawcett (2006), doi:10.1016/j.patrec.2005.10.010.

    >>> from reportgen.sweeping import sweep
    >>> frame = pl.DataFrame(
    ...     {"truth": [True, True, False, True, False], "score": [0.9, 0.7, 0.6, 0.4, 0.2]}
    ... )
    >>> roc(sweep(frame)).select("false_positive_rate", "recall").rows()[:3]
    [(0.0, 0.0), (0.0, 0.3333333333333333), (0.0, 0.6666666666666666)]
    """
    return Roc.validate(line(model, selected(sweep, _ROC)))


def precision_recall(
    sweep: DataFrame[Sweep],
    model: str = "model",
) -> DataFrame[PrecisionRecall]:
    """Precision against recall, from the strictest threshold that predicts anything positive.

    Recall is null when there are no positives. Between two points the counts
    are linear, precision is not.

    Args:
        sweep: counts at each distinct score, as ``reportgen.sweep`` gives them.
        model: name of the model, for the column of that name.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``threshold``, ``recall`` and ``precision``.
        ``threshold`` has the unit of the score.

    Davis & Goadrich (2006), doi:10.1145/1143844.1143874.

    >>> from reportgen.sweeping import sweep
    >>> frame = pl.DataFrame(
    ...     {"truth": [True, True, False, True, False], "score": [0.9, 0.7, 0.6, 0.4, 0.2]}
    ... )
    >>> precision_recall(sweep(frame)).select("recall", "precision").rows()[:2]
    [(0.3333333333333333, 1.0), (0.6666666666666666, 1.0)]
    """
    defined = sweep.lazy().filter(pl.col("tp") + pl.col("fp") > 0)
    points = collected(defined.select(**_PRECISION_RECALL))
    return PrecisionRecall.validate(line(model, points))


def hull(sweep: Swept) -> DataFrame[Sweep]:
    """Rows of the sweep that are vertices of the upper convex hull of its ROC curve.

    Both ends are kept. With a single class only they are left.

    Args:
        sweep: counts at each distinct score, as ``reportgen.sweep`` gives them, or a ranking.

    Returns:
        The rows of the sweep that are vertices, with all its columns. Defined for every sweep.

    Provost & Fawcett (2001), doi:10.1023/A:1007601015854.

    >>> from reportgen.sweeping import sweep
    >>> frame = pl.DataFrame(
    ...     {"truth": [True, True, False, True, False], "score": [0.9, 0.7, 0.6, 0.4, 0.2]}
    ... )
    >>> hull(sweep(frame)).select("threshold", "tp", "fp").rows()
    [(inf, 0.0, 0.0), (0.7, 2.0, 0.0), (0.4, 3.0, 1.0), (0.2, 3.0, 2.0)]
    """
    ranked = as_ranking(sweep)
    return ranked.table(hull_rows(ranked))


def hull_rows(ranked: Ranking) -> Indices:
    """Which rows of the sweep are vertices of its hull; row 0 predicts nothing positive."""
    if isinstance(ranked, TiedScores) and ranked.weighted:  # rows without weight move nothing
        moved = np.flatnonzero(np.diff(ranked.tp) + np.diff(ranked.fp) > 0)
        at = ascending([0, len(ranked)], moved + 1)
        return at[hull_rows(TiedScores(ranked.score[at[1:] - 1], ranked.tp[at], ranked.fp[at]))]
    stretch = max(16, math.isqrt(ranked.hull_candidate_count) // 64)
    some = np.append(
        np.arange(0, ranked.hull_candidate_count - 1, stretch), ranked.hull_candidate_count - 1
    )
    _, false_positives, true_positives = ranked.hull_candidates(some)
    rough = upper_hull(false_positives, true_positives)
    corners = false_positives[rough], true_positives[rough]
    # Between two rows nothing lies above the false positives of the first with the true
    # positives of the second.
    reaching = some[:-1][true_positives[1:] > np.interp(false_positives[:-1], *corners)]
    inner = (reaching[:, None] + np.arange(stretch)).ravel()
    inner = inner[inner < ranked.hull_candidate_count]
    _, false_positives, true_positives = ranked.hull_candidates(inner)
    candidates = ascending(
        some[rough], inner[true_positives > np.interp(false_positives, *corners)]
    )
    rows, false_positives, true_positives = ranked.hull_candidates(candidates)
    return ascending(rows[upper_hull(false_positives, true_positives)])


def roc_hull(
    sweep: DataFrame[Sweep],
    model: str = "model",
) -> DataFrame[RocHull]:
    """Vertices of the upper convex hull of the ROC curve, strictest threshold first.

    No rows when only one class is present.

    Args:
        sweep: counts at each distinct score, as ``reportgen.sweep`` gives them.
        model: name of the model, for the column of that name.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``threshold``, ``false_positive_rate`` and
        ``recall``. ``threshold`` has the unit of the score.

    Provost & Fawcett (2001), doi:10.1023/A:1007601015854.

    >>> from reportgen.sweeping import sweep
    >>> frame = pl.DataFrame(
    ...     {"truth": [True, True, False, True, False], "score": [0.9, 0.7, 0.6, 0.4, 0.2]}
    ... )
    >>> roc_hull(sweep(frame)).select("false_positive_rate", "recall").rows()
    [(0.0, 0.0), (0.0, 0.6666666666666666), (0.5, 1.0), (1.0, 1.0)]
    """
    vertices = roc(hull(sweep), model).drop_nulls(["false_positive_rate", "recall"])
    return RocHull.validate(vertices)


def threshold_curve(
    sweep: DataFrame[Sweep],
    metrics: Sequence[str] = ("precision", "recall", "specificity", "f1", "mcc"),
    model: str = "model",
    *,
    settings: MetricSettings | None = None,
) -> DataFrame[ThresholdCurve]:
    """Each metric at each distinct score, from the loosest threshold to the strictest.

    ``metrics`` are names of metrics of counts; ``settings`` go to those that
    take them (costs). Null where a metric is undefined.

    Args:
        sweep: counts at each distinct score, as ``reportgen.sweep`` gives them.
        metrics: names of metrics of counts.
        model: name of the model, for the column of that name.
        settings: what some of the metrics take, such as costs.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``metric``, ``threshold`` and ``value``.
        ``threshold`` has the unit of the score.

    >>> from reportgen.sweeping import sweep
    >>> frame = pl.DataFrame(
    ...     {"truth": [True, True, False, True, False], "score": [0.9, 0.7, 0.6, 0.4, 0.2]}
    ... )
    >>> table = threshold_curve(sweep(frame), ["recall"])
    >>> table.select("threshold", "value").rows()[:2]
    [(0.2, 1.0), (0.4, 1.0)]
    """
    values = {name: METRICS[name].expression(**(settings or {})) for name in metrics}
    scores = sweep.lazy().filter(pl.col("threshold").is_finite())
    wide = collected(scores.select("threshold", **values).reverse())
    points = {
        "metric": pl.Series(metrics, dtype=pl.String).gather(
            np.repeat(np.arange(len(metrics)), wide.height)
        ),
        "threshold": pl.concat([wide["threshold"]] * len(metrics)),
        "value": pl.concat([wide[name] for name in metrics]),
    }
    return ThresholdCurve.validate(line(model, pl.DataFrame(points)))


def sampled(sweep: Swept, points: int = 400, thresholds: Sequence[float] = ()) -> DataFrame[Sweep]:
    """At most about ``points`` rows of a sweep, even in threshold and in rank, both ends kept.

    The rows of ``thresholds`` are among them, so that what is said of these can
    be read off. For drawing: a sweep with fewer rows is returned whole.
    """
    ranked = as_ranking(sweep)
    named = ranked.count_at_or_above(np.asarray(thresholds, dtype=np.float64))
    return ranked.table(ascending(sampled_rows(ranked, points), named))


def sampled_rows(ranked: Ranking, points: int) -> Indices:
    """Which rows of the sweep those are."""
    if len(ranked) < points:
        return np.arange(len(ranked) + 1)
    even = np.linspace(ranked.score[-1], ranked.score[0], points // 2)
    by_score = np.clip(ranked.count_at_or_above(even), 1, None)
    by_rank = np.linspace(1, len(ranked), points // 2).astype(np.intp)
    return ascending([0, len(ranked)], by_score, by_rank)


def threshold_counts(
    sweep: Swept,
    model: str = "model",
    *,
    points: int = 1000,
    thresholds: Sequence[float] = (),
) -> DataFrame[ThresholdCounts]:
    """Confusion counts at every threshold, or at an even sample of many.

    A sample has about ``points`` rows, even in score and in rank. Those of ``thresholds`` are
    among them, and so are both ends: nothing predicted positive, and everything.

    Args:
        sweep: counts at each distinct score, as ``reportgen.sweep`` gives them, or a ranking.
        model: name of the model, for the column of that name.
        points: how many thresholds, about.
        thresholds: what must be among them.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``threshold``, ``tp``, ``fp``, ``fn``,
        ``tn`` and ``skipped``. Counts are in rows, or in weight. Defined for every sweep.

    Fawcett (2006), doi:10.1016/j.patrec.2005.10.010.

    >>> from reportgen.sweeping import sweep
    >>> frame = pl.DataFrame({"truth": [True, False, True], "score": [0.9, 0.4, 0.3]})
    >>> threshold_counts(sweep(frame)).select("threshold", "tp", "fp").rows()[1:]
    [(0.9, 1.0, 0.0), (0.4, 1.0, 1.0), (0.3, 2.0, 1.0)]
    """
    ranked = as_ranking(sweep)
    named = ranked.count_at_or_above(np.asarray(thresholds, dtype=np.float64))
    at = ascending(sampled_rows(ranked, points), named)
    counts = selected(ranked.table(at), {"threshold": FINITE, **{n: pl.col(n) for n in CELLS}})
    skipped = pl.Series("skipped", np.diff(at, prepend=-1) - 1.0)
    return ThresholdCounts.validate(line(model, counts.with_columns(skipped)))


def outline(sweep: Swept, side: float = 1 / 8000) -> DataFrame[Sweep]:
    """Rows of a sweep between which both rates move by at most ``side``, or one threshold does it.

    Between two of them the ROC curve is within ``side`` / √2 of the straight line.
    """
    ranked = as_ranking(sweep)
    if len(ranked) * side < 1:
        return ranked.table()
    even = np.arange(1, 1 / side) * side
    true_positives = ranked.first("tp", even * ranked.positives)
    false_positives = ranked.first("fp", even * ranked.negatives)
    return ranked.table(ascending([0, len(ranked)], true_positives, false_positives))


def precision_outline(sweep: Swept, side: float = 1 / 4000) -> DataFrame[Sweep]:
    """Rows of a sweep between which precision moves by at most ``side``, or one threshold does it.

    Row by row until a row is so small a part of those predicted positive, then by such parts.
    """
    ranked = as_ranking(sweep)
    rows = ranked.positives + ranked.negatives
    if rows * side < 1:
        return ranked.table()
    parts = np.geomspace(1 / side, rows, int(np.log(rows * side) / side) + 2)
    indices = ranked.threshold_for_count(np.append(np.arange(1 / side), parts))
    return ranked.table(ascending(indices, [len(ranked)]))
