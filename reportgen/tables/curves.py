"""The curves of the results, each by its key."""

from __future__ import annotations

import pandera.polars as pa
import polars as pl

from reportgen.tables.checked import Table


class Curve(Table):
    """A curve in the results: what names one line, and the arrays along it.

    ``class`` names the class that stands against the rest; null: a binary
    report, or all classes together.
    """

    model: str
    slice: str = pa.Field(nullable=True)
    class_: str = pa.Field(alias="class", nullable=True)


class Roc(Curve):
    """Recall against false-positive rate, from (0, 0) to (1, 1).

    ``threshold`` is null at the first point, with no predicted positives.
    """

    threshold: pl.Float64 = pa.Field(nullable=True)
    false_positive_rate: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    recall: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)


class RocHull(Roc):
    """Upper convex hull of a ROC curve, from (0, 0) to (1, 1): its vertices.

    Every vertex is the best threshold for some cost and prevalence, the points
    between two of them are reached by a lot between both. ``threshold`` is null
    at the first point.
    """


class RocBand(Curve):
    """Recall at even false-positive rates with a pointwise interval: a vertical band."""

    false_positive_rate: pl.Float64 = pa.Field(ge=0, le=1)
    recall: pl.Float64 = pa.Field(ge=0, le=1)
    low: pl.Float64 = pa.Field(ge=0, le=1)
    high: pl.Float64 = pa.Field(ge=0, le=1)


class PrecisionRecall(Curve):
    """Precision against recall, from the strictest threshold that calls anything positive."""

    threshold: pl.Float64
    recall: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    precision: pl.Float64 = pa.Field(ge=0, le=1)


class CostEnvelope(Curve):
    """Lower envelope of the cost lines, one row per vertex, the trivial classifiers included.

    ``threshold`` is the one whose line is lowest from this vertex to the next
    (null: call nothing positive, and at the last vertex); −∞ never occurs, the
    lowest score stands for "call everything positive". ``false_positive_rate``
    and ``false_negative_rate`` are that line's ends at 0 and at 1.
    """

    probability_cost: pl.Float64 = pa.Field(ge=0, le=1)
    normalised_cost: pl.Float64 = pa.Field(ge=0, le=1)
    threshold: pl.Float64 = pa.Field(nullable=True)
    false_positive_rate: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    false_negative_rate: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)


class CostZones(Curve):
    """Stretches of P(+)cost in which one threshold of one model costs least of all models.

    The lines of one model are its own zones, in the order of P(+)cost, from
    ``low`` to ``high``; ``threshold`` is null where calling nothing positive is
    cheapest. Prevalences are those at the declared costs, cost ratios (false
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


class ScoreDistribution(Curve):
    """Histogram of the scores of each true class; ``share`` sums to 1 over a class."""

    truth: str
    low: pl.Float64
    high: pl.Float64
    count: pl.Float64 = pa.Field(ge=0)
    share: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)


class ThresholdCurve(Curve):
    """A metric against the threshold, loosest first; null where it is undefined."""

    metric: str
    threshold: pl.Float64
    value: pl.Float64 = pa.Field(nullable=True)


class Confusion(Curve):
    """Truth × prediction at the model's threshold; ``share`` is of the row (the truth)."""

    truth: str
    predicted: str
    count: pl.Float64 = pa.Field(ge=0)
    share: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)


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


class Gain(Curve):
    """Positives found (``recall``) and lift against the share of rows predicted positive.

    From (0, 0) to (1, 1); ``lift`` is recall over share, null at the start,
    where ``threshold`` is null too.
    """

    threshold: pl.Float64 = pa.Field(nullable=True)
    share: pl.Float64 = pa.Field(ge=0, le=1)
    recall: pl.Float64 = pa.Field(ge=0, le=1)
    lift: pl.Float64 = pa.Field(ge=0, nullable=True)


class NetBenefit(Curve):
    """Decision curve: true positives per row less false ones at their price.

    ``threshold`` is the probability from which one would act; ``treat_all`` and
    ``treat_none`` are the net benefits of acting on every row and on none.
    """

    threshold: pl.Float64 = pa.Field(gt=0, lt=1)
    net_benefit: pl.Float64 = pa.Field(le=1)
    treat_all: pl.Float64 = pa.Field(le=1)
    treat_none: pl.Float64


class ErrorReject(Curve):
    """Error rate of the rows that are kept when the least certain ones are rejected.

    ``distance`` is that of a kept row's score from the threshold, at least.
    """

    distance: pl.Float64 = pa.Field(ge=0)
    rejected: pl.Float64 = pa.Field(ge=0, le=1)
    error_rate: pl.Float64 = pa.Field(ge=0, le=1)


class Murphy(Curve):
    """Mean elementary score against the threshold: the lower, the better at that threshold."""

    threshold: pl.Float64 = pa.Field(ge=0, le=1)
    score: pl.Float64 = pa.Field(ge=0, le=1)


class Estimates(Curve):
    """Truth and estimate of single rows: all, or an even sample in the order of the truth."""

    truth: pl.Float64
    estimate: pl.Float64


class ResidualQuantiles(Curve):
    """Quantiles of the residuals (truth minus estimate) against those of a normal distribution."""

    expected: pl.Float64
    residual: pl.Float64


class ErrorCharacteristic(Curve):
    """Share of the rows whose absolute error is at most the tolerance (REC curve)."""

    tolerance: pl.Float64 = pa.Field(ge=0)
    share: pl.Float64 = pa.Field(ge=0, le=1)


CURVES: dict[str, type[Curve]] = {
    "roc": Roc,
    "precision_recall": PrecisionRecall,
    "cost_envelope": CostEnvelope,
    "cost_zones": CostZones,
    "calibration": Calibration,
    "score_distribution": ScoreDistribution,
    "threshold": ThresholdCurve,
    "confusion": Confusion,
    "roc_hull": RocHull,
    "roc_band": RocBand,
    "det": Det,
    "gain": Gain,
    "net_benefit": NetBenefit,
    "error_reject": ErrorReject,
    "murphy": Murphy,
    "estimates": Estimates,
    "residual_quantiles": ResidualQuantiles,
    "error_characteristic": ErrorCharacteristic,
}
"""Every curve of the results by its key in ``results.json``."""

CURVE_TASKS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(CURVES, ("binary",)),
    **dict.fromkeys(
        ("roc", "precision_recall", "calibration"), ("binary", "multiclass", "multilabel")
    ),
    "confusion": ("binary", "multiclass"),
    **dict.fromkeys(("estimates", "residual_quantiles", "error_characteristic"), ("regression",)),
}
"""The tasks whose results have each curve."""

LINE_KEYS: dict[str, tuple[str, ...]] = {
    name: ("model", "slice", "class", *more)
    for name, more in {
        **dict.fromkeys(CURVES, ()),
        "score_distribution": ("truth",),
        "threshold": ("metric",),
    }.items()
}
"""The columns that name one line of a curve; its other columns are arrays along it."""
