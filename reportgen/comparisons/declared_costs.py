"""Do the decisions of two models cost the same? It allows for costly errors that no row shows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from scipy.special import ndtr

from reportgen.array_types import Floats
from reportgen.clusters import Groups
from reportgen.column_statistics import as_float
from reportgen.comparisons.grouped import group_fields, mean_difference_in_groups
from reportgen.comparisons.paired import NOISE, Mean
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, comparison
from reportgen.comparisons.weighted import weighted_mean_difference
from reportgen.comparisons.wording import COST_ALIKE
from reportgen.intervals import normal_quantile
from reportgen.roots import root
from reportgen.sample_design import INDEPENDENT_ROWS, SampleDesign

_NEAR = 1e-9
"""Limits stay within the possible differences by this share of them."""


@comparison(
    "pair",
    "rows",
    forms=(Form("declared_costs", "The test of declared costs", "Declared costs", "z"),),
    tasks=("binary", "multiclass"),
    allows=("groups", "repeats"),
    measures=("cost_sensitive_error_rate",),
)
def declared_costs(
    losses: pl.DataFrame, question: Question, design: SampleDesign = INDEPENDENT_ROWS
) -> Comparison:
    """Two-sided test that the decisions of two models cost the same on average.

    A model may make a costly error so rarely that it made none in these rows by chance; a t-test
    then knows nothing of it. This test knows from the declared costs what such an error would
    cost. Where all errors cost the same it is McNemar's test without correction.

    Args:
        losses: what a row costs under either model, ``first`` and ``second``, and ``costliest``,
            what the costliest error about it would cost; may have ``rows``: a line then stands for
            so many. Rows without a decision of both models are left out.
        question: the models, their measure, and the levels of the test and of its interval.
        design: the weight of each row, above 0, and its group, where rows of one group may depend
            on each other.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: a row costs the same on average under the decisions of both models
    Formula: z = Σ d / √(n Σ p d²), with d the differences of the rows' costs and p the most likely
        shares of all possible differences under a mean of 0. For rows in groups it is t, with 2·c·C
        added to the variance of Σ d, c the cost of the costliest error and C that of a group of
        them, or of Σ w d, with c times Σw²/Σw. For weighted rows it is t, with two further rows of
        ± c
    Assumes: independent rows, or groups
    Undefined: costs that do not differ
    Reference: Tango (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B;
        Owen (1988), doi:10.1093/biomet/75.2.237; Liang & Zeger (1986), doi:10.1093/biomet/73.1.13;
        Bonett & Price (2012), doi:10.3102/1076998611411915

    >>> losses = pl.DataFrame(
    ...     {
    ...         "first": [0.0] * 6 + [1.0] * 14,
    ...         "second": [0.0] * 20,
    ...         "costliest": [20.0] * 3 + [1.0] * 17,
    ...     }
    ... )
    >>> test = declared_costs(losses, Question(("a", "b"), "cost_sensitive_error_rate"))
    >>> test.estimate, round(test.p_value, 4), round(test.low, 4)
    (0.7, 0.4028, -2.6353)
    """
    return of_losses("declared_costs", "costs", losses, question, design)


def of_losses(  # as ``declared_costs``, for what else rows lose
    name: str,
    what: str,
    losses: pl.DataFrame,
    question: Question,
    design: SampleDesign = INDEPENDENT_ROWS,
) -> Comparison:
    """The test ``name`` of these losses, which are ``what`` in words where they do not differ."""
    defined = losses["first"].is_not_null() & losses["second"].is_not_null()
    if not defined.all():
        losses, design = losses.filter(defined), design.among(defined.to_numpy())
    costliest = as_float(losses["costliest"].max(), 0.0)
    if design.groups is not None and not design.groups.single:
        fields = group_fields(design.groups)
        mean = _in_groups(losses, design, costliest, what)
        return _of_t(name, mean, question).with_fields(**fields)
    if design.weights is not None:
        first, second = losses["first"].to_numpy(), losses["second"].to_numpy()
        mean = weighted_mean_difference(first, second, replace(design, groups=None), costliest)
        return _of_t(name, mean, question)
    return _of_rows(name, losses, question, costliest, what)


def _of_t(name: str, mean: Mean, question: Question) -> Comparison:
    if mean.reason:
        return question.record(name, undefined=mean.reason, estimate=mean.value)
    moved = None if mean.observed is None else mean.limits
    return question.record(name, symbol="t", limits_at=moved, **mean.test(question.confidence))


def _in_groups(losses: pl.DataFrame, design: SampleDesign, costliest: float, what: str) -> Mean:
    """The mean difference with the error that groups leave it and one more costly error each.

    A further row has the weight Σw²/Σw.
    """
    first, second, possible = (losses[n].to_numpy() for n in ("first", "second", "costliest"))
    groups, weights = design.units_of(losses.height), design.weights
    mean = mean_difference_in_groups(first, second, groups, f"differences of the {what}", weights)
    if mean.reason:
        return mean
    total, heavy = float(groups.rows), 1.0
    if weights is not None:
        total = groups.total(weights)
        heavy = groups.total(np.square(weights)) / total
    of_group = of_group_of_errors(possible, groups, weights)
    more = 2 * heavy * costliest * of_group / total**2
    return Mean(mean.value, math.sqrt(mean.error**2 + more), mean.df)


def of_group_of_errors(possible: Floats, groups: Groups, weights: Floats | None = None) -> float:
    """What the costliest errors about all rows of a group cost, on average over costly ones.

    ``possible`` is what the costliest error about each row would cost, times its weight.
    """
    of_rows = possible**2 / possible.max()
    of_groups = groups.sums(of_rows if weights is None else weights * of_rows)
    return float(np.square(of_groups).sum()) / float(of_groups.sum())


def _of_rows(
    name: str, losses: pl.DataFrame, question: Question, costliest: float, what: str
) -> Comparison:
    differences = (
        losses.lazy()
        .group_by(difference=pl.col("first") - pl.col("second"))
        .agg(rows=pl.col("rows").sum() if "rows" in losses.columns else pl.len())
        .filter(pl.col("rows") > 0)
        .sort("difference")
        .collect()
    )
    values = differences["difference"].to_numpy()
    costs = _Differences(values, differences["rows"].cast(pl.Float64).to_numpy(), costliest)
    if not costs.rows:
        return question.record(name, undefined="no rows have a decision of both models")
    if float(np.abs(values).max()) <= NOISE * costliest:
        reason = COST_ALIKE if what == "costs" else f"the differences of the {what} are all 0"
        return question.record(name, undefined=reason, estimate=0.0)
    z = costs.score(0.0)
    low, high = costs.limits(normal_quantile(question.confidence))
    return question.record(
        name,
        statistic=z,
        p_value=2 * float(ndtr(-abs(z))),
        estimate=costs.mean,
        low=low,
        high=high,
        interval="score",
    )


@dataclass(frozen=True, slots=True)
class _Differences:
    """How often each difference of costs was observed; none can be beyond ± ``costliest``."""

    values: Floats
    counts: Floats
    costliest: float

    @property
    def rows(self) -> float:
        """Number of rows."""
        return float(self.counts.sum())

    @property
    def mean(self) -> float:
        """The mean difference."""
        return float((self.values * self.counts).sum()) / self.rows

    def score(self, delta: float) -> float:
        """Standardised mean difference from ``delta``, with the variance that is likeliest there.

        The likeliest shares of mean ``delta`` are n_i/(n + λ(d_i − δ)). Where no λ gives them that
        mean, the rest is a share of the difference at the end that was not observed.
        """
        away, rows = self.values - delta, self.rows
        total = float((away * self.counts).sum())
        if abs(total) <= NOISE * rows * self.costliest:
            return 0.0
        side = math.copysign(1.0, total)
        away, total = side * away, abs(total)
        end = min(float(away.min()), -self.costliest - side * delta)
        furthest = -rows / end

        def mean_at(tilt: float) -> float:
            return float((self.counts * away / (rows + tilt * away)).sum())

        observed = float(self.counts[away == end].sum())
        if observed:
            # Short of the pole of an observed end, which there outweighs all of the other sign.
            others = float((self.counts * away)[away > 0].sum())
            furthest *= 1 - min(0.5, -observed * end / (2 * others))
        tilt = furthest
        if mean_at(furthest) < 0:
            tilt = root(mean_at, 0.0, furthest, 1e-15 * furthest)
        shares = self.counts / (rows + tilt * away)
        spread = float((shares * away**2).sum())
        if tilt == furthest:
            spread -= float((shares * away).sum()) * end
        return side * total / math.sqrt(rows * spread)

    def limits(self, quantile: float) -> tuple[float, float]:
        """The differences that a test at this quantile of the normal does not reject."""

        def edge(end: float, sign: float) -> float:
            if sign * self.score(end) < quantile:
                return math.copysign(self.costliest, end)
            return root(
                lambda delta: sign * self.score(delta) - quantile,
                end,
                self.mean,
                _NEAR * self.costliest,
            )

        most = self.costliest * (1 - _NEAR)
        return edge(-most, 1.0), edge(most, -1.0)
