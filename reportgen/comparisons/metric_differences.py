"""Differences of measures of two models on the same rows or groups, limits in closed form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.array_types import Floats, chunks
from reportgen.clusters import (
    Effect,
    degrees_of_freedom,
    degrees_of_freedom_of_powers,
    t_quantile,
)
from reportgen.comparisons.joint_cells import CELLS, CELLS_OF_CLASS
from reportgen.intervals import PAIRED
from reportgen.intervals.delta import Evaluate, delta_variances, influences
from reportgen.intervals.method_names import MethodName
from reportgen.leverage import common_correlation, jackknife_sums
from reportgen.metric_names import OUTCOMES
from reportgen.metrics import CLASS_OF_CELLS, METRICS, Metric, cells_of_share
from reportgen.metrics.settings import MetricSettings
from reportgen.tables.comparisons import DifferenceRow

RowsOfShare = tuple[bool | None, bool]
"""Of a share of rows that both models share the class, if only one, and right or wrong."""

_CORRECT, _WRONG = ("tp", "tn"), ("fp", "fn")

_WITH_ERRORS = frozenset(k for k, (truth, *given) in enumerate(CELLS) if given != [truth, truth])
"""The cells of rows that one of the models, or both, have wrong."""


def differences(
    joint: pl.DataFrame,
    metrics: Iterable[str | Metric] | None = None,
    *,
    confidence: float = 0.95,
    shares: str = "midp_paired",
    settings: MetricSettings | None = None,
) -> pl.DataFrame:
    """Difference of measures of counts between two models, first minus second.

    ``joint`` is what ``joint_counts`` gives; ``metrics`` are binary measures of
    counts (default: all), ``settings`` go to those that take them. Both models
    are evaluated on the same rows: accuracy, recall, specificity and their
    complements have the interval of paired ``shares`` (of unweighted rows), all
    others that are smooth in the counts one by the delta method over the eight
    joint cells, which knows how the two models' errors coincide. Where not each model alone is
    right about some rows of a class, its variance has half a row more in either of these cells;
    t has as many degrees of freedom as the smaller class has rows, less one.
    Assumes independent rows. Returns ``metric value low high interval undefined``; no
    value where a model has none, no limits where the models never differ, the
    measure has no interval of its own, or a shift of a count leaves it undefined.
    Agresti (2013), *Categorical Data Analysis*, 16.1; Agresti & Min (2005), doi:10.1002/sim.1781;
    shares: Newcombe (1998),
    doi:10.1002/(SICI)1097-0258(19981130)17:22<2635::AID-SIM954>3.0.CO;2-C.
    """
    tables = differences_of(
        [joint], metrics, confidence=confidence, shares=shares, settings=settings
    )
    return tables[0]


def differences_of(
    joints: Sequence[pl.DataFrame],
    metrics: Iterable[str | Metric] | None,
    *,
    confidence: float,
    shares: str,
    settings: MetricSettings | None,
    by_group: Iterable[Floats] | None = None,
) -> list[pl.DataFrame]:
    """The same of several pairs of models, at the cost of one.

    Of rows in groups, whose joint counts ``by_group`` has for each pair, all have
    the interval of the delta method over the sums by group (``half_widths_of_groups``).
    With one row per group it is the plain one but for the factor.
    Liang & Zeger (1986), doi:10.1093/biomet/73.1.13; Pan & Wall (2002), doi:10.1002/sim.1142.
    """
    candidates = [METRICS[m] if isinstance(m, str) else m for m in metrics or METRICS.values()]
    count_metrics = [metric for metric in candidates if metric.on == "counts"]
    if not (count_metrics and joints):
        return [pl.DataFrame(schema=_SCHEMA) for _ in joints]
    counts, squares = (np.array([_in_order(j, c) for j in joints]) for c in ("rows", "squares"))
    evaluate = _evaluation(count_metrics, settings or {})
    halved = _with_halves(counts, squares)
    if by_group is None:
        variances = delta_variances(evaluate, *halved)
        quantiles = [t_quantile(confidence, df) for df in _degrees_of_freedom(counts, squares)]
        half_widths = np.array(quantiles)[:, None] * variances**0.5
    else:
        adds = influences(evaluate, halved[0])
        of_halves = halved[1] > squares
        half_widths = half_widths_of_groups(adds, by_group, squares, confidence, of_halves)
    method: Callable[..., tuple[float, float]] = PAIRED[shares]
    limits_of_shares = partial(
        _of_shares, method=shares, limits=lambda *cells: method(*cells, confidence)
    )
    gaps, of_shares = evaluate(counts), limits_of_shares if by_group is None else None
    return [
        pl.DataFrame(
            [_row(*one, cells, of_shares) for one in zip(count_metrics, gap, near, strict=True)],
            schema=_SCHEMA,
        )
        for cells, gap, near in zip(
            zip(counts, squares, strict=True), gaps, half_widths, strict=True
        )
    ]


def _degrees_of_freedom(counts: Floats, squares: Floats) -> list[float]:
    """Those of each pair, of the rows of the smaller class, of weights the effective ones."""
    positive = np.array([truth for truth, *_ in CELLS])
    rows = []
    for of_class in (positive, ~positive):
        mass, weights = (table[:, of_class].sum(axis=1) for table in (counts, squares))
        rows.append(np.divide(mass**2, weights, out=np.zeros(len(mass)), where=weights > 0))
    degrees: list[float] = np.maximum(np.minimum(*rows) - 1, 1.0).tolist()
    return degrees


def _with_halves(counts: Floats, squares: Floats) -> tuple[Floats, Floats]:
    """The cells, with half a row more in both where the models differ, if one of these is empty.

    Without it the delta method takes for certain that an empty cell has no rows: of 4 rows
    against none the limits would leave out 0, where McNemar's test does not reject, and a class
    on which two models never differ would add nothing (``tests.simulations.half_rows``).
    """
    counts, squares = counts.copy(), squares.copy()
    for truth, of_class in CELLS_OF_CLASS.items():
        pair = [CELLS.index((truth, *one)) for one in ((True, False), (False, True))]
        for rows, of_squares in zip(counts, squares, strict=True):
            cells = pair if rows[pair].any() else of_class
            mass = float(rows[cells].sum())
            if mass > 0 and not rows[pair].all():
                weight = float(of_squares[cells].sum()) / mass
                rows[pair] += weight / 2
                of_squares[pair] += weight**2 / 2
    return counts, squares


_SCHEMA = {
    "metric": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "interval": pl.String,
    "undefined": pl.String,
}


def _in_order(joint: pl.DataFrame, column: str) -> Floats:
    """A column as an array in the order of ``CELLS``; 0 where a cell has no line."""
    by_cell = {row[:3]: row[3] for row in joint.select("truth", "first", "second", column).rows()}
    return np.array([by_cell.get(cell, 0.0) for cell in CELLS], dtype=float)


def _evaluation(metrics: Sequence[Metric], settings: MetricSettings) -> Evaluate:
    """What gives the difference of each metric, pair × metric, NaN where there is none."""
    values = [
        metric.expression(**settings).cast(pl.Float64).alias(str(k))
        for k, metric in enumerate(metrics)
    ]

    def evaluate(cells: Floats) -> Floats:
        both = pl.concat([_margin(cells, model) for model in (0, 1)])
        estimates = both.select(values).to_numpy().reshape(2, len(cells), -1)
        gap: Floats = estimates[0] - estimates[1]
        return gap

    return evaluate


def _row(
    metric: Metric,
    gap: float,
    half_widths: float,
    cells: tuple[Floats, Floats],
    of_shares: Callable[[RowsOfShare, Floats], DifferenceRow] | None,
) -> DifferenceRow:
    """The difference of one metric between two models, with its limits where it has some.

    Without ``of_shares``, what makes limits of shares, the rows come in groups.
    """
    counts, squares = cells
    row: DifferenceRow = {"metric": metric.name, "value": None, "undefined": None}
    row |= {"low": None, "high": None, "interval": None}
    if not np.isfinite(gap):
        row["undefined"] = metric.undefined
        return row
    row["value"] = gap
    never_differ = not any(counts[k] for k, cell in enumerate(CELLS) if cell[1] != cell[2])
    if metric.interval is None or never_differ or not np.isfinite(half_widths):
        return row
    share = _of_common_rows(metric.name)
    if of_shares is not None and share is not None and (counts == squares).all():
        row |= of_shares(share, counts)
        return row
    width = np.ptp(metric.bounds)
    row["low"], row["high"] = max(gap - half_widths, -width), min(gap + half_widths, width)
    row["interval"] = str(MethodName("paired delta", None if of_shares else "groups"))
    return row


def _margin(cells: Floats, model: int) -> pl.DataFrame:
    return pl.DataFrame(
        {
            name: sum(
                cells[:, k] for k, cell in enumerate(CELLS) if (cell[0], cell[1 + model]) == outcome
            )
            for name, outcome in OUTCOMES.items()
        }
    )


def _of_common_rows(name: str) -> RowsOfShare | None:
    """What a measure is a share of, where both models share these rows.

    >>> _of_common_rows("false_negative_rate"), _of_common_rows("precision")
    ((True, False), None)
    """
    share = cells_of_share(name)
    if share is None or share.whole not in CLASS_OF_CELLS:
        return None
    for of_outcome, right in ((_CORRECT, True), (_WRONG, False)):
        if share.counted == tuple(cell for cell in share.whole if cell in of_outcome):
            return CLASS_OF_CELLS[share.whole], right
    return None


def _of_shares(
    share: RowsOfShare, counts: Floats, *, method: str, limits: Callable[..., tuple[float, float]]
) -> DifferenceRow:
    """The interval of two shares of the same rows."""
    side, right = share
    cells = dict.fromkeys(product((True, False), repeat=2), 0.0)
    for (truth, first, second), rows in zip(CELLS, counts.tolist(), strict=True):
        if side is None or truth == side:
            cells[(first == truth) == right, (second == truth) == right] += rows
    both, only_first, only_second, neither = cells.values()
    low, high = limits(both, only_first, only_second, neither)
    return {"low": low, "high": high, "interval": method}


_NOISE = 1e-9
"""A cell that contributes less than this share of what the others do contributes nothing."""

LARGE = 0.02
"""Where no group has this share of the rows, none pulls an estimate towards itself."""


def half_widths_of_groups(
    influence: Floats,
    by_group: Iterable[Floats],
    squares: Floats,
    confidence: float,
    of_halves: npt.NDArray[np.bool_],
) -> Floats:
    """Half the width of each interval, pair × metric, from the sums of the groups.

    Only groups with a row in a cell that matters count as groups: of recall those
    with a positive. ``squares`` are the squared weights of the rows, pair × cell. Where a
    group has ``LARGE`` or more of these rows the variance is the jackknife's over groups, or that
    of one intraclass correlation of all groups where limits are wider by it. Cells with half a
    row more, pair × cell (``of_halves``), add to it what half a row does that stands for as many
    as errors that come together in groups.
    Bell & McCaffrey (2002), *Survey Methodology* 28, 169-181.
    """
    half_widths = np.full(influence.shape[:2], np.nan)
    for pair, counts in enumerate(by_group):
        defined = np.flatnonzero(np.isfinite(influence[pair]).all(axis=1))
        size = np.abs(influence[pair, defined])
        active = size > _NOISE * size.max(axis=1, keepdims=True, initial=1e-300)
        adds = np.where(active, influence[pair, defined], 0.0)
        of_cells = {cells: _sizes(counts, cells) for cells in map(_cells, active)}
        second, fourth = _moments(counts, adds)
        total = float(counts.sum())
        a_row = float(squares[pair].sum()) / total if total else 1.0  # 1 without weights
        unseen = _unseen(counts / a_row, adds * a_row, of_halves[pair])
        for k, (metric, cells) in enumerate(
            zip(defined.tolist(), map(_cells, active), strict=True)
        ):
            sizes = of_cells[cells]
            number = int(np.count_nonzero(sizes))
            if not (second[k] > 0 and number > 1):
                continue
            if sizes.max() < LARGE * sizes.sum():
                freedom = degrees_of_freedom_of_powers(second[k], fourth[k], number)
                effect = Effect(second[k] * number / (number - 1), freedom)
            else:
                of_rows = float(squares[pair] @ adds[k] ** 2)
                rows = float(sizes.sum()) ** 2 / float(squares[pair, cells].sum())
                effect = _with_large(counts @ adds[k], sizes, rows, of_rows)
            for variances, number_of_class in unseen:
                effect = effect.with_more(float(variances[k]), max(number_of_class - 1, 1))
            error = effect.design**0.5
            half_widths[pair, metric] = error * t_quantile(confidence, effect.degrees_of_freedom)
    return half_widths


def _unseen(
    counts: Floats, influence: Floats, of_halves: npt.NDArray[np.bool_]
) -> list[tuple[Floats, int]]:
    """What half a row of each class adds to the variance of each measure, and its groups.

    Such a row stands for as many as errors that come together in groups do: for 1 + (m − 1)ρ of
    the m rows of a group, with ρ the correlation of errors, of the class or of all rows, but for
    no more than one more than any group has.
    """
    every = _correlation(counts, range(len(CELLS)))
    most = 1 + float(counts[:, sorted(_WITH_ERRORS)].sum(axis=1).max(initial=0.0))
    added = []
    for of_class in CELLS_OF_CLASS.values():
        sizes = counts[:, of_class].sum(axis=1)
        if number := int(np.count_nonzero(sizes)):
            cells = [k for k in of_class if of_halves[k]]
            squares = np.square(influence[:, cells]).sum(axis=1)
            alike = max(every, _correlation(counts, of_class, 0.0))
            together = min(1 + (_typical(sizes) - 1) * alike, most)
            added.append((squares * together**2 / 2, number))
    return added


FEW_ERRORS = 10
"""Fewer do not tell how alike those of a group are."""


def _correlation(counts: Floats, cells: Sequence[int], unknown: float = 1.0) -> float:
    """The correlation of errors within groups, of rows that a model or both have wrong.

    By the design effect of their share; ``unknown`` where they are few.
    """
    sizes = counts[:, cells].sum(axis=1)
    wrong = counts[:, [k for k in cells if k in _WITH_ERRORS]].sum(axis=1)
    rows, errors, groups = float(sizes.sum()), float(wrong.sum()), int(np.count_nonzero(sizes))
    typical, share = _typical(sizes), errors / rows if rows else 0.0
    if min(errors, rows - errors) < FEW_ERRORS or groups < 2 or not typical > 1:
        return unknown
    together = float(np.square(wrong - share * sizes).sum()) * groups / (groups - 1)
    effect = together / (rows * share * (1 - share))
    return float(np.clip((effect - 1) / (typical - 1), 0.0, 1.0))


def _typical(sizes: Floats) -> float:
    """The rows of the group of a row, on average."""
    return float(np.square(sizes).sum() / sizes.sum()) if sizes.any() else 1.0


def _with_large(sums: Floats, sizes: Floats, rows: float, squares: float) -> Effect:
    """Variance and degrees of freedom from what groups of these sizes add, and rows squared.

    ``rows`` is how many of equal weight these are worth.
    """
    present = sizes > 0
    sums, shares = sums[present], sizes[present] / sizes.sum()
    number = len(sums)
    pulled = jackknife_sums(sums, shares) * (1 - 1 / number)
    variance = float(np.square(pulled).sum()) * number / (number - 1)
    robust = Effect(variance, degrees_of_freedom(pulled))
    return robust.or_wider(*common_correlation(sums, shares, rows, squares))


def _sizes(counts: Floats, cells: tuple[int, ...]) -> Floats:
    """The rows of each group in these cells."""
    sizes: Floats = counts[:, cells].sum(axis=1)
    return sizes


def _cells(active: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(np.flatnonzero(active).tolist())


def _moments(counts: Floats, influence: Floats) -> tuple[list[float], list[float]]:
    """Sums over the groups of the squares and fourth powers of each metric's sum by group."""
    second, fourth = (np.zeros(len(influence)) for _ in range(2))
    for part in chunks(len(counts)):
        sums = np.square(influence @ counts[part].T)
        second += sums.sum(axis=1)
        fourth += np.square(sums, out=sums).sum(axis=1)
    return second.tolist(), fourth.tolist()
