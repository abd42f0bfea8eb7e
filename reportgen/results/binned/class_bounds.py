"""Areas of each class against the rest from cells, and between which values they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.engines.class_counting import HIGHEST
from reportgen.engines.partial import SCALE
from reportgen.measuring import class_areas
from reportgen.metrics.class_means import BY_CLASS
from reportgen.results.binned.bounds import least_precision
from reportgen.results.binned.sweeps import Sweeps, sweeps

POOLED = -2
"""The class of all scores together."""

CurveKey = tuple[str, str | None, str | None]
"""A measure, a class and an average."""

BoundsOfArea = tuple[float, float]
"""The least and the greatest value that is possible."""


def sweeps_by_class(chosen: pl.DataFrame, *, weighted: bool) -> dict[int, Sweeps]:
    """The cells of each class, those of the highest scores, and of all classes together."""
    squares = {"squares": "mass2"} if weighted else {}
    cut = pl.col("mass") / SCALE
    columns = ("class", "key", "positive", "low", "high", "scores")
    cells = chosen.select(*columns, cut=cut, rows="mass", **squares)
    parts = cells.partition_by("class", as_dict=True, include_key=False)
    result = {int(k): sweeps(rows) for (k,), rows in parts.items()}
    sums = [name for name in ("cut", "rows", "scores", *squares) if name in cells.columns]
    pooled = (
        cells.filter(pl.col("class") != HIGHEST)
        .sort("key", "positive", "class")
        .group_by("key", "positive", maintain_order=True)
        .agg(pl.col("low").min(), pl.col("high").max(), *(pl.col(name).sum() for name in sums))
    )
    return result | {POOLED: sweeps(pooled)}


def bounds_of_classes(
    of_classes: Mapping[int, Sweeps], counts: pl.DataFrame, classes: Sequence[str]
) -> dict[CurveKey, BoundsOfArea]:
    """Between which values areas and average precisions are, whatever the order in cells is."""
    if not of_classes:
        return {}
    ends = {k: _ends(cells) for k, cells in of_classes.items() if k != HIGHEST}
    result: dict[CurveKey, BoundsOfArea] = {}
    support = counts.select(pl.col("tp") + pl.col("fn")).to_series().to_numpy()
    for name in BY_CLASS:
        pairs = [ends[k].get(name) for k in range(len(classes))]
        named = zip(classes, pairs, strict=True)
        result |= {(name, label, None): pair for label, pair in named if pair is not None}
        for kind, weights in (("macro", np.ones(len(pairs))), ("weighted", support)):
            if (mean := _mean(pairs, weights)) is not None:
                result[name, None, kind] = mean
        if name in ends[POOLED]:
            result[name, None, "micro"] = ends[POOLED][name]
    return result


def _mean(pairs: Sequence[BoundsOfArea | None], weights: Floats) -> BoundsOfArea | None:
    """The mean of the ends of the classes that have any."""
    defined = [(p, w) for p, w in zip(pairs, weights, strict=True) if p is not None]
    if sum(w for _, w in defined) <= 0:
        return None
    low, high = np.average([p for p, _ in defined], axis=0, weights=[w for _, w in defined])
    return float(low), float(high)


def _ends(cells: Sweeps) -> dict[str, BoundsOfArea]:
    if not cells.merged:
        return {n: (v, v) for n, v in class_areas.of_sweep(cells.at).items() if v is not None}
    best, worst = class_areas.of_sweep(cells.best), class_areas.of_sweep(cells.worst)
    if worst["average_precision"] is not None:
        worst["average_precision"] = least_precision(
            cells.worst, cells.tied, weighted="tp2" in cells.worst.columns
        )
    return {
        name: (low, high)
        for name in BY_CLASS
        if (low := worst[name]) is not None and (high := best[name]) is not None
    }
