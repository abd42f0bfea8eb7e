"""Quantiles, intervals and costs of rows that depend: ``… tests.simulations.dependent_losses 400``.

Two models that are as good but unlike, in 40 groups of 8, in order of time with an autocorrelation
of 0.6, in panels of both, and in 5 folds, each with a shift of its own fit: how often the report
names a winner.
Then costs of learners that are fitted in each fold, one in ten rows positive.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from scipy.signal import lfilter
from scipy.special import ndtr

from reportgen import evaluate
from reportgen.array_types import Floats
from tests.quick import BY_DELTA
from tests.report_data import Draw, resampled
from tests.simulations.declared_costs_decide import FIVE, TWENTY
from tests.simulations.unlike_losses import LEVEL, TAIL, Generator, as_good

COLUMNS = ("id", "group", "time", "repeat", "fold", "role")
SHARE, MEMORY = 0.5, 0.6
"""The part of the variance between groups, and the autocorrelation."""

EXCHANGED: dict[str, Any] = {"bootstrap": {"replicates": 200}, **BY_DELTA}
"""With the tests that exchange outputs."""

Columns = dict[str, Any]
Sample = Callable[[Generator], tuple[Floats, Columns]]


def in_groups(random: Generator) -> tuple[Floats, Columns]:
    """Deviates in 40 groups of 8 rows."""
    group = np.repeat(np.arange(40), 8)
    of_group, of_row = random.normal(size=40)[group], random.normal(size=320)
    return SHARE**0.5 * of_group + (1 - SHARE) ** 0.5 * of_row, {"group": group}


def in_time(random: Generator) -> tuple[Floats, Columns]:
    """200 deviates in order of time."""
    noise = random.normal(size=400) * (1 - MEMORY**2) ** 0.5
    return lfilter([1.0], [1.0, -MEMORY], noise)[200:], {"time": np.arange(200)}


def in_folds(random: Generator) -> tuple[Floats, Columns]:
    """200 deviates in 5 folds."""
    return random.normal(size=200), {"fold": np.arange(200) % 5}


def in_panels(random: Generator) -> tuple[Floats, Columns]:
    """Deviates of 20 groups at 1,200 points of time, of which all groups share a part."""
    noise = random.normal(size=1_400) * (1 - MEMORY**2) ** 0.5
    shared = lfilter([1.0], [1.0, -MEMORY], noise)[200:]
    of_group, of_row = random.normal(size=(20, 1)), random.normal(size=(20, 1_200))
    y = (of_group + shared + of_row) / 3**0.5
    return y.ravel(), {
        "group": np.repeat(np.arange(20), 1_200),
        "time": np.tile(np.arange(1_200), 20),
    }


SAMPLES: dict[str, Sample] = {
    "40 groups of 8": in_groups,
    "200 points of time": in_time,
    "5 folds of 40": in_folds,
    "panels of 20 groups and 1,200 points of time": in_panels,
}


def _shifts(random: Generator, of_rows: Columns) -> tuple[Floats, Floats]:
    """What each fit of two models is off by; nothing where there is one fit."""
    if "fold" not in of_rows:
        return np.zeros(1), np.zeros(1)
    first, second = 0.1 * random.normal(size=(2, 5))
    return first[of_rows["fold"]], second[of_rows["fold"]]


def of_quantiles(sample: Sample, random: Generator) -> tuple[pl.DataFrame, Columns]:
    """One model whose quantiles are too low, one whose are too high, or two shifted alike."""
    y, of_rows = sample(random)
    ends, shifts = as_good("normal")[0], _shifts(random, of_rows)
    if "fold" in of_rows:
        ends = (ends[1], ends[1])
    estimates = {m: np.full(len(y), e) + s for m, e, s in zip("ab", ends, shifts, strict=True)}
    models = {m: {"estimate": m, "quantile": LEVEL} for m in "ab"}
    return pl.DataFrame({"truth": y, **estimates, **of_rows}), {"models": models}


def of_intervals(sample: Sample, random: Generator) -> tuple[pl.DataFrame, Columns]:
    """Intervals that are too narrow and too wide, around one estimate."""
    y, of_rows = sample(random)
    limits, shifts = as_good("normal")[1], _shifts(random, of_rows)
    if "fold" in of_rows:
        limits = (limits[1], limits[1])
    columns = {
        f"{m}_{end}": np.full(len(y), at) + shift
        for m, both, shift in zip("ab", limits, shifts, strict=True)
        for end, at in zip(("low", "high"), both, strict=True)
    }
    estimate = np.zeros(len(y))
    models = {
        m: {"estimate": "e", "low": f"{m}_low", "high": f"{m}_high", "level": 1 - TAIL}
        for m in "ab"
    }
    return pl.DataFrame({"truth": y, "e": estimate, **columns, **of_rows}), {"models": models}


def of_costs(sample: Sample, random: Generator) -> tuple[pl.DataFrame, Columns]:
    """Two models whose errors cost the same on average, one of which misses fewer."""
    y, of_rows = sample(random)
    first, second = sample(random)[0], sample(random)[0]
    truth = y > 0.524
    alarms = 0.1 + 0.05 * 5 * 0.3 / 0.7
    scores = {
        m: shares(deviate, np.where(truth, 1 - missed, false))
        for m, deviate, missed, false in (("a", first, 0.25, 0.1), ("b", second, 0.2, alarms))
    }
    models = {m: {"score": m} for m in "ab"}
    return pl.DataFrame({"truth": truth, **scores, **of_rows}), {"models": models, **FIVE}


def shares(deviate: Floats, flagged: Floats) -> Floats:
    """Scores above one half in this share of rows."""
    place = ndtr(deviate)
    return np.where(place > 1 - flagged, 0.75, 0.25) + (place - 0.5) / 4


FITTED = {
    f"{learner}, {scheme}": resampled(scheme, learner, 1.0, 200, 0.1, folds=5, **repeats)
    for learner in ("trees", "logistic")
    for scheme, repeats in (("k_fold", {}), ("repeated_k_fold", {"repeats": 3}))
}
"""Two learners of one kind on features of their own, in folds."""


def costs_of_fitted(draw: Draw, random: Generator) -> tuple[pl.DataFrame, Columns]:
    """Learners of one kind, each missed positive at twenty times the cost of a false alarm."""
    return draw(random, 1), {"models": {m: {"score": m} for m in "ab"}, **TWENTY}


Situation = tuple[pl.DataFrame, Columns]

KINDS: dict[str, Callable[[Sample, Generator], Situation]] = {
    "quantiles": of_quantiles,
    "intervals": of_intervals,
    "costs": of_costs,
}
DESIGNS: dict[str, Callable[[Generator], Situation]] = {
    **{
        f"{k}, {s}": partial(kind, sample)
        for k, kind in KINDS.items()
        for s, sample in SAMPLES.items()
    },
    **{f"costs, {name}": partial(costs_of_fitted, draw) for name, draw in FITTED.items()},
}


def concluded(draw: Callable[[Generator], Situation], run: int) -> tuple[bool, str]:
    """Whether the report of one data set names a winner, and the measure that decides."""
    frame, spec = draw(np.random.default_rng([19, run]))
    columns = {name: name for name in COLUMNS if name in frame.columns}
    spec = {"truth": "truth", "columns": columns, **EXCHANGED, **spec}
    decision = evaluate(spec, frame).decision
    return decision.relation == "ahead", str(decision.measure)


def main(runs: int) -> None:
    """Print a line per kind of output and of dependence."""
    for name, draw in DESIGNS.items():
        reports = [concluded(draw, run) for run in range(runs)]
        ahead = np.mean([winner for winner, _ in reports])
        by = sorted({measure for _, measure in reports})
        print(f"{name}: {ahead:.3f} ({', '.join(by)})", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
