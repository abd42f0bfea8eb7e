"""The curves of the results, each by its key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import pandera.polars as pa
import polars as pl

from reportgen.tables.checked import ResultTable
from reportgen.tasks import CLASSIFICATION

T = TypeVar("T", bound="Curve")


class Curve(ResultTable):
    """A curve in the results: what names one line, and the arrays along it.

    ``class`` names the class that stands against the rest; null: a binary
    report, or all classes together.
    """

    model: str
    slice: str = pa.Field(nullable=True)
    class_: str = pa.Field(alias="class", nullable=True)


@dataclass(frozen=True, slots=True)
class CurveRecord:
    """A curve of the results: its printed name, its table, its tasks, and what names one line."""

    key: str
    title: str
    table: type[Curve]
    tasks: tuple[str, ...]
    line_keys: tuple[str, ...]


CURVES: dict[str, CurveRecord] = {}
"""Every curve of the results by its key in ``results.json``."""


def curve(
    key: str, title: str, *, tasks: tuple[str, ...] = ("binary",), lines: str | None = None
) -> Callable[[type[T]], type[T]]:
    """Register the decorated table under its key, with the name that reports print.

    Lines are named by model, slice and class, and by the column ``lines``
    where there is one; the other columns are arrays along a line.
    """

    def record(table: type[T]) -> type[T]:
        more = () if lines is None else (lines,)
        CURVES[key] = CurveRecord(key, title, table, tasks, ("model", "slice", "class", *more))
        return table

    return record


@curve("roc", "ROC curve", tasks=CLASSIFICATION)
class Roc(Curve):
    """Recall against false-positive rate, from (0, 0) to (1, 1).

    ``threshold`` is null at the first point, with no predicted positives.
    """

    threshold: pl.Float64 = pa.Field(nullable=True)
    false_positive_rate: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    recall: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)


@curve("precision_recall", "precision–recall curve", tasks=CLASSIFICATION)
class PrecisionRecall(Curve):
    """Precision against recall, from the strictest threshold that predicts anything positive."""

    threshold: pl.Float64
    recall: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    precision: pl.Float64 = pa.Field(ge=0, le=1)


@curve("cost_envelope", "cost curve")
class CostEnvelope(Curve):
    """Lower envelope of the cost lines, one row per vertex, the trivial classifiers included.

    ``threshold`` is the one whose line is lowest from this vertex to the next
    (null: predict nothing positive, and at the last vertex); −∞ never occurs, the
    lowest score stands for "predict everything positive". ``false_positive_rate``
    and ``false_negative_rate`` are that line's ends at 0 and at 1.
    """

    probability_cost: pl.Float64 = pa.Field(ge=0, le=1)
    normalised_cost: pl.Float64 = pa.Field(ge=0, le=1)
    threshold: pl.Float64 = pa.Field(nullable=True)
    false_positive_rate: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    false_negative_rate: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)


@curve("cost_zones", "cheapest model by operating condition")
class CostZones(Curve):
    """Stretches of P(+)cost in which one threshold of one model costs least of all models.

    The lines of one model are its own zones, in the order of P(+)cost, from
    ``low`` to ``high``; ``threshold`` is null where predicting nothing positive
    is cheapest. Prevalences are those at the declared costs, cost ratios (false
    negative over false positive) those at the prevalence of the rows; null
    where any will do, or none.
    """

    low: pl.Float64 = pa.Field(ge=0, le=1)
    high: pl.Float64 = pa.Field(ge=0, le=1)
    threshold: pl.Float64 = pa.Field(nullable=True)
    false_positive_rate: pl.Float64 = pa.Field(ge=0, le=1)
    false_negative_rate: pl.Float64 = pa.Field(ge=0, le=1)
    prevalence_low: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    prevalence_high: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    cost_ratio_low: pl.Float64 = pa.Field(ge=0, nullable=True)
    cost_ratio_high: pl.Float64 = pa.Field(ge=0, nullable=True)


@curve("calibration", "calibration curve", tasks=CLASSIFICATION)
class Calibration(Curve):
    """Observed share of positives against mean forecast, one row per occupied bin.

    Of several classes: without ``class`` the highest score of each row, and
    whether its class is the truth.
    """

    low: pl.Float64 = pa.Field(ge=0, le=1)
    high: pl.Float64 = pa.Field(ge=0, le=1)
    count: pl.Float64 = pa.Field(gt=0)
    mean_score: pl.Float64 = pa.Field(ge=0, le=1)
    observed: pl.Float64 = pa.Field(ge=0, le=1)
    observed_low: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    observed_high: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)


@curve("score_distribution", "distribution of the scores", lines="truth")
class ScoreDistribution(Curve):
    """Histogram of the scores of each true class; ``share`` sums to 1 over a class."""

    truth: str
    low: pl.Float64
    high: pl.Float64
    count: pl.Float64 = pa.Field(ge=0)
    share: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)


@curve("threshold", "measures by threshold", lines="metric")
class ThresholdCurve(Curve):
    """A metric against the threshold, loosest first; null where it is undefined."""

    metric: str
    threshold: pl.Float64
    value: pl.Float64 = pa.Field(nullable=True)


@curve("threshold_counts", "counts by threshold")
class ThresholdCounts(Curve):
    """Confusion counts at the thresholds of a model, strictest first.

    ``threshold`` is null at the first row, with no predicted positives. ``skipped``
    counts the distinct scores between a row and the one before it: all 0 unless
    there are more thresholds than rows.
    """

    threshold: pl.Float64 = pa.Field(nullable=True)
    tp: pl.Float64 = pa.Field(ge=0)
    fp: pl.Float64 = pa.Field(ge=0)
    fn: pl.Float64 = pa.Field(ge=0)
    tn: pl.Float64 = pa.Field(ge=0)
    skipped: pl.Float64 = pa.Field(ge=0)


@curve("top_of_list", "top of the list")
class TopOfList(Curve):
    """Precision, recall and lift among the rows with the highest scores, one row per share of them.

    ``rows`` are so many, or their weight; ``threshold`` is the lowest score among them, ``tied``
    the rows that have it where not all of them fit in: they are taken in proportion.
    """

    share: pl.Float64 = pa.Field(gt=0, le=1)
    rows: pl.Float64 = pa.Field(gt=0)
    threshold: pl.Float64
    tied: pl.Float64 = pa.Field(ge=0)
    precision: pl.Float64 = pa.Field(ge=0, le=1)
    recall: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    lift: pl.Float64 = pa.Field(ge=0, nullable=True)


@curve("predictive_values", "predictive values")
class PredictiveValues(Curve):
    """Predictive values of a model's decisions at a stated prevalence."""

    prevalence: pl.Float64 = pa.Field(gt=0, lt=1)
    positive: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    positive_low: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    positive_high: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    negative: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    negative_low: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    negative_high: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)


