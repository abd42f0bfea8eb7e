"""The tables that flow through a report, one class per table: the typed core.

A function's annotations name the table it takes and the table it gives;
``validate`` is called once, where the table is born. Every table that ends in
the results carries ``model`` and ``slice`` (null: all rows).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Self, cast

import pandera.polars as pa
import polars as pl
from pandera.api.polars.model_config import BaseConfig
from pandera.typing.polars import DataFrame

BREAKS: dict[str, Callable[[pl.Expr, Mapping[str, Any]], pl.Expr]] = {
    "greater_than": lambda c, s: (c > s["min_value"]).not_(),
    "greater_than_or_equal_to": lambda c, s: (c >= s["min_value"]).not_(),
    "less_than": lambda c, s: (c < s["max_value"]).not_(),
    "less_than_or_equal_to": lambda c, s: (c <= s["max_value"]).not_(),
    "isin": lambda c, s: c.is_in(list(s["allowed_values"])).not_(),
}
"""What breaks a declared check, by the check's name; null where the value is null."""

KEEPS: dict[str, Callable[[Any, Any, Mapping[str, Any]], bool]] = {
    "greater_than": lambda least, _, s: least > s["min_value"],
    "greater_than_or_equal_to": lambda least, _, s: least >= s["min_value"],
    "less_than": lambda _, most, s: most < s["max_value"],
    "less_than_or_equal_to": lambda _, most, s: most <= s["max_value"],
}
"""What keeps a check for certain, told by the least and the greatest value."""


class Checked(pa.DataFrameModel):
    """A declaration that is checked in one pass.

    Pandera collects once per check and column, 20 ms for a table of ten rows.
    Here the declared types are compared and all checks are one aggregate;
    pandera itself runs only on a table that fails, to say where.
    """

    @classmethod
    def validate(  # type: ignore[override]  # frames only, no lazy ones
        cls, check_obj: pl.DataFrame, *args: Any, **options: Any
    ) -> DataFrame[Self]:
        """Return the frame as it is when it fits the declaration, else raise pandera's error."""
        types, broken, strict = _compiled(cls)
        schema = check_obj.schema
        fits = dict(schema) == types if strict else types.items() <= dict(schema).items()
        ordered = list(types) == [c for c in schema if c in types]
        if (
            fits
            and ordered
            and (_kept(check_obj, cls) or not check_obj.select(pl.any_horizontal(broken)).item())
        ):
            return cast("DataFrame[Self]", check_obj)
        return super().validate(check_obj, *args, **options)


@cache
def _compiled(table: type[pa.DataFrameModel]) -> tuple[dict[str, Any], list[pl.Expr], bool]:
    """Declared types; a Boolean aggregate per check, true where it is broken; strict or not."""
    columns = _columns(table)
    broken = [
        BREAKS[check.name](pl.col(name), check.statistics).any()
        for name, column in columns.items()
        for check in column.checks
    ]
    broken += [pl.col(n).is_null().any() for n, column in columns.items() if not column.nullable]
    types = {name: column.dtype.type for name, column in columns.items()}
    return types, broken, bool(table.to_schema().strict)


def _kept(frame: pl.DataFrame, table: type[pa.DataFrameModel]) -> bool:
    """Whether every check is kept for certain: cheaper than a query where rows are few."""
    return all(_keeps(frame[name], column) for name, column in _columns(table).items())


def _keeps(values: pl.Series, declared: Any) -> bool:
    checks, missing = declared.checks, values.null_count()
    if (missing and not declared.nullable) or not all(check.name in KEEPS for check in checks):
        return False
    if not checks or missing == len(values):
        return True
    least, most, total = values.min(), values.max(), values.sum()
    # Neither end of a column shows that it holds NaN; its sum does.
    return not math.isnan(total) and all(KEEPS[c.name](least, most, c.statistics) for c in checks)


@cache
def _columns(table: type[pa.DataFrameModel]) -> dict[str, Any]:
    return dict(table.to_schema().columns)


class Table(Checked):
    """What the tables of the results share: no column but the declared ones, in order."""

    class Config(BaseConfig):
        strict = True
        ordered = True


class Counts(Checked):
    """Confusion counts of one decision rule; sums of weights where rows are weighted.

    More columns may stand beside them (model, slice, fold, threshold).
    """

    tp: pl.Float64 = pa.Field(ge=0)
    fp: pl.Float64 = pa.Field(ge=0)
    fn: pl.Float64 = pa.Field(ge=0)
    tn: pl.Float64 = pa.Field(ge=0)


