"""Limits of the measures of counts that have no closed form, from a region of their shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from reportgen.array_types import Flags, Floats
from reportgen.intervals.delta import CELLS, SQUARES, evaluating
from reportgen.intervals.share_regions import NAME, confidence_at_kink, region_limits
from reportgen.measuring.binary_model import BinaryModel
from reportgen.measuring.grouped import effects_of_cells
from reportgen.measuring.interval_methods import DEFAULT
from reportgen.metrics import METRICS, Metric
from reportgen.spec import Spec

SCHEMA = {"metric": pl.String, "low": pl.Float64, "high": pl.Float64, "interval": pl.String}

AT_KINK = frozenset({"optimised_precision", "class_balance_accuracy", "joint_entropy"})
"""Measures that are largest where several shares are equal, as they are in good models."""

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
    costs: Mapping[str, float],
) -> list[pl.DataFrame]:
    """A table of each model: low and high of each measure, null where it has none."""
    if not metrics:
        return [pl.DataFrame(schema=SCHEMA) for _ in models]
    counts = np.concatenate([_columns(model, CELLS) for model in models])
    squares = np.concatenate([_squares(model) for model in models])
    factors = _factors(models, metrics, spec, costs)
    low, high = (np.full((len(models), len(metrics)), np.nan) for _ in range(2))
    kinks = np.array([m.name in AT_KINK for m in metrics])
    for factor, kink in _alike(factors, kinks):
        at = np.flatnonzero((factors == factor[:, None]).all(axis=0) & (kinks == kink))
        valued = np.flatnonzero(factor > 0)
        if not valued.size:
            continue
        values = {metrics[k].name: metrics[k].expression(**costs) for k in at.tolist()}
        low[np.ix_(valued, at)], high[np.ix_(valued, at)] = region_limits(
            evaluating(values),
            counts[valued],
            squares[valued] * factor[valued, None],
            confidence_at_kink(spec.confidence) if kink else spec.confidence,
            fixed_prevalence=spec.bootstrap.stratified,
        )
    apart = high - low > ROUNDING * np.maximum(np.abs(high), np.abs(low))
    ends = [np.where(apart, end, np.nan) for end in (low, high)]
    return [_table(metrics, *(end[k] for end in ends)) for k in range(len(models))]


def _alike(factors: Floats, kinks: Flags) -> Iterator[tuple[Floats, bool]]:
    """The different pairs of the factors of all models, and whether a measure has a kink."""
    different = np.unique(np.vstack([factors, kinks]), axis=1).T
    yield from ((column[:-1], bool(column[-1])) for column in different)


def _columns(model: BinaryModel, names: Sequence[str]) -> Floats:
    return model.counts.select(names).cast(pl.Float64).to_numpy()


def _squares(model: BinaryModel) -> Floats:
    weighted = set(SQUARES) <= set(model.counts.columns)
    return _columns(model, SQUARES if weighted else CELLS)


def _factors(
    models: Sequence[BinaryModel],
    metrics: Sequence[Metric],
    spec: Spec,
    costs: Mapping[str, float],
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
    columns = {"metric": [m.name for m in metrics], "low": low, "high": high}
    frame = pl.DataFrame(columns).with_columns(interval=pl.lit(NAME))
    return frame.cast(SCHEMA).with_columns(pl.col("low", "high").fill_nan(None))  # type: ignore[arg-type]
