"""Every pair of models, compared: the tests, their correction, and the dominance of curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.clusters import Groups
from reportgen.comparisons import (
    AreaCovariance,
    Comparison,
    ExpectedCosts,
    Pairs,
    Question,
    area_covariance,
    area_difference,
    cochran_q,
    cost_covariance,
    cross_counted,
    delong_pair,
    dominance_of,
    equivalence,
    equivalence_of_shares,
    expected_cost_pair,
    lines_of,
    mcnemar,
    paired_costs,
    paired_counts,
    survival,
)
from reportgen.comparisons.grouped import (
    mcnemar_groups,
    mean_difference_in_groups,
    paired_t_groups,
)
from reportgen.comparisons.grouped_claims import cochran_groups
from reportgen.comparisons.mcnemar import FORMS
from reportgen.comparisons.survival import REPLICATES
from reportgen.results.calls import Calls
from reportgen.results.costs import row_cost
from reportgen.results.judged import Judged, call
from reportgen.results.model import typed
from reportgen.tables import Dominance

Flags = npt.NDArray[np.bool_]

MOST_DRAWN = 6
"""Of more pairs of curves the rows are not drawn anew."""

WEIGHTED = "rows are weighted, and the test counts rows"
GROUPED = "rows of one group are treated as independent"


@dataclass(frozen=True, slots=True)
class Terms:
    """What the tests are made under.

    ``unpaired`` says why the models cannot be paired; every test is then
    undefined with that reason. ``of_decisions`` are caveats of the tests of
    decisions alone, ``costs`` those of each kind of error where they are
    declared. ``margin`` is the largest difference that does not matter, for
    tests over rows. ``groups`` are those of the rows, where rows of a group
    depend on each other: the tests then are those that allow for it.
    """

    baseline: str | None = None
    alpha: float = 0.05
    correction: str = "holm"
    confidence: float = 0.95
    weight: str | None = None
    unpaired: str | None = None
    caveats: tuple[str, ...] = ()
    of_decisions: tuple[str, ...] = ()
    costs: dict[str, float] | None = None
    margin: float | None = None
    groups: Groups | None = None
    difference: str = "midp_paired"

    def asked(self, models: tuple[str, ...], metric: str, *caveats: str) -> Question:
        """The question of a test of these models under these terms."""
        all_caveats = (*caveats, *self.caveats)
        return Question(models, metric, self.alpha, self.confidence, caveats=all_caveats)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What tests are made from.

    ``pairs`` cross-counts the decisions of two models, ``losses`` gives what
    each row costs under them (``first second``, and ``rows`` where a line
    stands for several); ``areas`` and ``envelopes`` give the AUCs and the
    expected total costs of several, with their covariance. ``correct`` says of
    each row whether a model is correct on it; there is none without rows.
    """

    pairs: Callable[[Judged, Judged], Pairs]
    losses: Callable[[Judged, Judged, dict[str, float]], pl.DataFrame]
    areas: Callable[[Sequence[Judged]], AreaCovariance]
    envelopes: Callable[[Sequence[Judged]], ExpectedCosts]
    correct: Callable[[Judged], Flags] | None = None


def of_rows(
    rows: pl.DataFrame,
    weight: str | None,
    calls: Calls | None = None,
    groups: Groups | None = None,
) -> Evidence:
    """The evidence of rows in memory; ``calls`` are their decisions, where they are known."""

    def pairs(a: Judged, b: Judged) -> Pairs:
        if calls is not None:
            return calls.pairs(a.name, b.name)
        return paired_counts(rows, call(a.columns, a.threshold), call(b.columns, b.threshold))

    def losses(a: Judged, b: Judged, costs: dict[str, float]) -> pl.DataFrame:
        first, second = (row_cost(rows, call(m.columns, m.threshold), costs) for m in (a, b))
        return rows.select(first=first, second=second)

    def areas(models: Sequence[Judged]) -> AreaCovariance:
        sweeps = [m.sweep for m in models if m.sweep is not None] if weight else None
        return area_covariance(rows, _scores(models), weight=weight, sweeps=sweeps, groups=groups)

    def envelopes(models: Sequence[Judged]) -> ExpectedCosts:
        rankings = [m.ranked for m in models if m.ranked is not None]
        return cost_covariance(
            rows, _scores(models), weight=weight, rankings=rankings, groups=groups
        )

    def correct(model: Judged) -> Flags:
        return _flags(rows, call(model.columns, model.threshold) == pl.col("truth"))

    return Evidence(pairs, losses, areas, envelopes, correct)


