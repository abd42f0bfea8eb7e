"""How models err on rows that they were not trained on, beside those that they were."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.column_statistics import as_float
from reportgen.comparisons.paired import mean_difference
from reportgen.intervals.bounded_means import BOUNDED_T, bounded_t
from reportgen.intervals.differences import newcombe
from reportgen.intervals.proportions import wilson_modified
from reportgen.measuring.bootstrap_632 import bootstrapped
from reportgen.measuring.context import EvaluationContext, Losses
from reportgen.metrics import find
from reportgen.predictions.evaluation_scheme import Evaluation, ratio_of_overlap
from reportgen.records.model import typed
from reportgen.spec import Spec
from reportgen.tables import FoldMetrics, Generalisation
from reportgen.tables.results import GapVerdict, GeneralisationRow

NO_TRAINING = "the training rows are not in the data (role train)"
"""Why there is no empirical error."""

OVERFITTING = 0.5
"""A model overfits where its gap is significant and above this share of its test error."""

ERRORS = {"accuracy": "error_rate", "subset_accuracy": "zero_one_loss", "auc": "rank_loss"}
"""The error of each measure, 1 minus it; other measures are errors themselves."""


@dataclass(frozen=True)
class GeneralisationPart:
    """One model's error in every fit: ``first`` on its test rows, ``second`` on its training rows.

    With ``overlapping`` parts a gap has no interval, and shows nothing.
    ``trivial`` is the error of always saying the same, ``train_rows`` and
    ``test_rows`` the sizes of the parts, ``bounds`` the values that the error may have. Fits may be
    one model on several data sets (``of_sets``).
    """

    metric: str
    model: str
    fits: pl.DataFrame
    trivial: float | None
    inflation: float
    confidence: float
    bounds: tuple[float, float]
    weighted: bool = False
    trained_on: float | None = None
    overlapping: bool = False
    of_sets: bool = False

    def row(
        self, quantity: str, value: float | None, /, **fields: Unpack[GeneralisationRow]
    ) -> GeneralisationRow:
        """One row of the table."""
        row: GeneralisationRow = {"metric": self.metric, "model": self.model, "value": value}
        return {**row, **fields, "quantity": quantity}

    def rows(self) -> Iterator[GeneralisationRow]:
        """Empirical and generalisation error, their gap, and the spread over fits."""
        fits = self.fits
        yield self.row("test_error", as_float(fits["first"].mean()), **self._limits("first"))
        if fits.height > 1:
            yield self.row("spread", as_float(fits["first"].std()))
        if fits["second"].null_count():
            yield self.row("train_error", None, undefined=NO_TRAINING)
            yield self.row("gap", None, undefined=NO_TRAINING)
            return
        train = self.row("train_error", as_float(fits["second"].mean()), **self._limits("second"))
        yield train
        limits: GeneralisationRow = {} if self.overlapping else self._gap_limits()
        error = as_float(fits["first"].mean())
        gap = error - as_float(fits["second"].mean())
        shown: GeneralisationRow = {
            "verdict": self._verdict(train, error, gap, limits.get("low")),
            "relative": gap / error if error > 0 else None,
            "trained_on": self.trained_on,
        }
        yield {**self.row("gap", gap, **limits), **shown}

    def _verdict(
        self, train: GeneralisationRow, error: float, gap: float, low: float | None
    ) -> GapVerdict | None:
        """What the training error and the gap show; nothing where the gap has no interval."""
        high = train.get("high")
        highest = train["value"] if high is None else high
        if self.trivial is not None and highest is not None and highest >= self.trivial:
            return "underfitting"
        if low is None:
            return None
        if low <= 0:
            return "no significant gap"
        return "overfitting" if gap > OVERFITTING * error else "gap"

    @property
    def _counted(self) -> bool:
        """Whether the error of a single fit is a share of its rows."""
        return self.metric in ("error_rate", "zero_one_loss") and not self.weighted

    def _limits(self, side: str) -> GeneralisationRow:
        if self.fits.height > 1:
            limits = self._over_fits(self.fits.select(first=side, second=pl.lit(0.0)))
            low, high = limits.get("low"), limits.get("high")
            if self.of_sets and low is not None and high is not None:
                low, high = bounded_t((low + high) / 2, (high - low) / 2, self.bounds)
                return {"low": low, "high": high, "interval": BOUNDED_T}
            return {**limits, "low": self._bounded(low), "high": self._bounded(high)}
        if not self._counted:
            return {}
        rows = "test_rows" if side == "first" else "train_rows"
        share, count = self.fits.select(side, rows).row(0)
        low, high = wilson_modified(round(share * count), count, self.confidence)
        return {"low": low, "high": high, "interval": "wilson_modified"}

    def _bounded(self, end: float | None) -> float | None:
        return None if end is None else min(max(end, self.bounds[0]), self.bounds[1])

    def _gap_limits(self) -> GeneralisationRow:
        if self.fits.height > 1:
            return self._over_fits(self.fits)
        if not self._counted:
            return {}
        test, train, n, m = self.fits.select("first", "second", "test_rows", "train_rows").row(0)
        low, high = newcombe(round(test * n), n, round(train * m), m, self.confidence)
        return {"low": low, "high": high, "interval": "newcombe"}

    def _over_fits(self, pairs: pl.DataFrame) -> GeneralisationRow:
        """Limits of a mean over fits whose training sets overlap."""
        mean = mean_difference(pairs, self.inflation)
        if mean.reason:
            return {}
        test = mean.test(self.confidence)
        return {"low": test["low"], "high": test["high"], "interval": "corrected t"}


def generalised(
    context: EvaluationContext, losses: Losses, parts: DataFrame[FoldMetrics]
) -> DataFrame[Generalisation]:
    """Empirical against generalisation error of every model, and what repeats tell beyond.

    One row per quantity: ``test_error`` and ``train_error`` (means over fits),
    their difference ``gap`` with its verdict, and ``spread``, the standard
    deviation of the test error over fits; of a bootstrap ``out_of_bag``,
    ``point632`` and ``point632_plus``; over repeats ``bias`` and ``variance``.
    Intervals over fits are t intervals with the variance of Nadeau & Bengio
    (2003), doi:10.1023/A:1024068626366; those of a single fit are modified Wilson limits, and
    Newcombe's of two independent shares. Empty where nothing tells one fit, or
    training rows, from the rest.

    A training error whose interval does not lie below the error of a constant
    prediction is underfitting, else a gap that is significant (its interval lies
    above 0) and more than half of the test error is overfitting (Zhou 2.1).
    """
    evaluation, task = context.predictions.evaluation, context.predictions.task
    records = errors(parts, evaluation, _trivial(context), context.spec, task=task)
    if records:
        records += bootstrapped(context, losses)
        records += decomposed(context, losses)
    return typed(Generalisation, records)


def errors(
    parts: DataFrame[FoldMetrics],
    evaluation: Evaluation,
    trivial: Mapping[str, float],
    spec: Spec,
    *,
    task: str,
) -> list[GeneralisationRow]:
    """The rows of ``Generalisation`` that the measures of the parts tell.

    ``trivial`` are the errors of always saying the same.
    """
    ratio = ratio_of_overlap(evaluation)
    records: list[GeneralisationRow] = []
    keys = ["metric", "model", "dataset", "repeat", "fold"]
    tested = parts.filter(role="test").select(*keys, first="value", test_rows="rows")
    trained = parts.filter(role="train").select(*keys, second="value", train_rows="rows")
    both = tested.join(trained, on=keys, how="left", nulls_equal=True, maintain_order="left")
    for (metric, model), fits in both.group_by("metric", "model", maintain_order=True):
        values = fits.drop_nulls("first")
        if values.is_empty():
            continue
        error = ERRORS.get(str(metric), str(metric))
        if metric in ERRORS:
            values = values.with_columns((1 - pl.col(c)).alias(c) for c in ("first", "second"))
        definition = find(error, task)
        bounds = definition.bounds if definition else (-math.inf, math.inf)
        part = GeneralisationPart(
            error,
            str(model),
            values,
            trivial.get(error),
            ratio,
            spec.confidence,
            bounds,
            spec.columns.weight is not None,
            _trained_on(evaluation),
            bool(evaluation.trained_test_rows or evaluation.groups_on_both_sides),
            of_sets=evaluation.scheme == "data_sets",
        )
        records += part.rows()
    return records


def _trained_on(evaluation: Evaluation) -> float | None:
    """Share of the examples that a fit is trained on, on average."""
    if not evaluation.train or not evaluation.examples:
        return None
    return min(evaluation.train / evaluation.examples, 1.0)


def _trivial(context: EvaluationContext) -> dict[str, float]:
    """The errors of always saying the same on the rows that are evaluated."""
    if "truth" not in context.rows.columns:
        return {}
    truth = context.rows["truth"]
    if context.task.of_numbers:
        return {"mean_squared_error": as_float(truth.var(ddof=0), 0.0)}
    most = max(truth.value_counts()["count"].to_list())
    return {"error_rate": 1 - most / len(truth), "rank_loss": 0.5}


def decomposed(context: EvaluationContext, losses: Losses) -> Iterator[GeneralisationRow]:
    """Where the error comes from, over the repeats in which a row was tested.

    Truths are taken as free of noise, which then is in the bias. Of decisions:

    - Domingos (2000), AAAI, 564-569: ``domingos_bias`` is the error of the main
      decision (the most frequent one; of equal ones the first),
      ``domingos_variance`` how often a decision differs from it, and
      ``domingos_net_variance`` what is left of the error beyond the bias.
    - Kohavi & Wolpert (1996), ICML, 275-283: ``kohavi_wolpert_bias`` is
      ½Σ([c = truth] − p)² and ``kohavi_wolpert_variance`` ½(1 − Σp²), over the
      shares p of decisions for each class c; they add up to the error.

    Of numbers (and probabilities of two classes, as the Brier score):
    ``squared_bias``, of the mean estimate, and ``variance`` about it; they add
    up to the mean squared error. Rows that were tested once are left out; empty
    where all were, where rows have no id, or are weighted.
    """
    rows = context.rows
    if "id" not in rows.columns or context.repeats == 1 or context.weight is not None:
        return
    key = [name for name in ("dataset", "id") if name in rows.columns]
    again = rows.filter(pl.len().over(key) > 1)
    if again.is_empty():
        return
    for name, predicted in losses.predicted.items():
        if losses.kind == "squared":
            yield from _squared(again, key, predicted, (losses.error, name))
            continue
        yield from _zero_one(again, key, predicted, (losses.error, name))
        if name in losses.probable:
            score = pl.col(losses.scores[name])
            yield from _squared(again, key, score, ("brier_score", name))


def _zero_one(
    rows: pl.DataFrame, key: Sequence[str], predicted: pl.Expr, whose: tuple[str, str]
) -> Iterator[GeneralisationRow]:
    count, whole = pl.col("count"), pl.col("count").sum()
    per_row = (
        rows.select(
            *key, truth=pl.col("truth").cast(pl.UInt16), predicted=predicted.cast(pl.UInt16)
        )
        .group_by(*key, "truth", "predicted", maintain_order=True)
        .agg(count=pl.len().cast(pl.Float64))
        .group_by(*key, "truth", maintain_order=True)
        .agg(
            main=pl.col("predicted")
            .sort_by("count", "predicted", descending=[True, False])
            .first(),
            most=(count / whole).max(),
            same=((count / whole) ** 2).sum(),
            correct=count.filter(pl.col("predicted") == pl.col("truth")).sum() / whole,
        )
    )
    main_errs = (pl.col("main") != pl.col("truth")).cast(pl.Float64)
    components = per_row.select(
        domingos_bias=main_errs.mean(),
        domingos_variance=1 - pl.col("most").mean(),
        domingos_net_variance=(1 - pl.col("correct") - main_errs).mean(),
        kohavi_wolpert_bias=((1 - 2 * pl.col("correct") + pl.col("same")) / 2).mean(),
        kohavi_wolpert_variance=((1 - pl.col("same")) / 2).mean(),
    ).row(0, named=True)
    yield from _rows(components, whose)


def _squared(
    rows: pl.DataFrame, key: Sequence[str], estimate: pl.Expr, whose: tuple[str, str]
) -> Iterator[GeneralisationRow]:
    per_row = rows.group_by(key, maintain_order=True).agg(
        truth=pl.col("truth").first().cast(pl.Float64),
        mean=estimate.mean(),
        spread=estimate.var(ddof=0),
    )
    components = per_row.select(
        squared_bias=((pl.col("mean") - pl.col("truth")) ** 2).mean(),
        variance=pl.col("spread").mean(),
    ).row(0, named=True)
    yield from _rows(components, whose)


def _rows(components: dict[str, float], whose: tuple[str, str]) -> Iterator[GeneralisationRow]:
    metric, model = whose
    for quantity, value in components.items():
        yield {"quantity": quantity, "metric": metric, "model": model, "value": value}
