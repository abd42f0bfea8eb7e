"""The measures with the interval methods that a spec asks for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from reportgen.intervals import (
    AVERAGE_PRECISION,
    Delta,
    Interval,
    Share,
    Wilson,
    delong_logit,
    hanley_mcneil_interval,
)
from reportgen.metrics import Metric, auc
from reportgen.metrics.ranking import delong_variance
from reportgen.spec.intervals import Intervals

DEFAULT = Intervals()


def chosen(metrics: Iterable[Metric], methods: Intervals) -> list[Metric]:
    """Each measure with the interval that the spec chose for its kind; none: it is resampled."""
    wanted = list(metrics)
    if methods == DEFAULT:
        return wanted
    return [replace(m, interval=_interval(m, methods)) for m in wanted]


def _interval(metric: Metric, methods: Intervals) -> Interval | None:
    own = metric.interval
    if isinstance(own, Wilson) and methods.proportions != "wilson":
        return Share(own.cells, methods.proportions)
    if isinstance(own, Delta) and methods.ratios == "bootstrap" and metric.task == "binary":
        return None
    if metric.name == "auc" and methods.auc != "delong":
        made: dict[str, Interval] = {
            "delong_logit": delong_logit(delong_variance()),
            "hanley_mcneil": hanley_mcneil_interval(auc()),
        }
        return made.get(methods.auc)
    if metric.name == "average_precision" and methods.average_precision == "logit":
        return AVERAGE_PRECISION
    return own
