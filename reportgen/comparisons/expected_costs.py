"""Test of two cost curves: do two score models on the same rows differ in the area under them?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl
from scipy.special import stdtr, stdtrit

from reportgen.array_types import Floats, chunks
from reportgen.clustered_areas import ClassesByGroup
from reportgen.clusters import Groups
from reportgen.comparisons.area_covariances import AreaCovariance, variance_of_difference
from reportgen.comparisons.cross_fitting import DOUBT, FOLDS, DealtCells
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.comparisons.row_costs import RowCosts
from reportgen.resampling.edge_lookup import edge_lookup
from reportgen.sweeping import Ranking
from reportgen.sweeping.sorting import ranking_of

_FITTED = f"thresholds chosen on {FOLDS - 1} of {FOLDS} parts of the rows and tested on the other"
_FITTED_GROUPS = _FITTED.replace("rows", "groups")


@dataclass(frozen=True, slots=True)
class ExpectedCosts:
    """Area under the cost curves of several models, cross-fitted, and what a test of two needs.

    ``covariance`` and ``rows`` are of the means of the positives and of the
    negatives: two matrices, two (effective) numbers of rows. ``optimism`` is by
    how much each model's cost rises on rows that did not choose its
    thresholds. ``furthest[i, j]`` is the largest difference of a row's costs,
    i less j. ``in_groups`` has the covariance of the areas where rows come in groups.
    """

    means: tuple[Floats, Floats]
    covariance: tuple[Floats, Floats]
    rows: tuple[float, float]
    optimism: Floats
    furthest: Floats
    in_groups: AreaCovariance | None = None

    @property
    def areas(self) -> Floats:
        """Area under the cost curve of each model."""
        costs: Floats = self.means[0] + self.means[1]
        return costs


def cost_covariance(
    frame: pl.DataFrame,
    scores: Sequence[str],
    *,
    truth: str = "truth",
    weight: str | None = None,
    rankings: Sequence[Ranking] | None = None,
    groups: Groups | None = None,
) -> ExpectedCosts:
    """Area under the cost curves of correlated score columns and their covariance matrix.

    A row's part is its own cost over all P(+)cost x at the best threshold of
    each: ∫ x dx = x²/2 for a positive that is missed below the x at which it
    begins to be predicted positive, (1 − x)²/2 for a negative predicted positive
    above it. The means over the positives and over the negatives sum to the
    area under the lower envelope: see ``RowCosts`` for the thresholds. By the
    envelope theorem their choice adds nothing to the variance in large samples,
    so that it is that of the two means. With weights as in ``area_covariance``.
    NaN when a class has fewer than two (effective) rows. ``rankings`` are
    those of the scores, where they are known. Rows of one of the ``groups`` may
    depend on each other: the covariance then is of sums by group too.
    Milgrom & Segal (2002), doi:10.1111/1468-0262.00296; van der Vaart (1998),
    *Asymptotic Statistics*, 20.1, doi:10.1017/CBO9780511802256.
    """
    orders = rankings or [ranking_of(frame, truth=truth, score=s, weight=weight) for s in scores]
    positive = frame[truth].to_numpy()
    weights = frame[weight].cast(pl.Float64).to_numpy() if weight else None
    classes = None if groups is None else ClassesByGroup(positive, groups, weights)
    columns = [frame[score].cast(pl.Float64).to_numpy() for score in scores]
    costs = [
        RowCosts.of(order, frame.height, _dealt(DealtCells.of(order), column, classes))
        for order, column in zip(orders, columns, strict=True)
    ]
    sums = {side: RunningSums(len(scores)) for side in (True, False)}
    parts = np.empty((0 if classes is None else frame.height, len(scores)))
    for part in chunks(frame.height):
        here = [one.position(column[part]) for one, column in zip(costs, columns, strict=True)]
        for side, class_sums in sums.items():
            rows = np.flatnonzero(positive[part] == side)
            each = np.empty((1 + len(costs), len(rows)))
            each[0] = 1 if weights is None else weights[part][rows]
            for one, places, line in zip(costs, here, each[1:], strict=True):
                one.of_class[side].take(places.take(rows), out=line)
            if classes is not None:
                parts[part.start + rows] = each[1:].T
            class_sums.add(each)
    both = sums[True], sums[False]
    return ExpectedCosts(
        (both[0].means, both[1].means),
        (both[0].spread, both[1].spread),
        (both[0].effective, both[1].effective),
        np.array([one.optimism for one in costs]),
        np.fmax(both[0].furthest, both[1].furthest),
        None if classes is None else _in_groups(both, parts, classes),
    )


def _dealt(cells: DealtCells, scores: Floats, classes: ClassesByGroup | None) -> DealtCells:
    """The cells with whole groups in each fold, where rows come in groups of several."""
    if classes is None or classes.groups.single:
        return cells
    cell = np.maximum(edge_lookup(cells.edges, len(scores))(scores) - 1, 0)
    return cells.by_group(cell, classes)


def _in_groups(
    both: tuple[RunningSums, RunningSums], parts: Floats, classes: ClassesByGroup
) -> AreaCovariance:
    """The areas with the covariance of the rows' parts (row × model), written over."""
    means = [one.means for one in both]
    for rows in chunks(len(parts)):
        parts[rows] -= np.where(classes.positive[rows, None], means[0], means[1])
    return AreaCovariance.in_groups(means[0] + means[1], parts, classes)