class Sweep(Checked):
    """Counts at every distinct threshold of one model, strictest first.

    The first row is +∞ (nothing positive), the last one calls everything
    positive. A score equal to the threshold is positive, so tied scores share
    a row. Only the column types are checked; the values follow from how it is made.
    """

    threshold: pl.Float64
    tp: pl.Float64
    fp: pl.Float64
    fn: pl.Float64
    tn: pl.Float64


class Bins(Checked):
    """Scores grouped into intervals of the unit interval: [low, high), the last one closed.

    ``count`` and ``positives`` are sums of weights, ``mean_score`` the weighted
    mean forecast, ``observed`` the share of positives. Empty bins are left out.
    """

    low: pl.Float64
    high: pl.Float64
    count: pl.Float64 = pa.Field(gt=0)
    positives: pl.Float64 = pa.Field(ge=0)
    mean_score: pl.Float64 = pa.Field(ge=0, le=1)
    observed: pl.Float64 = pa.Field(ge=0, le=1)


class Isotonic(Checked):
    """Each distinct score of a sweep, highest first, and its isotonic estimate.

    ``positives`` and ``negatives`` are the rows that have it, or their weight.
    """

    score: pl.Float64
    positives: pl.Float64 = pa.Field(ge=0)
    negatives: pl.Float64 = pa.Field(ge=0)
    calibrated: pl.Float64 = pa.Field(ge=0, le=1)


class Recalibration(Checked):
    """One row: the logistic fit of the outcome to the forecasts' log odds, with variances.

    ``in_the_large`` is the intercept where the slope is kept at 1.
    """

    intercept: pl.Float64 = pa.Field(nullable=True)
    slope: pl.Float64 = pa.Field(nullable=True)
    in_the_large: pl.Float64 = pa.Field(nullable=True)
    intercept_variance: pl.Float64 = pa.Field(ge=0, nullable=True)
    slope_variance: pl.Float64 = pa.Field(ge=0, nullable=True)
    in_the_large_variance: pl.Float64 = pa.Field(ge=0, nullable=True)


class Splits(Table):
    """What each row is used for in each fit: one row per example, repeat and fold.

    ``draws`` is how often a training row was drawn: 1, or more in a bootstrap;
    0 where the row is not trained on. Rows that a fit does not use are left out.
    """

    id: str
    repeat: pl.UInt32 = pa.Field(ge=1)
    fold: pl.UInt32 = pa.Field(ge=1)
    role: str = pa.Field(isin=["train", "validation", "test"])
    draws: pl.UInt32


class Matrix(Checked):
    """Truth × call counts of several classes by their positions, zeros included."""

    truth: pl.UInt16
    predicted: pl.UInt16
    count: pl.Float64 = pa.Field(ge=0)
    count2: pl.Float64 = pa.Field(ge=0)


class ClassCounts(Checked):
    """Counts of each class against the rest; ``right`` and ``wrong`` are those of all rows.

    Names that end in 2 are sums of squared weights.
    """

    class_: str = pa.Field(alias="class")
    tp: pl.Float64 = pa.Field(ge=0)
    fp: pl.Float64 = pa.Field(ge=0)
    fn: pl.Float64 = pa.Field(ge=0)
    tn: pl.Float64 = pa.Field(ge=0)
    right: pl.Float64 = pa.Field(ge=0)
    wrong: pl.Float64 = pa.Field(ge=0)
    tp2: pl.Float64 = pa.Field(ge=0)
    fp2: pl.Float64 = pa.Field(ge=0)
    fn2: pl.Float64 = pa.Field(ge=0)
    tn2: pl.Float64 = pa.Field(ge=0)
    right2: pl.Float64 = pa.Field(ge=0)
    wrong2: pl.Float64 = pa.Field(ge=0)


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

    ``threshold`` is null at the first point, where nothing is called positive.
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
    its axes; null at 0 and 1. ``threshold`` is null where nothing is called positive.
    """

    threshold: pl.Float64 = pa.Field(nullable=True)
    false_positive_rate: pl.Float64 = pa.Field(ge=0, le=1)
    false_negative_rate: pl.Float64 = pa.Field(ge=0, le=1)
    false_positive_deviate: pl.Float64 = pa.Field(nullable=True)
    false_negative_deviate: pl.Float64 = pa.Field(nullable=True)


class Gain(Curve):
    """Positives found (``recall``) and lift against the share of the rows called positive.

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


