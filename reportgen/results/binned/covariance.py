"""Covariance of areas of two models from joint counts of their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.comparisons.area_covariances import NEARLY, AreaCovariance
from reportgen.comparisons.expected_costs import ExpectedCosts
from reportgen.comparisons.row_costs import RowCosts
from reportgen.engines.score_bins import coarse
from reportgen.results.binned.sweeps import Sweeps
from reportgen.sweeping import as_ranking


@dataclass(frozen=True)
class Parts:
    """What the rows of each cell of one model bring to its area: one value per class.

    ``rows`` are sums of weights where there are any, ``squares`` of their squares.
    """

    keys: pl.Series
    rows: tuple[Floats, Floats]
    squares: tuple[Floats, Floats]
    values: tuple[Floats, Floats]

    @property
    def means(self) -> tuple[float, float]:
        """The mean of the rows of each class."""
        first, second = (
            float((r * v).sum() / (r.sum() or np.nan))
            for r, v in zip(self.rows, self.values, strict=True)
        )
        return first, second


def placements(cell_sweeps: Sweeps) -> Parts:
    """Share of the other class that a row of each cell beats, ties half; (positives, negatives).

    DeLong et al. (1988), doi:10.2307/2531595.
    """
    tp, fp = cell_sweeps.at["tp"].to_numpy(), cell_sweeps.at["fp"].to_numpy()
    beats = 1 - (fp[1:] + fp[:-1]) / 2 / (fp[-1] or np.nan)
    beaten = (tp[1:] + tp[:-1]) / 2 / (tp[-1] or np.nan)
    return Parts(cell_sweeps.keys, *_rows(cell_sweeps), (beats, beaten))


def costs(cell_sweeps: Sweeps) -> tuple[Parts, float]:
    """Cost of a row of each cell over all P(+)cost, and its optimism (see ``RowCosts``)."""
    scores = cell_sweeps.at["threshold"].to_numpy()[1:]
    costs = RowCosts.of(as_ranking(cell_sweeps.at), len(scores))
    values = (costs.cost(scores, True), costs.cost(scores, False))
    return Parts(cell_sweeps.keys, *_rows(cell_sweeps), values), costs.optimism


def _rows(cell_sweeps: Sweeps) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Rows of each class in each cell, and their squared weights."""
    tp, fp = (np.diff(cell_sweeps.at[c].to_numpy()) for c in ("tp", "fp"))
    if "tp2" not in cell_sweeps.at.columns:
        return (tp, fp), (tp, fp)
    tp2, fp2 = (np.diff(cell_sweeps.at[c].to_numpy()) for c in ("tp2", "fp2"))
    return (tp, fp), (tp2, fp2)


def area_covariance(
    models: Sequence[Parts], joint: Mapping[tuple[int, int], pl.DataFrame], bits: int
) -> AreaCovariance:
    """AUCs of all models, from their placements, and their covariance: see ``covariances``.

    Models that rank the rows alike, as far as cells tell, have areas that are not compared.
    """
    areas = np.array([m.means[0] for m in models])
    both = covariances(models, joint, bits)
    whole = both[0] + both[1]
    for (i, j), table in joint.items():
        alike = whole[i, j] >= _ALIKE * np.sqrt(whole[i, i] * whole[j, j])
        if alike and _in_one_order(table):
            for part in (*both, whole):
                part[i, j] = part[j, i] = (part[i, i] + part[j, j]) / 2 * (1 - NEARLY / 2)
    return AreaCovariance(areas, whole, by_class=both)


_ALIKE = 0.99
"""The least correlation of two areas, by what cells tell, whose models may rank the rows alike."""


_MANY = 30
"""Of fewer cells of either model these tell too little of the order of the rows."""


def _in_one_order(table: pl.DataFrame) -> bool:
    """Whether rows with larger scores of one model never have smaller cells of the other."""
    held = table.filter(pl.col("mass2") > 0)
    if min(held["key_a"].n_unique(), held["key_b"].n_unique()) < _MANY:
        return False
    cells = (
        held.group_by("key_a")
        .agg(low=pl.col("key_b").min(), high=pl.col("key_b").max())
        .sort("key_a")
    )
    return bool((cells["high"] <= cells["low"].shift(-1)).all())


