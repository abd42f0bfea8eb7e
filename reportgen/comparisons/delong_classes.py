"""DeLong's test of means of AUCs over several classes, or labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from reportgen.array_types import Flags, Floats, Integers
from reportgen.clusters import Groups
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.comparisons.row_contributions import (
    Contributions,
    UnknownPart,
    of_contributions,
)
from reportgen.intervals.area_means import contributions, pair_areas
from reportgen.intervals.average_precision import influences
from reportgen.sample_design import INDEPENDENT_ROWS, SampleDesign

NAME = "delong_classes"
OF_PRECISIONS = "average_precisions"

AreaAverage = Literal["macro", "weighted", "macro of pairs", "weighted of pairs"]
"""Over classes against the rest, or over pairs of classes; weighted by their rows."""

LEAST_OF_CLASS = 8
"""With fewer rows, or groups, of a class or without a label its AUC varies too little by chance.

Of a class in one of 40 groups nothing varies between groups: 0.5 of true nulls were rejected.
"""

LEAST_OF_PRECISION = 30
"""The same of average precisions."""

MOST_SPARSE = 0.2
"""So much of the mean such classes may have: whatever their AUCs are, they move it by no more."""

FEW_OF_CLASS = (
    "classes or labels with fewer than {} {} on one side make up more than a fifth of the mean"
)


@dataclass(frozen=True, slots=True)
class MeanArea:
    """A mean of AUCs, or average precisions, and what each row contributes: these add up to 0.

    ``sparse`` is the share of the mean of classes that have fewer than ``LEAST_OF_CLASS`` rows, or
    groups of rows, or of labels with so few on one side; ``known`` is what the others add to it, to
    which the contributions are. Where rows are weighted by class, or classes compared in pairs,
    those without any rows have no part.
    """

    value: float
    known: float
    contributions: Floats
    sparse: float = 0.0
    precision: bool = False

    @classmethod
    def of(
        cls,
        scores: Sequence[Floats],
        truths: Sequence[Flags],
        design: SampleDesign = INDEPENDENT_ROWS,
        average: AreaAverage = "macro",
        *,
        precision: bool = False,
    ) -> MeanArea:
        """Of classes against the rest, or of labels: a score and a truth of each row for each.

        With ``precision`` of their average precisions.
        """
        weight = design.weight_of(len(truths[0]))
        if average == "weighted":
            there = [k for k, truth in enumerate(truths) if truth.any()]
            scores, truths = [scores[k] for k in there], [truths[k] for k in there]
        support = np.array([weight[truth].sum() for truth in truths])
        shares = support if average == "weighted" else np.ones(len(truths))
        shares = shares / shares.sum()
        least = LEAST_OF_PRECISION if precision else LEAST_OF_CLASS
        sparse = np.array([_is_sparse(truth, design.groups, least) for truth in truths])
        of_sparse = float(shares[sparse].sum())
        if of_sparse > MOST_SPARSE or any(truth.all() or not truth.any() for truth in truths):
            return cls(math.nan, math.nan, np.zeros(len(weight)), 1.0, precision)
        each = influences if precision else contributions
        parts = [each(s, t, weight)[:2] for s, t in zip(scores, truths, strict=True)]
        areas = np.array([area for area, _ in parts])
        value = float(areas @ shares)
        adds = np.zeros(len(weight))
        for k in np.flatnonzero(~sparse):
            adds += shares[k] * parts[k][1]
        if average == "weighted":  # the shares are estimated, too
            adds += np.column_stack(truths) @ (areas - value) * weight / support.sum()
        known = float(areas[~sparse] @ shares[~sparse])
        return cls(value, known, adds, of_sparse, precision)

    @classmethod
    def of_pairs(
        cls,
        scores: Sequence[Floats],
        truth: Integers,
        design: SampleDesign = INDEPENDENT_ROWS,
        average: AreaAverage = "macro of pairs",
    ) -> MeanArea:
        """Of pairs of classes: a score of each row for each class, and the place of its class."""
        weight = design.weight_of(len(truth))
        kind = 0 if average == "macro of pairs" else 1
        there = [k for k in range(len(scores)) if (truth == k).sum() > 1]
        many = [k for k in there if _holding(truth == k, design.groups) >= LEAST_OF_CLASS]
        rows = np.isin(truth, many)
        pairs = [len(of) * (len(of) - 1) / 2 for of in (many, there)]
        if kind == 1:
            pairs = [
                (len(of) - 1) * float(weight[np.isin(truth, of)].sum()) for of in (many, there)
            ]
        share = pairs[0] / pairs[1] if pairs[1] else 0.0
        if 1 - share > MOST_SPARSE or len(many) < 2:
            return cls(math.nan, math.nan, np.zeros(len(weight)), 1.0)
        means, added = pair_areas(scores, truth, weight)
        if rows.all():
            return cls(means[kind], means[kind], added[:, kind])
        columns = [score[rows] for score in scores]
        known, of_known = pair_areas(columns, truth[rows], weight[rows])
        adds = np.zeros(len(weight))
        adds[rows] = share * of_known[:, kind]
        return cls(means[kind], share * known[kind], adds, 1 - share)


def _is_sparse(truth: Flags, groups: Groups | None, least: int) -> bool:
    """Whether a class has few rows, or groups, or all but few."""
    return min(_holding(side, groups) for side in (truth, ~truth)) < least


def _holding(rows: Flags, groups: Groups | None) -> int:
    """How many of the rows are of one side, or how many groups hold one of them."""
    return int(rows.sum()) if groups is None else len(np.unique(groups.code[rows]))


@comparison(
    "pair",
    "rows",
    forms=(
        Form(NAME, "DeLong's test over classes", "DeLong (classes)", "t"),
        Form(OF_PRECISIONS, "The t-test of average precisions over classes", "AP (classes)", "t"),
    ),
    tasks=("multiclass", "multilabel"),
    allows=("groups",),
    measures=("auc", "average_precision"),
    needs=Needs(least=30),
)
def delong_classes(
    first: MeanArea, second: MeanArea, question: Question, groups: Groups | None = None
) -> Comparison:
    """Two-sided test that two models have the same mean AUC, or average precision, over classes.

    Or over labels.

    Args:
        first: the mean of the first model, and what each row contributes to it.
        second: that of the second model, of the same rows.
        question: the models, their measure, and the levels of the test and of its interval.
        groups: the group of each row, where rows of one group may depend on each other.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} in the population
    Formula: t = (A − B) / √Σ d², with d the difference of what a row contributes to the models'
        means: of each class its weight in the mean times the placement of the row's score among
        the rows of the other side, less the area, over the rows of its own side; of rows in groups
        the sums by group; as many degrees of freedom as the fourth powers say of the difference or
        of either model, whichever are fewest; where classes of fewer than 8 rows, or groups, have a
        part w of the mean, A − B is that of the other classes, less w
    Formula of average_precisions: t = (A − B) / √Σ d², with d the difference of what a row
        contributes to the models' means, of each class its weight in the mean times the influence
        of the row on its average precision; of rows in groups the sums by group; as many degrees of
        freedom as the fourth powers say of the difference or of either model, whichever are fewest;
        where classes of fewer than 30 rows, or groups, have a part w of the mean, A − B is that of
        the other classes, less w
    Assumes: independent rows, or groups
    Undefined: classes with fewer than 8 rows, or in fewer than 8 groups, make up more than a fifth
        of the mean, or the difference has no variance
    Undefined of average_precisions: classes with fewer than 30 rows, or in fewer than 30 groups,
        make up more than a fifth of the mean, scores have few values, or the difference has no
        variance
    Reference: DeLong et al. (1988), doi:10.2307/2531595; Hand & Till (2001),
        doi:10.1023/A:1010920819831; Pan & Wall (2002), doi:10.1002/sim.1142
    Reference of average_precisions: Hampel (1974), doi:10.1080/01621459.1974.10482962; Pan & Wall
        (2002), doi:10.1002/sim.1142

    >>> random = np.random.default_rng(3)
    >>> truth = np.arange(120) % 3
    >>> truths = [truth == k for k in range(3)]
    >>> a, b = ([t + spread * random.normal(size=120) for t in truths] for spread in (0.5, 1.5))
    >>> question = Question(("a", "b"), "macro_auc")
    >>> test = delong_classes(MeanArea.of(a, truths), MeanArea.of(b, truths), question)
    >>> round(test.estimate, 3), test.p_value < 0.001
    (0.218, True)
    """
    name, least = (OF_PRECISIONS, LEAST_OF_PRECISION) if first.precision else (NAME, LEAST_OF_CLASS)
    if not math.isfinite(first.value - second.value):
        unit = "rows" if groups is None or groups.single else "groups"
        return question.record(name, undefined=FEW_OF_CLASS.format(least, unit))
    a, b = (Contributions(area.known, area.contributions) for area in (first, second))
    of_sparse = UnknownPart((first.value - a.value) - (second.value - b.value), first.sparse)
    return of_contributions(name, a, b, question, groups, of_sparse if first.sparse else None)
