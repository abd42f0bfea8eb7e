"""A test of measures of counts that allows for models that predict classes unlike often."""

from __future__ import annotations

from reportgen.clusters import Groups
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.comparisons.row_contributions import Contributions, of_contributions

NAME = "delta_method"


@comparison(
    "pair",
    "rows",
    forms=(Form(NAME, "The Wald test by the delta method", "Wald test", "t"),),
    tasks=("binary", "multiclass", "multilabel"),
    allows=("groups",),
    needs=Needs(least=30),
)
def delta_method(
    first: Contributions, second: Contributions, question: Question, groups: Groups | None = None
) -> Comparison:
    """Two-sided test that two models have the same value of a measure of counts.

    Unlike a permutation test it does not take for granted that both models predict a class
    equally often.

    Args:
        first: the value of the first model, and what each row contributes to it.
        second: that of the second model, of the same rows.
        question: the models, their measure, and the levels of the test and of its interval.
        groups: the group of each row, where rows of one group may depend on each other.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} in the population
    Formula: t = (A − B) / √Σ d², with d the difference of what a row contributes to the models'
        values, the slope of the value by the count of its cell; of rows in groups the sums by
        group; Σ d² is larger by as much as the variance of either model is with two rows more in
        each of its four cells, or right and wrong for each of several classes; as many degrees of
        freedom as the fourth powers say of the difference or of either model, whichever are fewest
    Assumes: independent rows, or groups
    Undefined: the measure is undefined or has no slope, or the models differ in too few rows
    Reference: Agresti (2013), *Categorical Data Analysis*, 16.1; Agresti & Coull (1998),
        doi:10.2307/2685469; Pan & Wall (2002), doi:10.1002/sim.1142

    >>> import numpy as np
    >>> of_recall = lambda right: Contributions(float(right.mean()), (right - right.mean()) / 40)
    >>> a, b = np.repeat([1.0, 0.0], [36, 4]), np.tile([1.0, 1.0, 0.0, 1.0], 10)
    >>> test = delta_method(of_recall(a), of_recall(b), Question(("a", "b"), "recall"))
    >>> round(test.estimate, 3), round(test.statistic, 2), round(test.p_value, 3)
    (0.15, 1.8, 0.099)
    """
    return of_contributions(NAME, first, second, question, groups)
