"""Recalibration of the forecasts of a sweep: equal-mass bins, a logistic and an isotonic fit."""

from __future__ import annotations

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame
from scipy.special import expit, logit

from reportgen.array_types import Floats, Indices
from reportgen.curves.ranking import hull_rows
from reportgen.sweeping import DistinctScores, Ranking, Swept, TiedScores, as_ranking
from reportgen.sweeping.bins import grouped, stretches
from reportgen.sweeping.ranking import first_index
from reportgen.tables import Bins, Isotonic, Recalibration

Points = tuple[Floats, Floats, Floats]
"""Log odds, positives and rows of forecasts, or of what stands for them."""
Fit = tuple[Floats, Floats]
"""Coefficients and their variances."""

_STEPS = 100
_SHORT = 1e-3
"""A shorter step cannot overshoot."""
_MANY = 2**14
"""More distinct forecasts than that are gathered before they are fitted."""
_LARGE = 2**15
"""Rows of a block: sums of stretches cost least of more than those of ``blocks``."""
_FINER = 2**6
_STRETCHES = 2**24
"""More stretches than these are not made."""
WIDTH = 1 / 128
"""Log odds of forecasts that are gathered differ by less."""


def masses(sweep: Swept, number: int = 10) -> DataFrame[Bins]:
    """Group the forecasts of a sweep into ``number`` bins that hold the same number of rows.

    A forecast goes to the bin in which the middle of its rows lies, so that
    equal forecasts are never parted and the bins are only as even as ties
    allow. ``low`` and ``high`` are the least and the greatest forecast of a
    bin. No bins at all when a score lies outside the unit interval.
    """
    ranked = as_ranking(sweep).with_weight()
    rows = ranked.positives + ranked.negatives

    def depth(row: Indices) -> Floats:
        """How many bins lie above the middle of the rows that have the score after ``row``."""
        after, before = ranked.predicted_positives(row + 1), ranked.predicted_positives(row)
        return -(rows - after + (after - before) / 2) / rows * number

    # A middle that lies on an edge does so whatever the unit of the weights.
    edges = np.arange(1.0 - number, 0) + 1e-9
    starts = first_index(lambda at: depth(at) <= edges, len(ranked), edges.shape)
    return grouped(ranked, np.array([0, *starts]))


def isotonic(sweep: Swept) -> DataFrame[Isotonic]:
    """The isotonic estimate of the positive rate at each distinct score, highest first.

    Pooling adjacent violators is the same as taking the slopes of the convex
    hull of the ROC curve: each of its edges is one block.
    Ayer et al. (1955), doi:10.1214/aoms/1177728423; Fawcett & Niculescu-Mizil
    (2007), doi:10.1007/s10994-007-5011-0.
    """
    ranked = as_ranking(sweep)
    vertices, rates = isotonic_blocks(ranked, hull_rows(ranked))
    every = ranked.chunk(slice(0, len(ranked)))
    columns = {
        "score": ranked.score,
        "positives": every.positives.clip(0),
        "negatives": every.negatives.clip(0),
        "calibrated": np.repeat(rates, np.diff(vertices)),
    }
    return Isotonic.validate(pl.DataFrame(columns))


def isotonic_blocks(ranked: Ranking, vertices: Indices) -> tuple[Indices, Floats]:
    """The edges of the blocks, as rows of the sweep, and the positive rate in each."""
    positives, negatives = (np.diff(c) for c in ranked.counts(vertices, "tp", "fp"))
    return vertices, np.divide(
        positives, positives + negatives, out=np.zeros(len(positives)), where=positives > 0
    )


def recalibration(sweep: Swept, repeats: float = 1) -> DataFrame[Recalibration]:
    """Logistic regression of the outcome on the log odds of the forecast: one row.

    ``intercept`` and ``slope`` of logit P = a + b·logit(p), and ``in_the_large``,
    the intercept where the slope is kept at 1, each with its variance from the
    information matrix, or the sandwich where that is larger, as log odds may lie
    on no line (White 1982, doi:10.2307/1912526), times Σw²/Σw where rows are
    weighted, and ``repeats`` where they say the same so often. Found by Newton's
    method on the distinct scores, or what stands for them (``_gathered``).
    Scores of exactly 0 and 1 have no log odds: line and slope are of the other rows,
    which their forecasts chose, not their outcomes; ``in_the_large`` is null. All are
    null when a score is no probability, when a class has no rows, and the first two
    when some threshold separates the classes or all scores are the same: the
    likelihood then has no maximum.
    """
    whole = as_ranking(sweep).with_weight()
    estimates: dict[str, float | None] = dict.fromkeys(Recalibration.to_schema().columns)
    ranked = whole.with_log_odds if whole.probabilities else whole
    if whole.probabilities and ranked.both_classes:
        scale = repeats * _design_effect(ranked)
        points = _points(ranked)
        if len(ranked) == len(whole):
            estimates |= _named(("in_the_large",), *_shift(*points), scale)
        if _overlap(ranked):
            estimates |= _named(("intercept", "slope"), *_line(ranked, points), scale)
    schema = dict.fromkeys(estimates, pl.Float64)
    return Recalibration.validate(pl.DataFrame([estimates], schema=schema))


