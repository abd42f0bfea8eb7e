"""Winners in further situations, and of models that differ in few rows: the small form.

``python -m tests.simulations.further_winners 400`` and ``… few_unlike_rows 150`` run all of it.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulations import few_unlike_rows
from tests.simulations.further_winners import SITUATIONS, counts


@pytest.mark.parametrize("name", ["weights 0 and 1, estimates", "ordered classes, 30 rows"])
def test_a_report_of_each_kind_is_counted(name):
    counted = counts(SITUATIONS[name], 1)

    assert counted["recommended"] == 1
    assert not counted["otherwise"]


@pytest.mark.parametrize("task", ["AUC", "MAE"])
def test_four_rows_that_all_favour_one_by_chance_name_no_winner(task):
    """In data sets of which the approximate tests reject."""
    for run in (9, 27):
        random = np.random.default_rng([1, run, 4])
        frame = few_unlike_rows.drawn(random, 100, 4, "one far off", task)
        assert few_unlike_rows.report(frame, task).decision.relation != "ahead"