class Metrics(Table):
    """One row per number: its value or why it has none, its interval and how that was made.

    ``least`` and ``most`` are certain: where scores were counted in cells, the
    value of all rows lies between them. They are null where the value is
    exact, and where there is no such bound.
    """

    metric: str
    model: str
    slice: str = pa.Field(nullable=True)
    class_: str = pa.Field(alias="class", nullable=True)
    average: str = pa.Field(nullable=True)
    threshold: pl.Float64 = pa.Field(nullable=True)
    value: pl.Float64 = pa.Field(nullable=True)
    low: pl.Float64 = pa.Field(nullable=True)
    high: pl.Float64 = pa.Field(nullable=True)
    interval: str = pa.Field(nullable=True)
    undefined: str = pa.Field(nullable=True)
    least: pl.Float64 = pa.Field(nullable=True)
    most: pl.Float64 = pa.Field(nullable=True)


class Comparisons(Table):
    """One row per test: statistic, p-values, effect with interval, and a sentence.

    ``estimate`` is what ``effect`` says, for a pair first model minus second.
    ``reject`` is judged on ``p_adjusted``. ``standing`` is "recommended",
    "valid" or "avoid", and ``why`` the reason. ``against`` is the claimed value,
    the margin or half the region of practical equivalence; ``critical`` the least
    effect that rejects; ``detectable`` the true difference that would have been
    found four times in five.
    ``probabilities`` are a posterior's: first better, practically the same,
    second better.
    """

    comparison: str
    metric: str
    models: pl.List(pl.String)  # type: ignore[valid-type]  # pandera reads the instance
    slice: str = pa.Field(nullable=True)
    standing: str = pa.Field(isin=["recommended", "valid", "avoid"])
    why: str = pa.Field(nullable=True)
    null_hypothesis: str
    statistic: pl.Float64 = pa.Field(nullable=True)
    df: pl.Float64 = pa.Field(nullable=True)
    df_denominator: pl.Float64 = pa.Field(nullable=True)
    p_value: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    p_adjusted: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    correction: str = pa.Field(nullable=True)
    effect: str
    estimate: pl.Float64 = pa.Field(nullable=True)
    low: pl.Float64 = pa.Field(nullable=True)
    high: pl.Float64 = pa.Field(nullable=True)
    interval: str = pa.Field(nullable=True)
    against: pl.Float64 = pa.Field(nullable=True)
    critical: pl.Float64 = pa.Field(nullable=True)
    detectable: pl.Float64 = pa.Field(nullable=True)
    probabilities: pl.List(pl.Float64)  # type: ignore[valid-type]
    alpha: pl.Float64
    reject: pl.Boolean = pa.Field(nullable=True)
    better: str = pa.Field(nullable=True)
    undefined: str = pa.Field(nullable=True)
    verdict: str
    assumptions: pl.List(pl.String)  # type: ignore[valid-type]
    caveats: pl.List(pl.String)  # type: ignore[valid-type]


class Differences(Table):
    """How far two models differ in a main measure: first minus second of ``models``.

    ``interval`` names its method: that of the recommended test where the
    measure has one, else of paired rows. Where there is no value ``undefined``
    says why; a value without limits is of models that hardly differ.
    """

    metric: str
    models: pl.List(pl.String)  # type: ignore[valid-type]  # pandera reads the instance
    value: pl.Float64 = pa.Field(nullable=True)
    low: pl.Float64 = pa.Field(nullable=True)
    high: pl.Float64 = pa.Field(nullable=True)
    interval: str = pa.Field(nullable=True)
    undefined: str = pa.Field(nullable=True)


class FoldScores(Checked):
    """A measure of each model in each fold: what the tests over folds read.

    ``value`` is null where the measure is undefined in that fold; the two
    sizes are rows of the training and of the test part.
    """

    repeat: str
    fold: str
    model: str
    value: pl.Float64 = pa.Field(nullable=True)
    train_rows: pl.Float64 = pa.Field(gt=0, nullable=True)
    test_rows: pl.Float64 = pa.Field(gt=0, nullable=True)


class FoldPairs(Checked):
    """A measure of two models, fold by fold, in the order of repeats and folds."""

    repeat: str
    fold: str
    first: pl.Float64 = pa.Field(nullable=True)
    second: pl.Float64 = pa.Field(nullable=True)
    train_rows: pl.Float64 = pa.Field(gt=0, nullable=True)
    test_rows: pl.Float64 = pa.Field(gt=0, nullable=True)


class BlockScores(Checked):
    """A measure of each model on each block: a data set, or a fold that stands for itself."""

    block: str
    model: str
    value: pl.Float64 = pa.Field(nullable=True)


