"""Are several models correct on equally many of the same independent rows?"""

from __future__ import annotations

import numpy as np

from reportgen.comparisons.correct_together import CorrectTogether
from reportgen.comparisons.hotelling import hotelling
from reportgen.comparisons.records import Comparison, Question
from reportgen.text.numbers import plural


def accuracies_differ(together: CorrectTogether, question: Question) -> Comparison:
    """``cochran_groups`` of independent rows, each a group of its own, from counts of the rows.

    Unlike Cochran's Q it allows for models of which some are more alike than others. What it
    has as ``observations`` are the rows in which the models differ.

    Args:
        together: how many rows each model predicts correctly, and each two.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    >>> import polars as pl
    >>> rows = pl.DataFrame({"a": [1, 1, 1, 0, 1], "b": [1, 0, 1, 0, 0], "c": [0, 0, 1, 0, 1]})
    >>> correct = {name: pl.col(name) == 1 for name in "abc"}
    >>> question = Question(("a", "b", "c"), "accuracy")
    >>> test = accuracies_differ(CorrectTogether.of(rows, correct), question)
    >>> round(test.statistic, 4), test.observations
    (1.7143, 3)
    """
    models, n, both = len(question.models), together.rows, together.both
    if not together.unlike:
        reason = "all models are correct on the same rows"
        return question.record("cochran_groups", undefined=reason)
    reason = "the models differ in the same way in all rows, or there are too few rows"
    if together.rows <= models:
        return question.record("cochran_groups", undefined=reason)
    contrast = np.column_stack([np.eye(models - 1), -np.ones(models - 1)])
    effect = contrast @ both.diagonal() / n
    covariance = (contrast @ both @ contrast.T - n * np.outer(effect, effect)) / (n * (n - 1))
    test = hotelling(effect, covariance, n - 1)
    if test is None:
        return question.record("cochran_groups", undefined=reason)
    return question.record(
        "cochran_groups",
        observations=round(together.unlike),
        assumptions=(f"{models} models on the same {plural(round(n), 'row')}",),
        **test.test(),
    )