def compared(models: Sequence[Judged], terms: Terms, evidence: Evidence) -> list[Comparison]:
    """McNemar's tests, DeLong's and those of cost curves of every pair.

    Pairs are in the order of ``models``, but for the baseline: differences are
    from it.
    """
    models = sorted(models, key=lambda model: model.name == terms.baseline)
    records = [r for pair in combinations(models, 2) for r in _decisions(*pair, terms, evidence)]
    return records + _areas(models, terms, evidence)


def several(
    rows: pl.DataFrame,
    right: Mapping[str, pl.Expr],
    terms: Terms,
    metric: str = "accuracy",
    count: str | None = None,
) -> list[Comparison]:
    """Cochran's test of more than two models at once, which asks before the pairs are looked at.

    A row stands for as many as its column ``count`` says, where one is named.
    """
    if len(right) < 3 or terms.unpaired or terms.weight:
        return []
    question = terms.asked(tuple(right), metric, *terms.of_decisions)
    if terms.groups is not None:
        correct = [_flags(rows, expr) for expr in right.values()]
        return [cochran_groups(correct, terms.groups, question)]
    return cochran_q(rows, right, question, count)


def compared_calls(
    rows: pl.DataFrame, right: Mapping[str, pl.Expr], terms: Terms, metric: str = "accuracy"
) -> list[Comparison]:
    """McNemar's tests of every pair, from whether each model is right about a row."""
    ordered = sorted(right, key=lambda name: name == terms.baseline)
    records = several(rows, {name: right[name] for name in ordered}, terms, metric)
    for names in combinations(ordered, 2):
        reason = terms.unpaired or (WEIGHTED if terms.weight else None)
        if reason:
            records += terms.asked(names, metric).undefined(reason, *_forms(terms))
            continue
        if terms.groups is not None:
            correct = _flags(rows, right[names[0]]), _flags(rows, right[names[1]])
            records += _in_groups(correct, terms.groups, terms.asked(names, metric), terms)
            continue
        pairs = cross_counted(rows, right[names[0]], right[names[1]])
        records += mcnemar(pairs, terms.asked(names, metric), interval=terms.difference)
        records += _margin(pairs, terms.asked(names, metric), terms)
    return records


def _in_groups(
    correct: tuple[Flags, Flags], groups: Groups, question: Question, terms: Terms
) -> list[Comparison]:
    """The test of the decisions of two models on rows in groups, and those against a margin."""
    records = [mcnemar_groups(correct, groups, question)]
    if terms.margin is not None and terms.margin < 1:
        mean = mean_difference_in_groups(*correct, groups)
        records += equivalence(mean, question, terms.margin)
    return records


def _forms(terms: Terms) -> tuple[str, ...]:
    """The tests of decisions that are made under these terms."""
    return FORMS if terms.groups is None else ("mcnemar_groups",)


def _flags(rows: pl.DataFrame, expression: pl.Expr) -> Flags:
    flags: Flags = rows.select(expression).to_series().to_numpy()
    return flags


def _margin(pairs: Pairs, question: Question, terms: Terms) -> list[Comparison]:
    """Equivalence and non-inferiority of two shares, where the spec has a margin."""
    if terms.margin is None or terms.margin >= 1:
        return []
    return equivalence_of_shares(pairs, question, terms.margin)


