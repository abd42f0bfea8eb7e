"""Limits of absolute errors and of squares that can be true together; errors of groups not seen."""

import numpy as np
import polars as pl
import pytest

import reportgen
from tests.quick import QUICK

MEASURES = ["mean_absolute_error", "root_mean_squared_error", "mean_squared_error"]


def few_groups(seed, gates=()):
    """Errors of five groups of unlike size, nearly the same on all rows of one."""
    random = np.random.default_rng(seed)
    code = np.repeat(np.arange(5), random.integers(8, 60, 5))
    truth = random.normal(size=len(code)) * 3
    errors = random.normal(size=len(code)) * 0.3 + random.normal(size=5)[code] * 2
    frame = pl.DataFrame({"y": truth, "m": truth + errors, "plant": code})
    spec = {"truth": "y", "models": {"m": {"estimate": "m"}}, "columns": {"group": "plant"}}
    return reportgen.evaluate({**spec, "measures": MEASURES, "gates": list(gates), **QUICK}, frame)


def limits(results):
    of_all = results.metrics.filter(pl.col("metric").is_in(MEASURES), pl.col("slice").is_null())
    return {row[0]: row[1:] for row in of_all.select("metric", "low", "high").rows()}


@pytest.mark.parametrize("seed", [0, 2])
def test_no_limit_of_the_mean_absolute_error_is_above_that_of_the_root_mean_square(seed):
    absolute, root, squared = (limits(few_groups(seed))[name] for name in MEASURES)

    assert absolute[0] <= root[0]
    assert absolute[1] == root[1]  # was twice as high: the root mean square rules that out
    assert squared[0] == pytest.approx(root[0] ** 2)
    assert squared[1] == pytest.approx(root[1] ** 2)


def test_a_lower_limit_below_that_of_the_mean_absolute_error_rises_to_it():
    """As of groups of which one has nearly all errors."""
    absolute, root, squared = (limits(few_groups(11))[name] for name in MEASURES)

    assert absolute[0] == root[0]
    assert squared[0] == pytest.approx(root[0] ** 2)


def test_rows_in_groups_may_lack_groups_with_far_larger_errors():
    [text] = [c.text for c in few_groups(0).decision.caveats if c.code == "unseen_errors"]

    assert text.startswith(
        "If fewer than 60\N{NO-BREAK SPACE}% of all groups have far larger errors,"
    )
    assert ", these 5 groups may contain none of them. " in text
