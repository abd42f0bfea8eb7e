"""Recalibration of the forecasts of a sweep: equal-mass bins, a logistic and an isotonic fit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl
from pandera.typing.polars import DataFrame
from scipy.special import expit, logit

from reportgen.curves.geometry import upper_hull
from reportgen.tables import Bins, Isotonic, Recalibration, Sweep

Floats = npt.NDArray[np.float64]

_STEPS = 100
_SHORT = 1e-3
"""A shorter step cannot overshoot."""
_MANY, _BLOCKS = 2**14, 2**12
"""With more forecasts than the first, a fit begins from so many blocks of them."""


def masses(sweep: DataFrame[Sweep], number: int = 10) -> DataFrame[Bins]:
    """Group the forecasts of a sweep into ``number`` bins that hold the same number of rows.

    A forecast goes to the bin in which the middle of its rows lies, so that
    equal forecasts are never parted and the bins are only as even as ties
    allow. ``low`` and ``high`` are the least and the greatest forecast of a
    bin. No bins at all when a score lies outside the unit interval.
    """
    steps = _steps(sweep).reverse()
    each, score = pl.col("positives") + pl.col("negatives"), pl.col("score")
    middle = (each.cum_sum() - each / 2) / each.sum() * number
    return Bins.validate(
        steps.lazy()
        .filter(score.is_between(0, 1).all(), each > 0)
        .with_columns(bin=middle.floor().clip(0, number - 1), count=each)
        .group_by("bin", maintain_order=True)
        .agg(
            low=score.first(),
            high=score.last(),
            count=pl.col("count").sum(),
            positives=pl.col("positives").sum(),
            mean_score=(pl.col("count") * score).sum(),
        )
        .select(
            "low",
            "high",
            "count",
            "positives",
            mean_score=(pl.col("mean_score") / pl.col("count")).clip(0, 1),
            observed=(pl.col("positives") / pl.col("count")).clip(0, 1),
        )
        .collect(engine="in-memory")
    )


def isotonic(sweep: DataFrame[Sweep]) -> DataFrame[Isotonic]:
    """The isotonic estimate of the positive rate at each distinct score, highest first.

    Pooling adjacent violators is the same as taking the slopes of the convex
    hull of the ROC curve: each of its edges is one block.
    Ayer et al. (1955), doi:10.1214/aoms/1177728423; Fawcett & Niculescu-Mizil
    (2007), doi:10.1007/s10994-007-5011-0.
    """
    steps = _steps(sweep)
    hits, alarms = sweep["tp"].to_numpy(), sweep["fp"].to_numpy()
    vertices = upper_hull(alarms, hits) if len(hits) > 1 else np.array([0])
    gained, lost = np.diff(hits[vertices]), np.diff(alarms[vertices])
    rate = np.divide(gained, gained + lost, out=np.zeros(len(gained)), where=gained + lost > 0)
    calibrated = np.repeat(rate, np.diff(vertices))
    return Isotonic.validate(steps.with_columns(calibrated=pl.Series(calibrated, dtype=pl.Float64)))


def recalibration(sweep: DataFrame[Sweep]) -> DataFrame[Recalibration]:
    """Logistic regression of the outcome on the log odds of the forecast: one row.

    ``intercept`` and ``slope`` of logit P = a + b·logit(p), and ``in_the_large``,
    the intercept where the slope is kept at 1, each with its variance from the
    information matrix (times Σw²/Σw where rows are weighted). Found by Newton's
    method on the distinct scores. Null when a score is not strictly between 0
    and 1, when a class has no rows, and for the first two when some threshold
    separates the classes or all scores are the same: the likelihood then has
    no maximum. Scores are not clipped.
    """
    steps = _steps(sweep).filter(pl.col("positives") + pl.col("negatives") > 0)
    score, hits = (steps[c].to_numpy() for c in ("score", "positives"))
    rows = hits + steps["negatives"].to_numpy()
    found: dict[str, float | None] = dict.fromkeys(Recalibration.to_schema().columns)
    usable = len(score) and (score > 0).all() and (score < 1).all()
    if usable and 0 < hits.sum() < rows.sum():
        scale = _design_effect(sweep)
        odds, ones = logit(score), np.ones((1, len(score)))
        found |= _named(("in_the_large",), *_fitted(ones, odds, hits, rows), scale)
        if _overlap(score, hits, rows):
            design = np.vstack([ones, odds])
            fit = _fitted(design, np.zeros(len(score)), hits, rows)
            found |= _named(("intercept", "slope"), *fit, scale)
    schema = dict.fromkeys(found, pl.Float64)
    return Recalibration.validate(pl.DataFrame([found], schema=schema))


def _steps(sweep: DataFrame[Sweep]) -> pl.DataFrame:
    """Each distinct score with the positives and negatives that have it, highest first."""
    return sweep.select(
        score="threshold",
        positives=pl.col("tp").diff().clip(0),
        negatives=pl.col("fp").diff().clip(0),
    ).slice(1)


def _design_effect(sweep: DataFrame[Sweep]) -> float:
    if "tp2" not in sweep.columns:
        return 1.0
    squares, weights = (
        sweep.select(pl.col(a).last() + pl.col(b).last()).item()
        for a, b in (("tp2", "fp2"), ("tp", "fp"))
    )
    return float(squares / weights)


def _overlap(score: Floats, hits: Floats, rows: Floats) -> bool:
    """Whether no threshold has only one class on each of its sides, ties left aside."""
    positive, negative = score[hits > 0], score[rows - hits > 0]
    return bool(positive.min() < negative.max() and negative.min() < positive.max())


def _fitted(design: Floats, offset: Floats, hits: Floats, rows: Floats) -> tuple[Floats, Floats]:
    """Coefficients of greatest likelihood, and their variances; NaN where no fit is found.

    ``design`` has one row per coefficient. With many forecasts the search
    begins where blocks of neighbours lead, and takes two or three passes over all.
    """
    start = np.zeros(len(design))
    if len(rows) > _MANY:
        blocks = np.arange(0, len(rows), len(rows) // _BLOCKS)
        mass = np.add.reduceat(rows, blocks)
        *means, offsets = (np.add.reduceat(c * rows, blocks) / mass for c in (*design, offset))
        found, _ = _newton(np.array(means), offsets, np.add.reduceat(hits, blocks), mass, start)
        start = np.nan_to_num(found)
    return _newton(design, offset, hits, rows, start)


def _newton(
    design: Floats, offset: Floats, hits: Floats, rows: Floats, start: Floats
) -> tuple[Floats, Floats]:
    """The same from ``start``."""
    at = start
    for _ in range(_STEPS):
        odds = offset + at @ design
        chance = expit(odds)
        information = (design * (rows * chance * (1 - chance))) @ design.T
        try:
            step = np.linalg.solve(information, design @ (hits - rows * chance))
            variances = np.diag(np.linalg.inv(information))
        except np.linalg.LinAlgError:
            break
        while np.abs(step).max() > _SHORT and _falls(odds, step @ design, hits, rows):
            step = step / 2
        at = at + step
        if np.abs(step).max() <= 1e-10 * (1 + np.abs(at).max()):
            return at, variances
    return np.full(len(at), np.nan), np.full(len(at), np.nan)


def _falls(odds: Floats, step: Floats, hits: Floats, rows: Floats) -> bool:
    """Whether a step overshoots, so that the likelihood is less after it."""
    before, after = (_likelihood(o, hits, rows) for o in (odds, odds + step))
    return after < before - 1e-12 * (1 + abs(before))


def _likelihood(odds: Floats, hits: Floats, rows: Floats) -> float:
    from_sure = rows @ np.log1p(np.exp(-np.abs(odds)))
    return float(hits @ np.minimum(odds, 0) - (rows - hits) @ np.maximum(odds, 0) - from_sure)


def _named(
    names: tuple[str, ...], values: Floats, variances: Floats, scale: float
) -> dict[str, float | None]:
    found = dict(zip(names, values, strict=True))
    found |= {f"{n}_variance": scale * v for n, v in zip(names, variances, strict=True)}
    return {name: float(v) if np.isfinite(v) else None for name, v in found.items()}