def _design_effect(ranked: Ranking) -> float:
    if not ranked.weighted:
        return 1.0
    squares = ranked.counts([len(ranked)], "tp2", "fp2")
    return float(np.concatenate(squares).sum() / (ranked.positives + ranked.negatives))


def _overlap(ranked: Ranking) -> bool:
    """Whether no threshold has only one class on each of its sides, ties left aside."""
    ends = (("tp", ranked.positives), ("fp", ranked.negatives))
    first, last = zip(
        *(ranked.first(name, [np.nextafter(0, 1), total]).tolist() for name, total in ends),
        strict=True,
    )
    # Places in the ranking: a higher one is a lower score.
    return bool(last[0] > first[1] and last[1] > first[0])


def _shift(odds: Floats, positives: Floats, rows: Floats) -> Fit:
    return _newton(np.ones((1, len(odds))), odds, positives, rows)


def _line(ranked: Ranking, points: Points, width: float = WIDTH) -> Fit:
    """Intercept and slope; where it is steep, from scores that are nearer to each other.

    So few points that they have no fit say of it only that it is steep.
    """
    odds, positives, rows = points
    design = np.vstack([np.ones(len(odds)), odds])
    fit = _newton(design, np.zeros(len(odds)), positives, rows)
    slope = abs(fit[0][1])
    nearer = width / _FINER if np.isnan(slope) else WIDTH / max(slope, 1.0)
    if 2 * nearer < width and len(odds) < len(ranked) and np.ptp(odds) < _STRETCHES * nearer:
        return _line(ranked, _points(ranked, nearer), nearer)
    return fit


def _points(ranked: Ranking, width: float = WIDTH) -> Points:
    """Log odds, positives and rows of the distinct scores, of many of them gathered."""
    if len(ranked) > _MANY:
        return _gathered(ranked, width)
    every = ranked.chunk(slice(0, len(ranked)))
    return logit(ranked.score), every.positives, every.positives + every.negatives


def _gathered(ranked: Ranking, width: float) -> Points:
    """Two points for each stretch of log odds of at most ``width``.

    They have the stretch's first four moments of the forecast, as in Gauss's
    quadrature, and of the log odds of its positives the first two: sums of a
    smooth function over the rows are off by its fourth derivative with respect
    to the forecast, times the stretch's length⁴/384, at most.
    """
    edges = np.arange(logit(ranked.score[0]), logit(ranked.score[-1]), -width)
    starts = np.unique(np.append([0], ranked.count_at_or_above(expit(edges[1:]))))
    starts = starts[starts < len(ranked)]
    centre = ranked.score[starts]
    rows = np.diff(ranked.predicted_positives(np.append(starts, len(ranked))))
    moments = np.zeros((3, len(starts)))
    for block, at, inside in stretches(len(ranked), starts, _LARGE):
        apart = ranked.score[block]
        apart = apart - np.repeat(centre[at], np.diff(inside, append=len(apart)))
        power = apart * ranked.rows(block)
        for moment in moments:
            moment[at] += np.add.reduceat(power, inside)
            power *= apart
    return _quadrature(centre, moments / rows, rows, *_positives(ranked, starts))


def _positives(ranked: Ranking, starts: Indices) -> tuple[Floats, Floats]:
    """Number of positives in each stretch, and sum of the log odds of their forecasts."""
    positives, odds = np.zeros((2, len(starts)))
    if isinstance(ranked, DistinctScores):
        before = ranked.true_positives(starts)
        positives[:] = np.diff(before, append=len(ranked.places))
        filled, sums = np.flatnonzero(positives), np.zeros(np.count_nonzero(positives))
        for block, at, inside in stretches(len(ranked.places), before[filled], _LARGE):
            sums[at] += np.add.reduceat(log_odds(ranked.score[ranked.places[block]]), inside)
        odds[filled] = sums
        return positives, odds
    if isinstance(ranked, TiedScores) and ranked.of_whole_rows:
        return _of_rising(ranked, starts)
    for block, at, inside in stretches(len(ranked), starts, _LARGE):
        piece = ranked.chunk(block)
        positives[at] += np.add.reduceat(piece.positives, inside)
        odds[at] += np.add.reduceat(piece.positives * log_odds(piece.score), inside)
    return positives, odds


