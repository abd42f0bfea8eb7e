"""Models that see little: their folds correlate more than a correction for overlap allows.

The rates are those of ``docs/levels.md``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from reportgen.comparing.claims import COMPLEMENTS
from reportgen.comparing.exchanged_outputs import PredictedPositives
from reportgen.comparisons import Comparison
from reportgen.metrics import chance_value
from reportgen.predictions.evaluation_scheme import Evaluation
from reportgen.records.rows import DataRecord

LEAST = {"auc": 2.0, "accuracy": -0.1}
"""So many standard errors of guessing above it the test holds its level if both models are.

Folds of unequal size give a constant prediction a mean slightly below the share that it has.
"""

FAR = {"auc": 6.0, "accuracy": 4.0}
"""From so many on it does if one model is: no learner of little signal comes that far."""

OF_DECISIONS, FAR_OF_ONE = 3.0, 7.0
"""The same of the informedness of both, or of one, for decisions that guessing has no value in."""

LEAST_VARIED = 0.02
"""So much at least do decisions vary that the error of a guess is known from few of them."""

OF_ITS_OWN = 4.0
"""The same where rows are unknown or unlike, by the spread of the lower model's values."""


@dataclass(frozen=True, slots=True)
class Classes:
    """The shares of the rarest and of the most frequent class; of two classes their sum is 1."""

    rarest: float
    most_frequent: float

    @classmethod
    def of(cls, truth: DataRecord) -> Classes | None:
        """From the facts on the truth; null of other tasks and of a single class.

        >>> Classes.of({"positives": 20, "negatives": 80})
        Classes(rarest=0.2, most_frequent=0.8)
        """
        if "positives" in truth:
            rows = [truth["positives"], truth["negatives"]]
        else:
            rows = [one["rows"] for one in truth.get("classes") or ()]
        rows = [count for count in rows if count]
        if len(rows) < 2:
            return None
        return cls(min(rows) / sum(rows), max(rows) / sum(rows))


def near_guessing(
    record: Comparison,
    evaluation: Evaluation,
    classes: Classes | None,
    positives: PredictedPositives,
) -> Iterator[str]:
    """The reason against a test over folds of models of which one sees little.

    ``positives`` says how many rows each model predicts positive, where rows count alike. Of rows
    in groups the spread over the folds tells more than the number of groups.

    Both models are looked at, as data in which one of two alike learners happens to see
    far more than the other must not be those in which the test is relied on.
    """
    units = None if evaluation.grouped else evaluation.independent_units
    if record.informedness and positives and classes is not None and units:
        yield from _of_decisions(record, evaluation, classes, positives)
        return
    metric = COMPLEMENTS.get(record.metric, record.metric)
    by_spread = metric == "auc" and evaluation.grouped
    guess = None if by_spread else _guess(metric, evaluation, classes)
    if guess is None or not record.fold_means:
        yield from _of_values(record)
        return
    chance, error = guess
    means = record.fold_means if metric == record.metric else [1 - m for m in record.fold_means]
    lower, higher = ((mean - chance) / error for mean in (min(means), max(means)))
    least = LEAST[metric]
    if lower >= least or higher >= FAR[metric]:
        return
    who = "one model" if len(record.models) > 1 else "the model"
    if metric == "accuracy":
        yield (
            f"the mean accuracy of {who} is below {chance:.3g}, the share of the most frequent "
            "class. In simulations of such learners the test rejected up to 18 % of true null "
            "hypotheses"
        )
        return
    yield _too_near(f"the mean AUC of {who}", lower, 0.5, least)


def _too_near(mean: str, distance: float, chance: float, least: float, most: int = 13) -> str:
    where = f"{abs(distance):.2g} standard errors {'above' if distance >= 0 else 'below'}"
    return (
        f"{mean} is {where} {chance:g}, and the test holds its level only from {least:g} on. In "
        f"simulations of learners with little signal it rejected 6 to {most} % of true null "
        "hypotheses"
    )


def _guess(
    metric: str, evaluation: Evaluation, classes: Classes | None
) -> tuple[float, float] | None:
    """What guessing gives and its standard error on independent units; null where unknown."""
    units = evaluation.independent_units
    if metric not in LEAST or classes is None or not units:
        return None
    if metric == "accuracy":
        share = classes.most_frequent
        return share, math.sqrt(share * (1 - share) / units)
    pairs = units**2 * classes.rarest * (1 - classes.rarest)
    return 0.5, math.sqrt((units + 1) / (12 * pairs))


def _of_decisions(
    record: Comparison, evaluation: Evaluation, classes: Classes, positives: PredictedPositives
) -> Iterator[str]:
    """Of models that predict as often a guess has an informedness of 0 ± √(q(1 − q)(1/P + 1/N)).

    One that hardly ever predicts a class is taken to do so in 2 % of the rows.
    """
    units = evaluation.independent_units or 0
    counts = 1 / (units * classes.rarest) + 1 / (units * (1 - classes.rarest))
    distances = []
    for model, informedness in zip(record.models, record.informedness, strict=True):
        share = sum(positives.get(model, {}).values()) / (evaluation.test_rows or units)
        varies = max(share * (1 - share), LEAST_VARIED)
        distances.append(informedness / math.sqrt(varies * counts))
    if min(distances) < OF_DECISIONS and max(distances) < FAR_OF_ONE:
        yield _too_near("the mean informedness of one model", min(distances), 0, OF_DECISIONS)


def _of_values(record: Comparison) -> Iterator[str]:
    """Of a table of values the spread over the folds stands for the rows."""
    distance = record.above_chance
    if distance is not None and distance < OF_ITS_OWN:
        who = "one model" if len(record.models) > 1 else "the model"
        chance = chance_value(record.metric)
        what = "the mean" if chance is not None else "the mean informedness"
        yield _too_near(f"{what} of {who}", distance, chance or 0, OF_ITS_OWN, most=15)
