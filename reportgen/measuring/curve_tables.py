"""The curve tables of the results: every point of small ones, a faithful outline of large ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.curves import (
    RANKING_CURVES,
    calibration,
    calibration_bins,
    confusion,
    cost_envelope,
    cost_zones,
    det,
    error_characteristic,
    error_reject,
    estimates,
    even_in_deviates,
    gain,
    outline,
    precision_outline,
    precision_recall,
    residual_quantiles,
    roc,
    roc_band,
    sampled,
    score_distribution,
    threshold_counts,
    threshold_curve,
    top_of_list,
)
from reportgen.curves.regression import estimates_in_time
from reportgen.measuring.binary_model import BinaryModel
from reportgen.metrics.rates import prevalence as prevalence_of
from reportgen.metrics.settings import ErrorCosts
from reportgen.polylines import simplified
from reportgen.small_queries import selected
from reportgen.sweeping import Ranking
from reportgen.tables import CURVES, Curve

MOST_POINTS = 2000
"""A line with more points is thinned to within 1/4000 of each axis, precision to within 1/2000."""

_BETWEEN = 1 / 11000
"""Of that, what a line does between the points of an outline."""

SMALL = 200
"""The same for the lines of single classes, which are drawn small."""

POSITIONS, MOST_POSITIONS = 8000, 1000
"""Thresholds whose counts are listed: of all models together, and of one at most."""

AGAINST_THRESHOLD = (
    "precision",
    "recall",
    "specificity",
    "f1",
    "mcc",
    "cost_sensitive_error_rate",
)
"""The metrics that are drawn against the threshold."""


@dataclass(frozen=True)
class CurveOptions:
    """What the curves need to know beside the models.

    ``single`` says whether rows are taken as independent, as bands of ROC curves need:
    not weighted ones, those of groups, and those evaluated once per repeat.
    ``measures`` are drawn against the threshold beside the usual ones.
    """

    classes: tuple[str, str]
    confidence: float
    costs: ErrorCosts
    weighted: bool
    single: bool = False
    measures: Sequence[str] = ()


def curves(models: Sequence[BinaryModel], drawing: CurveOptions) -> dict[str, DataFrame[Curve]]:
    """Every curve of every model that has it; names without any line are left out."""
    tables: dict[str, list[pl.DataFrame]] = {name: [] for name in CURVES}
    for model in models:
        table = confusion(model.counts, model.name, classes=drawing.classes)
        tables["confusion"].append(table)
        if model.ranking is None:
            continue
        parts = _forecasts(model, model.ranking, drawing)
        parts["threshold_counts"] = threshold_counts(
            model.ranking,
            model.name,
            points=min(MOST_POSITIONS, POSITIONS // len(models)),
            thresholds=[] if model.threshold is None else [model.threshold.value],
        )
        if model.both_classes:
            parts |= _rankings(model, model.ranking, drawing)
        for name, part in parts.items():
            tables[name].append(part)
    hulls = {m.name: m.hull for m in models if m.hull is not None and m.both_classes}
    if hulls:
        last = next(iter(hulls.values()))[-1]
        prevalence = selected(last, {"prevalence": prevalence_of()}).item()
        tables["cost_zones"] = [cost_zones(hulls, prevalence=prevalence, **drawing.costs)]
    # Each part was validated where it was made.
    return {
        name: cast("DataFrame[Curve]", pl.concat(parts)) for name, parts in tables.items() if parts
    }


def _forecasts(
    model: BinaryModel, ranked: Ranking, drawing: CurveOptions
) -> dict[str, pl.DataFrame]:
    """The curves that one class is enough for."""
    name = model.name
    bins = model.bins if (crowded := calibration_bins(ranked)) is None else crowded
    tables: dict[str, pl.DataFrame] = {
        "score_distribution": score_distribution(ranked, name, classes=drawing.classes)
    }
    if bins is not None and bins.height:
        tables["calibration"] = calibration(
            bins, name, confidence=drawing.confidence, weighted=drawing.weighted
        )
    return tables


def _rankings(
    model: BinaryModel, ranked: Ranking, drawing: CurveOptions
) -> dict[str, pl.DataFrame]:
    """The curves that set positives against negatives."""
    name, costs, steps = model.name, drawing.costs, outline(ranked)
    against = list(dict.fromkeys([*AGAINST_THRESHOLD, *drawing.measures]))
    tables: dict[str, pl.DataFrame] = {
        "roc": thinned(roc(steps, name), "false_positive_rate", "recall"),
        "precision_recall": thinned(
            precision_recall(precision_outline(ranked), name), "recall", "precision"
        ),
        "threshold": threshold_curve(
            sampled(ranked, thresholds=_named_thresholds(model)), against, name, settings=costs
        ),
        "det": det(even_in_deviates(ranked), name),
        "top_of_list": top_of_list(ranked, name),
        "gain": thinned(gain(steps, name), "share", "recall"),
    }
    if model.hull is not None:
        tables |= {
            "roc_hull": roc(model.hull, name),
            "cost_envelope": cost_envelope(model.hull, name),
        }
    tables |= {
        key: curve.make(ranked, name)
        for key, curve in RANKING_CURVES.items()
        if model.probability or not curve.probability
    }
    if model.threshold is not None and model.columns.label is None:
        tables["error_reject"] = error_reject(ranked, model.threshold.value, name)
    if drawing.single:
        tables["roc_band"] = roc_band(ranked, name, confidence=drawing.confidence)
    return tables


def _named_thresholds(model: BinaryModel) -> list[float]:
    """The threshold in use and that of the highest F1, which lies on the convex hull."""
    thresholds = [] if model.threshold is None else [model.threshold.value]
    if model.hull is not None:
        hull = model.hull.filter(pl.col("threshold").is_finite())
        f1 = 2 * pl.col("tp") / (2 * pl.col("tp") + pl.col("fp") + pl.col("fn"))
        best = hull.sort(f1, descending=True, maintain_order=True)
        thresholds += best["threshold"].head(1).to_list()
    return thresholds


def thinned(curve: pl.DataFrame, x: str, y: str, most: int = MOST_POINTS) -> pl.DataFrame:
    """The points that draw the curve, all of them where they are at most ``most``."""
    if curve.height <= most:
        return curve
    indices = simplified(curve[x].to_numpy(), curve[y].to_numpy(), 1 / 4000 - _BETWEEN)
    return curve[indices]


MAKERS: dict[str, Callable[[pl.DataFrame, str], pl.DataFrame]] = {
    "estimates": estimates,
    "residual_quantiles": residual_quantiles,
    "error_characteristic": error_characteristic,
}


def curves_of_model(
    name: str, pairs: pl.DataFrame, in_time: pl.DataFrame | None
) -> dict[str, pl.DataFrame]:
    """Rows, residual quantiles and error characteristic of a model, and means over time.

    From its pairs of truth and estimate, and these in time where rows have a time. Pairs that
    are in the order of their values already are not sorted again.
    """
    tables: dict[str, pl.DataFrame] = {curve: make(pairs, name) for curve, make in MAKERS.items()}
    if in_time is not None:
        tables["estimates_in_time"] = estimates_in_time(in_time, name)
    return tables


def joined(models: Sequence[Mapping[str, pl.DataFrame]]) -> dict[str, DataFrame[Curve]]:
    """The curves of all models by their name."""
    return {
        name: CURVES[name].table.validate(pl.concat([t[name] for t in models if name in t]))
        for name in CURVES
        if any(name in t for t in models)
    }
