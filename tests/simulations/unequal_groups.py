"""Few groups of unequal size: how often the tests of clustered rows reject where nothing differs.

``python -m tests.simulations.unequal_groups`` prints the table behind ``EQUAL_GROUPS``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import polars as pl

from reportgen.comparisons import mcnemar_groups, obuchowski, paired_t_groups
from reportgen.leverage import effective_groups
from tests.report_data import Rows
from tests.simulations.groups import DEAR, WITHIN, correct, drawn_rows
from tests.simulations.situations import asked

GROUPS = (4, 5, 6, 8, 10, 14)
LARGEST = (0.0, 0.35, 0.5)
"""Share of the rows in the first group; 0 where it is as the others."""
CORRELATIONS = (0.15, WITHIN)
EDGES = (3.0, 4.0, 5.0, 6.0, 8.0)
"""Between which numbers of groups of equal size, that the groups are worth, the rows are."""


def rejections(random: np.random.Generator, rows: Rows) -> Iterator[tuple[str, float, bool]]:
    """Test, what the groups are worth, and whether the test rejects, for one data set."""
    frame, code = drawn_rows(random, rows)
    both = correct(frame, "a"), correct(frame, "b")
    costs = tuple(np.where(frame["truth"].to_numpy(), DEAR, 1.0) * ~side for side in both)
    tests = (
        obuchowski(frame, asked("auc"), code),
        mcnemar_groups(both, code, asked("accuracy")),
        paired_t_groups(costs, code, asked("cost_sensitive_error_rate"), "paired_cost_groups"),
    )
    worth = effective_groups(code.sizes)
    yield from (
        (test.comparison, worth, test.p_value < 0.05) for test in tests if test.p_value is not None
    )


def table(runs: int, seed: int) -> pl.DataFrame:
    """Share of rejections by test and by what the groups are worth."""
    random = np.random.default_rng(seed)
    rows = [
        row
        for groups, largest, within in product(GROUPS, LARGEST, CORRELATIONS)
        for _ in range(runs)
        for row in rejections(random, Rows(groups, 15, within, unequal=True, largest=largest))
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
        print(table(1000, 5))
