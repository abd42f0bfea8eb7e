"""The tests of every pair of binary models, and of several at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import TypeVar

import polars as pl

from reportgen.array_types import Flags
from reportgen.comparing.cost_tests import POINT, compared_pair_costs, forms_of_costs
from reportgen.comparing.stated_share import other_shares
from reportgen.comparisons import (
    AreaCovariance,
    Comparison,
    ExpectedCosts,
    Pairs,
    Question,
    area_covariance,
    cost_covariance,
    cross_tabulated,
    delong_pair,
    equivalence,
    equivalence_of_areas,
    equivalence_of_shares,
    expected_cost_pair,
    mcnemar,
    paired_counts,
    weighted_mean_difference,
    weighted_t,
)
from reportgen.comparisons.balanced_decisions import RARE, balanced_pair
from reportgen.comparisons.correct_together import CorrectTogether, accuracies_differ
from reportgen.comparisons.delong import (
    BY_CHANCE,
    delong_rare_class_pair,
    has_rare_class,
    widened,
)
from reportgen.comparisons.grouped import (
    mcnemar_groups,
    mean_difference_in_groups,
)
from reportgen.comparisons.grouped_claims import cochran_groups
from reportgen.comparisons.mcnemar import FORMS
from reportgen.comparisons.omnibus import shares_differ
from reportgen.comparisons.paired import Mean
from reportgen.comparisons.registry import registered_for
from reportgen.measuring.binary_model import BinaryModel, predicted_positive
from reportgen.measuring.context import WEIGHTS_COUNTED, TestSettings
from reportgen.measuring.costs import error_cost, row_cost
from reportgen.measuring.decision_bits import DecisionBits
from reportgen.metric_names import COST
from reportgen.metrics.settings import ErrorCosts
from reportgen.sample_design import INDEPENDENT_ROWS, SampleDesign
from reportgen.text.numbers import plural

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PairData:
    """What tests are made from.

    ``pairs`` cross-counts the decisions of two models, ``losses`` gives what
    each row costs under them, and the costliest error about it (``first second costliest``, and
    ``rows`` where a line stands for several); ``areas`` and ``envelopes`` give the AUCs and the
    areas under the cost curve of several, with their covariance. ``correct`` says of
    each row whether a model is correct on it, ``decided`` gives the areas of decisions, which are
    balanced accuracies, and ``design`` what each row weighs, which is nothing without rows.
    ``missing`` says why there are no AUCs or areas under the cost curve, by measure.
    """

    pairs: Callable[[BinaryModel, BinaryModel], Pairs]
    losses: Callable[[BinaryModel, BinaryModel, ErrorCosts], pl.DataFrame]
    areas: Callable[[Sequence[BinaryModel]], AreaCovariance]
    envelopes: Callable[[Sequence[BinaryModel]], ExpectedCosts]
    correct: Callable[[BinaryModel], Flags] | None = None
    decided: Callable[[Sequence[BinaryModel]], AreaCovariance] | None = None
    design: SampleDesign = INDEPENDENT_ROWS
    missing: Mapping[str, str] = field(default_factory=dict)


def of_rows(
    rows: pl.DataFrame, settings: TestSettings, decisions: DecisionBits | None = None
) -> PairData:
    """The evidence of rows in memory; ``decisions`` are theirs, where they were made before."""
    weight, groups = settings.weight, settings.groups

    def pairs(a: BinaryModel, b: BinaryModel) -> Pairs:
        if decisions is not None:
            return decisions.pairs(a.name, b.name)
        return paired_counts(
            rows,
            predicted_positive(a.columns, a.threshold),
            predicted_positive(b.columns, b.threshold),
        )

    def losses(a: BinaryModel, b: BinaryModel, costs: ErrorCosts) -> pl.DataFrame:
        first, second = (
            row_cost(rows, predicted_positive(m.columns, m.threshold), costs) for m in (a, b)
        )
        return rows.select(POINT, first=first, second=second, costliest=error_cost(rows, costs))

    def of_scores(covariance: Callable[..., T], models: Sequence[BinaryModel]) -> T:
        scores = [str(m.columns.score) for m in models]
        rankings = [m.ranking for m in models if m.ranking is not None]
        return covariance(rows, scores, weight=weight, rankings=rankings, groups=groups)

    def correct(model: BinaryModel) -> Flags:
        return _flags(rows, predicted_positive(model.columns, model.threshold) == pl.col("truth"))

    def decided(models: Sequence[BinaryModel]) -> AreaCovariance:
        columns = {m.name: predicted_positive(m.columns, m.threshold) for m in models}
        table = rows.select("truth", *([weight] if weight else []), **columns)
        return area_covariance(table, list(columns), weight=weight, groups=groups)

    areas, envelopes = partial(of_scores, area_covariance), partial(of_scores, cost_covariance)
    return PairData(pairs, losses, areas, envelopes, correct, decided, settings.design(rows))


def compared(
    models: Sequence[BinaryModel], settings: TestSettings, evidence: PairData
) -> list[Comparison]:
    """McNemar's tests, DeLong's and those of cost curves of every pair.

    Pairs are in the order of ``models``, but for the baseline: differences are
    from it.
    """
    models = sorted(models, key=lambda model: model.name == settings.baseline)
    records = [r for pair in combinations(models, 2) for r in _decisions(*pair, settings, evidence)]
    return [*records, *_areas(models, settings, evidence), *_balanced(models, settings, evidence)]


def several(
    rows: pl.DataFrame,
    correct_of: Mapping[str, pl.Expr],
    settings: TestSettings,
    metric: str = "accuracy",
    count: str | None = None,
) -> list[Comparison]:
    """Cochran's test of more than two models at once, which asks before the pairs are looked at.

    A row stands for as many as its column ``count`` says, where one is named.
    """
    if len(correct_of) < 3 or settings.unpaired or settings.weight:
        return []
    question = settings.question(tuple(correct_of), metric)
    if settings.groups is not None:
        correct = [_flags(rows, expr) for expr in correct_of.values()]
        return [cochran_groups(correct, settings.groups, question)]
    together = CorrectTogether.of(rows, correct_of, count)
    return [accuracies_differ(together, question), *shares_differ(together, question)]


def compared_decisions(
    rows: pl.DataFrame,
    correct_of: Mapping[str, pl.Expr],
    settings: TestSettings,
    metric: str = "accuracy",
    count: str | None = None,
) -> list[Comparison]:
    """McNemar's tests of every pair, from whether each model is right about a row.

    A row stands for as many as its column ``count`` says, where one is named; the weight of each
    of these then is a float, else it is not known.
    """
    ordered = sorted(correct_of, key=lambda name: name == settings.baseline)
    records = several(rows, {name: correct_of[name] for name in ordered}, settings, metric, count)
    unknown = count and settings.weight and rows.schema.get(settings.weight) != pl.Float64
    reason = settings.unpaired or (WEIGHTS_COUNTED if unknown else None)
    counts = None if count is None else rows[count].cast(pl.Float64).to_numpy()
    design = INDEPENDENT_ROWS if reason else settings.design(rows, counts)
    for names in combinations(ordered, 2):
        question = settings.question(names, metric)
        if reason:
            records += question.undefined(reason, *_forms(settings))
            continue
        first, second = correct_of[names[0]], correct_of[names[1]]
        pairs = partial(cross_tabulated, rows, first, second, count)
        correct = partial(_both, rows, first, second)
        records += _of_decisions(question, settings, pairs, correct, design)
    return records


def _of_decisions(
    question: Question,
    settings: TestSettings,
    pairs: Callable[[], Pairs],
    correct: Callable[[], tuple[Flags, Flags]] | None,
    design: SampleDesign,
) -> list[Comparison]:
    """The test of which rows two models are correct on, and with a margin those against it."""
    if correct is not None and design.weights is not None:
        both = correct()
        mean = weighted_mean_difference(*both, design)
        test = weighted_t(both, design, question)
        return [test, *_of_margin(mean, question, settings)]
    if correct is not None and settings.groups is not None:
        both = correct()
        mean = mean_difference_in_groups(*both, settings.groups)
        test = mcnemar_groups(both, settings.groups, question)
        return [test, *_of_margin(mean, question, settings)]
    return _cross_counted(pairs(), question, settings)


def _of_margin(mean: Mean, question: Question, settings: TestSettings) -> list[Comparison]:
    margin = settings.margin_in(question.metric)
    return [] if margin is None or margin >= 1 else equivalence(mean, question, margin)


def _forms(settings: TestSettings) -> tuple[str, ...]:
    """The tests of decisions that are made under these terms."""
    if settings.weight is not None:
        return ("mcnemar_weighted",)
    return FORMS if settings.groups is None else ("mcnemar_groups",)


def _both(rows: pl.DataFrame, first: pl.Expr, second: pl.Expr) -> tuple[Flags, Flags]:
    return _flags(rows, first), _flags(rows, second)


def _flags(rows: pl.DataFrame, expression: pl.Expr) -> Flags:
    flags: Flags = rows.select(expression).to_series().to_numpy()
    return flags


def _cross_counted(pairs: Pairs, question: Question, settings: TestSettings) -> list[Comparison]:
    """The tests of two shares of independent rows; with a margin those against it."""
    records = mcnemar(pairs, question, interval=settings.difference)
    records += [test(pairs, question) for test in registered_for("decisions", "rows")]
    margin = settings.margin_in(question.metric)
    if margin is not None and margin < 1:
        records += equivalence_of_shares(pairs, question, margin)
    return records


def _decisions(
    a: BinaryModel, b: BinaryModel, settings: TestSettings, evidence: PairData
) -> list[Comparison]:
    """McNemar's tests, and that of the costs where they are declared."""
    names = (a.name, b.name)
    question = settings.question(names, "accuracy")
    of_costs = settings.question(names, COST)
    no_rows = settings.weight is not None and evidence.design.weights is None
    reason = settings.unpaired or (WEIGHTS_COUNTED if no_rows else None)
    if reason:
        forms = () if settings.costs is None else forms_of_costs(settings)
        tests = question.undefined(reason, *_forms(settings))
        return [*tests, *of_costs.undefined(reason, *forms)]
    correct = evidence.correct
    records = _of_decisions(
        question,
        settings,
        lambda: evidence.pairs(a, b),
        None if correct is None else lambda: (correct(a), correct(b)),
        evidence.design,
    )
    if settings.costs is not None:
        lost = evidence.losses(a, b, settings.costs)
        records += compared_pair_costs(lost, of_costs, settings, evidence.design)
    return records


