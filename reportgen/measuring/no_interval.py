"""Why a number has no interval, decided in one place for tables, gates and results.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.intervals.average_precision import InfluenceLogit
from reportgen.intervals.calibration import Miscalibration
from reportgen.measuring.bootstrap_intervals import is_resampled, of_part
from reportgen.measuring.gains import GAINS, OF_GAIN
from reportgen.measuring.independent_means import has_closed_form
from reportgen.metric_names import OF_TESTS
from reportgen.metrics import REGISTRY, Metric, find, with_tests_of
from reportgen.records.rows import DataRecord
from reportgen.spec import Spec
from reportgen.tables import Metrics
from reportgen.tasks import TASKS, TaskName
from reportgen.text.reasons import DRAWN_TWICE, RAISED_BY_NOISE

COUNT = "it is a count, not an estimate"
OF_CHOICE = "no limits are computed for decisions of least expected cost"
OF_CLASS = "of one class it has limits where rows are independent and not weighted"
OF_AVERAGE = "no limits are computed for this average"
OF_INDEPENDENT_ROWS = "its limits treat rows as independent"
IN_BLOCKS = "it needs resampling, for which blocks of time are too few"
RETURNING = "it needs resampling, and rows are evaluated more than once"
OFF = "it needs resampling, and bootstrap.replicates is 0"
NOT_NAMED = "it needs resampling, which is done only for measures named under measures"
NOT_NAMED_IN_SLICES = "in slices only measures named under measures are resampled"
COUNTED = "it needs resampling, but only counts of rows are available"
NOT_ASKED = "only main measures and those named under measures get limits"
ROWS_COUNTED = "its limits need every row, but only counts of rows are available"
COUNTED_IN_GROUPS = "it needs the scores of each group, but only counts of rows are available"
WEIGHTS_IN_GROUPS = "it needs the weights of each group's rows, but only counts are available"
UNSTABLE = "its bootstrap samples give no usable limits: one-sided, biased or all alike"
OF_RATIOS = "a few rows, of truths near 0, outweigh all others"
NO_SPREAD = "its standard error is zero or undefined"
ALL_TIED = "all scores are equal"
TOO_FEW = "{} rows are too few for limits"
AT_BOUND = "the value is at its bound"
OF_BINS = "few rows carry the error, or the forecasts were calibrated on these rows"
ONE_ROW = "there is a single row"

NEVER = frozenset(
    {
        *(COUNT, OF_CHOICE, OF_AVERAGE, DRAWN_TWICE),
        *(m.no_limits for metrics in REGISTRY.values() for m in metrics.values() if m.no_limits),
    }
)
"""Reasons that hold whatever the data and the settings are: such a measure has no limits."""

FEW_ROWS = 10
"""Fewer say too little of what resampled ones would vary by."""

_BY_SOURCE: Mapping[str, str] = {
    "isotonic": DRAWN_TWICE,
    "masses": DRAWN_TWICE,
    "bins": RAISED_BY_NOISE,
    "least": OF_CHOICE,
}
"""Why what reads these frames is not resampled: there is no frame of replicates for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """What decides whether a measure can have limits: the task, the rows, and the spec."""

    task: TaskName
    measures: str | Sequence[str]
    replicates: int
    rows: int
    weighted: bool
    in_groups: bool
    in_blocks: bool
    returning: bool
    counted: bool

    @classmethod
    def of(cls, spec: Spec, data: DataRecord, *, returning: bool, counted: bool) -> Sampling:
        """From the spec and the data; ``returning`` rows are evaluated more than once."""
        in_groups = data.get("groups") is not None
        return cls(
            task=data["task"],
            measures=spec.resampled_measures,
            replicates=spec.bootstrap.replicates,
            rows=data["rows_evaluated"],
            weighted=bool(data.get("weighted")),
            in_groups=in_groups,
            in_blocks=bool(data.get("timed")) and not in_groups,
            returning=returning,
            counted=counted,
        )

    @property
    def dependent(self) -> bool:
        """Whether rows depend on each other."""
        return self.in_groups or self.in_blocks or self.returning

    def why(
        self, value: float, name: str, average: str | None, *, of_class: bool, in_slice: bool
    ) -> str:
        """The reason of a measure with a value and no limits, of all rows or a part of them."""
        metric = find(name, self.task)
        general = self._why(metric, average, of_class=of_class, in_slice=in_slice)
        if general != UNSTABLE or metric is None:
            return general
        whole = average is None and not of_class
        closed = metric.interval is not None or has_closed_form(metric, "all")
        reasons = {
            ONE_ROW: self.rows == 1,
            OF_GAIN: name in GAINS.values(),
            ALL_TIED: name == "auc" and value == 0.5 and not of_class,
            AT_BOUND: value in metric.bounds,
            TOO_FEW.format(self.rows): self.rows < FEW_ROWS,
            OF_RATIOS: metric.by_truth,
            OF_BINS: isinstance(metric.interval, Miscalibration),
            NO_SPREAD: closed and whole,
        }
        return next((reason for reason, holds in reasons.items() if holds), UNSTABLE)

    def _why(
        self,
        metric: Metric | None,
        average: str | None,
        *,
        of_class: bool,
        in_slice: bool,
    ) -> str:
        if metric is None or metric.group == "count":
            return COUNT
        if average is not None:
            none = average in (*OF_TESTS, *metric.averages_without_limits)
            return OF_AVERAGE if none else self._of_average()
        if of_class:
            partly = metric.class_limits_independent and (self.dependent or self.weighted)
            return ROWS_COUNTED if self.counted else OF_CLASS if partly else UNSTABLE
        if isinstance(metric.interval, Miscalibration) and self.dependent:
            return OF_INDEPENDENT_ROWS
        if self.counted and self.in_groups and (reason := self._of_counts_in_groups(metric)):
            return reason
        return _never(metric) or self._not_resampled(metric, in_slice=in_slice) or UNSTABLE

    def _of_average(self) -> str:
        """Why an average over classes or labels has no limits, though it has some in other data."""
        if self.counted:
            return ROWS_COUNTED
        return OF_INDEPENDENT_ROWS if self.dependent else UNSTABLE

    def _of_counts_in_groups(self, metric: Metric) -> str | None:
        """What of each group is not counted that the measure needs."""
        if isinstance(metric.interval, InfluenceLogit):
            return COUNTED_IN_GROUPS
        return WEIGHTS_IN_GROUPS if self.weighted and metric.proportion else None

    def _not_resampled(self, metric: Metric, *, in_slice: bool) -> str | None:
        """Why the measure was not resampled; null where it was, or need not be."""
        if not is_resampled(metric, "all"):
            return None
        if metric.task == "regression" and has_closed_form(metric, "all"):
            return self._without_rows(metric)
        if metric.task == "multilabel" and metric.mean and self.counted:
            return ROWS_COUNTED
        reasons = {
            IN_BLOCKS: self.in_blocks,
            RETURNING: self.returning,
            OFF: not self.replicates,
            NOT_NAMED_IN_SLICES: in_slice and not of_part([metric], self.measures),
            NOT_NAMED: not is_resampled(metric, self.measures),
            COUNTED: self.counted,
        }
        return next((reason for reason, holds in reasons.items() if holds), None)

    def _without_rows(self, metric: Metric) -> str | None:
        """Why a measure with limits in closed form has none; null where it may have them."""
        reasons = {
            OF_INDEPENDENT_ROWS: self.returning,
            NOT_ASKED: not is_resampled(metric, self.measures),
            ROWS_COUNTED: self.counted,
        }
        return next((reason for reason, holds in reasons.items() if holds), None)


