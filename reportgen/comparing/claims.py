"""One model against a claim of the spec: binomial tests of rows, t-tests of folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparing.fold_tests import unit_of
from reportgen.comparisons import Comparison, Question, binomial, one_sample_t
from reportgen.comparisons.claims import Alternative, claim_fields
from reportgen.comparisons.grouped_claims import rao_scott, rao_scott_form
from reportgen.intervals import ModifiedWilson
from reportgen.intervals.bounded_means import BOUNDED_T, bounded_t
from reportgen.measuring.context import TestSettings
from reportgen.measuring.generalisation import ERRORS
from reportgen.measuring.shares_by_row import GroupedShares
from reportgen.metric_names import joined, parted
from reportgen.metrics import find
from reportgen.predictions.evaluation_scheme import Evaluation, ratio_of_overlap
from reportgen.records.rows import rows_of
from reportgen.sample_design import SampleDesign
from reportgen.spec import gates
from reportgen.tables import FoldMetrics, Metrics
from reportgen.tables.results import MetricRow
from reportgen.text.reasons import NO_PROPORTION, WEIGHTED

REFUTED_BY: dict[str, Alternative] = {
    "<=": "greater",
    "<": "greater",
    ">=": "less",
    ">": "less",
    "=": "two-sided",
}
"""Which values speak against a claim."""

"""Why a claim has no test over rows: its limits stand beside it all the same."""

COMPLEMENTS = {error: measure for measure, error in ERRORS.items()}
"""Measures of folds that are 1 minus another."""


def claimed(
    claims: Sequence[str],
    metrics: DataFrame[Metrics],
    parts: DataFrame[FoldMetrics],
    evaluation: Evaluation,
    settings: TestSettings,
    shares: GroupedShares | None = None,
) -> list[Comparison]:
    """The tests of every claim, such as ``forest.error_rate <= 0.05``: it is the null hypothesis.

    A share of rows is tested by the binomial test, that of rows in groups or in order of
    time by Rao and Scott's; a measure of folds by the t-test of its values, corrected
    where training sets overlap. ``shares`` are of such rows. Tests of shares have the limits that
    ``metrics`` have of them; where these exclude a claim that the binomial test does not refute,
    Clopper and Pearson's, which are of its family: one-sided tests always agree with them.
    """
    records: list[Comparison] = []
    for text in claims:
        claim = gates.parse_claim(text)
        model, name = claim.left.model, claim.left.metric
        question = settings.question((model,), name)
        against = REFUTED_BY[claim.op]
        values = _values(parts, model, name)
        if evaluation.pooled_fits and values is not None:
            over_folds = _over_folds(values, claim.limit, question, against, evaluation)
            records.append(_in_range(over_folds, claim.limit, against))
        weighted = settings.weight is not None
        numbers = _numbers(metrics, model)
        record = _over_rows(numbers, claim.limit, question, against, weighted=weighted)
        if weighted and shares is None and not record.undefined:
            value = numbers[name]["value"] if name in numbers else None
            record = record.with_fields(undefined=WEIGHTED, estimate=value)
        if shares is not None:
            record = _in_groups(record, claim.limit, question, against, shares)
        if name in numbers:
            printed = _with_limits(record, numbers[name])
            agree = shares is not None or _agree(printed, claim.limit, against, question.alpha)
            record = printed if agree else record
        records.append(record)
    return records


def _in_range(record: Comparison, claim: float, against: Alternative) -> Comparison:
    """The record with limits that the measure may have: a t interval knows no bounds.

    Over data sets those that tables and gates have of the mean, unless they exclude a claim that
    the t-test does not refute.
    """
    metric = find(parted(record.metric)[0])
    if metric is None or record.low is None or record.high is None:
        return record
    least, most = metric.bounds
    if record.unit == "data sets" and record.estimate is not None:
        low, high = bounded_t(record.estimate, (record.high - record.low) / 2, metric.bounds)
        as_printed = record.with_fields(low=low, high=high, interval=BOUNDED_T)
        if _agree(as_printed, claim, against, record.alpha):
            return as_printed
    return record.with_fields(low=max(record.low, least), high=min(record.high, most))


def claimed_of_values(
    claims: Sequence[str],
    values: pl.DataFrame,
    question: Question,
    ratio: float,
) -> list[Comparison]:
    """The tests of claims about a model in a table of values: the t-test of its values.

    ``values`` has ``model`` and ``value``, a row per fold or data set; ``ratio`` is
    that of test rows to training rows, 0 where training parts do not overlap.
    """
    records: list[Comparison] = []
    for text in claims:
        claim = gates.parse_claim(text)
        of_model = replace(question, models=(claim.left.model,))
        model_values = values.filter(model=claim.left.model)["value"]
        against = REFUTED_BY[claim.op]
        test = one_sample_t(model_values, claim.limit, of_model, alternative=against, ratio=ratio)
        records.append(_in_range(test, claim.limit, against))
    return records


def _numbers(metrics: DataFrame[Metrics], model: str) -> dict[str, MetricRow]:
    """The numbers of a model on all rows, by the name that a claim gives them, averages too."""
    of_model = metrics.filter(pl.all_horizontal(pl.col("slice", "class").is_null()), model=model)
    return {joined(row["metric"], row["average"]): row for row in rows_of(of_model, MetricRow)}


def _with_limits(record: Comparison, number: MetricRow) -> Comparison:
    """The record with the limits that the report prints of the measure, if it has some."""
    if record.estimate is None or number["low"] is None:
        return record
    low, high, interval = number["low"], number["high"], number["interval"]
    return replace(record, low=low, high=high, interval=interval)


def _agree(record: Comparison, claim: float, against: Alternative, alpha: float) -> bool:
    """Whether the limits do not refute a claim that the test leaves standing."""
    if record.p_value is None or record.p_value < alpha or record.low is None:
        return True
    below = against != "less" and record.low > claim
    return not (below or (against != "greater" and (record.high or 0.0) < claim))


def _over_rows(
    numbers: Mapping[str, MetricRow],
    claim: float,
    question: Question,
    against: Alternative,
    *,
    weighted: bool,
) -> Comparison:
    """The binomial test; of weighted rows its record alone, without a p."""
    metric = find(question.metric)
    value = numbers[question.metric]["value"] if question.metric in numbers else None
    bare = question.record("binomial", **claim_fields(claim, against))
    if metric is None or not isinstance(metric.interval, ModifiedWilson) or metric.group == "cost":
        without_test = bare.with_fields(undefined=NO_PROPORTION)
        return replace(without_test, estimate=value)
    if value is None:
        return bare.with_fields(undefined=metric.undefined)
    if weighted:
        return bare
    cells = metric.interval.cells
    rows = round(sum(numbers[c]["value"] or 0 for c in (cells if "tp" in numbers else ("n",))))
    return binomial(round(value * rows), rows, claim, question, alternative=against)


def _in_groups(
    plain: Comparison,
    claim: float,
    question: Question,
    against: Alternative,
    shares: GroupedShares,
) -> Comparison:
    """The test that allows for groups, undefined where the one of independent rows is."""
    if plain.undefined:
        name = rao_scott_form(shares.points, weighted=shares.weight is not None)
        return question.record(
            name, **claim_fields(claim, against), undefined=plain.undefined, estimate=plain.estimate
        )
    successes, groups, weights = shares.share(question.models[0], question.metric)
    return rao_scott(
        successes,
        SampleDesign(weights, groups=groups),
        claim,
        question,
        alternative=against,
        points=shares.points,
    )


def _over_folds(
    values: pl.Series,
    claim: float,
    question: Question,
    against: Alternative,
    evaluation: Evaluation,
) -> Comparison:
    ratio = ratio_of_overlap(evaluation)
    question = replace(question, unit=unit_of(evaluation))
    return one_sample_t(values, claim, question, alternative=against, ratio=ratio)


def _values(parts: DataFrame[FoldMetrics], model: str, metric: str) -> pl.Series | None:
    """The measure of a model in every test part, or None where it is not one of folds."""
    name = COMPLEMENTS.get(metric, metric)
    values = parts.filter(role="test", model=model, metric=name)["value"]
    if values.is_empty():
        return None
    return values if name == metric else 1 - values