@curve("confusion", "confusion matrix", tasks=("binary", "multiclass"))
class Confusion(Curve):
    """Truth × prediction at the model's threshold; ``share`` is of the row (the truth)."""

    truth: str
    predicted: str
    count: pl.Float64 = pa.Field(ge=0)
    share: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)


@curve("roc_hull", "ROC convex hull")
class RocHull(Roc):
    """Upper convex hull of a ROC curve, from (0, 0) to (1, 1): its vertices.

    Every vertex is the best threshold for some cost and prevalence, the points
    between two of them are reached by a lot between both. ``threshold`` is null
    at the first point.
    """


@curve("roc_band", "ROC band")
class RocBand(Curve):
    """Recall at even false-positive rates with a pointwise interval: a vertical band."""

    false_positive_rate: pl.Float64 = pa.Field(ge=0, le=1)
    recall: pl.Float64 = pa.Field(ge=0, le=1)
    low: pl.Float64 = pa.Field(ge=0, le=1)
    high: pl.Float64 = pa.Field(ge=0, le=1)


@curve("det", "detection error tradeoff")
class Det(Curve):
    """Detection error tradeoff: misses against false alarms, strictest threshold first.

    The deviates are the normal quantiles of the rates, which a DET plot has on
    its axes; null at 0 and 1. ``threshold`` is null with no predicted positives.
    """

    threshold: pl.Float64 = pa.Field(nullable=True)
    false_positive_rate: pl.Float64 = pa.Field(ge=0, le=1)
    false_negative_rate: pl.Float64 = pa.Field(ge=0, le=1)
    false_positive_deviate: pl.Float64 = pa.Field(nullable=True)
    false_negative_deviate: pl.Float64 = pa.Field(nullable=True)