def dominances(
    models: Sequence[Judged], rows: pl.DataFrame | None = None, seed: int = 0
) -> DataFrame[Dominance]:
    """The ROC, P-R and cost curves of every pair of score models that saw both classes.

    With ``rows`` they are resampled, whole groups where rows have a column of them,
    to see how often the relation comes out the same.
    """
    scored = {
        m.name: (str(m.columns.score), m.ranked, m.hull)
        for m in models
        if m.ranked is not None and m.hull is not None and m.both_classes
    }
    pairs = list(combinations(scored, 2))
    stability = {}
    group = "group" if rows is not None and "group" in rows.columns else None
    if rows is not None and len(pairs) <= MOST_DRAWN:
        for a, b in pairs:
            columns, rankings = (scored[a][0], scored[b][0]), (scored[a][1], scored[b][1])
            stability[a, b] = survival(rows, columns, group=group, seed=seed, sweeps=rankings)
    lines = {name: lines_of(order, hull) for name, (_, order, hull) in scored.items() if pairs}
    records = [
        dominance_of(
            curve, (a, b), (lines[a][curve], lines[b][curve]), stability.get((a, b)), REPLICATES
        )
        for curve in ("roc", "precision_recall", "cost")
        for a, b in pairs
    ]
    return typed(Dominance, records)


def _decisions(a: Judged, b: Judged, terms: Terms, evidence: Evidence) -> list[Comparison]:
    """McNemar's tests, and that of the costs where they are declared."""
    names = (a.name, b.name)
    question = terms.asked(names, "accuracy", *terms.of_decisions)
    of_costs = terms.asked(names, "cost_sensitive_error_rate", *terms.of_decisions)
    reason = terms.unpaired or (WEIGHTED if terms.weight else None)
    if reason:
        test = "paired_cost" if terms.groups is None else "paired_cost_groups"
        costs = [] if terms.costs is None else of_costs.undefined(reason, test)
        return [*question.undefined(reason, *_forms(terms)), *costs]
    if terms.groups is not None and evidence.correct is not None:
        correct = evidence.correct(a), evidence.correct(b)
        records = _in_groups(correct, terms.groups, question, terms)
        if terms.costs is not None:
            lost = evidence.losses(a, b, terms.costs)
            both = lost["first"].to_numpy(), lost["second"].to_numpy()
            records.append(paired_t_groups(both, terms.groups, of_costs, "paired_cost_groups"))
        return records
    pairs = evidence.pairs(a, b)
    records = mcnemar(pairs, question, interval=terms.difference)
    records += _margin(pairs, question, terms)
    if terms.costs is not None:
        records.append(paired_costs(evidence.losses(a, b, terms.costs), of_costs))
    return records


def _areas(models: Sequence[Judged], terms: Terms, evidence: Evidence) -> list[Comparison]:
    """DeLong's tests, then those of the cost curves."""
    scored = [m for m in models if m.columns.score is not None]
    pairs = list(combinations(range(len(scored)), 2))
    if not pairs:
        return []
    few = _few_rows(scored[0])

    def asked(at: tuple[int, int], metric: str) -> Question:
        return terms.asked((scored[at[0]].name, scored[at[1]].name), metric, *few)

    if terms.unpaired or not scored[0].both_classes:
        reason = terms.unpaired or "only one class is present"
        return [
            record
            for test, metric in _of_areas(terms)
            for at in pairs
            for record in asked(at, metric).undefined(reason, test)
        ]
    areas, envelopes = evidence.areas(scored), evidence.envelopes(scored)
    records = [delong_pair(areas, at, asked(at, "auc")) for at in pairs]
    records += [expected_cost_pair(envelopes, at, asked(at, "expected_total_cost")) for at in pairs]
    if terms.margin is not None:
        for at in pairs:
            records += equivalence(area_difference(areas, at), asked(at, "auc"), terms.margin)
    return records


def _of_areas(terms: Terms) -> tuple[tuple[str, str], ...]:
    """The tests of areas that are made under these terms, and their measures."""
    if terms.groups is None:
        return (("delong", "auc"), ("expected_cost", "expected_total_cost"))
    return (("obuchowski", "auc"), ("expected_cost_groups", "expected_total_cost"))


def _scores(models: Sequence[Judged]) -> list[str]:
    return [str(m.columns.score) for m in models]


def _few_rows(model: Judged) -> tuple[str, ...]:
    tp, fp, fn, tn = model.counts.select("tp", "fp", "fn", "tn").row(0)
    fewest = round(min(tp + fn, fp + tn))
    if fewest >= 30:
        return ()
    return (f"the rarer class has {fewest} rows; the normal approximation is rough below 30",)
