"""Limits of the measures that are best over thresholds, from the ranking of one model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.array_types import Floats
from reportgen.clusters import Effect
from reportgen.comparisons.cross_fitting import CHOSEN_HERE, DOUBT, DealtCells
from reportgen.comparisons.row_costs import RowCosts
from reportgen.intervals.optima import Rates, cost_limits, distance_limits, with_unseen
from reportgen.measuring.cell_effects import effects_of_cells
from reportgen.measuring.grouped import GroupedRows
from reportgen.measuring.metric_set import MetricSet
from reportgen.metrics import METRICS
from reportgen.sweeping import Ranking

RateLimits = tuple[float, float]

COST = "expected_total_cost"

DISTANCES = {"ks_statistic": True, "maximal_informedness": False}
"""Distances of recall and false-positive rate, and whether the order of the scores may turn."""

NO_GROUPS = Effect(1.0, float("inf"))


def optimum_limits(
    order: Ranking,
    metrics: MetricSet,
    repeats: float = 1,
    grouped: GroupedRows | None = None,
) -> tuple[dict[str, RateLimits], dict[str, Effect]]:
    """Lower and upper limit of each of the ``metrics``, and the effects of groups on them.

    Nothing without both classes, nor of a cost with fewer than two (effective)
    rows of a class. Rows count 1/``repeats`` each.
    """
    measures, confidence = {m.name for m in metrics.metrics}, metrics.confidence
    limits: dict[str, RateLimits] = {}
    effects: dict[str, Effect] = {}
    if not (order.both_classes and {COST, *DISTANCES} & measures):
        return limits, effects
    cells, cell = DealtCells.of(order, repeats), np.empty(0, np.int64)
    if grouped is not None:
        cell = grouped.cells(cells.edges)
    if grouped is not None and not grouped.groups.single:
        cells = cells.by_group(cell, grouped.classes)
    distances = [name for name in DISTANCES if name in measures]
    effects |= _effects_at_best(cells, distances, grouped)
    for name in distances:
        rates, widened = (
            best_rates(cells, either=DISTANCES[name]),
            effects[name].inflation(confidence),
        )
        if widened > 0:
            sizes = cells.sizes[0] / widened, cells.sizes[1] / widened
            limits[name] = distance_limits(*rates, sizes, confidence)
    if COST in measures and min(cells.sizes) > 1 + 1e-9:
        costs = RowCosts.of(order, 0, cells)
        effects[COST] = NO_GROUPS if grouped is None else grouped.effect_on_cost(costs, cells, cell)
        if effects[COST].design > 0:
            estimate, variance, df = _cost_with_error(cells, costs, effects[COST])
            limits[COST] = cost_limits(estimate, variance, df, confidence)
    return limits, effects


def best_rates(cells: DealtCells, *, either: bool) -> tuple[Rates, Rates]:
    """Recall and false-positive rate at the best threshold, and those tried on other rows.

    The latter are a mean, with the weight ``CHOSEN_HERE`` for the former, of those of the
    rows of each fold at the threshold that is best for the rest: the middle of
    several that are. Where ``either`` is set, low scores may be those of the positives.
    """
    recall, false_positive_rate = (_reached(count[:, None] / count.sum()) for count in cells.counts)
    at = _best(recall, false_positive_rate, either=either)
    chosen = _turned(
        recall[at, 0], false_positive_rate[at, 0], turn=recall[at, 0] < false_positive_rate[at, 0]
    )
    held = [c[:, None] * f / c.sum() for c, f in zip(cells.counts, cells.folds, strict=True)]
    out = [_reached(one) for one in held]
    others = [
        _share(whole - one) for whole, one in zip((recall, false_positive_rate), out, strict=True)
    ]
    gain, folds = _gain(*others, either=either), np.arange(held[0].shape[1])
    level = gain >= gain.max(axis=0) - 1e-12
    tried = np.zeros(2)
    for place in (level.argmax(axis=0), len(level) - 1 - level[::-1].argmax(axis=0)):
        turn = others[0][place, folds] < others[1][place, folds]
        for side, one in enumerate(out):
            here = one[place, folds]
            tried[side] += np.where(turn, one[-1] - here, here).sum() / 2
    mixed = CHOSEN_HERE * np.array(chosen) + (1 - CHOSEN_HERE) * tried
    return chosen, (float(mixed[0]), float(mixed[1]))


def _reached(shares: Floats) -> Floats:
    """Share of the rows at or above each threshold, from none to all; a column for each fold."""
    cumulative: Floats = np.vstack([np.zeros(shares.shape[1]), shares[::-1].cumsum(axis=0)])
    return cumulative


def _share(reached: Floats) -> Floats:
    share: Floats = reached / np.maximum(reached[-1], 1e-300)
    return share


def _best(recall: Floats, false_positive_rate: Floats, *, either: bool) -> int:
    """The best threshold; of several the one whose rates vary most, and so never none of the rows.

    Rates of 0 or 1 would look more certain than the distance is.
    """
    gain = _gain(recall, false_positive_rate, either=either)
    spread = recall * (1 - recall) + false_positive_rate * (1 - false_positive_rate)
    return int(np.where(gain >= gain.max() - 1e-12, spread, -1.0).argmax())


def _gain(recall: Floats, false_positive_rate: Floats, *, either: bool) -> Floats:
    return np.abs(recall - false_positive_rate) if either else recall - false_positive_rate


def _turned(recall: float, false_positive_rate: float, *, turn: bool) -> Rates:
    """The rates, of the opposite decision where it is asked for."""
    return (
        (1 - float(recall), 1 - float(false_positive_rate))
        if turn
        else (float(recall), float(false_positive_rate))
    )


def _effects_at_best(
    cells: DealtCells, distances: Sequence[str], grouped: GroupedRows | None
) -> dict[str, Effect]:
    """The effect of groups on recall less false-positive rate at the best thresholds."""
    if grouped is None:
        return dict.fromkeys(distances, NO_GROUPS)
    least = {}
    for name in distances:
        recall, false_positive_rate = (
            _reached(count[:, None] / count.sum()) for count in cells.counts
        )
        at = _best(recall, false_positive_rate, either=DISTANCES[name])
        least[name] = cells.edges[-at] if at else np.inf
    thresholds = list(dict.fromkeys(least.values()))
    tables = [grouped.at(threshold) for threshold in thresholds]
    effects = effects_of_cells(tables, [METRICS["informedness"]], {})
    return {name: effects[thresholds.index(at)]["informedness"] for name, at in least.items()}


def _cost_with_error(
    cells: DealtCells, costs: RowCosts, effect: Effect
) -> tuple[float, float, float]:
    """The least cost, its variance and the degrees of freedom of that."""
    estimate, parts = 0.0, []
    for side, count, square, rows in zip(
        (True, False), cells.counts, cells.squares, cells.sizes, strict=True
    ):
        cost, total = costs.of_class[side][1:], float(count.sum())
        mean = float((cost * count).sum()) / total
        apart = float((square * (cost - mean) ** 2).sum()) / total**2 * rows / (rows - 1)
        parts.append((with_unseen(apart, rows, mean), rows))
        estimate += mean
    variance = sum(part for part, _ in parts)
    df = variance**2 / sum(part**2 / rows for part, rows in parts)
    variance = variance * effect.design + (DOUBT * costs.optimism) ** 2
    return estimate, variance, min(df, effect.degrees_of_freedom)