class FoldMetrics(Table):
    """A measure of each model on the test rows of each fit, and on its training rows if known.

    ``value`` is null where the measure is undefined there. Data set, repeat and
    fold are null where the predictions have none, ``rows`` where a table of
    values does not tell them.
    """

    metric: str
    model: str
    dataset: str = pa.Field(nullable=True)
    repeat: str = pa.Field(nullable=True)
    fold: str = pa.Field(nullable=True)
    role: str = pa.Field(isin=["train", "test"])
    rows: pl.Float64 = pa.Field(gt=0, nullable=True)
    value: pl.Float64 = pa.Field(nullable=True)


class Generalisation(Table):
    """How a model errs on rows that it was not trained on: one row per quantity and error.

    ``verdict`` stands with the gap: "overfitting", "underfitting", or "neither shown".
    """

    quantity: str
    metric: str
    model: str
    value: pl.Float64 = pa.Field(nullable=True)
    low: pl.Float64 = pa.Field(nullable=True)
    high: pl.Float64 = pa.Field(nullable=True)
    interval: str = pa.Field(nullable=True)
    undefined: str = pa.Field(nullable=True)
    verdict: str = pa.Field(nullable=True)


class Dominance(Table):
    """Whether one curve lies nowhere below another: one row per pair and kind of curve.

    ``relation`` is "contains" (the first model's curve contains the second's),
    "is contained", "crosses" or "coincides". Regions are in the curve's own
    x (false-positive rate, recall, probability cost), each with its winner
    (null: tied). ``kept`` is the share of the rows drawn anew in which the
    relation comes out the same, null where none were drawn.
    """

    curve: str = pa.Field(isin=["roc", "precision_recall", "cost"])
    models: pl.List(pl.String)  # type: ignore[valid-type]
    slice: str = pa.Field(nullable=True)
    relation: str = pa.Field(isin=["contains", "is contained", "crosses", "coincides"])
    crossings: pl.List(pl.Float64)  # type: ignore[valid-type]
    region_low: pl.List(pl.Float64)  # type: ignore[valid-type]
    region_high: pl.List(pl.Float64)  # type: ignore[valid-type]
    region_better: pl.List(pl.String)  # type: ignore[valid-type]
    kept: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    verdict: str


class Slices(Table):
    """The slices of the judged rows and their sizes: one row per slice.

    ``slicing`` has the columns, ``values`` what they are in this slice, and
    ``slice`` is its name in the other tables. Rows count once each, whatever
    their weight; ``positives`` are those of two classes. ``small`` ones say
    little, and no gap is read off them.
    """

    slicing: pl.List(pl.String)  # type: ignore[valid-type]
    slice: str
    values: pl.List(pl.String)  # type: ignore[valid-type]
    rows: pl.Float64 = pa.Field(gt=0)
    positives: pl.Float64 = pa.Field(ge=0, nullable=True)
    small: pl.Boolean


class Gaps(Table):
    """Where slices differ most: one row per slicing, model and measure.

    ``gap`` is the highest minus the lowest value of the ``slices`` that are not
    small and have one. ``p_value`` is that of the test of these two slices,
    corrected for the pairs that they were picked from; ``p_adjusted`` for all
    gaps of the slicing as well. Where there is none, ``untested`` says why.
    ``rough``: fewer than 5 rows of a kind are expected in a slice. ``left_out``
    are the small slices.
    """

    slicing: pl.List(pl.String)  # type: ignore[valid-type]
    model: str
    metric: str
    average: str = pa.Field(nullable=True)
    lowest: str
    highest: str
    lowest_value: pl.Float64
    highest_value: pl.Float64
    gap: pl.Float64 = pa.Field(ge=0)
    slices: pl.Float64 = pa.Field(ge=2)
    p_value: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    p_adjusted: pl.Float64 = pa.Field(ge=0, le=1, nullable=True)
    rough: pl.Boolean
    untested: str = pa.Field(nullable=True)
    left_out: pl.List(pl.String)  # type: ignore[valid-type]


class Gates(Table):
    """One row per gate: what was seen, the limit, and whether it holds."""

    gate: str
    observed: pl.Float64
    low: pl.Float64 = pa.Field(nullable=True)
    high: pl.Float64 = pa.Field(nullable=True)
    limit: pl.Float64
    state: str = pa.Field(isin=["pass", "fail", "inconclusive"])


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

FOLD_KEYS = ("metric", "model", "role")
"""The columns that name one line of ``FoldMetrics``; a fold is a place along it."""

LINE_KEYS: dict[str, tuple[str, ...]] = {
    name: ("model", "slice", "class", *more)
    for name, more in {
        **dict.fromkeys(CURVES, ()),
        "score_distribution": ("truth",),
        "threshold": ("metric",),
    }.items()
}
"""The columns that name one line of a curve; its other columns are arrays along it."""
