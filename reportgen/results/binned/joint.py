"""Covariance of areas of two models from joint counts of their scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.comparisons.delong import AreaCovariance
from reportgen.comparisons.expected_costs import row_costs
from reportgen.engines.keys import coarse
from reportgen.results.binned.sweeps import Sweeps
from reportgen.results.judged import Judged

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Parts:
    """What the rows of each cell of one model bring to its area: one value per class."""

    keys: pl.Series
    rows: tuple[Floats, Floats]
    values: tuple[Floats, Floats]

    @property
    def means(self) -> tuple[float, float]:
        """The mean of the rows of each class."""
        return tuple(  # type: ignore[return-value]  # two of them
            float((r * v).sum() / (r.sum() or np.nan))
            for r, v in zip(self.rows, self.values, strict=True)
        )


def placements(found: Sweeps) -> Parts:
    """Share of the other class that a row of each cell beats, ties half; (positives, negatives).

    DeLong et al. (1988), doi:10.2307/2531595.
    """
    tp, fp = found.at["tp"].to_numpy(), found.at["fp"].to_numpy()
    beats = 1 - (fp[1:] + fp[:-1]) / 2 / (fp[-1] or np.nan)
    beaten = (tp[1:] + tp[:-1]) / 2 / (tp[-1] or np.nan)
    return Parts(found.keys, (np.diff(tp), np.diff(fp)), (beats, beaten))


def costs(found: Sweeps, model: Judged) -> Parts:
    """Cost of a row of each cell over all P(+)cost (see ``cost_covariance``)."""
    if model.hull is None:
        raise ValueError(f"model {model.name!r} has no scores")
    tp, fp, scores = (found.at[c].to_numpy() for c in ("tp", "fp", "threshold"))
    values = [
        row_costs(model.hull, scores[1:], np.full(len(scores) - 1, side)) for side in (True, False)
    ]
    return Parts(found.keys, (np.diff(tp), np.diff(fp)), (values[0], values[1]))


def covariance(
    models: Sequence[Parts],
    joint: Mapping[tuple[int, int], pl.DataFrame],
    bits: int,
    area: Callable[[tuple[float, float]], float],
) -> AreaCovariance:
    """Areas of all models and their covariance.

    ``joint`` has for each pair the rows by class and larger cell of both:
    ``positive key_a key_b rows``. A variance is that of the cells themselves.
    In a covariance the rows of a larger cell count with their mean; what that
    leaves out is at most √(Wa·Wb), W being the variance within larger cells,
    and that much is taken off, so that no difference looks surer than it is.
    NaN when a class has fewer than two rows.
    """
    size = len(models)
    found = np.zeros((size, size))
    for side in (0, 1):
        spreads = [_spread(m, side, bits) for m in models]
        for i, (variance, _, _) in enumerate(spreads):
            found[i, i] += variance
        for (i, j), table in joint.items():
            rows = table.filter(pl.col("positive") == (side == 0))
            n = float(rows["rows"].sum())
            scale = n * (n - 1) if n > 1 else np.nan
            parts = [
                rows.select(pl.col(key).replace_strict(*spreads[k][2], return_dtype=pl.Float64))
                .to_series()
                .to_numpy()
                for k, key in ((i, "key_a"), (j, "key_b"))
            ]
            shared = float((rows["rows"].to_numpy() * parts[0] * parts[1]).sum()) / scale
            lost = float(np.sqrt(spreads[i][1] * spreads[j][1]))
            found[i, j] += shared - lost
            found[j, i] = found[i, j]
    return AreaCovariance(np.array([area(m.means) for m in models]), found)


def _spread(
    model: Parts, side: int, bits: int
) -> tuple[float, float, tuple[list[int], list[float]]]:
    """Variance of a class's mean, its part within larger cells, and their mean deviations."""
    table = pl.DataFrame(
        {
            "key": model.keys,
            "rows": model.rows[side],
            "away": model.values[side] - model.means[side],
        }
    ).filter(pl.col("rows") > 0)
    n = float(table["rows"].sum())
    scale = n * (n - 1) if n > 1 else float("nan")
    r, d = pl.col("rows"), pl.col("away")
    larger = (
        table.group_by(key=coarse(pl.col("key"), bits))
        .agg(rows=r.sum(), away=(r * d).sum() / r.sum())
        .sort("key")
    )
    whole, between = (t.select((r * d**2).sum()).item() / scale for t in (table, larger))
    within = max(whole - between, 0.0)
    return whole, within, (larger["key"].to_list(), larger["away"].to_list())
