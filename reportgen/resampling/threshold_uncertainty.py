"""How sure the choice of a threshold is: chosen again on rows that are resampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats
from reportgen.resampling.score_cells import cell_ends
from reportgen.sweeping import as_ranking
from reportgen.tables import Sweep

LEAST_CHOSEN = 0.9
"""With a choice in fewer replicates than this share its uncertainty is not reported."""

_BATCH = 2**20


@dataclass(frozen=True, slots=True)
class ThresholdRule:
    """What a threshold is chosen by: a metric of counts, which way, and what must hold."""

    value: pl.Expr
    maximise: bool
    admissible: pl.Expr


@dataclass(frozen=True, slots=True)
class ThresholdUncertainty:
    """Limits of a chosen threshold, and what the measure at it is worth.

    ``optimism`` is what the best value gains on average by being chosen on the
    rows that it is computed from, below 0 for a measure that is to be small;
    ``corrected`` is the value without it. ``strictest`` and
    ``loosest`` are null where it is best to predict nothing positive. ``chosen`` is the
    share of the ``replicates`` that have a threshold.
    """

    loosest: float | None
    strictest: float | None
    optimism: float
    corrected: float
    chosen: float
    replicates: int


def threshold_uncertainty(
    sweep: DataFrame[Sweep],
    rule: ThresholdRule,
    *,
    replicates: int,
    seed: int = 0,
    confidence: float = 0.95,
) -> ThresholdUncertainty | None:
    """Choose the threshold again in each replicate of the rows, and look at it on all rows.

    Optimism is the mean, over the replicates, of the best value there less the
    value of that threshold on all rows. The limits of the threshold are
    percentiles. Stratified; rows are independent and unweighted; beyond
    1,000 scores neighbours share a cell. None without both classes or
    replicates, or where fewer than nine in ten replicates have a threshold
    that keeps the limits.
    Efron & Gong (1983), doi:10.1080/00031305.1983.10483087; Harrell, Lee & Mark
    (1996), doi:10.1002/(SICI)1097-0258(19960229)15:4<361::AID-SIM168>3.0.CO;2-4.
    """
    sizes = [sweep[cell].to_numpy()[-1] for cell in ("tp", "fp")]
    if not (min(sizes) > 0 and replicates > 0):
        return None
    ranked, ends = as_ranking(sweep), cell_ends(sweep)
    lowest, running = ranked.score[ends - 1], ranked.counts(ends, "tp", "fp")
    whole = np.array([np.concatenate([[0.0], one]) for one in running])
    on_all, admissible = _values(rule, whole[0][None], whole[1][None])
    observed = _best(rule, on_all, admissible)[0]
    at, best = _resampled_choices(rule, running, sizes, replicates, np.random.default_rng(seed))
    has_threshold = at >= 0
    there = on_all[0][at]
    valid = has_threshold & np.isfinite(best) & np.isfinite(there)
    if observed < 0 or valid.mean() < LEAST_CHOSEN:
        return None
    at, best, there = at[valid], best[valid], there[valid]
    optimism = float((best - there).mean())
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    thresholds = np.concatenate([[np.inf], lowest])[at]
    loosest, strictest = np.quantile(thresholds, tails, method="inverted_cdf")
    return ThresholdUncertainty(
        loosest=_finite(loosest),
        strictest=_finite(strictest),
        optimism=optimism,
        corrected=float(on_all[0][observed]) - optimism,
        chosen=float(valid.mean()),
        replicates=len(valid),
    )


def _resampled_choices(
    rule: ThresholdRule,
    running: Sequence[Floats],
    sizes: Sequence[float],
    replicates: int,
    random: np.random.Generator,
) -> tuple[npt.NDArray[np.intp], Floats]:
    """Column of the threshold chosen in each replicate, −1 without any, and the value there."""
    columns, values = [], []
    size = max(1, _BATCH // len(running[0]))
    for start in range(0, replicates, size):
        number = min(size, replicates - start)
        resampled = [
            _resampled_shares(one, number, random) * total
            for one, total in zip(running, sizes, strict=True)
        ]
        objective, admissible = _values(rule, *resampled)
        at = _best(rule, objective, admissible)
        columns.append(at)
        values.append(np.where(at >= 0, objective[np.arange(number), at], np.nan))
    return np.concatenate(columns), np.concatenate(values)


def _resampled_shares(running: Floats, replicates: int, random: np.random.Generator) -> Floats:
    """Running shares of a class over the cells, from 0, when its rows are resampled."""
    rows = np.diff(running, prepend=0.0)
    occupied = rows > 0
    counts = np.zeros((replicates, len(rows) + 1))
    share = rows[occupied] / running[-1]
    counts[:, 1:][:, occupied] = random.multinomial(round(running[-1]), share, size=replicates)
    shares: Floats = counts.cumsum(axis=1) / running[-1]
    return shares


def _values(
    rule: ThresholdRule, true_positives: Floats, false_positives: Floats
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Value and admission of every threshold (columns) in every replicate (rows)."""
    frame = pl.DataFrame(
        {
            "tp": true_positives.ravel(),
            "fp": false_positives.ravel(),
            "fn": (true_positives[:, -1:] - true_positives).ravel(),
            "tn": (false_positives[:, -1:] - false_positives).ravel(),
        }
    )
    table = frame.select(value=rule.value.cast(pl.Float64), admissible=rule.admissible)
    value = table["value"].to_numpy().reshape(true_positives.shape)
    return value, table["admissible"].to_numpy().reshape(true_positives.shape)


def _best(
    rule: ThresholdRule, values: Floats, admissible: npt.NDArray[np.bool_]
) -> npt.NDArray[np.intp]:
    """Column of the best admitted value, the strictest of those that tie; −1 without any."""
    height = np.where(
        admissible & np.isfinite(values), values if rule.maximise else -values, -np.inf
    )
    index: npt.NDArray[np.intp] = np.where(
        np.isfinite(height.max(axis=1)), height.argmax(axis=1), -1
    )
    return index


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
