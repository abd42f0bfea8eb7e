"""What speaks against a test that exchanges the outputs of two models.

It holds its level where models are alike. Models that differ can have one value of a measure all
the same, and the difference then varies otherwise than that of models whose outputs are exchanged.
The rates are those of ``docs/levels.md``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from reportgen.comparisons import Comparison
from reportgen.comparisons.paired_losses import SQUARED
from reportgen.comparisons.probability_losses import MEASURES as OF_LOSSES
from reportgen.metric_names import BRIER, WINKLER_SCORE, parted, quantile_of
from reportgen.metrics import Metric, cells_of_share, find
from reportgen.metrics.by_name import heavy_mean_of, is_optimised, is_raised_by_noise
from reportgen.predictions.evaluation_scheme import Evaluation
from reportgen.records.rows import ModelRecord

_PREDICTED = (("tp", "fp"), ("fn", "tn"))
"""The cells of the rows that a model predicts positive, or negative: rows of its own."""

CORRELATIONS = {"pearson_r": 16, "spearman_rho": 10}
"""Correlations that the test rejected in so many per cent of simulations in which unlike models had
the same; Kendall's τ held its level."""

OF_CHANCE = frozenset({"mcc", "cohen_kappa"})
"""Measures of decisions that held their level in simulations of unlike models with many rows."""

FEW_ROWS = 100
"""Below so many rows measures of chance do not hold it."""

UNLIKE = 1.3
"""How many times as often a model may predict positives, below which such means hold the level."""

UNLIKE_PREDICTED = 1.1
"""The same of shares of the rows that a model predicts positive, or negative."""

UNLIKE_ON_AVERAGE = 1.5
"""The same of classes or labels on average, for averages of such means over them."""


FAR_BEYOND = 4.0
"""So many times the distance to its limits: eight standard errors."""

FEW_OUTSIDE = 15
"""Below so many rows that are expected beyond a quantile, or outside of intervals, their losses
do not hold the level; nor with so few independent time points."""

FEW_GROUPS_OUTSIDE = 8
"""The same of groups, whose rows may all be outside together."""


def against_few_outside(
    record: Comparison, evaluation: Evaluation, outside: float | None
) -> Iterator[str]:
    """Why the loss of quantiles, or of intervals, of few units has no recommended test.

    ``outside``: the share of the rows that prediction intervals should leave out.
    """
    level, rows = quantile_of(record.metric), evaluation.test_examples or evaluation.test_rows
    of_intervals = outside if record.metric == WINKLER_SCORE else None
    share = of_intervals if level is None else min(level, 1 - level)
    exchanged = record.comparison == "paired_permutation" or record.unit == "folds"
    in_panels = record.comparison == "diebold_mariano_groups"
    if share is None or rows is None or not (exchanged or in_panels or record.worth):
        return
    where = "outside the intervals" if level is None else "beyond the quantile"
    if in_panels:
        yield (
            "losses of quantiles and intervals depend on each other within groups and over time. "
            "In simulations of "
            "unlike models in 20 groups the test rejected up to 11 % of true null hypotheses"
        )
    elif record.worth is not None and record.worth * share < FEW_OUTSIDE:
        yield (
            f"the time points count like about {record.worth * share:.2g} independent ones "
            f"{where}. In simulations of unlike models with 1 to 10 such points the test rejected "
            "up to 14 % of true null hypotheses"
        )
    elif exchanged and evaluation.grouped:
        groups = evaluation.groups or 0
        if groups * share < FEW_GROUPS_OUTSIDE:
            yield (
                f"{groups:,} groups count like about {groups * share:.2g} rows {where}. In "
                "simulations of unlike models in 40 groups the test rejected up to 8 % of true "
                "null hypotheses"
            )
    elif exchanged and rows * share < FEW_OUTSIDE:
        yield (
            f"about {rows * share:.2g} rows are expected {where}. In simulations of unlike models "
            "with 3 to 10 such rows the test rejected up to 12 % of true null hypotheses"
        )


FEW_COUNTS = 30
"""Below so many counts in all Poisson deviances of unlike models do not hold the level."""