def _of_rising(ranked: TiedScores, starts: Indices) -> tuple[Floats, Floats]:
    """The same of whole numbers: scores without positives add nothing."""
    positives = np.diff(ranked.running("tp", starts), append=ranked.positives)
    odds, rising = np.zeros(len(starts)), ranked.rising
    gained = (ranked.tp[rising] - ranked.tp[rising - 1]).astype(np.float64)
    gained *= log_odds(ranked.score[rising - 1])
    for block, at, inside in stretches(len(ranked), starts, _LARGE):
        first, stop = np.searchsorted(rising, [block.start + 1, block.stop + 1])
        added = np.zeros(block.stop - block.start)
        added[rising[first:stop] - (block.start + 1)] = gained[first:stop]
        odds[at] += np.add.reduceat(added, inside)
    return positives, odds


def log_odds(forecast: Floats) -> Floats:
    """As ``logit``, in a third of the time."""
    return np.log(forecast) - np.log1p(-forecast)


def _quadrature(
    centre: Floats, moments: Floats, rows: Floats, positives: Floats, odds: Floats
) -> Points:
    """The two points of each stretch.

    ``moments`` are means of powers of the distance of forecasts from ``centre``,
    ``odds`` sums of the log odds of positives.
    """
    mean, square, cube = moments
    variance = square - mean**2
    variance = np.where(variance > 1e-14 * square, variance, 0.0)
    third = np.where(variance > 0, cube - 3 * mean * square + 2 * mean**3, 0.0)
    spread = np.sqrt(variance)
    lean = np.divide(third, 2 * spread**3, out=np.zeros(len(rows)), where=variance > 0)
    stretch = np.sqrt(1 + lean**2)
    low, high = (logit(centre + mean + spread * side) for side in (lean - stretch, lean + stretch))
    share = (stretch - lean) / (2 * stretch)
    # Where forecasts are as near to each other as floats are, both points may be the same.
    upper = np.divide(odds - positives * low, high - low, out=positives * share, where=high > low)
    return (
        np.concatenate([low, high]),
        np.concatenate([positives - upper, upper]),
        np.concatenate([rows * (1 - share), rows * share]),
    )


def _variances(
    inverse: Floats, design: Floats, chance: Floats, positives: Floats, rows: Floats
) -> Floats:
    """Those of the information matrix, or of the sandwich where they are larger."""
    squares = positives * (1 - chance) ** 2 + (rows - positives) * chance**2
    added = np.einsum("kl,ln->kn", inverse, design)
    of_rows: Floats = np.einsum("kn,n->k", added**2, squares)
    return np.maximum(np.diag(inverse), of_rows)


def _newton(design: Floats, offset: Floats, positives: Floats, rows: Floats) -> Fit:
    """Coefficients of greatest likelihood, and their variances; NaN where no fit is found.

    ``design`` has one row per coefficient. Sums are not left to BLAS, which shares
    those of many points among threads: that costs more than it saves.
    """
    at = np.zeros(len(design))
    for _ in range(_STEPS):
        odds = offset + np.einsum("k,kn->n", at, design)
        chance = expit(odds)
        information = np.einsum("kn,ln->kl", design * (rows * chance * (1 - chance)), design)
        try:
            step = np.linalg.solve(
                information, np.einsum("kn,n->k", design, positives - rows * chance)
            )
            inverse = np.linalg.inv(information)
        except np.linalg.LinAlgError:
            break
        while np.abs(step).max() > _SHORT and _falls(
            odds, np.einsum("k,kn->n", step, design), positives, rows
        ):
            step = step / 2
        at = at + step
        if np.abs(step).max() <= 1e-10 * (1 + np.abs(at).max()):
            odds = offset + np.einsum("k,kn->n", at, design)
            return at, _variances(inverse, design, expit(odds), positives, rows)
    return np.full(len(at), np.nan), np.full(len(at), np.nan)


def _falls(odds: Floats, step: Floats, positives: Floats, rows: Floats) -> bool:
    """Whether a step overshoots, so that the likelihood is less after it."""
    before, after = (_likelihood(o, positives, rows) for o in (odds, odds + step))
    return after < before - 1e-12 * (1 + abs(before))


def _likelihood(odds: Floats, positives: Floats, rows: Floats) -> float:
    with np.errstate(over="ignore", invalid="ignore"):  # −∞ after a step that is far too long
        sure = positives * np.minimum(odds, 0) - (rows - positives) * np.maximum(odds, 0)
        return float((sure - rows * np.log1p(np.exp(-np.abs(odds)))).sum())


def _named(
    names: tuple[str, ...], values: Floats, variances: Floats, scale: float
) -> dict[str, float | None]:
    fields = dict(zip(names, values, strict=True))
    fields |= {f"{n}_variance": scale * v for n, v in zip(names, variances, strict=True)}
    return {name: float(v) if np.isfinite(v) else None for name, v in fields.items()}
