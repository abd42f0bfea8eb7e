"""Do the probabilities of two models lose the same? It allows for errors that no row shows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Indices
from reportgen.column_statistics import as_float
from reportgen.comparisons.declared_costs import of_losses
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, comparison
from reportgen.comparisons.wording import bounded
from reportgen.metric_names import BRIER
from reportgen.metrics import loss_of, skills_of
from reportgen.metrics.row_losses import LOSSES
from reportgen.sample_design import INDEPENDENT_ROWS, SampleDesign
from reportgen.text.words import listed

NAME = "probability_losses"

MEASURES = (*LOSSES, *skills_of(tuple(LOSSES)))
"""What probabilities lose on average, and how much less that is than what class shares lose."""


class RowLosses(NamedTuple):
    """What the probabilities of a model lose in each row, and would if its class were the worst."""

    observed: Floats
    worst: Floats


FEW_RANKED, FEW_SCORES = 100, 8
"""Fewer rows, or distinct scores, may be ranked alike by models that do not rank all rows alike."""

_LOOKED_AT = 1_000
"""So many rows show most models to rank unlike, without sorting all."""


@comparison(
    "pair",
    "rows",
    forms=(Form(NAME, "The test of probability losses", "Probability losses", "z"),),
    tasks=("binary", "multiclass"),
    allows=("groups", "repeats"),
    measures=MEASURES,
)
def probability_losses(
    frame: pl.DataFrame, question: Question, design: SampleDesign = INDEPENDENT_ROWS
) -> Comparison:
    """Two-sided test that the probabilities of two models have the same mean loss.

    A model may rarely be sure and wrong, so that these rows lack such errors by chance; a t-test or
    a permutation test then knows nothing of them. This test knows from the probabilities what the
    worst error would lose.

    Args:
        frame: ``truth``, and the probabilities ``a`` and ``b`` of a positive; rows without one of
            these are left out. Rows with the same ``example``, if there is such a column, are one
            row with their mean loss.
        question: the models, their measure, and the levels of the test and of its interval.
        design: the weight of each row, above 0, and its group, where rows of one group may depend
            on each other.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: a row loses the same on average under the probabilities of both models
    Formula: z = Σ d / √(n Σ p d²), with d the differences of the rows' losses and p the most likely
        shares of all possible differences under a mean of 0, of which the largest is the worst loss
        of a row if its class were another one. Of Brier scores of two models that rank 100 rows or
        more all alike, as recalibrated ones do, it is the largest difference that a row would have
        in either class, as log losses of surer rows than these may differ by far more.
        For rows in groups it is t, with 2·c·C added to the variance of Σ d, c the worst loss and C
        that of a group of them, or of Σ w d, with c times Σw²/Σw. For weighted rows it is t, with
        two further rows of ± c. Skills are losses over that of always forecasting the shares of the
        classes in these rows
    Assumes: independent rows, or groups
    Undefined: losses that do not differ; log losses of a probability of exactly 0 or 1
    Reference: Tango (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B;
        Owen (1988), doi:10.1093/biomet/75.2.237; Gneiting & Raftery (2007),
        doi:10.1198/016214506000001437

    >>> truth = [True, True, True, False, False, False]
    >>> scores = {"a": [0.6] * 3 + [0.4] * 3, "b": [0.9] * 3 + [0.1] * 3}
    >>> frame = pl.DataFrame({"truth": truth, **scores})
    >>> test = probability_losses(frame, Question(("a", "b"), "brier_score"))
    >>> round(test.estimate, 4), round(test.p_value, 4)
    (0.15, 0.2918)
    """
    truth = frame["truth"].cast(pl.Float64).to_numpy()
    loss, zero, one = LOSSES[loss_of(question.metric)], 0.0, 1.0
    columns = [frame[name].cast(pl.Float64).to_numpy() for name in ("a", "b")]
    first, second = (
        RowLosses(loss(c, truth), np.maximum(loss(c, zero), loss(c, one))) for c in columns
    )
    is_brier = loss_of(question.metric) == BRIER
    if "example" not in frame.columns and is_brier and _rank_alike(*columns):
        apart = (np.abs(loss(columns[0], side) - loss(columns[1], side)) for side in (zero, one))
        largest = np.maximum(*apart)
        first, second = first._replace(worst=largest), second._replace(worst=largest)
    chance = 1.0
    if question.metric not in LOSSES:
        share = float(np.average(truth, weights=design.weights))
        chance = float(np.average(loss(np.full(len(truth), share), truth), weights=design.weights))
    if "example" in frame.columns:
        order, starts = _by_example(frame["example"])
        first, second = (_mean_losses(losses, order, starts) for losses in (first, second))
        design = design.among(order[starts])
    return of_row_losses(first, second, question, design, chance=chance)


def _by_example(example: pl.Series) -> tuple[Indices, Indices]:
    """The rows example by example, and the place at which each begins."""
    code = example.rank("dense").to_numpy()
    order = np.argsort(code, kind="stable")
    return order, np.flatnonzero(np.diff(code[order], prepend=0))


def _mean_losses(losses: RowLosses, order: Indices, starts: Indices) -> RowLosses:
    """The mean loss of each example, and the largest of its worst ones."""
    rows = np.diff(starts, append=len(order))
    observed = np.add.reduceat(losses.observed[order], starts) / rows
    return RowLosses(observed, np.maximum.reduceat(losses.worst[order], starts))


def _rank_alike(first: Floats, second: Floats) -> bool:
    """Whether no two of many rows are ranked one way by a model and the other way by the other.

    >>> score = np.linspace(0.01, 0.99, 120)
    >>> _rank_alike(score, score.round(1)), _rank_alike(score, score[::-1])
    (True, False)
    """
    known = ~(np.isnan(first) | np.isnan(second))
    first, second = first[known], second[known]
    if len(first) < FEW_RANKED or min(len(np.unique(s)) for s in (first, second)) < FEW_SCORES:
        return False
    return all(
        bool((np.diff(b[np.lexsort((b, a))]) >= 0).all())
        for a, b in ((first[:_LOOKED_AT], second[:_LOOKED_AT]), (first, second))
    )


def of_row_losses(
    first: RowLosses,
    second: RowLosses,
    question: Question,
    design: SampleDesign = INDEPENDENT_ROWS,
    *,
    chance: float = 1.0,
) -> Comparison:
    """The same of two models of any number of classes, from what their probabilities lose.

    Args:
        first: the losses of the first model, NaN of rows without its probabilities.
        second: those of the second.
        question: the models, their measure, and the levels of the test and of its interval.
        design: the weight of each row, above 0, and its group, where rows of one group may depend
            on each other.
        chance: what always forecasting the shares of the classes loses on average, of skills.

    Undefined: as of ``probability_losses``; skills where one class is present
    """
    losses = zip(question.models, (first, second), strict=True)
    if unbounded := [bounded(name) for name, loss in losses if np.isinf(loss.worst).any()]:
        why = f"some probabilities of {listed(unbounded)} are exactly 0 or 1, where an error loses "
        return question.record(NAME, undefined=f"{why}infinitely much")
    if not chance > 0:
        return question.record(NAME, undefined="only one class is present")
    observed = [first.observed / chance, second.observed / chance]
    if question.metric not in LOSSES:
        observed.reverse()  # a skill is higher where the loss is lower
    columns = dict(zip(("first", "second"), observed, strict=True))
    worst = np.fmax(first.worst, second.worst) / chance
    table = pl.DataFrame({**columns, "costliest": worst}, nan_to_null=True)
    return of_losses(NAME, "losses", table, question, design)


def losses_of_classes(scored: pl.DataFrame, metric: str) -> RowLosses:
    """What the probabilities of several classes lose, by a measure or the skill of one.

    ``scored`` has of each row the probability ``of_truth`` of its class, the ``lowest`` of any
    class and the sum of the ``squares`` of all.

    >>> row = pl.DataFrame({"of_truth": [0.5], "lowest": [0.2], "squares": [0.38]})
    >>> [round(float(loss[0]), 2) for loss in losses_of_classes(row, "brier_score")]
    [0.38, 0.98]
    """
    of_truth, lowest, squares = (
        scored[name].cast(pl.Float64).to_numpy() for name in ("of_truth", "lowest", "squares")
    )
    if loss_of(metric) == "log_loss":
        with np.errstate(divide="ignore"):
            return RowLosses(-np.log(of_truth), -np.log(lowest))
    return RowLosses(squares + 1 - 2 * of_truth, squares + 1 - 2 * lowest)


def chance_loss(scored: pl.DataFrame, metric: str) -> float:
    """What always forecasting the shares of the classes loses on average; 1 where no skill is.

    ``base`` has the share of the class of each row, ``bases`` the sum of the squares of all, and
    ``weight`` what each row weighs.
    """
    if metric in LOSSES or scored.is_empty():
        return 1.0
    of_class = pl.col("base")
    brier = 1 - 2 * of_class + pl.col("bases")
    loss = -of_class.log() if loss_of(metric) == "log_loss" else brier
    weight = pl.col("weight")
    return as_float(scored.select((weight * loss).sum() / weight.sum()).item(), 0.0)
