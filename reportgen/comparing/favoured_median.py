"""Whether absolute errors favour estimates of the median over those of the mean."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

import polars as pl

from reportgen.comparisons import Comparison
from reportgen.comparisons.paired_losses import ABSOLUTE
from reportgen.comparisons.wording import bounded
from reportgen.records.rows import DataRecord
from reportgen.text.numbers import percent

LEAST = 0.05
"""A share by which the median's mean absolute error is below the mean's where the two differ.

Of normal truths it is 0, of exponential ones 0.058, of lognormal ones with σ = 1 0.109. By chance
5 % of the samples of 20 normal truths have it, 1.3 % of those of 30 and 0.03 % of those of 50.
"""


LEAST_GAIN = 0.005
"""A share that the model with the higher error would gain by the median; less may be chance."""


@dataclass(frozen=True, slots=True)
class FavouredMedian:
    """By what share the median has a smaller mean absolute error than the mean.

    Of the errors of a ``model``, or of the truths.
    """

    share: float
    model: str | None = None

    @property
    def described(self) -> str:
        """Of what, and by how much."""
        how_much = percent(self.share, 0 if self.share > FEW_PERCENT else 1)
        if self.model is None:
            return (
                f"always predicting the median has an MAE {how_much} below always predicting the "
                "mean"
            )
        return (
            f"the errors of {bounded(self.model)} are skewed, and about their median the MAE is "
            f"{how_much} below that about their mean"
        )


FEW_PERCENT = 0.03
"""Larger shares are printed without decimals."""


@dataclass(frozen=True, slots=True)
class FavouredMedians:
    """Whom absolute errors favour: ``of_pairs`` by the errors of the two models, as far as known.

    Null where neither has an advantage; of other pairs what the truths show.
    """

    of_pairs: Mapping[frozenset[str], FavouredMedian | None] = field(default_factory=dict)
    of_truths: FavouredMedian | None = None

    def of(self, models: Collection[str]) -> FavouredMedian | None:
        """Of two models."""
        pair = frozenset(models)
        return self.of_pairs.get(pair, self.of_truths)

    def largest(self, model: str | None = None) -> FavouredMedian | None:
        """That of the pair, of a ``model`` if any, in which it is largest."""
        pairs = [one for pair, one in self.of_pairs.items() if model is None or model in pair]
        given = [one for one in pairs if one is not None]
        largest = max(given, key=lambda one: one.share, default=None)
        return largest if pairs else self.of_truths

    @property
    def is_large(self) -> bool:
        """Whether any estimates of the median gain as much as page one speaks of."""
        largest = self.largest()
        return largest is not None and largest.share >= LEAST


def favoured_medians(metrics: pl.DataFrame, data: DataRecord) -> FavouredMedians:
    """Whether absolute errors favour estimates of the median.

    Of pairs of which the errors were kept as ``median_gains`` has it. Else what estimates of the
    median gain is not known, and all truths stand for it; null below ``LEAST``.
    """
    of_pairs = {
        frozenset(one["models"]): FavouredMedian(one["share"], one["models"][1])
        if one["share"] >= LEAST_GAIN
        else None
        for one in data.get("median_gains", ())
    }
    share = _of_truths(metrics)
    of_truths = None if share is None or share < LEAST else FavouredMedian(share)
    return FavouredMedians(of_pairs, of_truths)


def _of_truths(metrics: pl.DataFrame) -> float | None:
    """From the errors of a model relative to those of the mean, and of the median."""
    names = ("relative_absolute_error", "d2_absolute_error")
    rows = metrics.filter(
        pl.all_horizontal(pl.col("slice", "class", "average").is_null()),
        pl.col("metric").is_in(names),
        pl.col("value").is_not_null(),
    )
    by_model = (
        dict(part.select("metric", "value").iter_rows()) for part in rows.partition_by("model")
    )
    for values in by_model:
        to_mean, to_median = values.get(names[0]), 1 - values.get(names[1], 1.0)
        if to_mean and to_median > 0:
            return float(1 - to_mean / to_median)
    return None


BEYOND = 2.0
"""So many times that share is more than estimates of the median gain over those of the mean."""


def mean_errors(metrics: pl.DataFrame, measure: str) -> dict[str, float]:
    """The mean error of each model on all rows: absolute, or squared."""
    rows = metrics.filter(
        pl.all_horizontal(pl.col("slice", "class", "average").is_null()),
        pl.col("metric") == measure,
        pl.col("value").is_not_null(),
    )
    return dict(rows.select("model", "value").iter_rows())


FAVOURED = "the test compares absolute errors, which favour estimates of the median"


def against_absolute_errors(
    record: Comparison, favoured: FavouredMedians | None, errors: Mapping[str, float]
) -> Iterator[str]:
    """Why a test of absolute errors does not rank estimates of the mean, if it does not.

    It does where the limits of the difference of the models' mean absolute ``errors`` lie further
    from 0 than estimates of the median gain (``tests.simulations.median_or_mean``). Where they hold
    0 it puts neither model first, and may say so if these gain less than ``LEAST``, or less than
    the difference.
    """
    advantage = None if favoured is None else favoured.of(record.models)
    if advantage is None or record.metric != ABSOLUTE:
        return
    low, high, larger = record.low, record.high, max(errors.get(m, 0.0) for m in record.models)
    ends = () if low is None or high is None else (low, high)
    apart = min(map(abs, ends), default=0.0)
    if ends and min(ends) <= 0 <= max(ends):
        if advantage.share < LEAST:
            return
        apart = abs(record.estimate or 0.0)
    if apart <= BEYOND * advantage.share * larger:
        yield f"{FAVOURED}: {advantage.described}"
