"""One model against a claim of the spec: binomial tests of rows, t-tests of folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparisons import Comparison, Question, binomial, one_sample_t
from reportgen.comparisons.claims import Alternative, claim_of
from reportgen.intervals import Wilson
from reportgen.metrics import find
from reportgen.predictions.evaluation import Evaluation
from reportgen.results.compare import WEIGHTED, Terms
from reportgen.spec import gates
from reportgen.tables import FoldMetrics, Metrics

REFUTED_BY: dict[str, Alternative] = {"<=": "greater", "<": "greater", ">=": "less", ">": "less"}
"""Which values speak against a claim."""

COMPLEMENTS = {"error_rate": "accuracy", "rank_loss": "auc", "zero_one_loss": "subset_accuracy"}
"""Measures of folds that are 1 minus another."""

POOLED = "it takes the fits of all folds as one model"
REPEATED = "rows return in every repeat, and it takes them as independent"
OVERLAP = "it allows for training sets that overlap"


def claimed(
    claims: Sequence[str],
    metrics: DataFrame[Metrics],
    parts: DataFrame[FoldMetrics],
    evaluation: Evaluation,
    terms: Terms,
) -> list[Comparison]:
    """The tests of every claim, such as ``forest.error_rate <= 0.05``: it is the null hypothesis.

    A share of rows is tested by the binomial test, a measure of folds by the
    t-test of its values, corrected where training sets overlap.
    """
    records: list[Comparison] = []
    for text in claims:
        claim = gates.parse(text)
        model, name = claim.left.model, claim.left.metric
        question = replace(terms.asked((model,), name), caveats=terms.caveats)
        against = REFUTED_BY[claim.op]
        values = _values(parts, model, name)
        if evaluation.resampled and values is not None:
            records.append(_over_folds(values, claim.limit, question, against, evaluation))
        record = _over_rows(metrics, claim.limit, question, against, terms)
        records.append(_standing(record, evaluation, folds=values is not None))
    return records


def _over_rows(
    metrics: DataFrame[Metrics],
    claim: float,
    question: Question,
    against: Alternative,
    terms: Terms,
) -> Comparison:
    own = metrics.filter(
        pl.all_horizontal(pl.col("slice", "class", "average").is_null()), model=question.models[0]
    )
    numbers = dict(own.select("metric", "value").iter_rows())
    known, value = find(question.metric), numbers.get(question.metric)
    bare = question.record("binomial", claim_of(question, claim, against), against=claim)
    if known is None or not isinstance(known.interval, Wilson) or known.group == "cost":
        return bare.undefined_because("the measure is no share of counted rows")
    if terms.weight is not None:
        return bare.undefined_because(WEIGHTED)
    if value is None:
        return bare.undefined_because(known.undefined)
    cells = known.interval.cells
    rows = round(sum(numbers[c] for c in cells) if "tp" in numbers else numbers["n"])
    return binomial(round(value * rows), rows, claim, question, alternative=against)


def _over_folds(
    values: pl.Series,
    claim: float,
    question: Question,
    against: Alternative,
    evaluation: Evaluation,
) -> Comparison:
    ratio = 0.0
    if evaluation.train and evaluation.test and evaluation.overlap != 0:
        ratio = evaluation.test / evaluation.train
    record = one_sample_t(values, claim, question, alternative=against, ratio=ratio)
    if record.undefined:
        return record
    if evaluation.overlap == 0 or ratio:
        return replace(record, standing="recommended", why=OVERLAP if ratio else None)
    why = "the training sets overlap by an amount that is not known, so it rejects too often"
    return replace(record, standing="avoid", why=why)


def _standing(record: Comparison, evaluation: Evaluation, *, folds: bool) -> Comparison:
    if record.undefined:
        return record
    if evaluation.repeats > 1:
        return replace(record, standing="avoid", why=REPEATED)
    if evaluation.resampled and folds:
        return replace(record, standing="valid", why=POOLED)
    return replace(record, standing="recommended")


def _values(parts: DataFrame[FoldMetrics], model: str, metric: str) -> pl.Series | None:
    """The measure of a model in every test part, or None where it is not one of folds."""
    name = COMPLEMENTS.get(metric, metric)
    found = parts.filter(role="test", model=model, metric=name)["value"]
    if found.is_empty():
        return None
    return found if name == metric else 1 - found
