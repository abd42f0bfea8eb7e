"""Results of a table of scores, over data sets or folds: mean ranks, tests, what they show."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparing import ranking_folds
from reportgen.comparing.claims import claimed_of_values
from reportgen.comparing.equal_values import most_equal, with_both
from reportgen.comparing.fold_tests import REGION_OF_SHARES
from reportgen.comparing.ledger import with_ledger
from reportgen.comparing.recommendation import Situation, with_recommendation
from reportgen.comparing.significance import chosen
from reportgen.comparing.too_few_units import least_adjusted
from reportgen.comparing.undeclared_limits import with_undone
from reportgen.comparisons import (
    Comparison,
    Question,
    adjust,
    bayesian_signed_rank,
    bonferroni_dunn,
    conover,
    equivalence,
    equivalence_by_signs,
    mean_ranks,
    mean_ranks_sign_flip,
    nemenyi,
    ranks,
    sign,
    sign_flip,
    signed_rank,
    table,
)
from reportgen.comparisons.paired import mean_difference
from reportgen.comparisons.rank_pairs import pairs_of
from reportgen.comparisons.registry import registered_for
from reportgen.concluding.conclusion import with_decision
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.undeclared_values import undeclared_groups_of_values
from reportgen.metrics import find
from reportgen.predictions import Scores
from reportgen.predictions.evaluation_scheme import Evaluation, facts
from reportgen.records.model import Results, ResultTables, typed
from reportgen.records.rows import DataRecord
from reportgen.results.assembler import results_of
from reportgen.results.provenance import check_records, file_records
from reportgen.spec import ScoresSpec
from reportgen.tables import BlockScores, FoldMetrics, Gaps, Metrics
from reportgen.tables.results import MetricRow

_POOL = "mean ranks depend on which other models are included"

MOST_BLOCKS = 200
"""The values of more data sets than this are not repeated in the report."""


def of_scores(scores: Scores, spec: ScoresSpec) -> Results:
    """Compare the models of a table of values; the form is that of all results."""
    question = Question(
        scores.models,
        spec.measure,
        spec.comparisons.alpha,
        spec.confidence,
        less_is_better=spec.less_is_better,
        unit="data sets" if scores.folds is None else "folds",
        caveats=_left_out(scores) if scores.folds is None else (),
        other_unit=_in_other_unit(scores.frame, spec.measure),
    )
    ranked = ranks(scores.frame, question)
    metrics = _metrics(ranked, spec, scores)
    if scores.folds is None:
        datasets = scores.frame["block"].n_unique()
        evaluation = Evaluation("data_sets", datasets, 1, 1, datasets, None, datasets=datasets)
        tests = compared(scores, question, spec)
        least = least_adjusted(tests, spec.comparisons.correction, spec.baseline)
        equal = most_equal(_wide(scores), pairs_of(question.models, spec.baseline))
        situation = Situation(evaluation, least_adjusted=least, equal_values=equal)
        tests = with_recommendation(tests, situation)
        tests = chosen(tests, spec)
    else:
        tests = ranking_folds.compared(scores, question, spec, _rope(scores.frame, spec))
    records = adjust(tests, spec.comparisons.correction, spec.baseline)
    data = _data(scores, spec, ranked)
    comparisons, *_ = with_ledger(with_undone(table(records), data), typed(Gaps, []))
    tables = ResultTables(
        metrics=typed(Metrics, metrics),
        comparisons=comparisons,
        folds=typed(FoldMetrics, ranking_folds.values(scores, spec.measure)),
    )
    hashes = [f.sha256 for f in scores.files]
    results = results_of(spec, tables, data, hashes)
    return with_decision(results, spec)


def compared(whole: Scores, question: Question, spec: ScoresSpec) -> list[Comparison]:
    """Every test: of all models at once where there are three or more, and of pairs.

    Pairs are those with the baseline where there is one, else all, each on all data sets that
    have values of both; the recommended test is Wilcoxon's, which does not depend on the other
    models (Benavoli, Corani & Mangili 2016, Journal of Machine Learning Research 17(5)).
    """
    scores = whole.frame
    records = _of_pairs(whole, question, spec)
    records += claimed_of_values(spec.comparisons.claims, scores, question, 0.0)
    if len(question.models) < 3:
        return records
    omnibus = [test(scores, question) for test in registered_for("blocks", "data sets")]
    of_ranks = mean_ranks_sign_flip(scores, question, spec.baseline)
    of_ranks += [*nemenyi(scores, question), *mean_ranks(scores, question)]
    of_ranks += conover(scores, question)
    if spec.baseline:
        of_ranks += bonferroni_dunn(scores, question, spec.baseline)
        of_ranks += mean_ranks(scores, question, spec.baseline)
    pooled = [r.with_fields(caveats=(*r.caveats, _POOL)) for r in of_ranks]
    return [*omnibus, *records, *pooled]


def _wide(scores: Scores) -> pl.DataFrame:
    """The values of each data set, a column per model."""
    return scores.every.pivot("model", index="block", values="value", maintain_order=True)


def _of_pairs(scores: Scores, question: Question, spec: ScoresSpec) -> list[Comparison]:
    wide = _wide(scores)
    records: list[Comparison] = []
    rope = _rope(scores.frame, spec)
    # Fewer draws of the posterior for many pairs: 2,000 tell a probability to 0.01
    draws = 20_000 if len(question.models) <= 5 else 2_000
    for pair in pairs_of(question.models, spec.baseline):
        both = with_both(wide, *pair)
        of_pair = replace(question, models=pair, caveats=_lacking(wide.height - both.height))
        tests = _tests_of_pair(both, of_pair, spec, rope, draws)
        records += [test.with_fields(observations=both.height) for test in tests]
    return records


def _tests_of_pair(
    both: pl.DataFrame, of_pair: Question, spec: ScoresSpec, rope: float | None, draws: int
) -> list[Comparison]:
    records = [signed_rank(both, of_pair), sign(both, of_pair), sign_flip(both, of_pair)]
    records += [test(both, of_pair) for test in registered_for("pairs", "data sets")]
    if spec.comparisons.margin is not None:
        mean = mean_difference(both, what="differences between the models")
        records += equivalence(mean, of_pair, spec.comparisons.margin)
        records += equivalence_by_signs(both, of_pair, spec.comparisons.margin)
    if rope is not None:
        records.append(bayesian_signed_rank(both, of_pair, rope=rope, draws=draws))
    return records


def _in_other_unit(scores: DataFrame[BlockScores], measure: str) -> bool:
    """Whether values lie outside the bounds of a registered measure, as those in percent do."""
    metric = find(measure)
    return metric is not None and not scores["value"].is_between(*metric.bounds).all()


def _rope(scores: DataFrame[BlockScores], spec: ScoresSpec) -> float | None:
    """The region of practical equivalence: the spec's, 0.01 for shares, none for other units."""
    if spec.comparisons.rope is not None:
        return spec.comparisons.rope
    shares: bool = scores.select(pl.col("value").is_between(0, 1).all()).item()
    return REGION_OF_SHARES if shares else None