def _areas(
    models: Sequence[BinaryModel], settings: TestSettings, evidence: PairData
) -> list[Comparison]:
    """DeLong's tests, then those of the cost curves."""
    scored = [m for m in models if m.columns.score is not None]
    pairs = list(combinations(range(len(scored)), 2))
    if not pairs:
        return []
    few = _few_rows(scored[0])

    def question_at(at: tuple[int, int], metric: str) -> Question:
        return settings.question((scored[at[0]].name, scored[at[1]].name), metric, few_units=few)

    whole = settings.unpaired or (None if scored[0].both_classes else "only one class is present")
    lacking = {
        metric: [r for at in pairs for r in question_at(at, metric).undefined(reason, test)]
        for test, metric in _of_areas(settings)
        if (reason := whole or evidence.missing.get(metric))
    }
    if "auc" in lacking:
        return [record for of_measure in lacking.values() for record in of_measure]
    areas = evidence.areas(scored)
    of_areas = [delong_pair(areas, at, question_at(at, "auc")) for at in pairs]
    records, rare = list(of_areas), has_rare_class(areas)
    if rare:
        records = [r.with_fields(caveats=(*r.caveats, BY_CHANCE)) for r in of_areas]
        of_areas = [delong_rare_class_pair(areas, at, question_at(at, "auc")) for at in pairs]
        records += of_areas
    if "expected_total_cost" in lacking:
        records += lacking["expected_total_cost"]
    else:
        envelopes = evidence.envelopes(scored)
        records += [
            expected_cost_pair(envelopes, at, question_at(at, "expected_total_cost"))
            for at in pairs
        ]
    margin = settings.margin_in("auc")
    if margin is not None:
        for at, of_difference in zip(pairs, of_areas, strict=True):
            question, of_pair = question_at(at, "auc"), widened(areas, at) if rare else areas
            records += equivalence_of_areas(of_difference, of_pair, question, margin, at)
    return records