def cost_covariance(
    models: Sequence[tuple[Parts, float]],
    joint: Mapping[tuple[int, int], pl.DataFrame],
    bits: int,
) -> ExpectedCosts:
    """Area under the cost curves of all models and their covariance: see ``covariances``.

    Of the differences of single rows no more is known than the extremes of each model.
    """
    parts = [part for part, _ in models]
    means = [np.array([m.means[side] for m in parts]) for side in (0, 1)]
    extremes = [
        np.concatenate([v[r > 0] for v, r in zip(m.values, m.rows, strict=True)]) for m in parts
    ]
    highest, lowest = (np.array([f(x, initial=e) for x in extremes]) for f, e in _ENDS)
    rows = [_effective(parts[0].rows[side], parts[0].squares[side]) for side in (0, 1)]
    return ExpectedCosts(
        (means[0], means[1]),
        covariances(parts, joint, bits),
        (rows[0], rows[1]),
        np.array([optimism for _, optimism in models]),
        highest[:, None] - lowest[None, :],
    )


_ENDS = ((np.max, 0.0), (np.min, 0.5))
"""The costs of a row lie from 0 to ½."""


def covariances(
    models: Sequence[Parts], joint: Mapping[tuple[int, int], pl.DataFrame], bits: int
) -> tuple[Floats, Floats]:
    """The covariance of the means of the rows of each class: of the positives, the negatives.

    ``joint`` has for each pair the rows by class and larger cell of both:
    ``positive key_a key_b mass2``, the last being sums of squared weights, or
    rows where there are none. A variance is that of the cells themselves. In a
    covariance the rows of a larger cell count with their mean. Of what that leaves
    out the part of both models' deviations from it is at most √(Wa·Wb), W being
    the variance within larger cells, and that much is taken off.
    NaN when a class has fewer than two (effective) rows.
    """
    size = len(models)
    both = np.zeros((size, size)), np.zeros((size, size))
    for side, covariance in enumerate(both):
        spreads = [_spread(m, side, bits) for m in models]
        for i, (variance, _, _) in enumerate(spreads):
            covariance[i, i] += variance
        for (i, j), table in joint.items():
            rows = table.filter(pl.col("positive") == (side == 0))
            scale = _scale(models[i].rows[side], models[i].squares[side])
            parts = [
                rows.select(pl.col(key).replace_strict(*spreads[k][2], return_dtype=pl.Float64))
                .to_series()
                .to_numpy()
                for k, key in ((i, "key_a"), (j, "key_b"))
            ]
            shared = float((rows["mass2"].to_numpy() * parts[0] * parts[1]).sum()) / scale
            lost = float(np.sqrt(spreads[i][1] * spreads[j][1]))
            covariance[i, j] += shared - lost
            covariance[j, i] = covariance[i, j]
    return both


def _effective(rows: Floats, squares: Floats) -> float:
    """Kish's effective number of rows; their number without weights."""
    total, square = float(rows.sum()), float(squares.sum())
    return total**2 / square if square else 0.0


def _scale(rows: Floats, squares: Floats) -> float:
    """W²(1 − 1/n) for n effective rows of weight W together (Kish); n(n − 1) without weights."""
    if _effective(rows, squares) <= 1 + 1e-9:
        return float("nan")
    return float(rows.sum()) ** 2 - float(squares.sum())


def _spread(
    model: Parts, side: int, bits: int
) -> tuple[float, float, tuple[list[int], list[float]]]:
    """Variance of a class's mean, its part within larger cells, and their mean deviations."""
    table = pl.DataFrame(
        {
            "key": model.keys,
            "squares": model.squares[side],
            "away": model.values[side] - model.means[side],
        }
    ).filter(pl.col("squares") > 0)
    scale = _scale(model.rows[side], model.squares[side])
    r, d = pl.col("squares"), pl.col("away")
    larger = (
        table.group_by(key=coarse(pl.col("key"), bits))
        .agg(squares=r.sum(), away=(r * d).sum() / r.sum())
        .sort("key")
    )
    whole, between = (t.select((r * d**2).sum()).item() / scale for t in (table, larger))
    within = max(whole - between, 0.0)
    return whole, within, (larger["key"].to_list(), larger["away"].to_list())
