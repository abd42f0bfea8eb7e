"""What a share counts is read off its expression, and stands in no list."""

from __future__ import annotations

import polars as pl
import pytest

from reportgen.intervals import ModifiedWilson
from reportgen.metric_names import CELLS
from reportgen.metrics import METRICS, cells_of_share

SHARES = [name for name, m in METRICS.items() if isinstance(m.interval, ModifiedWilson)]
COUNTS = pl.DataFrame({"tp": [9, 1, 0], "fp": [5, 2, 7], "fn": [1, 30, 2], "tn": [4, 8, 11]})


@pytest.mark.parametrize("name", SHARES)
def test_a_share_is_the_cells_that_it_counts_over_those_that_it_is_of(name):
    share = cells_of_share(name)
    counted, whole = (sum(COUNTS[cell] for cell in cells) for cells in share)

    assert {*share.counted} <= {*share.whole} <= {*CELLS}
    assert COUNTS.select(METRICS[name].expression()).to_series().to_list() == pytest.approx(
        (counted / whole).to_list()
    )


def test_what_is_no_share_of_counts_has_no_cells():
    assert [cells_of_share(name) for name in ("f1", "auc", "tp", "of_another_version")] == [
        None
    ] * 4