@comparison(
    "pair",
    "rows",
    forms=(
        Form(
            "expected_cost_groups",
            "The test of cost curves for clustered rows",
            "Cost curves (clustered)",
            "t",
        ),
    ),
    tasks=("binary",),
    allows=("groups", "repeats"),
    measures=("expected_total_cost",),
)
@comparison(
    "pair",
    "rows",
    forms=(Form("expected_cost", "The test of cost curves", "Cost curves (t)", "t"),),
    tasks=("binary",),
    measures=("expected_total_cost",),
    needs=Needs(least_of_class=10),
)
def expected_cost(
    frame: pl.DataFrame,
    question: Question,
    *,
    scores: tuple[str, str] | None = None,
    truth: str = "truth",
    weight: str | None = None,
    groups: Groups | None = None,
) -> Comparison:
    """Two-sided test that the cost curves of two score columns of the same rows have one area.

    ``scores`` are the columns, by default those of the models' names. The area
    of the rows that choose the thresholds is too small, the more so the finer
    the scores, and that of other rows too large: each A is a mean of the two
    that is nearly unbiased for coarse and for fine scores (``RowCosts``), and the
    standard error includes the doubt about their weights. In the variance of
    each class one more row stands at the largest observed difference, so that a
    class with few or no errors does not look certain.

    Args:
        frame: one row per example: the truth, and a score of each model.
        question: the models, their measure, and the levels of the test and of its interval.
        scores: the columns of scores.
        truth: the Boolean column of the truth; true is positive.
        weight: the column of weights, at least 0; None where every row counts once.
        groups: the group of each row; None where rows are independent.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} in the population
    Formula: t = (A₁ − A₂) / standard error of the areas under the lower envelopes, with
        their covariance and Satterthwaite's df. Of each area ⅜ is from thresholds chosen on
        all rows, ⅝ from thresholds chosen on nine tenths of them and tried on the rest
    Formula of expected_cost_groups: as of independent rows, with whole groups in each
        tenth, with Obuchowski's covariance of what the rows of each group cost, and at most the
        df of his test
    Assumes: independent rows, ten or more of each class
    Assumes of expected_cost_groups: independent groups, ten or more with each class
    Undefined: the difference has no variance, or a class has fewer than two rows
    Reference: Drummond & Holte (2006), doi:10.1007/s10994-006-8199-5; Milgrom &
        Segal (2002), doi:10.1111/1468-0262.00296; Satterthwaite (1946),
        doi:10.2307/3002019; Bell & McCaffrey (2002), *Survey Methodology* 28, 169-181

    >>> frame = pl.DataFrame(
    ...     {
    ...         "truth": [True] * 4 + [False] * 4,
    ...         "a": [0.9, 0.8, 0.7, 0.4, 0.6, 0.3, 0.2, 0.1],
    ...         "b": [0.9, 0.3, 0.6, 0.4, 0.7, 0.5, 0.2, 0.1],
    ...     }
    ... )
    >>> test = expected_cost(frame, Question(("a", "b"), "expected_total_cost"))
    >>> round(test.estimate, 4), round(test.p_value, 4)
    (-0.0567, 0.6674)
    """
    columns = scores or question.models
    costs = cost_covariance(frame, columns, truth=truth, weight=weight, groups=groups)
    return expected_cost_pair(costs, (0, 1), question)


