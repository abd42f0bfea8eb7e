"""How often p of few time points is far below 0.05: ``python -m tests.simulations.far_below 1000``.

Two models that are alike, whose losses, or scores, follow those before them. Share of the series in
which the test of Diebold and Mariano, and DeLong's with a long-run variance, have a p below 0.05,
and below the one from which on a difference of few points stands.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import polars as pl
from scipy.signal import lfilter
from scipy.special import stdtr

from reportgen.array_types import Floats
from reportgen.clusters import Groups
from reportgen.comparing.too_few_units import OF_FEW_POINTS
from reportgen.comparisons import delong_groups_long_run, delong_long_run
from reportgen.comparisons.diebold_mariano import in_time
from tests.simulations.situations import ALPHA, Generator, asked

POINTS = (24, 40, 60, 90, 200)
DEPENDS = (0.0, 0.5, 0.8, 0.95)
START = 200


def series(random: Generator, points: int, rho: float, number: int = 2) -> Floats:
    """So many autoregressions of standard deviation 1."""
    noise = random.standard_normal((number, points + START)) * np.sqrt(1 - rho**2)
    of: Floats = lfilter([1.0], [1.0, -rho], noise, axis=1)[:, START:]
    return of


def of_losses(
    lost: Callable[[Floats], Floats], random: Generator, points: int, rho: float
) -> float:
    """p of the mean difference of two losses."""
    first, second = lost(series(random, points, rho))
    apart = (first - second) / points
    long_run = in_time(apart, np.arange(points))
    if long_run is None or not long_run.variance > 0:
        return 1.0
    error = np.sqrt(long_run.variance / long_run.points) * long_run.correction
    return float(2 * stdtr(long_run.df, -abs(apart.sum()) / error))


def of_areas(rows: int, positive: float, random: Generator, points: int, rho: float) -> float:
    """p of the difference of two AUCs, of so many rows at each point of time."""
    point = np.repeat(np.arange(points), rows)
    shift, *of_models = series(random, points, rho, 3)
    odds = np.log(positive / (1 - positive)) + shift * (rho > 0)
    truth = random.random(len(point)) < 1 / (1 + np.exp(-odds[point]))
    if not 2 < truth.sum() < len(truth) - 2:
        return 1.0
    first, second = (
        1.2 * truth + 0.7 * of[point] + 0.7 * random.standard_normal(len(point)) for of in of_models
    )
    columns = {"point": point, "truth": truth, "first": first, "second": second}
    test = delong_long_run(pl.DataFrame(columns), asked("auc"))
    return 1.0 if test.p_value is None else test.p_value


def of_panels(groups: int, random: Generator, points: int, rho: float) -> float:
    """p of the difference of two AUCs, of as many groups at each point of time."""
    point, group = np.repeat(np.arange(points), groups), np.tile(np.arange(groups), points)

    def latent() -> Floats:
        shared = 0.4 * random.standard_normal(groups)[group]
        in_time = 0.6 * series(random, points, rho, 1)[0][point] * (rho > 0)
        return np.asarray(random.standard_normal(len(point)) + shared + in_time)

    truth = latent() < -1.6
    if not 2 < truth.sum() < len(truth) - 2:
        return 1.0
    common = latent() + 1.7 * truth
    columns = {"point": point, "truth": truth, "first": common + latent()}
    frame = pl.DataFrame(columns).with_columns(second=pl.Series(common + latent()))
    test = delong_groups_long_run(frame, Groups.of(pl.Series(group)), asked("auc"))
    return 1.0 if test.p_value is None else test.p_value


DESIGNS: dict[str, Callable[[Generator, int, float], float]] = {
    "normal losses": partial(of_losses, lambda errors: errors),
    "squared errors": partial(of_losses, np.square),
    "rare errors": partial(of_losses, lambda errors: (errors > 1).astype(float)),
    "AUC, 50 rows a point, 30 % positive": partial(of_areas, 50, 0.3),
    "AUC, 5 rows a point, 10 % positive": partial(of_areas, 5, 0.1),
    "AUC, 10 groups, 10 % positive": partial(of_panels, 10),
    "AUC, 25 groups, 10 % positive": partial(of_panels, 25),
}


def shares(name: str, points: int, rho: float, sets: int) -> Sequence[float]:
    """How often p is below 0.05, and far below it."""
    random = np.random.default_rng([points, round(100 * rho)])
    seen = np.array([DESIGNS[name](random, points, rho) for _ in range(sets)])
    return [float((seen < level).mean()) for level in (ALPHA, OF_FEW_POINTS)]


def main(sets: str = "1000") -> None:
    """Print a line per design, autocorrelation and number of points."""
    for name in DESIGNS:
        for rho in DEPENDS:
            for points in POINTS:
                written = ", ".join(f"{s:.4f}" for s in shares(name, points, rho, int(sets)))
                print(f"{name}, autocorrelation {rho}, {points} points: {written}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