def _never(metric: Metric) -> str | None:
    """Why the measure never has limits; null where it may."""
    if metric.no_limits is not None:
        return metric.no_limits
    if metric.interval is not None or metric.on in TASKS[metric.task].resampled:
        return None
    return _BY_SOURCE.get(metric.on)


def without_limits(
    metrics: DataFrame[Metrics], why: str, of: pl.Expr | None = None
) -> DataFrame[Metrics]:
    """The table without any limits, or without those of some rows: why is the reason."""
    limited = pl.col("low").is_not_null()
    limited = limited if of is None else (limited & of).fill_null(value=False)
    nothing = [pl.when(~limited).then(name).alias(name) for name in ("low", "high", "interval")]
    reason = pl.when(limited).then(pl.lit(why)).otherwise("no_interval").alias("no_interval")
    return Metrics.validate(metrics.with_columns(*nothing, reason))


MOST_OF_ONE = 0.5
"""A share of the squared errors that one row seldom has where errors have any variance."""

FEWEST = 10
"""Fewer rows have such a share by chance."""

OF_SQUARES = with_tests_of("mean_squared_error", "regression")
"""The measures that a few squared errors decide."""

OF_ONE_ERROR = tuple(n for n, m in REGISTRY["regression"].items() if m.one_row_decides)
"""These, and what sums of squares and products decide."""