def against_few_counts(record: Comparison, total: float | None) -> Iterator[str]:
    """Why Poisson deviances of true values with a small ``total`` have no recommended test."""
    poisson = heavy_mean_of(record.metric) == "poisson_deviance"
    exchanged = record.comparison == "paired_permutation" and poisson
    if exchanged and total is not None and total < FEW_COUNTS:
        yield (
            f"the true values add up to {total:.3g}. In simulations of unlike models of 5 to 15 "
            "counts in all the test rejected 5 to 13 % of true null hypotheses"
        )


FEW_POINTS = 50
"""Below so many independent time points Brier scores of unlike models do not hold the level."""


def against_few_points(record: Comparison) -> Iterator[str]:
    """Why Brier scores over few independent time points have no recommended test."""
    if record.metric == BRIER and record.worth is not None and record.worth < FEW_POINTS:
        yield (
            f"the time points count like about {record.worth:.2g} independent ones. In simulations "
            "of unlike probabilities with an autocorrelation of 0.8 the test rejected up to 10 % "
            "of true null hypotheses"
        )


PredictedPositives = Mapping[str, Mapping[str, float]]
"""By model in how many rows it predicts each class, or label; of two classes the positive one."""


def predicted_positives(metrics: pl.DataFrame) -> PredictedPositives:
    """In how many rows each model predicts the positive class, or each of several."""
    rows = metrics.filter(
        pl.all_horizontal(pl.col("slice", "average").is_null()),
        pl.col("metric").is_in(["tp", "fp"]),
    )
    counts = rows.group_by("model", "class", maintain_order=True).agg(
        pl.col("value").sum(), known=pl.col("value").count() == 2
    )
    result: dict[str, dict[str, float]] = {}
    for model, name, count in counts.filter("known").select("model", "class", "value").iter_rows():
        result.setdefault(model, {})[name or ""] = count
    return result


