"""A class on which two models do not both err alone is no certainty: half a row more of it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.clusters import Groups
from reportgen.comparisons import differences, joint_counts
from reportgen.comparisons.joint_cells import joint_counts_by_group
from reportgen.comparisons.metric_differences import differences_of
from tests.simulations import half_rows
from tests.simulations.half_rows import Design
from tests.test_comparisons_differences import by_name, report

ALIKE_ON_POSITIVES = {(1, 1, 1): 14, (1, 0, 0): 1, (0, 0, 0): 250, (0, 1, 0): 20, (0, 0, 1): 15}


def test_a_class_on_which_models_do_not_differ_is_no_certainty():
    """By hand: half a row in each of two cells of 16 positives, with t of 14 degrees of freedom."""
    names, cells = ("truth", "a", "b"), ALIKE_ON_POSITIVES
    columns = {name: [cell[k] == 1 for cell in cells] for k, name in enumerate(names)}
    rows = pl.DataFrame(columns | {"n": list(cells.values())})
    rows = rows.select(pl.exclude("n").repeat_by("n").explode())
    joint = joint_counts(rows, "a", "b")
    [plain] = differences(joint, ["informedness"]).to_dicts()
    half_width = 2.1447867 * (1 / 16**2 + (35 - 5**2 / 285) / 285**2) ** 0.5

    assert plain["value"] == pytest.approx(-5 / 285)
    assert plain["high"] - plain["value"] == pytest.approx(half_width, rel=1e-3)
    groups = Groups.of(pl.Series(range(rows.height)))
    by_group = joint_counts_by_group(rows, "a", "b", groups)
    [alone] = differences_of(
        [joint],
        ["informedness"],
        confidence=0.95,
        shares="tango",
        settings=None,
        by_group=[by_group],
    )
    [grouped] = alone.to_dicts()
    assert grouped["high"] - plain["value"] == pytest.approx(half_width, rel=0.02)


def test_half_a_row_of_a_class_counts_for_as_many_as_errors_that_come_together_in_groups():
    """All errors are in seven of 100 groups of three: a row more stands for nearly three."""
    rows = pl.DataFrame(
        {
            "truth": [True] * 15 + [False] * 285,
            "a": [True] * 14 + [False] * 266 + [True] * 20,
            "b": [True] * 14 + [False] * 286,
        }
    )
    widths = {}
    for size in (1, 3):
        groups = Groups.of(pl.Series([k // size for k in range(rows.height)]))
        [table] = differences_of(
            [joint_counts(rows, "a", "b")],
            ["informedness"],
            confidence=0.95,
            shares="tango",
            settings=None,
            by_group=[joint_counts_by_group(rows, "a", "b", groups)],
        )
        [row] = table.to_dicts()
        widths[size] = row["high"] - row["low"]

    assert widths[3] > 2.5 * widths[1]


def test_the_unit_of_weights_does_not_change_limits_in_groups():
    random = np.random.default_rng(1)
    truth, group = np.arange(600) % 5 < 1, np.arange(600) // 20
    first = np.where(random.random(600) < 0.9, truth, ~truth)
    second = np.where(truth & (random.random(600) < 0.3), ~first, first)
    limits = []
    for unit in (1.0, 1 / 600, 1000.0):
        rows = pl.DataFrame({"truth": truth, "p": first, "q": second, "g": group, "w": unit})
        rows = rows.with_columns(pl.col("p", "q").cast(pl.Float64))
        results = report(rows, columns={"group": "g", "weight": "w"})
        limits.append(by_name(results.differences)["f1"])

    assert limits[0]["low"] < limits[0]["value"] < limits[0]["high"]
    for other in limits[1:]:
        assert [other[k] for k in ("low", "high")] == pytest.approx(
            [limits[0][k] for k in ("low", "high")]
        )


@pytest.mark.parametrize("size", [1, 5])
def test_limits_hold_the_true_difference_of_models_that_are_alike_on_few_positives(size):
    design = Design(300, size, 0.06, 0.1, 0.05, behind=0.1)
    by_form = dict(half_rows.rates(design, 400))

    assert max(by_form.pop("without")) > 0.15
    [[_, shares]] = by_form.items()
    assert max(shares) <= 0.08
