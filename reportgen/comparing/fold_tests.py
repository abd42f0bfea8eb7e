"""The tests of every pair over folds, or over data sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparisons import (
    Comparison,
    Question,
    bayesian_correlated_t,
    bayesian_signed_rank,
    conover,
    corrected_resampled_t,
    corrected_t_of_repeats,
    equivalence,
    equivalence_by_signs,
    five_by_two_f,
    five_by_two_t,
    fold_difference,
    lower_is_better,
    mean_ranks,
    mean_ranks_sign_flip,
    nemenyi,
    paired_folds,
    paired_t_folds,
    sign,
    sign_flip,
    signed_rank,
)
from reportgen.comparisons.folds import above_guessing, of_one_repeat, ratio_of_test_rows
from reportgen.comparisons.registry import registered_for
from reportgen.measuring.compared_by_fold import GUARD, measures_of, needs_guard
from reportgen.measuring.context import TestSettings
from reportgen.measuring.fold_means import fold_scores
from reportgen.predictions.evaluation_scheme import OF_REPEATS, OVER_FOLDS, Evaluation
from reportgen.spec import Spec
from reportgen.spec.measures import margin_in
from reportgen.spec.option_groups import Comparing
from reportgen.tables import BlockScores, FoldMetrics, FoldPairs, FoldScores
from reportgen.tables.comparisons import Unit

REGION_OF_SHARES = 0.01
"""Half the region of practical equivalence of shares, unless the spec has one."""

Test = Callable[[DataFrame[FoldPairs], Question], Comparison | list[Comparison]]


def compared_folds(
    parts: DataFrame[FoldMetrics],
    evaluation: Evaluation,
    settings: TestSettings,
    spec: Spec,
) -> list[Comparison]:
    """Every pair of models on every measure, fold by fold; nothing with a single test part.

    Of several data sets the unit is a data set: the mean over its folds.
    """
    tested = parts.filter(role="test")
    if not evaluation.pooled_fits or settings.unpaired:
        return []
    records: list[Comparison] = []
    named = set(measures_of(spec))
    guard = None
    if any(map(needs_guard, named)) and evaluation.scheme != "data_sets":
        guard = fold_scores(tested.filter(metric=GUARD), parts, evaluation)
    for (metric,), of_metric in tested.group_by("metric", maintain_order=True):
        if metric == GUARD and GUARD not in named:
            continue
        if of_metric["value"].null_count() == of_metric.height:
            records += _without_values(str(metric), of_metric, evaluation, settings)
            continue
        scores = fold_scores(of_metric, parts, evaluation)
        names = of_metric["model"].unique(maintain_order=True).to_list()
        ordered = sorted(names, key=lambda name: name == settings.baseline)
        if evaluation.scheme == "data_sets" and len(names) > 2:
            records += _of_data_sets(scores, ordered, str(metric), settings)
        for pair in combinations(ordered, 2):
            pairs = paired_folds(scores, *pair)
            question = Question(
                pair, str(metric), settings.alpha, settings.confidence, unit=unit_of(evaluation)
            )
            rope, margin = _rope(spec.comparisons, str(metric)), margin_in(str(metric), spec)
            for test in pair_tests(evaluation.scheme, rope=rope, margin=margin, ratio=None):
                made = listed(test(pairs, question))
                if guard is not None and needs_guard(str(metric)):
                    made = _guarded(made, paired_folds(guard, *pair))
                records += made
    return records


def _guarded(records: list[Comparison], pairs: DataFrame[FoldPairs]) -> list[Comparison]:
    """The tests with how far the models are from guessing, by their decisions in every fold."""
    if not pairs.height or pairs.select("first", "second").null_count().sum_horizontal().item():
        return records
    share = ratio_of_test_rows(pairs) or 0.0
    far = above_guessing(pairs.select("first", "second"), share, GUARD)
    distance, means = far.get("above_chance"), far.get("fold_means", ())
    return [r.with_fields(above_chance=distance, informedness=means) for r in records]


def _without_values(
    metric: str, values: pl.DataFrame, evaluation: Evaluation, settings: TestSettings
) -> list[Comparison]:
    """Why there is no test of a measure that a part lacks; single rows have no AUC."""
    if metric == "auc":
        return []
    unit = unit_of(evaluation)
    where = "on a data set" if unit == "data sets" else "in a fold"
    names = values["model"].unique(maintain_order=True).to_list()
    ordered = sorted(names, key=lambda name: name == settings.baseline)
    test = "wilcoxon" if unit == "data sets" else "corrected_resampled_t"
    return [
        record
        for pair in combinations(ordered, 2)
        for record in Question(
            pair, metric, settings.alpha, settings.confidence, unit=unit
        ).undefined(f"{where} a model has no value of the measure", test)
    ]


def unit_of(evaluation: Evaluation) -> Unit:
    """What counts as one observation of a measure by fold."""
    return "data sets" if evaluation.scheme == "data_sets" else "folds"


def listed(records: Comparison | list[Comparison]) -> list[Comparison]:
    """The records of a test, however many it gives."""
    return records if isinstance(records, list) else [records]


def _of_data_sets(
    scores: DataFrame[FoldScores], names: Sequence[str], metric: str, settings: TestSettings
) -> list[Comparison]:
    """The tests of all models at once, then those of all pairs of mean ranks."""
    blocks = BlockScores.validate(scores.select("model", "value", block="fold"))
    question = Question(tuple(names), metric, settings.alpha, settings.confidence, unit="data sets")
    flipped = mean_ranks_sign_flip(blocks, question)
    if baseline := settings.baseline:
        flipped = [record for record in flipped if baseline not in record.models]
        flipped += mean_ranks_sign_flip(blocks, question, baseline)
    return [
        *(test(blocks, question) for test in registered_for("blocks", "data sets")),
        *flipped,
        *nemenyi(blocks, question),
        *mean_ranks(blocks, question),
        *conover(blocks, question),
    ]


def pair_tests(
    scheme: str, *, rope: float | None, margin: float | None, ratio: float | None
) -> Sequence[Test]:
    """The tests that are made; which of them to use is decided elsewhere.

    ``ratio`` is test rows over training rows where the pairs do not tell it.
    """
    if scheme == "data_sets":
        return _tests_of_data_sets(rope, margin)
    corrected = partial(corrected_resampled_t, ratio=ratio)
    result: list[Test] = [corrected, *registered_for("pairs", "folds"), _signed_rank_folds]
    if scheme in OF_REPEATS:
        result = [partial(corrected_t_of_repeats, ratio=ratio), *result]
    if scheme == "five_by_two":
        result = [five_by_two_f, five_by_two_t, *result]
    if scheme not in OVER_FOLDS:
        return result
    if rope is not None:
        result.append(partial(bayesian_correlated_t, rope=rope, ratio=ratio))
    if margin is not None:
        result.append(partial(_within, margin=margin, ratio=ratio))
    return result


def _tests_of_data_sets(rope: float | None, margin: float | None) -> Sequence[Test]:
    """The tests of pairs whose units are independent data sets."""
    result: list[Test] = [signed_rank, sign, sign_flip, paired_t_folds]
    result += registered_for("pairs", "data sets")
    if rope is not None:
        result.append(partial(bayesian_signed_rank, rope=rope))
    if margin is not None:
        result.append(partial(_within, margin=margin, ratio=0.0))
        result.append(partial(equivalence_by_signs, margin=margin))
    return result


def _rope(choices: Comparing, metric: str) -> float | None:
    """The region of practical equivalence: the spec's, or 0.01 for what is better when higher."""
    return choices.rope if choices.rope is not None or lower_is_better(metric) else REGION_OF_SHARES


def _within(
    pairs: DataFrame[FoldPairs], question: Question, *, margin: float, ratio: float | None
) -> list[Comparison]:
    share = ratio_of_test_rows(pairs) if ratio is None else ratio
    once = of_one_repeat(share, pairs.height) if share and pairs.height else share
    records = equivalence(fold_difference(pairs, once), question, margin)
    if not share:
        return records
    distances = above_guessing(pairs.select("first", "second"), share, question.metric)
    return [record.with_fields(**distances) for record in records]


def _signed_rank_folds(pairs: DataFrame[FoldPairs], question: Question) -> Comparison:
    return signed_rank(pairs, question, name="wilcoxon_folds")