def times_as_often(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """How many times as often one model predicts a class, on average of several: at least 1.

    From the mean square of the logarithms of the ratios, less what that of equal shares would be
    if half of the predicted rows were of both models. A class that one never predicts counts as
    half a row.

    >>> round(times_as_often({"": 20}, {"": 30}), 2)
    1.46
    >>> times_as_often({"x": 20, "y": 8}, {"x": 20, "y": 10})
    1.0
    """
    both = [(first[name], second[name]) for name in first if name in second]
    both = [(max(a, 0.5), max(b, 0.5)) for a, b in both if a > 0 or b > 0]
    squares = [math.log(a / b) ** 2 - (1 / a + 1 / b) / 4 for a, b in both]
    return math.exp(math.sqrt(max(sum(squares) / len(squares), 0.0))) if squares else 1.0


def _is_predictive(metric: str) -> bool:
    """Whether a measure is over the rows that a model predicts positive, or negative.

    >>> [_is_predictive(name) for name in ("false_omission_rate", "markedness", "recall")]
    [True, True, False]
    """
    share = cells_of_share(metric)
    return metric == "markedness" or (share is not None and share.whole in _PREDICTED)


def most_alike(metric: str) -> float:
    """How many times as often a model may predict positives as another one."""
    return UNLIKE_PREDICTED if _is_predictive(metric) else UNLIKE


def _unlike(record: Comparison, positives: PredictedPositives) -> str | None:
    """How much more often one model predicts a class, in words; null where that is about alike."""
    sides = [positives.get(model, {}) for model in record.models]
    if len(sides) != 2 or not all(sides):
        unknown = "how often the models predict positives is not known"
        return unknown if _is_predictive(parted(record.metric)[0]) else None
    if parted(record.metric)[1] == "micro":  # over the rows of all classes
        sides = [{"": sum(side.values())} for side in sides]
    if all(len(side) == 1 for side in sides):
        fewer, more = sorted(sum(side.values()) for side in sides)
        if not more >= most_alike(parted(record.metric)[0]) * fewer > 0:
            return None
        return f"one model predicts positives {more / fewer:.2g} times as often as the other"
    times, predictive = times_as_often(*sides), _is_predictive(parted(record.metric)[0])
    if times < (UNLIKE_PREDICTED if predictive else UNLIKE_ON_AVERAGE):
        return None
    return f"on average one model predicts a class {times:.2g} times as often as the other"


FEW_VALUES = 20
"""With more equally frequent scores noise raises the best of them as it does of continuous ones."""


def score_counts(models: Sequence[ModelRecord]) -> dict[str, float]:
    """How many equally frequent scores those of each model are worth, where that is known."""
    numbers = {model["name"]: model.get("effective_scores") for model in models}
    return {name: number for name, number in numbers.items() if number is not None}


def raised_unlike(metric: str, models: Sequence[str], scores: Mapping[str, float]) -> str | None:
    """Why noise raises a measure more for one of two models, if it does.

    ``scores``: how many equally frequent ones those of models are worth.
    """
    if is_raised_by_noise(metric):
        return (
            "noise raises this measure more for a model whose probabilities have more values or "
            "fall into more bins"
        )
    if not is_optimised(metric):
        return None
    fewer, more = sorted(scores.get(model, 0) for model in models)
    if not 0 < fewer <= FEW_VALUES or more <= 2 * fewer:
        return None
    return (
        f"the scores of one model are worth {fewer:.3g} equally frequent ones, those of the other "
        f"{more:,.0f}. Noise raises the best value more for a model with more scores"
    )


def against_noise(record: Comparison, scores: Mapping[str, float]) -> Iterator[str]:
    """Why measures that noise raises unlike have no test (``tests.simulations.unlike_values``)."""
    metric = parted(record.metric)[0]
    if len(record.models) != 2 or (why := raised_unlike(metric, record.models, scores)) is None:
        return
    if is_raised_by_noise(metric):
        yield (
            f"{why}, and the test takes that for a difference. In simulations of calibrated models "
            "up to 56 % of true null hypotheses were rejected"
        )
    else:
        yield (
            f"{why}, and the test rejects too often (in simulations up to 42 % of true null "
            "hypotheses)"
        )


def _of_rates(definition: Metric) -> bool:
    """Whether a measure is a mean, or a ratio, of recall, precision and their kin."""
    return definition.mean_of_rates or definition.ratio_of_rates


def _is_far(record: Comparison) -> bool:
    """Whether a difference of ranks, which no rare errors undo, is ``FAR_BEYOND`` its limits.

    Of what models predict unlike often the limits are far too narrow, which few predictions hide.
    """
    estimate, low, high = record.estimate, record.low, record.high
    if record.metric != "spearman_rho" or estimate is None or low is None or high is None:
        return False
    return abs(estimate) >= FAR_BEYOND * (high - low) / 2


def against_exchange(
    record: Comparison, positives: PredictedPositives, rows: int | None
) -> Iterator[str]:
    """The reasons against exchanging outputs in the measure of the record, over so many rows.

    A test that rejects up to 10 % of true null hypotheses at 5 % has limits that are too narrow by
    a sixth: a difference of ranks that is far beyond them stands.
    """
    if record.comparison != "paired_permutation" or _is_far(record):
        return
    metric, _ = parted(record.metric)
    definition = find(metric)
    unlike = _unlike(record, positives)
    if metric in OF_CHANCE:
        if unlike and (rows or 0) < FEW_ROWS:
            yield (
                f"{unlike}, and there are fewer than {FEW_ROWS} rows. In simulations of such "
                "models the test rejected up to 11 % of true null hypotheses"
            )
    elif metric in CORRELATIONS:
        yield (
            "the errors of one model may have heavier tails than those of the other. In "
            f"simulations of such models the test rejected up to {CORRELATIONS[metric]} % of true "
            "null hypotheses"
        )
    elif _is_predictive(metric) or (definition is not None and _of_rates(definition)):
        if unlike:
            rejected = 14 if definition is not None and definition.mean_of_rates else 22
            yield (
                f"{unlike}, and the test exchanges predictions, as if both did so equally often. "
                f"In simulations of such models it rejected up to {rejected} % of true null "
                "hypotheses"
            )
    elif metric in OF_LOSSES:
        yield (
            "the test ignores probabilities that are sure and wrong but happen not to occur in "
            "these rows. In simulations in which they are rare it rejected up to 67 % of true null "
            "hypotheses"
        )
    elif definition is not None and definition.determined_by == SQUARED:
        yield (
            "a few large errors of one model may be missing by chance, and the test of the mean "
            "squared error answers the same question. In simulations of unlike errors this test "
            "rejected 9 % of true null hypotheses"
        )
