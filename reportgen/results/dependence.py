"""How much the rows of a group depend on each other: design effects for the data section."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from reportgen.clusters import FEW, Effect, Groups, intraclass_correlation, mean_effect
from reportgen.results.case import Case, Found, own

Record = dict[str, Any]


def groups_record(case: Case, task_results: Found) -> Record | None:
    """The groups of the evaluated rows and what they do to the measures; null without a column.

    ``measures`` has for each model the design effect D of its main measure and
    of its AUC, the intraclass correlation of its losses, and the rows that
    these are worth, n/D (of weighted rows Kish's size over D). ``few`` says that
    limits which allow for the groups are rough.
    Rao & Scott (1992), doi:10.2307/2532311; Donner (1986), doi:10.2307/1403259.
    """
    if "group" not in case.predictions.frame.columns:
        return None
    rows = case.rows
    if "group" not in rows.columns:
        sizes = np.ones(rows.height)
    else:
        sizes = Groups.of(rows["group"]).sizes.astype(np.float64)
    return {
        "number": len(sizes),
        "largest": int(sizes.max(initial=0)),
        "mean_rows": float(sizes.mean()) if len(sizes) else None,
        "few": len(sizes) < FEW,
        "measures": [] if "group" not in rows.columns else list(_measures(case, task_results)),
    }


def _measures(case: Case, task_results: Found) -> Iterator[Record]:
    """A record for each model and measure that has a design effect."""
    losses = task_results.losses
    columns = {model.name: model for model in case.predictions.models}
    for name, loss in losses.of.items():
        rows = own(case.rows, columns[name])
        groups, lost = Groups.of(rows["group"]), rows.select(loss.cast(pl.Float64)).to_series()
        weights = None if case.weight is None else rows[case.weight].cast(pl.Float64).to_numpy()
        size = float(rows.height) if weights is None else weights.sum() ** 2 / (weights**2).sum()
        if lost.null_count() == 0 and (mean := mean_effect(lost.to_numpy(), groups, weights)):
            correlation = intraclass_correlation(lost.to_numpy(), groups)
            yield _record(name, losses.measure, size, mean[1], correlation)
        if name in losses.scores:
            yield _record(name, "auc", size, task_results.area_effects[name])


def _record(
    model: str, metric: str, size: float, effect: Effect, correlation: float = math.nan
) -> Record:
    return {
        "model": model,
        "metric": metric,
        "design_effect": _known(effect.design),
        "intraclass_correlation": _known(correlation),
        "effective_rows": _known(size / effect.design),
        "degrees_of_freedom": _known(effect.degrees_of_freedom),
    }


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
