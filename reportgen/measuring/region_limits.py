"""Limits of the measures of counts that have no closed form, from a region of their shares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.intervals.delta import SQUARES, evaluating
from reportgen.intervals.share_regions import NAME, confidence_at_kink, region_limits
from reportgen.measuring.binary_model import BinaryModel
from reportgen.measuring.cell_effects import effects_of_cells
from reportgen.measuring.interval_methods import DEFAULT
from reportgen.metric_names import CELLS
from reportgen.metrics import METRICS, Metric
from reportgen.metrics.settings import ErrorCosts
from reportgen.spec import Spec

SCHEMA = {"metric": pl.String, "low": pl.Float64, "high": pl.Float64, "interval": pl.String}

ROUNDING = 1e-12
"""Limits that are nearer to each other, as a share of their size, are one number."""


def regional(metrics: Sequence[Metric], spec: Spec) -> list[Metric]:
    """Those of the measures that have no form of their own, unless the spec chose another."""
    if spec.intervals.ratios != DEFAULT.ratios:
        return []
    return [m for m in metrics if m.on == "counts" and METRICS[m.name].interval is None]


def limits_of_regions(
    models: Sequence[BinaryModel],
    metrics: Sequence[Metric],
    spec: Spec,
    costs: ErrorCosts,
) -> list[pl.DataFrame]:
    """A table of each model: low and high of each measure, null where it has none."""
    if not metrics:
        return [pl.DataFrame(schema=SCHEMA) for _ in models]
    counts = np.concatenate([_columns(model, CELLS) for model in models])
    squares = np.concatenate([_squares(model) for model in models])
    factors = _factors(models, metrics, spec, costs)
    valued = factors > 0
    kinks = np.array([m.at_kink for m in metrics])
    low, high = region_limits(
        evaluating({m.name: m.expression(**costs) for m in metrics}),
        counts,
        squares[:, None] * np.where(valued, factors, 1.0)[..., None],
        np.where(kinks, confidence_at_kink(spec.confidence), spec.confidence),
        fixed_prevalence=spec.bootstrap.stratified,
    )
    apart = valued & (high - low > ROUNDING * np.maximum(np.abs(high), np.abs(low)))
    ends = [np.where(apart, end, np.nan) for end in (low, high)]
    return [_table(metrics, *(end[k] for end in ends)) for k in range(len(models))]


def _columns(model: BinaryModel, names: Sequence[str]) -> Floats:
    return model.counts.select(names).cast(pl.Float64).to_numpy()


def _squares(model: BinaryModel) -> Floats:
    weighted = set(SQUARES) <= set(model.counts.columns)
    return _columns(model, SQUARES if weighted else CELLS)


def _factors(
    models: Sequence[BinaryModel],
    metrics: Sequence[Metric],
    spec: Spec,
    costs: ErrorCosts,
) -> Floats:
    """By what groups make rows worth less: model × measure, 0 where that has no value."""
    tables = [model.by_group for model in models if model.by_group is not None]
    if len(tables) < len(models):
        return np.ones((len(models), len(metrics)))
    effects = effects_of_cells(tables, metrics, costs, made_of_shares=True)
    inflated = [[e[m.name].inflation(spec.confidence) for m in metrics] for e in effects]
    factors: Floats = np.nan_to_num(np.array(inflated))
    return factors


def _table(metrics: Sequence[Metric], low: Floats, high: Floats) -> pl.DataFrame:
    names, method = [m.name for m in metrics], [NAME] * len(metrics)
    columns = {"metric": names, "low": low, "high": high, "interval": method}
    return pl.DataFrame(columns, schema=SCHEMA, nan_to_null=True)
