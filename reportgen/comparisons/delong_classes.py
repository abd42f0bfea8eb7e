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
from reportgen.comparisons.row_contributions import Contributions, of_contributions
from reportgen.intervals.area_means import contributions, pair_areas

NAME = "delong_classes"

AreaAverage = Literal["macro", "weighted", "macro of pairs", "weighted of pairs"]
"""Over classes against the rest, or over pairs of classes; weighted by their rows."""

LEAST_OF_CLASS = 8
"""With fewer rows, or groups, of a class or without a label its AUC varies too little by chance.

Of a class in one of 40 groups nothing varies between groups: 0.5 of true nulls were rejected.
"""

FEW_OF_CLASS = f"a class or label has fewer than {LEAST_OF_CLASS} rows on one side"
FEW_GROUPS = f"a class or label is in fewer than {LEAST_OF_CLASS} groups, or all but so few"


@dataclass(frozen=True, slots=True)
class MeanArea:
    """A mean of AUCs and what each row contributes to it: contributions add up to 0.

    ``fewest`` are the rows, or groups of rows, that hold the smallest class, or the smaller side of
    a label. Where rows are weighted by class, or classes compared in pairs, those without any rows
    have no part.
    """

    value: float
    contributions: Floats
    fewest: int

    @classmethod
    def of(
        cls,
        scores: Sequence[Floats],
        truths: Sequence[Flags],
        weights: Floats | None = None,
        average: AreaAverage = "macro",
        groups: Groups | None = None,
    ) -> MeanArea:
        """Of classes against the rest, or of labels: a score and a truth of each row for each."""
        weight = np.ones(len(truths[0])) if weights is None else weights
        if average == "weighted":
            there = [k for k, truth in enumerate(truths) if truth.any()]
            scores, truths = [scores[k] for k in there], [truths[k] for k in there]
        sides = (side for truth in truths for side in (truth, ~truth))
        fewest = min((_holding(side, groups) for side in sides), default=0)
        if fewest < LEAST_OF_CLASS:
            return cls(math.nan, np.zeros(len(weight)), fewest)
        parts = [contributions(s, t, weight) for s, t in zip(scores, truths, strict=True)]
        areas = np.array([area for area, _ in parts])
        support = np.array([weight[truth].sum() for truth in truths])
        shares = support if average == "weighted" else np.ones(len(parts))
        shares = shares / shares.sum()
        value = float(areas @ shares)
        adds = sum(share * added for share, (_, added) in zip(shares, parts, strict=True))
        if average == "weighted":  # the shares are estimated, too
            away = np.column_stack(truths) @ (areas - value)
            adds = adds + away * weight / support.sum()
        return cls(value, np.asarray(adds, np.float64), fewest)

    @classmethod
    def of_pairs(
        cls,
        scores: Sequence[Floats],
        truth: Integers,
        weights: Floats | None = None,
        average: AreaAverage = "macro of pairs",
        groups: Groups | None = None,
    ) -> MeanArea:
        """Of pairs of classes: a score of each row for each class, and the place of its class."""
        weight = np.ones(len(truth)) if weights is None else weights
        fewest = min((_holding(truth == k, groups) for k in np.unique(truth)), default=0)
        if fewest < LEAST_OF_CLASS:
            return cls(math.nan, np.zeros(len(weight)), fewest)
        means, added = pair_areas(scores, truth, weight)
        kind = 0 if average == "macro of pairs" else 1
        return cls(means[kind], added[:, kind], fewest)


def _holding(rows: Flags, groups: Groups | None) -> int:
    """How many of the rows are of one side, or how many groups hold one of them."""
    return int(rows.sum()) if groups is None else len(np.unique(groups.code[rows]))


@comparison(
    "pair",
    "rows",
    forms=(Form(NAME, "DeLong's test over classes", "DeLong (classes)", "t"),),
    tasks=("multiclass", "multilabel"),
    allows=("groups",),
    measures=("auc",),
    needs=Needs(least=30),
)
def delong_classes(
    first: MeanArea, second: MeanArea, question: Question, groups: Groups | None = None
) -> Comparison:
    """Two-sided test that two models have the same mean AUC over several classes, or labels.

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
        of either model, whichever are fewest
    Assumes: independent rows, or groups
    Undefined: a class has fewer than 8 rows, or is in fewer than 8 groups, or the difference has no
        variance
    Reference: DeLong et al. (1988), doi:10.2307/2531595; Hand & Till (2001),
        doi:10.1023/A:1010920819831; Pan & Wall (2002), doi:10.1002/sim.1142

    >>> random = np.random.default_rng(3)
    >>> truth = np.arange(60) % 3
    >>> truths = [truth == k for k in range(3)]
    >>> a, b = ([t + spread * random.normal(size=60) for t in truths] for spread in (0.5, 1.5))
    >>> question = Question(("a", "b"), "macro_auc")
    >>> test = delong_classes(MeanArea.of(a, truths), MeanArea.of(b, truths), question)
    >>> round(test.estimate, 3), round(test.df, 1), test.p_value < 0.001
    (0.255, 25.5, True)
    """
    if min(first.fewest, second.fewest) < LEAST_OF_CLASS:
        why = FEW_OF_CLASS if groups is None or groups.single else FEW_GROUPS
        return question.undefined(why, NAME)[0]
    a, b = (Contributions(area.value, area.contributions) for area in (first, second))
    return of_contributions(NAME, a, b, question, groups)