def _balanced(
    models: Sequence[BinaryModel], settings: TestSettings, evidence: PairData
) -> Iterator[Comparison]:
    """Tests of balanced accuracy where some models give labels only and accuracy says little.

    That is where a class is rare, or positives are not as frequent as the spec states.
    """
    if evidence.decided is None or settings.unpaired or all(m.columns.score for m in models):
        return
    positives, negatives = models[0].class_sizes
    rarer, rows = min(positives, negatives), positives + negatives
    if len(models) < 2 or rarer <= 0:
        return
    if rarer >= RARE * rows and other_shares(positives / rows, settings.prevalence) is None:
        return
    estimates = evidence.decided(models)
    for at in combinations(range(len(models)), 2):
        names = models[at[0]].name, models[at[1]].name
        question = settings.question(names, "balanced_accuracy", few_units=_few_rows(models[at[0]]))
        yield balanced_pair(estimates, at, question)


def _of_areas(settings: TestSettings) -> tuple[tuple[str, str], ...]:
    """The tests of areas that are made under these terms, and their measures."""
    if settings.groups is None:
        return (("delong", "auc"), ("expected_cost", "expected_total_cost"))
    return (("obuchowski", "auc"), ("expected_cost_groups", "expected_total_cost"))


def _few_rows(model: BinaryModel) -> tuple[str, ...]:
    fewest = round(min(model.class_sizes))
    if fewest >= 30:
        return ()
    has = f"has {plural(fewest, 'row')}"
    if model.weighted:
        has = f"is worth {plural(fewest, 'row')} of equal weight"
    return (f"the rarer class {has}; the normal approximation is rough below 30",)
