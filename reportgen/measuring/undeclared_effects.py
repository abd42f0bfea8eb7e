"""Whether errors resemble each other within groups beyond chance, and what that does to a mean.

Errors within groups resemble each other by chance with a probability below a level, and the
variance of their mean is ``LEAST_EFFECT`` times that of independent rows or more. The first is by
two tests of the ranks of the losses, from which the mean of each class is taken: the F test of a
one-way analysis of variance, and one of the sums by group whose variance is that within each group,
as small groups and rare errors spoil the first, and single large groups the second. Ranks hold
their level under heavy tails, and a column that only follows the class says nothing of how rows
depend on each other.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy.special import chdtrc, fdtrc

from reportgen.array_types import Floats, Integers
from reportgen.clusters import Effect, Groups, mean_effect, sum_of_squares
from reportgen.measuring.crossed_columns import Crossing
from reportgen.predictions.undeclared import FEWEST_VALUES

LEVEL = 0.001
LEAST_EFFECT = 1.5

LEAST_WORTH = 50
"""(Σv²)²/Σv⁴ of the centred ranks: with fewer errors than about this F does not hold."""


def effect_beyond_chance(
    values: Floats,
    groups: Groups,
    classes: Integers | None,
    level: float,
    fewest: int = FEWEST_VALUES,
    worth: float = LEAST_WORTH,
) -> Effect | None:
    """What the groups do to the mean of the values; null where it is little, or may be chance.

    ``classes`` are the numbers of the true classes; NaN are values of rows without one. Fewer
    groups than ``fewest`` are not looked at, nor ranks that are ``worth`` less.
    """
    has = ~np.isnan(values)
    if not has.all():
        values, groups = values[has], groups.among(has)
        classes = None if classes is None else classes[has]
    if groups.number < fewest or 2 * groups.number > len(values):
        return None
    if not _resemble(values, groups, classes, level, worth):
        return None
    effect = mean_effect(values, groups)
    return effect[1] if effect is not None and effect[1].design >= LEAST_EFFECT else None


def effect_beside_groups(
    values: Floats,
    crossing: Crossing,
    classes: Integers | None,
    level: float,
    fewest: int,
) -> Effect | None:
    """What a column does to declared groups within its values, or to rows of groups it crosses.

    Of groups within it, to the means of what these have in common, as of rows; null where it lies
    within the groups.
    """
    values, crossing, classes = _with_value(values, crossing, classes)
    centred, _ = _without_classes(values, classes)
    within = crossing.value_of_group
    if within is not None:
        inner, outer = crossing.declared, crossing.column
        means, by = inner.sums(centred) / inner.sizes, Groups(within, outer.number)
    elif crossing.cells is not None:
        means, by = crossing.means_of_cells(centred)
    else:
        return None
    return effect_beyond_chance(means, by, None, level, fewest)


def _with_value(
    values: Floats, crossing: Crossing, classes: Integers | None
) -> tuple[Floats, Crossing, Integers | None]:
    """What belongs to the rows that have a value."""
    has = ~np.isnan(values)
    if has.all():
        return values, crossing, classes
    return values[has], crossing.among(has), None if classes is None else classes[has]


def _resemble(
    values: Floats, groups: Groups, classes: Integers | None, level: float, worth: float
) -> bool:
    """Whether values within groups are alike beyond chance, and enough to matter."""
    centred, taken = _without_classes(values, classes)
    effect = mean_effect(centred, groups)
    if effect is None or not effect[1].design >= LEAST_EFFECT:
        return False
    ranks, _ = _without_classes(ranked(values), classes)
    squares = sum_of_squares(ranks)
    if not squares or squares**2 < worth * sum_of_squares(np.square(ranks)):
        return False
    sums, of_group = groups.sums(ranks), groups.sums(np.square(ranks))
    freedom = len(values) - groups.number - taken
    between = float((np.square(sums) / groups.sizes).sum())
    within = max(squares - between, 0.0) / max(freedom, 1)
    if freedom < 1 or not within:
        return freedom >= 1
    # Satterthwaite (1946), doi:10.2307/3002019: Σ s_g² as a multiple of χ².
    scale = sum_of_squares(of_group) / squares
    sums_alike = chdtrc(squares / scale, sum_of_squares(sums) / scale)
    means_alike = fdtrc(groups.number - 1, freedom, between / (groups.number - 1) / within)
    return bool(max(sums_alike, means_alike) < level)


def ranked(values: Floats) -> Floats:
    """Ranks from 1; ties have their mean."""
    ranks: Floats = pl.Series(values).rank("average").to_numpy()
    return ranks


def _without_classes(values: Floats, classes: Integers | None) -> tuple[Floats, int]:
    """The values less the mean of their class, and how many means that takes beyond the first."""
    if classes is None:
        return values - values.mean(), 0
    number = int(classes.max()) + 1
    sizes = np.bincount(classes, minlength=number)
    means = np.bincount(classes, values, number) / np.maximum(sizes, 1)
    return values - means[classes], int((sizes > 0).sum()) - 1


LEAST_ROUGH, LEAST_PAIR, FEWEST_EVEN = 0.3, 6, 10


def is_rough(ranks: Floats, codes: Groups, level: float) -> bool:
    """Whether means of codes differ as those of units do, and not smoothly as those of a feature.

    Of ranks, by pairs of neighbouring codes: their squared differences are beyond chance, by
    the variances within the pairs, and so large that the variance between neighbours is at least
    ``LEAST_ROUGH`` of that between all. Pairs of fewer than ``LEAST_PAIR`` rows are not looked at,
    nor codes of which few have most of the rows, as 0 of counts: in effect there are fewer than
    ``FEWEST_EVEN``.

    >>> smooth = np.repeat(np.arange(40.0), 5)
    >>> rough = smooth * 7 % 40
    >>> codes = Groups(smooth.astype(int), 40)
    >>> noise = np.random.default_rng(0).normal(size=200)
    >>> [is_rough(ranked(values + noise), codes, 0.001) for values in (smooth, rough)]
    [False, True]
    """
    if len(ranks) ** 2 < FEWEST_EVEN * sum_of_squares(codes.sizes):
        return False
    last = codes.number - codes.number % 2
    means = codes.sums(ranks) / codes.sizes
    squares = codes.sums(np.square(ranks - means[codes.code]))
    paired = [of[:last].reshape(-1, 2) for of in (codes.sizes, means, squares)]
    large = paired[0].sum(1) >= LEAST_PAIR
    sizes, mean, within = (of[large] for of in paired)
    variance = within.sum(1) / (sizes.sum(1) - 2)
    if not variance.any():
        return False
    weights = sizes.prod(1) / sizes.sum(1)
    between = float((weights * np.square(mean[:, 0] - mean[:, 1])).sum())
    expected = float(variance.sum())
    scale = sum_of_squares(variance) / expected
    of_neighbours = (between - expected) / (2 * float(weights.sum()))
    of_all = sum_of_squares(np.sqrt(codes.sizes) * (means - ranks.mean()))
    of_all -= (codes.number - 1) * expected / len(variance)
    of_all /= len(ranks) - sum_of_squares(codes.sizes) / len(ranks)
    beyond_chance = chdtrc(expected / scale, between / scale) < level
    return bool(beyond_chance and of_neighbours >= LEAST_ROUGH * of_all)
