"""Curves of what acting on the forecasts is worth: decision curve, rejection, Murphy diagram."""

from __future__ import annotations

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats
from reportgen.curves.ranking import line, sampled_rows
from reportgen.curves.registry import of_ranking
from reportgen.sweeping import Ranking, Swept, as_ranking
from reportgen.tables import ErrorReject, Murphy, NetBenefit


@of_ranking("net_benefit", probability=True)
def net_benefit(
    sweep: Swept,
    model: str = "model",
    *,
    points: int = 99,
) -> DataFrame[NetBenefit]:
    """Net benefit of acting where the forecast is at least the threshold, and of acting always.

    TP/n − FP/n · t/(1 − t) at ``points`` even thresholds t between 0 and 1
    (0.01 … 0.99): a false positive costs what the threshold says it is worth.
    ``treat_none`` is 0. No rows unless all scores are probabilities.

    Args:
        sweep: counts at each distinct score, as ``reportgen.sweep`` gives them, or a ranking. The
            scores are probabilities.
        model: name of the model, for the column of that name.
        points: how many thresholds.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``threshold``, ``net_benefit``,
        ``treat_all`` and ``treat_none``. Benefits are in true positives per row.

    Vickers & Elkin (2006), doi:10.1177/0272989X06295361.

    >>> from reportgen.sweeping import sweep
    >>> frame = pl.DataFrame(
    ...     {"truth": [True, True, False, True, False], "score": [0.9, 0.7, 0.6, 0.4, 0.2]}
    ... )
    >>> table = net_benefit(sweep(frame), points=3)
    >>> table.select("threshold", pl.col("net_benefit").round(3)).rows()
    [(0.25, 0.533), (0.5, 0.2), (0.75, 0.2)]
    """
    ranked = as_ranking(sweep)
    rows = ranked.positives + ranked.negatives
    at = np.arange(1, points + 1) / (points + 1) if _usable(ranked) else np.empty(0)
    true_positives, false_positives = ranked.counts(ranked.count_at_or_above(at), "tp", "fp")
    price = at / (1 - at)
    columns = {
        "threshold": at,
        "net_benefit": (true_positives - false_positives * price) / rows,
        "treat_all": (ranked.positives - ranked.negatives * price) / rows,
        "treat_none": np.zeros(len(at)),
    }
    return NetBenefit.validate(line(model, pl.DataFrame(columns)))


@of_ranking("murphy", probability=True)
def murphy(
    sweep: Swept,
    model: str = "model",
    *,
    points: int = 201,
) -> DataFrame[Murphy]:
    """Mean elementary score at even thresholds θ from 0 to 1: FN/n · (1 − θ) + FP/n · θ.

    At a threshold θ, a forecast equal to θ is positive. Half the Brier score is the
    area under the curve, and every proper score a weighted area: a model whose
    curve is nowhere above another's is at least as good by all of them.
    No rows unless all scores are probabilities.

    Args:
        sweep: counts at each distinct score, as ``reportgen.sweep`` gives them, or a ranking. The
            scores are probabilities.
        model: name of the model, for the column of that name.
        points: how many thresholds.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``threshold`` and ``score``. ``score`` is a
        mean over the rows.

    Ehm et al. (2016), doi:10.1111/rssb.12154.

    >>> from reportgen.sweeping import sweep
    >>> frame = pl.DataFrame(
    ...     {"truth": [True, True, False, True, False], "score": [0.9, 0.7, 0.6, 0.4, 0.2]}
    ... )
    >>> murphy(sweep(frame), points=3).select("threshold", "score").rows()
    [(0.0, 0.0), (0.5, 0.2), (1.0, 0.0)]
    """
    ranked = as_ranking(sweep)
    rows = ranked.positives + ranked.negatives
    at = np.arange(points) / (points - 1) if _usable(ranked) else np.empty(0)
    true_positives, false_positives = ranked.counts(ranked.count_at_or_above(at), "tp", "fp")
    score = ((ranked.positives - true_positives) * (1 - at) + false_positives * at) / rows
    table = pl.DataFrame({"threshold": at, "score": score.clip(0, 1)})
    return Murphy.validate(line(model, table))


def error_reject(
    sweep: Swept,
    threshold: float = 0.5,
    model: str = "model",
    *,
    points: int = 2000,
) -> DataFrame[ErrorReject]:
    """Error rate of the rows kept when those whose score is nearest the threshold are rejected.

    One row per distinct distance, least first, at most about ``points`` of
    them: the first row rejects nothing and has the error rate of all.
    ``threshold`` is that of the decision; a score equal to it is positive.
    Distances without rows (or weight) are left out.

    Args:
        sweep: counts at each distinct score, as ``reportgen.sweep`` gives them, or a ranking.
        threshold: that of the decision.
        model: name of the model, for the column of that name.
        points: how many distances at most, about.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``distance``, ``rejected`` and
        ``error_rate``. ``distance`` has the unit of the score, the others are shares.

    Chow (1970), doi:10.1109/TIT.1970.1054406.

    >>> from reportgen.sweeping import sweep
    >>> frame = pl.DataFrame(
    ...     {"truth": [True, True, False, True, False], "score": [0.9, 0.7, 0.6, 0.4, 0.2]}
    ... )
    >>> error_reject(sweep(frame)).select("distance", "rejected", "error_rate").rows()[:1]
    [(0.09999999999999998, 0.0, 0.4)]
    """
    ranked = as_ranking(sweep)
    around = np.add(
        ranked.count_at_or_above([threshold]), [0, 1]
    )  # the rows on both sides of the threshold
    rows = np.concatenate([sampled_rows(ranked, points), around[around <= len(ranked)]])
    distance = np.unique(np.abs(ranked.score[rows[rows > 0] - 1] - threshold))
    distance = distance[np.isfinite(distance)]
    accepted, errors = _accepted(ranked, threshold, distance)
    changes = accepted > np.append(accepted[1:], 0)
    accepted, errors = accepted[changes], errors[changes]
    columns = {
        "distance": distance[changes],
        "rejected": (1 - accepted / accepted[:1]).clip(0, 1),
        "error_rate": (errors / accepted).clip(0, 1),
    }
    return ErrorReject.validate(line(model, pl.DataFrame(columns)))


def _accepted(ranked: Ranking, threshold: float, distance: Floats) -> tuple[Floats, Floats]:
    """Rows whose score is at least each distance from the threshold, and the errors in them."""
    above = ranked.count_at_or_above(distance, threshold)
    nearer = ranked.count_at_or_above(np.nextafter(-distance, np.inf), threshold)
    below = np.maximum(nearer, ranked.count_at_or_above([threshold]))
    (true_positives, positives_below), (false_positives, negatives_below) = ranked.counts(
        [above, below], "tp", "fp"
    )
    errors = false_positives + ranked.positives - positives_below
    return true_positives + errors + ranked.negatives - negatives_below, errors


def _usable(ranked: Ranking) -> bool:
    return ranked.probabilities and ranked.positives + ranked.negatives > 0
