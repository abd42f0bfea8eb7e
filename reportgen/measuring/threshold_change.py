"""What another threshold would save: the one of least expected cost against the one in use."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor, inf, log10, nextafter, sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from reportgen.array_types import Flags, Floats
from reportgen.measuring.costed_rows import CostRows
from reportgen.records.decision import ThresholdChange
from reportgen.resampling.bootstrap_settings import DEFAULT, BootstrapSettings

PARTS, REPEATS = 10, 5
"""Parts of the cross-fit, and how often rows are divided again."""

MANY = 50_000
"""From so many rows on they are divided once: the choice hardly depends on the division."""

UNSEEN = 0.5
"""So many rows of each class are supposed to gain or lose the whole of what they cost.

Without a change among few rows the variance is 0, which the saving is not known to be.
"""

DOUBT = 2 / 3
"""How far off the saving may be, as a share of what it is less than on the rows that chose.

It is that of thresholds chosen on fewer rows, not of the one that is proposed.
"""

VALIDATED = "threshold chosen on the validation rows"
CROSS_FITTED = f"cross-fitted over {PARTS} parts of the rows"
CROSS_FITTED_GROUPS = f"cross-fitted over {PARTS} parts of the groups"


def threshold_change(
    model: str,
    rows: CostRows,
    current: float,
    *,
    validation: CostRows | None = None,
    options: BootstrapSettings = DEFAULT,
) -> ThresholdChange | None:
    """The saving in mean cost per row at the threshold of least cost, with its interval.

    With ``validation`` rows the threshold is chosen on these. Without, choice and
    estimate on the same rows would be optimistic, so that the saving is
    cross-fitted: of each of ten random parts with the threshold that costs
    least on the other nine, in five divisions. Groups stay in one part. The
    threshold that is proposed is that of all rows; the interval is t of the
    rows' mean saving, or of the sums of groups, widened by ``UNSEEN`` rows and, where it
    is cross-fitted, by ``DOUBT``. It covers the saving of the threshold that is
    proposed (docs/coverage.md). Chernozhukov et al. (2018), doi:10.1111/ectj.12097, on
    cross-fitting. None without both classes.
    """
    if rows.positive.all() or not rows.positive.any():
        return None
    if validation is None:
        proposed = cheapest(rows)
        saved = _cross_fitted(rows, current, options.seed)
        how = CROSS_FITTED if rows.group is None else CROSS_FITTED_GROUPS
    else:
        proposed, how = cheapest(validation), VALIDATED
        saved = rows.cost(current) - rows.cost(proposed)
    observed = rows.cost(current) - rows.cost(proposed)
    saving = _Saving(*_saving(rows, saved, observed), options.confidence)
    errors = _errors(rows, current, proposed)
    thresholds = current, proposed
    return _record(model, rows, thresholds, saving, errors, how, by_weight=rows.is_weighted)


@dataclass(frozen=True, slots=True)
class _Saving:
    """The mean saving per row, and what its limits are made of."""

    mean: float
    error: float
    df: float
    confidence: float

    @property
    def limits(self) -> tuple[float, float] | tuple[None, None]:
        """Those of t, where the standard error is above 0."""
        if self.error <= 0:
            return None, None
        half_width = float(stdtrit(self.df, (1 + self.confidence) / 2)) * self.error
        return self.mean - half_width, self.mean + half_width


def _record(
    model: str,
    rows: CostRows,
    thresholds: tuple[float, float],
    saving: _Saving,
    errors: tuple[float, float],
    estimated: str,
    *,
    by_weight: bool = False,
) -> ThresholdChange:
    current, proposed = thresholds
    cost = float((rows.weight * rows.cost(current)).sum() / rows.weight.sum())
    in_use, (low, high) = _in_use(rows, current, proposed), saving.limits
    return ThresholdChange(
        model=model,
        current=current,
        proposed=proposed,
        cost_now=cost,
        cost_then=cost - saving.mean,
        saving=saving.mean,
        low=low,
        high=high,
        confidence=saving.confidence,
        false_negatives=errors[0],
        false_positives=errors[1],
        estimated=estimated,
        by_weight=by_weight,
        prevalence=rows.stated,
        false_negatives_in_use=in_use[0],
        false_positives_in_use=in_use[1],
        constant_cost=_of_constant(rows),
        worthwhile=low is not None and low > 0,
    )


def _of_constant(rows: CostRows) -> float:
    """The mean cost of always predicting the cheaper class."""
    of_rows = rows.weight * rows.costs
    sides = (float(of_rows[rows.positive].sum()), float(of_rows[~rows.positive].sum()))
    return min(sides) / float(rows.weight.sum())


def cheapest(rows: CostRows, inside: Flags | None = None) -> float:
    """The strictest threshold of least total cost among the scores, or a number above all.

    That number is the next one of four digits, so that it is above the scores as
    printed too. ``inside`` are the rows that count.
    """
    order = np.argsort(-rows.score, kind="stable")
    threshold = _cheapest(_sorted(rows, order), None if inside is None else inside[order])
    highest = float(rows.score[order[0]])
    return _printable_above(highest) if threshold > highest else threshold


def _printable_above(score: float) -> float:
    """The next number of four significant digits above a score."""
    places = 3 - floor(log10(abs(score))) if score else 4
    above = round((floor(score * 10.0**places) + 1) / 10.0**places, places)
    return above if above > score else nextafter(score, inf)


def _cheapest(rows: CostRows, inside: Flags | None = None) -> float:
    """The same of rows in order of falling scores."""
    totals, places = _totals(rows, inside)
    best = int(places[totals.argmin()])
    return nextafter(float(rows.score[0]), inf) if best == 0 else float(rows.score[best - 1])


def _totals(rows: CostRows, inside: Flags | None = None) -> tuple[Floats, npt.NDArray[np.intp]]:
    """What each threshold costs more than one above all scores, and how many rows reach it.

    Of rows in order of falling scores; what rounding alone sets apart from the least equals it.
    """
    change = rows.weight * np.where(rows.positive, -rows.costs, rows.costs)
    if inside is not None:
        change = change * inside
    totals = np.concatenate([[0.0], np.cumsum(change)])
    # Rows of one score move together: only its last place is a threshold.
    ends = np.append(rows.score[1:] != rows.score[:-1], True)
    places = np.concatenate([[0], 1 + np.flatnonzero(ends)])
    at_places = totals[places]
    least = at_places.min()
    noise = 1e-12 * max(abs(float(change.sum())), float(np.abs(change).sum()), 1e-300)
    return np.where(at_places <= least + noise, least, at_places), places


def cost_at_each(rows: CostRows) -> Floats:
    """The mean cost per row at each threshold: above all scores, then at each score, falling.

    What differs from the least one by rounding alone equals it.

    >>> of = [np.array(one) for one in ([0.9, 0.2], [True, False], [3.0, 1.0], [1.0, 1.0])]
    >>> cost_at_each(CostRows(*of)).tolist()
    [1.5, 0.0, 0.5]
    """
    ordered = _sorted(rows, np.argsort(-rows.score, kind="stable"))
    totals, _ = _totals(ordered)
    missed = float((rows.weight * rows.costs)[rows.positive].sum())
    return (totals + missed) / float(rows.weight.sum())


def _sorted(rows: CostRows, order: npt.NDArray[np.intp]) -> CostRows:
    group = None if rows.group is None else rows.group[order]
    return replace(
        rows,
        score=rows.score[order],
        positive=rows.positive[order],
        costs=rows.costs[order],
        weight=rows.weight[order],
        group=group,
    )


def _cross_fitted(rows: CostRows, current: float, seed: int) -> Floats:
    """What each row saves at thresholds that were chosen without it."""
    # A canonical order makes the division independent of the order of the rows.
    keys = (rows.weight, rows.costs, rows.positive, -rows.score)
    order = np.lexsort(keys)
    ordered = _sorted(rows, order)
    single = np.arange(len(order), dtype=np.intp)
    units = single if ordered.group is None else ordered.group
    random = np.random.default_rng(seed)
    times = 1 if len(order) > MANY else REPEATS
    saved = np.zeros(len(order))
    for _ in range(times):
        # The part of each unit: parts of like size in random order
        part = random.permutation(np.arange(int(units.max()) + 1) % PARTS)[units]
        for k in range(PARTS):
            held = part == k
            if held.any() and not held.all():
                chosen = _cheapest(ordered, ~held)
                difference = ordered.cost(current) - ordered.cost(chosen)
                saved[held] += difference[held] / times
    in_given_order = np.empty_like(saved)
    in_given_order[order] = saved
    return in_given_order


def _saving(rows: CostRows, saved: Floats, observed: Floats) -> tuple[float, float, float]:
    """The weighted mean of what rows save, its error and degrees of freedom, of rows or groups.

    ``observed`` is what they save at the threshold that is proposed. Without a
    row that saves or costs anything the error is 0.
    """
    total = float(rows.weight.sum())
    mean = float((rows.weight * saved).sum() / total)
    parts: Floats = rows.weight * (saved - mean)
    single = float((parts**2).sum())
    if rows.group is not None:
        parts = np.bincount(rows.group, parts).astype(np.float64)
    n, moved = len(parts), bool(saved.any() or observed.any())
    if n < 2 or not moved:
        return mean, 0.0, n - 1
    spread = n / (n - 1) * float((parts**2).sum())
    unseen = _unseen(rows) * max(1.0, spread / single if single > 0 else 1.0)
    optimism = float((rows.weight * observed).sum() / total) - mean
    error = sqrt((spread + unseen) / total**2 + (DOUBT * optimism) ** 2)
    return mean, error, n - 1


def _unseen(rows: CostRows) -> float:
    """The squares that ``UNSEEN`` rows of each class would add, of mean weight and cost."""
    squares = (rows.weight * rows.costs) ** 2
    of_classes = (squares[rows.positive], squares[~rows.positive])
    return UNSEEN * sum(float(one.mean()) for one in of_classes)


def _errors(rows: CostRows, current: float, proposed: float) -> tuple[float, float]:
    """How many more positives are missed, and how many more negatives are false alarms.

    Rows of unequal weight count by it, in a unit in which their mean weight is 1.
    """
    moved = (rows.score >= proposed).astype(np.int64) - (rows.score >= current)
    if rows.is_weighted:
        moved = moved * (rows.weight / rows.weight.mean())
    return (-moved[rows.positive].sum()).item(), moved[~rows.positive].sum().item()


def _in_use(
    rows: CostRows, current: float, proposed: float
) -> tuple[float, float] | tuple[None, None]:
    """The same per case, where positives are as frequent as stated; null where nothing is stated.

    >>> rows = CostRows(np.array([0.2, 0.6, 0.4]), np.array([True, True, False]), np.ones(3),
    ...     np.ones(3), stated=0.1)
    >>> _in_use(rows, 0.3, 0.5)
    (0.0, -0.9)
    """
    if rows.stated is None:
        return None, None
    moved = rows.weight * ((rows.score >= proposed).astype(np.float64) - (rows.score >= current))
    positive = rows.positive
    of_positives = float(moved[positive].sum() / rows.weight[positive].sum())
    of_negatives = float(moved[~positive].sum() / rows.weight[~positive].sum())
    return 0.0 - rows.stated * of_positives, (1 - rows.stated) * of_negatives


def of_counts(
    model: str,
    cells: CostRows,
    current: float,
    options: BootstrapSettings = DEFAULT,
    *,
    validation: CostRows | None = None,
    in_groups: bool = False,
) -> ThresholdChange | None:
    """The same from the numbers of positives and negatives at each score, of ``counted_cells``.

    Rows of one score and class are alike, so that dividing them at random is dividing their
    number: the saving is cross-fitted as that of rows, over one division. The counts of
    ``validation`` rows choose where they are given. Rows ``in_groups`` depend on each other, which
    counts do not tell: the saving has no limits.
    """
    if cells.weight[cells.positive].sum() == 0 or cells.weight[~cells.positive].sum() == 0:
        return None
    proposed = cheapest(cells if validation is None else validation)
    observed = cells.cost(current) - cells.cost(proposed)
    sums = (float(cells.weight @ observed), float(cells.weight @ observed**2))
    if validation is None:
        sums = _divided(cells, current, options.seed)
    total, weight = float(cells.weight.sum()), cells.weight
    mean, error = sums[0] / total, 0.0
    if total > 1 and not in_groups and (sums[1] > 0 or observed.any()):
        spread = max(sums[1] - total * mean**2, 0.0) * total / (total - 1)
        unseen = UNSEEN * float(cells.costs[0] ** 2 + cells.costs[-1] ** 2)
        optimism = float(weight @ observed) / total - mean
        error = sqrt((spread + unseen) / total**2 + (DOUBT * optimism) ** 2)
    saving = _Saving(mean, error, total - 1, options.confidence)
    moved = weight * ((cells.score >= proposed).astype(np.float64) - (cells.score >= current))
    errors = (
        round(-float(moved[cells.positive].sum())),
        round(float(moved[~cells.positive].sum())),
    )
    how = CROSS_FITTED if validation is None else VALIDATED
    return _record(model, cells, (current, proposed), saving, errors, how)


def _divided(cells: CostRows, current: float, seed: int) -> tuple[float, float]:
    """The sum of what rows save at thresholds that were chosen without them, and of its square."""
    weight, pvals = cells.weight, [1 / PARTS] * PARTS
    parts = np.random.default_rng(seed).multinomial(weight.astype(np.int64), pvals)
    order = np.argsort(-cells.score, kind="stable")
    ordered = _sorted(cells, order)
    first = second = 0.0
    for part in parts.T:
        chosen = _cheapest(replace(ordered, weight=(weight - part)[order]))
        saved = cells.cost(current) - cells.cost(chosen)
        first, second = first + float(part @ saved), second + float(part @ saved**2)
    return first, second