@curve("gain", "gain and lift")
class Gain(Curve):
    """Positives found (``recall``) and lift against the share of rows predicted positive.

    From (0, 0) to (1, 1); ``lift`` is recall over share, null at the start,
    where ``threshold`` is null too.
    """

    threshold: pl.Float64 = pa.Field(nullable=True)
    share: pl.Float64 = pa.Field(ge=0, le=1)
    recall: pl.Float64 = pa.Field(ge=0, le=1)
    lift: pl.Float64 = pa.Field(ge=0, nullable=True)


@curve("net_benefit", "decision curve")
class NetBenefit(Curve):
    """Decision curve: true positives per row less false ones at their price.

    ``threshold`` is the probability from which one would act; ``treat_all`` and
    ``treat_none`` are the net benefits of acting on every row and on none.
    """

    threshold: pl.Float64 = pa.Field(gt=0, lt=1)
    net_benefit: pl.Float64 = pa.Field(le=1)
    treat_all: pl.Float64 = pa.Field(le=1)
    treat_none: pl.Float64


@curve("error_reject", "error-reject curve")
class ErrorReject(Curve):
    """Error rate of the rows that are kept when the least certain ones are rejected.

    ``distance`` is that of a kept row's score from the threshold, at least.
    """

    distance: pl.Float64 = pa.Field(ge=0)
    rejected: pl.Float64 = pa.Field(ge=0, le=1)
    error_rate: pl.Float64 = pa.Field(ge=0, le=1)


@curve("murphy", "Murphy diagram")
class Murphy(Curve):
    """Mean elementary score against the threshold: the lower, the better at that threshold."""

    threshold: pl.Float64 = pa.Field(ge=0, le=1)
    score: pl.Float64 = pa.Field(ge=0, le=1)


@curve("estimates", "estimates of single rows", tasks=("regression",))
class Estimates(Curve):
    """Truth and estimate of single rows: all, or an even sample in the order of the truth."""

    truth: pl.Float64
    estimate: pl.Float64


@curve("estimates_in_time", "estimates over time", tasks=("regression",))
class EstimatesInTime(Curve):
    """Means of truth and estimate in each step of time that has rows, and the range of the truth.

    ``time`` is the first point of the step as it is written, ``position`` its place on an axis.
    """

    time: str
    position: pl.Float64
    rows: pl.Float64 = pa.Field(ge=1)
    truth: pl.Float64
    lowest: pl.Float64
    highest: pl.Float64
    estimate: pl.Float64


@curve("residual_quantiles", "residual quantiles", tasks=("regression",))
class ResidualQuantiles(Curve):
    """Quantiles of the residuals (truth minus estimate) against those of a normal distribution."""

    expected: pl.Float64
    residual: pl.Float64


@curve("error_characteristic", "error characteristic", tasks=("regression",))
class ErrorCharacteristic(Curve):
    """Share of the rows whose absolute error is at most the tolerance (REC curve)."""

    tolerance: pl.Float64 = pa.Field(ge=0)
    share: pl.Float64 = pa.Field(ge=0, le=1)