OF_LARGE_ERRORS = (
    *OF_ONE_ERROR,
    *(n for n, m in REGISTRY["regression"].items() if m.heavy_tailed_mean),
)
"""These, and what rare errors decide."""

OF_ONE_ROW = "one row has more than half of the squared errors, so no limits can be trusted"


def share_of_one(largest: float | None, mean: float | None, rows: float) -> float:
    """The share of the largest squared error, by its root, in all of them, by their mean.

    >>> share_of_one(3.0, 1.0, 10), share_of_one(None, 1.0, 10)
    (0.9, 0.0)
    """
    return largest / mean * largest / rows if largest is not None and mean else 0.0


def without_limits_of_one_error(
    metrics: DataFrame[Metrics], rows_of: Mapping[str | None, float]
) -> DataFrame[Metrics]:
    """The table without limits that rest on a single row: of means of squares, R² and its like.

    ``rows_of`` has the number of rows by slice, and of all rows by null. Of rows that count the
    same: with weights the largest error does not say its share.
    """
    rest = _resting_on_one(metrics, rows_of)
    keys = metrics.select("model", "slice", "metric", "average").iter_rows()
    of_one = [
        (model, part) in rest and name in OF_ONE_ERROR and average is None
        for model, part, name, average in keys
    ]
    parted = metrics.with_columns(pl.Series("of_one", of_one, dtype=pl.Boolean))
    remaining = [
        pl.when("of_one").then(None).otherwise(name).alias(name)
        for name in ("low", "high", "interval")
    ]
    limited = pl.col("of_one") & pl.col("low").is_not_null()
    why = pl.when(limited).then(pl.lit(OF_ONE_ROW)).otherwise("no_interval").alias("no_interval")
    return Metrics.validate(parted.with_columns(*remaining, why).drop("of_one"))


OF_ALL_SHARES = "the limits would span every value from 0 to 1"
"""Of a share of an error that a model explains: such limits say nothing."""


def without_empty_limits(metrics: DataFrame[Metrics]) -> DataFrame[Metrics]:
    """The table without limits of R² and its like that reach from 0, or below it, to 1."""
    shares = [n for n, m in REGISTRY["regression"].items() if m.bounds[0] < -1 and m.bounds[1] == 1]
    of_shares = pl.col("metric").is_in(shares)
    empty = of_shares & (pl.col("low") <= 0) & (pl.col("high") >= 1)
    return without_limits(metrics, OF_ALL_SHARES, of=empty)


def _resting_on_one(
    metrics: pl.DataFrame, rows_of: Mapping[str | None, float]
) -> set[tuple[str, str | None]]:
    """The models and slices of which one row has most of the squared errors."""
    plain = metrics.filter(pl.all_horizontal(pl.col("average", "class").is_null()))
    parts = plain.select("model", "slice", "metric", "value").iter_rows()
    values = {(model, part, name): value for model, part, name, value in parts}
    return {
        (model, part)
        for model, part, name in values
        if rows_of.get(part, 0) >= FEWEST
        and share_of_one(
            values.get((model, part, "maximum_error")),
            values.get((model, part, "mean_squared_error")),
            rows_of[part],
        )
        > MOST_OF_ONE
    }


def with_reasons(metrics: DataFrame[Metrics], sampling: Sampling) -> DataFrame[Metrics]:
    """The table, with the reason of each value that has no limits, where it has none yet."""
    without = metrics["value"].is_not_null() & metrics["low"].is_null()
    columns = ("value", "metric", "average", "class", "slice", "no_interval")
    keys = metrics.select(columns).iter_rows()
    reasons = [
        known
        or sampling.why(value, name, average, of_class=label is not None, in_slice=part is not None)
        if is_without
        else None
        for (value, name, average, label, part, known), is_without in zip(
            keys, without, strict=True
        )
    ]
    column = pl.Series("no_interval", reasons, dtype=pl.String)
    return Metrics.validate(metrics.with_columns(column))