def _metrics(ranked: pl.DataFrame, spec: ScoresSpec, scores: Scores) -> list[MetricRow]:
    models = scores.models
    best = pl.col("rank") == pl.col("rank").min().over("block")
    shared = best.sum().over("block")
    table = (
        ranked.with_columns(won=pl.when(best).then(1 / shared).otherwise(0.0))
        .group_by("model")
        .agg(
            pl.col("rank").mean().alias("mean_rank"),
            pl.col("value").mean().alias("mean"),
            pl.col("value").median().alias("median"),
            pl.col("won").sum().alias("won"),
        )
    )
    of = {row["model"]: row for row in table.to_dicts()}
    names = {
        "mean_rank": "mean_rank",
        "mean": f"mean {spec.measure}",
        "median": f"median {spec.measure}",
        "won": f"{_unit(scores)}s won",
    }
    return [MetricSubject(m).row(name, of[m][key]) for key, name in names.items() for m in models]


def _data(scores: Scores, spec: ScoresSpec, ranked: pl.DataFrame) -> DataRecord:
    blocks = scores.frame["block"].unique(maintain_order=True).to_list()
    wide = scores.frame.pivot("model", index="block", values="value", maintain_order=True)
    places = ranked.pivot("model", index="block", values="rank", maintain_order=True)
    shown_count = min(len(blocks), MOST_BLOCKS)
    seen = undeclared_groups_of_values(scores, spec)
    return {
        **({} if scores.averaged is None else {"averaged": scores.averaged}),
        **({"undeclared_groups": seen} if seen else {}),
        "task": "comparison",
        "files": file_records(scores.files),
        "rows": scores.frame.height,
        "rows_evaluated": scores.frame.height,
        "measure": spec.measure,
        "better": "lower" if spec.less_is_better else "higher",
        "unit": _unit(scores),
        "datasets": len(blocks),
        "evaluation": None if scores.evaluation is None else facts(scores.evaluation),
        "left_out": list(scores.left_out),
        "values": wide.head(shown_count).to_dicts(),
        "ranks": places.head(shown_count).to_dicts(),
        "checks": check_records(scores.checks),
        "models": [{"name": model, "outputs": ["values"]} for model in scores.models],
    }


def _unit(scores: Scores) -> str:
    return "data set" if scores.folds is None else "fold"


def _lacking(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    lacks, is_ = ("data set that lacks", "is") if count == 1 else ("data sets that lack", "are")
    return (f"{count} {lacks} a value for one of the two models {is_} left out of their test",)


def _left_out(scores: Scores) -> tuple[str, ...]:
    count = len(scores.left_out)
    if not count:
        return ()
    unit = _unit(scores)
    lacks = f"{unit} that lacks" if count == 1 else f"{unit}s that lack"
    return (f"{count} {lacks} a value for a model {'is' if count == 1 else 'are'} left out",)