def expected_cost_pair(costs: ExpectedCosts, at: tuple[int, int], question: Question) -> Comparison:
    """The test for two of the models of ``costs``, at positions ``at``."""
    name = "expected_cost" if costs.in_groups is None else "expected_cost_groups"
    fitted = _FITTED if costs.in_groups is None else _FITTED_GROUPS
    record = question.record(name, assumptions=(fitted,))
    i, j = at
    difference = float(costs.areas[i] - costs.areas[j])
    independent_variances = [float(v[i, i] + v[j, j]) for v in costs.covariance]
    variances = [variance_of_difference(v, at) for v in costs.covariance]
    if math.isnan(sum(variances)):
        return record.with_fields(undefined="a class has fewer than two rows")
    rounding = (1e-14 * float(np.abs(costs.areas[[i, j]]).max())) ** 2
    if sum(variances) <= max(1e-14 * sum(independent_variances), rounding):
        reason = "the difference has no variance: it is the same on every row of a class"
        return record.with_fields(undefined=reason, estimate=difference)
    widened = [
        _with_a_row_more(variance, rows, _furthest(costs, means, at))
        for variance, rows, means in zip(variances, costs.rows, costs.means, strict=True)
    ]
    df = sum(widened) ** 2 / sum(v**2 / m for v, m in zip(widened, costs.rows, strict=True))
    variance = sum(widened)
    if costs.in_groups is not None:
        v = costs.in_groups.covariance
        variance *= variance_of_difference(v, at) / sum(variances)
        df = min(df, costs.in_groups.degrees_of_freedom(at))
    if math.isnan(variance):
        return record.with_fields(undefined="a class is in fewer than two groups")
    doubt = DOUBT * float(costs.optimism[i] - costs.optimism[j])
    error = math.sqrt(variance + doubt**2)
    half_width = float(stdtrit(df, (1 + question.confidence) / 2)) * error
    return question.record(
        name,
        statistic=difference / error,
        df=df,
        p_value=2 * float(stdtr(df, -abs(difference) / error)),
        estimate=min(max(difference, -0.25), 0.25),
        low=min(max(difference - half_width, -0.25), 0.25),
        high=max(min(difference + half_width, 0.25), -0.25),
        interval="expected_cost",
        assumptions=(fitted,),
    )


def _furthest(costs: ExpectedCosts, means: Floats, at: tuple[int, int]) -> float:
    """The distance from a class's mean difference to the furthest difference of any row."""
    i, j = at
    mean = float(means[i] - means[j])
    return max(float(costs.furthest[i, j]) - mean, float(costs.furthest[j, i]) + mean)


def _with_a_row_more(variance: float, rows: float, distance: float) -> float:
    """The variance of a mean, with the spread of the rows and one more at a distance from it."""
    return variance * (rows - 1) / rows + distance**2 / (rows * (rows + 1))


class RunningSums:
    """Running sums, from which weighted means and their covariance follow.

    The columns are taken less a middle value, so that one that does not vary has no spread.
    """

    def __init__(self, columns: int) -> None:
        self._middle = np.full(columns, np.nan)
        self._linear = np.zeros(1 + columns)
        self._products = np.zeros((1 + columns, 1 + columns))
        self.furthest = np.full((columns, columns), np.nan)

    def add(self, table: Floats) -> None:
        """Add rows: a line of weights and one of values per column, which are written over."""
        weights, values = table[0], table[1:]
        if not len(weights):
            return
        if not self._linear[0]:
            self._middle = np.sort(values)[:, len(weights) // 2]
        self._note_largest(values)
        values -= self._middle[:, None]
        values *= weights
        self._linear += table.sum(axis=1)
        # Not by BLAS: the same on any number of threads.
        self._products += np.einsum("ik,jk->ij", table, table)

    def _note_largest(self, values: Floats) -> None:
        """Take note of the largest difference of two columns, either way."""
        for i, j in combinations(range(len(values)), 2):
            away = values[i] - values[j]
            self.furthest[i, j] = np.fmax(self.furthest[i, j], away.max())
            self.furthest[j, i] = np.fmax(self.furthest[j, i], -away.min())

    @property
    def effective(self) -> float:
        """Number of rows, or Kish's effective number."""
        squares = self._products[0, 0]
        return float(self._linear[0] ** 2 / squares) if squares else 0.0

    @property
    def means(self) -> Floats:
        """The mean of each column."""
        mean: Floats = self._middle + self._apart
        return mean

    @property
    def _apart(self) -> Floats:
        offsets: Floats = self._linear[1:] / (self._linear[0] or np.nan)
        return offsets

    @property
    def spread(self) -> Floats:
        """The covariance of the means, as ``delong.spread`` has it."""
        total, squares, apart = self._linear[0], self._products[0, 0], self._apart
        effective = self.effective
        if effective <= 1 + 1e-9:
            return np.full((len(apart),) * 2, np.nan)
        crossed = np.outer(apart, self._products[0, 1:])
        around = self._products[1:, 1:] - crossed - crossed.T + squares * np.outer(apart, apart)
        covariance: Floats = around / total**2 * (effective / (effective - 1))
        return covariance
