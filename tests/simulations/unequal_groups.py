"""Few groups of unequal size: how often the tests of clustered rows reject where nothing differs.

``python -m tests.simulations.unequal_groups`` prints the table behind ``EQUAL_GROUPS``, with the
argument ``weights`` that behind ``EQUAL_WEIGHTS``: groups whose rows have weights of their group.
1,000 data sets of each of 24 designs with weights: groups worth eight or more of equal weight
rejected 0.052 (weighted McNemar) and 0.032 (Obuchowski), worth five to eight 0.048 to 0.052 and
0.032 to 0.034, below five 0.076 to 0.131 and 0.034 to 0.038. Without leaving out each group
(CR3) Obuchowski's test rejected 0.062, 0.070 to 0.081 and 0.082 to 0.152 (500 data sets each).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import polars as pl

from reportgen.comparisons import (
    Comparison,
    area_covariance,
    delong_pair,
    mcnemar_groups,
    obuchowski,
    paired_t_groups,
    weighted_t,
)
from reportgen.leverage import effective_groups
from reportgen.sample_design import SampleDesign
from tests.report_data import Rows
from tests.simulations.groups import DEAR, WITHIN, correct, drawn_rows
from tests.simulations.situations import ALPHA, asked

GROUPS, WEIGHTED = (4, 5, 6, 8, 10, 14), (8, 12, 20, 30)
LARGEST = (0.0, 0.35, 0.5)
"""Share of the rows in the first group; 0 where it is as the others."""
CORRELATIONS = (0.15, WITHIN)
SPREADS = (0.5, 1.0)
"""Of the logarithm of the weights of groups."""
EDGES = (3.0, 4.0, 5.0, 6.0, 8.0)
"""Between which numbers of groups of equal size, that the groups are worth, the rows are."""


Worth = tuple[float, Iterator[Comparison]]
"""How many groups of one size, or weight, the groups are worth, and the tests."""


def of_sizes(random: np.random.Generator, rows: Rows) -> Worth:
    """The tests of rows that count once."""
    frame, code = drawn_rows(random, rows)
    both = correct(frame, "a"), correct(frame, "b")
    costs = tuple(np.where(frame["truth"].to_numpy(), DEAR, 1.0) * ~side for side in both)
    tests = (
        obuchowski(frame, asked("auc"), code),
        mcnemar_groups(both, code, asked("accuracy")),
        paired_t_groups(costs, code, asked("cost_sensitive_error_rate"), "paired_cost_groups"),
    )
    return effective_groups(code.sizes), iter(tests)


def of_weights(random: np.random.Generator, rows: Rows) -> Worth:
    """The tests of weighted rows: weights of the groups, lognormal, say nothing of the rest."""
    frame, code = drawn_rows(random, rows)
    weights = np.exp(random.choice(SPREADS) * random.standard_normal(code.number))[code.code]
    frame = frame.with_columns(weight=pl.Series(weights))
    areas = area_covariance(frame, ("a", "b"), weight="weight", groups=code)
    a, b = (correct(frame, model).astype(float) for model in "ab")
    tests = (
        delong_pair(areas, (0, 1), asked("auc")),
        weighted_t(
            (a, b), SampleDesign(weights, groups=code), asked("accuracy"), name="mcnemar_weighted"
        ),
    )
    return effective_groups(code.sums(weights)), iter(tests)


def rejections(worth: float, tests: Iterator[Comparison]) -> Iterator[tuple[str, float, bool]]:
    """Test, what the groups are worth, and whether the test rejects, for one data set."""
    for test in tests:
        if test.p_value is not None:
            yield test.comparison, worth, test.p_value < ALPHA


def table(runs: int, seed: int, drawn: Callable[..., Worth] = of_sizes) -> pl.DataFrame:
    """Share of rejections by test and by what the groups are worth."""
    random = np.random.default_rng(seed)
    rows = [
        row
        for groups, largest, within in product(
            WEIGHTED if drawn is of_weights else GROUPS, LARGEST, CORRELATIONS
        )
        for _ in range(runs)
        for row in rejections(
            *drawn(random, Rows(groups, 15, within, unequal=True, largest=largest))
        )
    ]
    frame = pl.DataFrame(rows, schema=["test", "worth", "rejects"], orient="row")
    below = pl.sum_horizontal(pl.col("worth") >= edge for edge in EDGES)
    least = pl.lit(pl.Series([0.0, *EDGES])).gather(below)
    return (
        frame.with_columns(worth_from=least)
        .group_by("test", "worth_from")
        .agg(level=pl.col("rejects").mean().round(3), tests=pl.len())
        .sort("test", "worth_from")
    )


if __name__ == "__main__":
    with pl.Config(tbl_rows=-1):
        print(table(1000, 5, of_weights if "weights" in sys.argv else of_sizes))
