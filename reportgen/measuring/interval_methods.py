"""The measures with the interval methods that a spec asks for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from reportgen.intervals import (
    AVERAGE_PRECISION,
    FEW_POSITIVES,
    FMeasure,
    Interval,
    ModifiedWilson,
    Share,
    SquareAndAdd,
    Wald,
    delong_logit,
    hanley_mcneil_interval,
    newcombe_area_interval,
)
from reportgen.intervals.areas import PrecisionArea
from reportgen.intervals.average_precision import InfluenceLogit
from reportgen.metrics import Metric
from reportgen.metrics.ranking import auc, delong_variance
from reportgen.spec.option_groups import Intervals

DEFAULT = Intervals()


def chosen(metrics: Iterable[Metric], methods: Intervals) -> list[Metric]:
    """Each measure with the interval that the spec chose for its kind; none: it is resampled."""
    metric_list = tuple(metrics)
    return list(metric_list if methods == DEFAULT else _chosen(metric_list, methods))


@lru_cache(maxsize=256)
def _chosen(metrics: tuple[Metric, ...], methods: Intervals) -> tuple[Metric, ...]:
    """The same objects again, so that what is made of their expressions is."""
    return tuple(replace(m, interval=_interval(m, methods)) for m in metrics)


def chosen_of_part(metrics: Iterable[Metric], methods: Intervals) -> list[Metric]:
    """The same for a slice, a class or a label, which is not resampled.

    Areas under P-R curves by ``few_logit`` then have logit limits whatever the number of positives:
    of 100 to 800 they held average precision in 0.91 to 1.00 of 400 samples of 44 designs, in 0.88
    of one.
    """
    return list(_of_part(tuple(chosen(metrics, methods))))


@lru_cache(maxsize=256)
def _of_part(metrics: tuple[Metric, ...]) -> tuple[Metric, ...]:
    return tuple(
        replace(m, interval=AVERAGE_PRECISION) if isinstance(m.interval, PrecisionArea) else m
        for m in metrics
    )


def _interval(metric: Metric, methods: Intervals) -> Interval | None:
    interval = metric.interval
    if isinstance(interval, ModifiedWilson) and methods.proportions != DEFAULT.proportions:
        return Share(interval.cells, interval.counted, methods.proportions)
    if isinstance(interval, SquareAndAdd | FMeasure) and methods.ratios != DEFAULT.ratios:
        return interval.classical if methods.ratios == "delta" else None
    if metric.name == "auc" and methods.auc != DEFAULT.auc:
        options: dict[str, Interval] = {
            "newcombe": newcombe_area_interval(),
            "delong": Wald("delong", delong_variance()),
            "delong_logit": delong_logit(delong_variance()),
            "hanley_mcneil": hanley_mcneil_interval(auc()),
        }
        return options.get(methods.auc)
    if isinstance(interval, PrecisionArea | InfluenceLogit):
        return _of_precision(interval, methods.average_precision)
    return interval


def _of_precision(interval: Interval, method: str) -> Interval | None:
    if method == DEFAULT.average_precision:
        return interval
    return {"few_logit": FEW_POSITIVES, "logit": AVERAGE_PRECISION}.get(method)
